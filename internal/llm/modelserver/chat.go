package modelserver

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// parseChat reads a request of Chat Completions.
func parseChat(body []byte) (*Request, error) {
	var in struct {
		Model    string `json:"model"`
		Stream   bool   `json:"stream"`
		Messages []struct {
			Role      string  `json:"role"`
			Content   content `json:"content"`
			CallID    string  `json:"tool_call_id"`
			ToolCalls []struct {
				ID       string `json:"id"`
				Function struct {
					Name      string `json:"name"`
					Arguments string `json:"arguments"`
				} `json:"function"`
			} `json:"tool_calls"`
		} `json:"messages"`
		Tools []struct {
			Function Tool `json:"function"`
		} `json:"tools"`
		ResponseFormat struct {
			JSONSchema struct {
				Name   string          `json:"name"`
				Schema json.RawMessage `json:"schema"`
			} `json:"json_schema"`
		} `json:"response_format"`
		StreamOptions struct {
			IncludeUsage bool `json:"include_usage"`
		} `json:"stream_options"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, fmt.Errorf("read the request: %w", err)
	}
	req := &Request{
		API: "chat", Model: in.Model, Stream: in.Stream, WithUsage: in.StreamOptions.IncludeUsage,
		SchemaName: in.ResponseFormat.JSONSchema.Name, Schema: in.ResponseFormat.JSONSchema.Schema,
	}
	for _, m := range in.Messages {
		if m.Role == "system" || m.Role == "developer" {
			req.System += string(m.Content)
			continue
		}
		message := Message{Role: m.Role, Text: string(m.Content), CallID: m.CallID}
		for _, c := range m.ToolCalls {
			message.Calls = append(message.Calls, Call{ID: c.ID, Name: c.Function.Name, Arguments: c.Function.Arguments})
		}
		req.Messages = append(req.Messages, message)
	}
	for _, t := range in.Tools {
		req.Tools = append(req.Tools, t.Function)
	}
	return req, nil
}

// chatStream writes the chunks of Chat Completions. Reasoning goes into
// reasoning_content, as the open models' servers do it.
type chatStream struct {
	req    *Request
	prefix []byte
	calls  int
}

func newChatStream(req *Request) dialect {
	prefix := fmt.Appendf(nil, `data: {"id":"chatcmpl-%d","object":"chat.completion.chunk","created":%d,"model":%s,"choices":[{"index":0,"delta":`,
		req.Number, time.Now().Unix(), appendString(nil, []byte(req.Model)))
	return &chatStream{req: req, prefix: prefix}
}

// delta appends a chunk whose delta is {key: text}.
func (c *chatStream) delta(dst []byte, key string, text []byte) []byte {
	dst = append(dst, c.prefix...)
	dst = append(dst, '{', '"')
	dst = append(dst, key...)
	dst = append(dst, '"', ':')
	dst = appendString(dst, text)
	return append(dst, "},\"finish_reason\":null}]}\n\n"...)
}

func (c *chatStream) begin(dst []byte) []byte { return c.delta(dst, "role", []byte("assistant")) }

func (c *chatStream) reasoning(dst []byte, part string) []byte {
	for _, w := range words(part) {
		dst = c.delta(dst, "reasoning_content", []byte(w))
	}
	return dst
}

func (c *chatStream) text(dst []byte, delta []byte) []byte { return c.delta(dst, "content", delta) }

// call sends the name first and the arguments in two pieces, as OpenAI does.
func (c *chatStream) call(dst []byte, call Call) []byte {
	half := len(call.Arguments) / 2
	head := map[string]any{"name": call.Name, "arguments": ""}
	first := map[string]any{"index": c.calls, "type": "function", "function": head}
	if call.ID != "" {
		first["id"] = call.ID
	}
	dst = c.toolDelta(dst, first)
	for _, piece := range []string{call.Arguments[:half], call.Arguments[half:]} {
		dst = c.toolDelta(dst, map[string]any{"index": c.calls, "function": map[string]any{"arguments": piece}})
	}
	c.calls++
	return dst
}

func (c *chatStream) toolDelta(dst []byte, call map[string]any) []byte {
	encoded, _ := json.Marshal(call) // a map of strings always encodes
	dst = append(dst, c.prefix...)
	dst = fmt.Appendf(dst, `{"tool_calls":[%s]},"finish_reason":null}]}`, encoded)
	return append(dst, "\n\n"...)
}

func (c *chatStream) end(dst []byte, step Step) []byte {
	dst = append(dst, c.prefix...)
	dst = fmt.Appendf(dst, "{},\"finish_reason\":%q}]}\n\n", step.stop())
	if c.req.WithUsage && !step.Bare {
		dst = appendEvent(dst, "", map[string]any{
			"id": "chatcmpl-" + strconv.Itoa(c.req.Number), "object": "chat.completion.chunk", "model": c.req.Model,
			"choices": []any{}, "usage": chatUsage(step.usage(c.req)),
		})
	}
	return append(dst, "data: [DONE]\n\n"...)
}

func chatUsage(u Usage) map[string]any {
	return map[string]any{
		"prompt_tokens": u.Input, "completion_tokens": u.Output, "total_tokens": u.Input + u.Output,
		"prompt_tokens_details": map[string]any{"cached_tokens": u.Cached},
	}
}

// writeChat is the whole answer of Chat Completions without streaming.
func writeChat(req *Request, step Step) any {
	message := map[string]any{"role": "assistant", "content": step.wholeText()}
	if len(step.Reasoning) > 0 {
		message["reasoning_content"] = strings.Join(step.Reasoning, "\n\n")
	}
	var calls []any
	for i, c := range step.Calls {
		if c.ID == "" {
			c.ID = itemID("call", req, i)
		}
		calls = append(calls, map[string]any{
			"id": c.ID, "type": "function", "function": map[string]any{"name": c.Name, "arguments": c.Arguments},
		})
	}
	if calls != nil {
		message["tool_calls"] = calls
	}
	return map[string]any{
		"id": "chatcmpl-" + strconv.Itoa(req.Number), "object": "chat.completion", "created": time.Now().Unix(), "model": req.Model,
		"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": step.stop()}},
		"usage":   chatUsage(step.usage(req)),
	}
}
