package modelserver

import (
	"encoding/base64"
	"fmt"
	"strings"
)

// itemID names an output item of a response.
func itemID(kind string, req *Request, index int) string {
	return fmt.Sprintf("%s_%d_%d", kind, req.Number, index)
}

func reasoningItem(req *Request, index int, part string) map[string]any {
	return map[string]any{
		"id": itemID("rs", req, index), "type": "reasoning",
		"summary":           []any{map[string]any{"type": "summary_text", "text": part}},
		"encrypted_content": base64.StdEncoding.EncodeToString([]byte("sealed: " + part)),
	}
}

func messageItem(req *Request, index int, status, text string) map[string]any {
	content := []any{}
	if text != "" {
		content = append(content, map[string]any{"type": "output_text", "text": text, "annotations": []any{}})
	}
	return map[string]any{
		"id": itemID("msg", req, index), "type": "message", "role": "assistant", "status": status, "content": content,
	}
}

func callItem(req *Request, index int, status string, call Call) map[string]any {
	return map[string]any{
		"id": itemID("fc", req, index), "type": "function_call", "status": status,
		"call_id": call.ID, "name": call.Name, "arguments": call.Arguments,
	}
}

// finishedResponse is the response when all of its output is there.
func finishedResponse(req *Request, step Step, output []any) map[string]any {
	status, reason := "completed", ""
	switch step.Stop {
	case StopLength:
		status, reason = "incomplete", "max_output_tokens"
	case StopRefused:
		status, reason = "incomplete", "content_filter"
	}
	response := responseObject(req, status, output)
	if reason != "" {
		response["incomplete_details"] = map[string]any{"reason": reason}
	}
	if !step.Bare {
		u := step.usage(req)
		response["usage"] = map[string]any{
			"input_tokens": u.Input, "input_tokens_details": map[string]any{"cached_tokens": u.Cached},
			"output_tokens": u.Output, "output_tokens_details": map[string]any{"reasoning_tokens": 0},
			"total_tokens": u.Input + u.Output,
		}
	}
	return response
}

// writeResponse is the whole answer of the Responses API without streaming.
func writeResponse(req *Request, step Step) any {
	var output []any
	for _, part := range step.Reasoning {
		output = append(output, reasoningItem(req, len(output), part))
	}
	if text := step.wholeText(); text != "" {
		output = append(output, messageItem(req, len(output), "completed", text))
	}
	for i, call := range step.Calls {
		if call.ID == "" {
			call.ID = itemID("call", req, i)
		}
		output = append(output, callItem(req, len(output), "completed", call))
	}
	return finishedResponse(req, step, output)
}

// wholeText is the step's text in one piece. Numbered deltas belong to streams.
func (s Step) wholeText() string { return strings.Join(s.Text, "") }
