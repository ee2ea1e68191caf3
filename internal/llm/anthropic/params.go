package anthropic

import (
	"encoding/json"
	"fmt"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"confidant/internal/llm"
)

// defaultMaxOutput is the limit of an answer when the request names none: the
// API demands one, and every model allows this much.
const defaultMaxOutput = 8192

// params puts a request into the words of the Messages API. The conversation's
// prefix is cached at the provider, because an agent sends it again and again.
func (m *Model) params(req llm.Request) (anthropic.MessageNewParams, error) {
	p := anthropic.MessageNewParams{
		Model:        m.model,
		MaxTokens:    int64(req.MaxOutput),
		Messages:     m.messages(req.Messages),
		CacheControl: anthropic.NewCacheControlEphemeralParam(),
	}
	if p.MaxTokens == 0 {
		p.MaxTokens = defaultMaxOutput
	}
	if req.System != "" {
		p.System = []anthropic.TextBlockParam{{Text: req.System}}
	}
	if m.mayThink(req.Messages) {
		think(&p, m.model, req.Effort)
	}
	for _, tool := range req.Tools {
		schema, err := inputSchema(tool.Parameters)
		if err != nil {
			return p, fmt.Errorf("tool %s: %w", tool.Name, err)
		}
		p.Tools = append(p.Tools, anthropic.ToolUnionParam{OfTool: &anthropic.ToolParam{
			Name: tool.Name, Description: anthropic.String(tool.Description), InputSchema: schema,
		}})
	}
	if req.Schema != nil {
		var schema map[string]any
		if err := json.Unmarshal(req.Schema.JSON, &schema); err != nil {
			return p, fmt.Errorf("schema %s: %w", req.Schema.Name, err)
		}
		closeObjects(schema)
		p.OutputConfig.Format = anthropic.JSONOutputFormatParam{Schema: schema}
	}
	return p, nil
}

// mayThink reports whether thinking can be switched on. Between a call and the
// answer to its result it cannot when the call was made without, by another model.
func (m *Model) mayThink(messages []llm.Message) bool {
	n := len(messages)
	if n < 2 || messages[n-1].Role != llm.Tool {
		return true
	}
	return len(llm.DecodeState(messages[n-2].State, m.name).Items) > 0
}

// inputSchema splits a JSON Schema into what the SDK names and the rest.
func inputSchema(raw json.RawMessage) (anthropic.ToolInputSchemaParam, error) {
	s := anthropic.ToolInputSchemaParam{Properties: map[string]any{}}
	if len(raw) == 0 {
		return s, nil
	}
	var schema struct {
		Properties map[string]any `json:"properties"`
		Required   []string       `json:"required"`
	}
	if err := json.Unmarshal(raw, &schema); err != nil {
		return s, fmt.Errorf("read the JSON schema: %w", err)
	}
	var rest map[string]any
	if err := json.Unmarshal(raw, &rest); err != nil {
		return s, fmt.Errorf("read the JSON schema: %w", err)
	}
	for _, named := range []string{"type", "properties", "required"} {
		delete(rest, named)
	}
	if schema.Properties != nil {
		s.Properties = schema.Properties
	}
	s.Required, s.ExtraFields = schema.Required, rest
	return s, nil
}

// closeObjects forbids further properties in every object of a schema, which
// the API demands of the schema of an answer.
func closeObjects(schema any) {
	switch s := schema.(type) {
	case []any:
		for _, v := range s {
			closeObjects(v)
		}
	case map[string]any:
		if s["type"] == "object" {
			s["additionalProperties"] = false
		}
		for _, v := range s {
			closeObjects(v)
		}
	}
}

// messages lists the conversation. Tool results are the user's.
func (m *Model) messages(messages []llm.Message) []anthropic.MessageParam {
	var list []anthropic.MessageParam
	for _, msg := range messages {
		switch msg.Role {
		case llm.User:
			list = append(list, anthropic.NewUserMessage(anthropic.NewTextBlock(msg.Text)))
		case llm.Assistant:
			if blocks := m.said(msg); len(blocks) > 0 {
				list = append(list, anthropic.NewAssistantMessage(blocks...))
			}
		case llm.Tool:
			var blocks []anthropic.ContentBlockParamUnion
			for _, r := range msg.Results {
				blocks = append(blocks, anthropic.NewToolResultBlock(r.CallID, r.Content, r.IsError))
			}
			list = append(list, anthropic.NewUserMessage(blocks...))
		}
	}
	return list
}

// said lists what the assistant said and called, each after the thinking that
// led to it. An empty text is left out: the API refuses it.
func (m *Model) said(msg llm.Message) []anthropic.ContentBlockParamUnion {
	state := llm.DecodeState(msg.State, m.name)
	var blocks []anthropic.ContentBlockParamUnion
	thought := func(call string) {
		for _, raw := range state.Of(call) {
			blocks = append(blocks, param.Override[anthropic.ContentBlockParamUnion](raw))
		}
	}
	if msg.Text != "" {
		thought("")
		blocks = append(blocks, anthropic.NewTextBlock(msg.Text))
	}
	for _, call := range msg.Calls {
		thought(call.ID)
		blocks = append(blocks, anthropic.NewToolUseBlock(call.ID, arguments(call.Arguments), call.Name))
	}
	return blocks
}

// arguments is a call's arguments as the object that the API demands. What was
// not an object goes back under a name of its own, so that the model sees it.
func arguments(text string) any {
	var object map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &object) != nil || object == nil {
		return map[string]any{"malformed_arguments": text}
	}
	return object
}
