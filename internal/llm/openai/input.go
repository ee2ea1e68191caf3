package openai

import (
	"fmt"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"

	"confidant/internal/llm"
)

// params puts a request into the words of the Responses API.
func (m *Responses) params(req llm.Request) (responses.ResponseNewParams, error) {
	p := responses.ResponseNewParams{
		Model: m.model,
		Store: openai.Bool(false),
		Input: responses.ResponseNewParamsInputUnion{OfInputItemList: m.input(req.Messages)},
	}
	if req.System != "" {
		p.Instructions = openai.String(req.System)
	}
	if req.MaxOutput > 0 {
		p.MaxOutputTokens = openai.Int(int64(req.MaxOutput))
	}
	if reasons(m.model) {
		p.Reasoning = shared.ReasoningParam{Effort: shared.ReasoningEffort(req.Effort), Summary: shared.ReasoningSummaryAuto}
		p.Include = []responses.ResponseIncludable{responses.ResponseIncludableReasoningEncryptedContent}
	}
	for _, tool := range req.Tools {
		schema, err := object(tool.Parameters)
		if err != nil {
			return p, fmt.Errorf("tool %s: %w", tool.Name, err)
		}
		p.Tools = append(p.Tools, responses.ToolUnionParam{OfFunction: &responses.FunctionToolParam{
			Name: tool.Name, Description: openai.String(tool.Description),
			Parameters: schema, Strict: openai.Bool(strict(schema)),
		}})
	}
	if req.Schema != nil {
		schema, err := object(req.Schema.JSON)
		if err != nil {
			return p, fmt.Errorf("schema %s: %w", req.Schema.Name, err)
		}
		p.Text.Format.OfJSONSchema = &responses.ResponseFormatTextJSONSchemaConfigParam{
			Name: req.Schema.Name, Schema: schema, Strict: openai.Bool(strict(schema)),
		}
	}
	return p, nil
}

// input lists the conversation's items.
func (m *Responses) input(messages []llm.Message) responses.ResponseInputParam {
	var items responses.ResponseInputParam
	for _, msg := range messages {
		switch msg.Role {
		case llm.User:
			items = append(items, responses.ResponseInputItemParamOfMessage(msg.Text, responses.EasyInputMessageRoleUser))
		case llm.Assistant:
			items = append(items, m.said(msg)...)
		case llm.Tool:
			for _, r := range msg.Results {
				output := responses.ResponseInputItemParamOfFunctionCallOutput(r.Content)
				output.OfFunctionCallOutput.CallID = openai.String(r.CallID)
				items = append(items, output)
			}
		}
	}
	return items
}

// said lists what the assistant said and called, each after the reasoning that
// led to it.
func (m *Responses) said(msg llm.Message) responses.ResponseInputParam {
	state := llm.DecodeState(msg.State, m.name)
	var items responses.ResponseInputParam
	reasoned := func(call string) {
		for _, raw := range state.Of(call) {
			items = append(items, param.Override[responses.ResponseInputItemUnionParam](raw))
		}
	}
	if msg.Text != "" {
		reasoned("")
		items = append(items, responses.ResponseInputItemParamOfMessage(msg.Text, responses.EasyInputMessageRoleAssistant))
	}
	for _, call := range msg.Calls {
		reasoned(call.ID)
		items = append(items, responses.ResponseInputItemParamOfFunctionCall(call.Arguments, call.ID, call.Name))
	}
	return items
}
