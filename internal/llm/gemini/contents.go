package gemini

import (
	"encoding/json"
	"fmt"
	"strings"

	"google.golang.org/genai"

	"confidant/internal/llm"
)

// config puts everything but the conversation into the words of the API.
func (m *Model) config(req llm.Request) (*genai.GenerateContentConfig, error) {
	config := &genai.GenerateContentConfig{
		MaxOutputTokens:       int32(min(req.MaxOutput, 1<<30)),
		ThinkingConfig:        thinking(m.model, req.Effort),
		AutomaticContinuation: genai.Ptr(false), // a cut answer is asked again as a whole
	}
	if req.System != "" {
		config.SystemInstruction = &genai.Content{Parts: []*genai.Part{{Text: req.System}}}
	}
	var functions []*genai.FunctionDeclaration
	for _, tool := range req.Tools {
		function := &genai.FunctionDeclaration{Name: tool.Name, Description: tool.Description}
		if len(tool.Parameters) > 0 {
			if err := json.Unmarshal(tool.Parameters, &function.ParametersJsonSchema); err != nil {
				return nil, fmt.Errorf("tool %s: read the JSON schema: %w", tool.Name, err)
			}
		}
		functions = append(functions, function)
	}
	if functions != nil {
		config.Tools = []*genai.Tool{{FunctionDeclarations: functions}}
	}
	if req.Schema != nil {
		config.ResponseMIMEType = "application/json"
		if err := json.Unmarshal(req.Schema.JSON, &config.ResponseJsonSchema); err != nil {
			return nil, fmt.Errorf("schema %s: %w", req.Schema.Name, err)
		}
	}
	return config, nil
}

// thinking asks for thoughts that can be read. Version 2.5 measures effort in
// tokens, later versions in levels, earlier ones do not think.
func thinking(model, effort string) *genai.ThinkingConfig {
	version, ok := strings.CutPrefix(model, "gemini-")
	if !ok || version < "2.5" {
		return nil
	}
	config := &genai.ThinkingConfig{IncludeThoughts: true}
	budgets := map[string]int32{"low": 1024, "medium": 8192, "high": 24576}
	if budget, ok := budgets[effort]; ok && version < "3" {
		config.ThinkingBudget = &budget
	} else if ok {
		config.ThinkingLevel = genai.ThinkingLevel(strings.ToUpper(effort))
	}
	return config
}

// contents lists the conversation. Tool results are the user's.
func (m *Model) contents(messages []llm.Message) []*genai.Content {
	var list []*genai.Content
	for _, msg := range messages {
		content := &genai.Content{Role: genai.RoleUser}
		switch msg.Role {
		case llm.User:
			content.Parts = []*genai.Part{{Text: msg.Text}}
		case llm.Assistant:
			content.Role = genai.RoleModel
			content.Parts = m.said(msg)
		case llm.Tool:
			for _, r := range msg.Results {
				content.Parts = append(content.Parts, &genai.Part{FunctionResponse: &genai.FunctionResponse{
					ID: r.CallID, Name: r.Name, Response: result(r),
				}})
			}
		}
		if len(content.Parts) > 0 {
			list = append(list, content)
		}
	}
	return list
}

// said lists what the assistant said and called, with the signatures of the
// thoughts that led to it.
func (m *Model) said(msg llm.Message) []*genai.Part {
	state := llm.DecodeState(msg.State, m.name)
	var parts []*genai.Part
	if msg.Text != "" {
		parts = append(parts, &genai.Part{Text: msg.Text, ThoughtSignature: signature(state, "")})
	}
	for _, call := range msg.Calls {
		parts = append(parts, &genai.Part{
			FunctionCall:     &genai.FunctionCall{ID: call.ID, Name: call.Name, Args: arguments(call.Arguments)},
			ThoughtSignature: signature(state, call.ID),
		})
	}
	return parts
}

// signature is the last signature that came with a call, or with the text for "".
func signature(state llm.State, call string) []byte {
	var last []byte
	for _, raw := range state.Of(call) {
		if json.Unmarshal(raw, &last) != nil {
			return nil
		}
	}
	return last
}

// arguments is a call's arguments as the object that the API demands. What was
// not an object goes back under a name of its own, so that the model sees it.
func arguments(text string) map[string]any {
	var object map[string]any
	if json.Unmarshal([]byte(text), &object) != nil || object == nil {
		return map[string]any{"malformed_arguments": text}
	}
	return object
}

// result is a tool's result as the object that the API demands.
func result(r llm.ToolResult) map[string]any {
	if r.IsError {
		return map[string]any{"error": r.Content}
	}
	var value any
	if json.Unmarshal([]byte(r.Content), &value) != nil {
		value = r.Content
	}
	if object, ok := value.(map[string]any); ok {
		return object
	}
	return map[string]any{"output": value}
}
