package openai

import (
	"fmt"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/shared"

	"confidant/internal/llm"
)

// params puts a request into the words of Chat Completions. It keeps to what
// compatible servers understand: "strict" is sent only where it holds.
func (m *Chat) params(req llm.Request) (openai.ChatCompletionNewParams, error) {
	p := openai.ChatCompletionNewParams{
		Model:         m.model,
		Messages:      messages(req),
		StreamOptions: openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)},
	}
	limit := &p.MaxTokens
	if reasons(m.model) {
		p.ReasoningEffort = shared.ReasoningEffort(req.Effort)
		limit = &p.MaxCompletionTokens // they reject the other one
	}
	if req.MaxOutput > 0 {
		*limit = openai.Int(int64(req.MaxOutput))
	}
	for _, tool := range req.Tools {
		schema, err := object(tool.Parameters)
		if err != nil {
			return p, fmt.Errorf("tool %s: %w", tool.Name, err)
		}
		function := shared.FunctionDefinitionParam{
			Name: tool.Name, Description: openai.String(tool.Description), Parameters: schema,
		}
		if strict(schema) {
			function.Strict = openai.Bool(true)
		}
		p.Tools = append(p.Tools, openai.ChatCompletionFunctionTool(function))
	}
	if req.Schema != nil {
		schema, err := object(req.Schema.JSON)
		if err != nil {
			return p, fmt.Errorf("schema %s: %w", req.Schema.Name, err)
		}
		p.ResponseFormat.OfJSONSchema = &shared.ResponseFormatJSONSchemaParam{
			JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{
				Name: req.Schema.Name, Schema: schema, Strict: openai.Bool(strict(schema)),
			},
		}
	}
	return p, nil
}

// messages lists the conversation under its system message.
func messages(req llm.Request) []openai.ChatCompletionMessageParamUnion {
	var list []openai.ChatCompletionMessageParamUnion
	if req.System != "" {
		list = append(list, openai.SystemMessage(req.System))
	}
	for _, msg := range req.Messages {
		switch msg.Role {
		case llm.User:
			list = append(list, openai.UserMessage(msg.Text))
		case llm.Assistant:
			list = append(list, said(msg))
		case llm.Tool:
			for _, r := range msg.Results {
				list = append(list, openai.ToolMessage(r.Content, r.CallID))
			}
		}
	}
	return list
}

// said is an assistant's message with its calls.
func said(msg llm.Message) openai.ChatCompletionMessageParamUnion {
	assistant := &openai.ChatCompletionAssistantMessageParam{}
	if msg.Text != "" || len(msg.Calls) == 0 {
		assistant.Content.OfString = openai.String(msg.Text)
	}
	for _, call := range msg.Calls {
		assistant.ToolCalls = append(assistant.ToolCalls, openai.ChatCompletionMessageToolCallUnionParam{
			OfFunction: &openai.ChatCompletionMessageFunctionToolCallParam{
				ID:       call.ID,
				Function: openai.ChatCompletionMessageFunctionToolCallFunctionParam{Name: call.Name, Arguments: call.Arguments},
			},
		})
	}
	return openai.ChatCompletionMessageParamUnion{OfAssistant: assistant}
}
