package modelserver

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

// parseResponses reads a request of the Responses API.
func parseResponses(body []byte) (*Request, error) {
	var in struct {
		Model        string          `json:"model"`
		Stream       bool            `json:"stream"`
		Instructions string          `json:"instructions"`
		Input        json.RawMessage `json:"input"`
		Tools        []Tool          `json:"tools"`
		Text         struct {
			Format struct {
				Name   string          `json:"name"`
				Schema json.RawMessage `json:"schema"`
			} `json:"format"`
		} `json:"text"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, fmt.Errorf("read the request: %w", err)
	}
	req := &Request{
		API: "responses", Model: in.Model, System: in.Instructions, Tools: in.Tools,
		SchemaName: in.Text.Format.Name, Schema: in.Text.Format.Schema, Stream: in.Stream, WithUsage: true,
	}
	var question string
	if json.Unmarshal(in.Input, &question) == nil {
		req.Messages = []Message{{Role: "user", Text: question}}
		return req, nil
	}
	var items []item
	if err := json.Unmarshal(in.Input, &items); err != nil {
		return nil, fmt.Errorf("read the input: %w", err)
	}
	for _, it := range items {
		it.addTo(req)
	}
	return req, nil
}

// item is an input item of the Responses API.
type item struct {
	Type      string  `json:"type"`
	Role      string  `json:"role"`
	Content   content `json:"content"`
	CallID    string  `json:"call_id"`
	Name      string  `json:"name"`
	Arguments string  `json:"arguments"`
	Output    content `json:"output"`
}

// addTo adds the item to the conversation. Calls that follow one another or the
// assistant's words are one step of the model.
func (it item) addTo(req *Request) {
	switch {
	case it.Type == "function_call":
		n := len(req.Messages)
		if n == 0 || req.Messages[n-1].Role != "assistant" {
			req.Messages = append(req.Messages, Message{Role: "assistant"})
			n++
		}
		last := &req.Messages[n-1]
		last.Calls = append(last.Calls, Call{ID: it.CallID, Name: it.Name, Arguments: it.Arguments})
	case it.Type == "function_call_output":
		req.Messages = append(req.Messages, Message{Role: "tool", Text: string(it.Output), CallID: it.CallID})
	case it.Role == "system" || it.Role == "developer":
		req.System += string(it.Content)
	case it.Role != "":
		req.Messages = append(req.Messages, Message{Role: it.Role, Text: string(it.Content)})
	}
}

// responsesStream writes the events of the Responses API.
type responsesStream struct {
	req    *Request
	seq    int
	output []any
	// body is the text of the message item that is open, nil when none is.
	body []byte
}

func newResponsesStream(req *Request) dialect { return &responsesStream{req: req} }

// event appends an event with its type and sequence number.
func (s *responsesStream) event(dst []byte, name string, fields map[string]any) []byte {
	fields["type"] = name
	fields["sequence_number"] = s.seq
	s.seq++
	return appendEvent(dst, name, fields)
}

func (s *responsesStream) begin(dst []byte) []byte {
	response := responseObject(s.req, "in_progress", nil)
	dst = s.event(dst, "response.created", map[string]any{"response": response})
	return s.event(dst, "response.in_progress", map[string]any{"response": response})
}

func (s *responsesStream) reasoning(dst []byte, part string) []byte {
	index := len(s.output)
	it := reasoningItem(s.req, index, part)
	id := it["id"]
	at := func(more string, value any) map[string]any {
		return map[string]any{"item_id": id, "output_index": index, "summary_index": 0, more: value}
	}
	dst = s.event(dst, "response.output_item.added", map[string]any{"output_index": index,
		"item": map[string]any{"id": id, "type": "reasoning", "summary": []any{}}})
	dst = s.event(dst, "response.reasoning_summary_part.added", at("part", map[string]any{"type": "summary_text", "text": ""}))
	for _, w := range words(part) {
		dst = s.event(dst, "response.reasoning_summary_text.delta", at("delta", w))
	}
	dst = s.event(dst, "response.reasoning_summary_text.done", at("text", part))
	dst = s.event(dst, "response.reasoning_summary_part.done", at("part", map[string]any{"type": "summary_text", "text": part}))
	s.output = append(s.output, it)
	return s.event(dst, "response.output_item.done", map[string]any{"output_index": index, "item": it})
}

func (s *responsesStream) text(dst []byte, delta []byte) []byte {
	index := len(s.output)
	if s.body == nil {
		s.body = []byte{}
		dst = s.event(dst, "response.output_item.added", map[string]any{"output_index": index, "item": messageItem(s.req, index, "in_progress", "")})
		dst = s.event(dst, "response.content_part.added", map[string]any{
			"item_id": itemID("msg", s.req, index), "output_index": index, "content_index": 0,
			"part": map[string]any{"type": "output_text", "text": "", "annotations": []any{}},
		})
	}
	s.body = append(s.body, delta...)
	dst = append(dst, "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"sequence_number\":"...)
	dst = strconv.AppendInt(dst, int64(s.seq), 10)
	s.seq++
	dst = append(dst, `,"item_id":"msg_`...)
	dst = strconv.AppendInt(dst, int64(s.req.Number), 10)
	dst = append(dst, '_')
	dst = strconv.AppendInt(dst, int64(index), 10)
	dst = append(dst, `","output_index":`...)
	dst = strconv.AppendInt(dst, int64(index), 10)
	dst = append(dst, `,"content_index":0,"delta":`...)
	dst = appendString(dst, delta)
	return append(dst, "}\n\n"...)
}

// closeText closes the message item, if one is open.
func (s *responsesStream) closeText(dst []byte) []byte {
	if s.body == nil {
		return dst
	}
	index, text := len(s.output), string(s.body)
	s.body = nil
	it := messageItem(s.req, index, "completed", text)
	dst = s.event(dst, "response.output_text.done", map[string]any{
		"item_id": it["id"], "output_index": index, "content_index": 0, "text": text,
	})
	s.output = append(s.output, it)
	return s.event(dst, "response.output_item.done", map[string]any{"output_index": index, "item": it})
}

func (s *responsesStream) call(dst []byte, call Call) []byte {
	dst = s.closeText(dst)
	index := len(s.output)
	it := callItem(s.req, index, "completed", call)
	opened := callItem(s.req, index, "in_progress", Call{ID: call.ID, Name: call.Name})
	dst = s.event(dst, "response.output_item.added", map[string]any{"output_index": index, "item": opened})
	dst = s.event(dst, "response.function_call_arguments.delta", map[string]any{"item_id": it["id"], "output_index": index, "delta": call.Arguments})
	dst = s.event(dst, "response.function_call_arguments.done", map[string]any{"item_id": it["id"], "output_index": index, "arguments": call.Arguments})
	s.output = append(s.output, it)
	return s.event(dst, "response.output_item.done", map[string]any{"output_index": index, "item": it})
}

func (s *responsesStream) end(dst []byte, step Step) []byte {
	dst = s.closeText(dst)
	response := finishedResponse(s.req, step, s.output)
	return s.event(dst, "response."+response["status"].(string), map[string]any{"response": response})
}

// appendFailure appends the error event of the request's API.
func appendFailure(dst []byte, req *Request, f *Fault) []byte {
	if req.API == "responses" {
		return appendEvent(dst, "error", map[string]any{"type": "error", "code": f.Code, "message": f.Message, "param": nil})
	}
	return appendEvent(dst, "", map[string]any{"error": map[string]any{"code": f.Code, "message": f.Message, "type": f.Code}})
}

// responseObject is the response as far as it has got.
func responseObject(req *Request, status string, output []any) map[string]any {
	if output == nil {
		output = []any{}
	}
	return map[string]any{
		"id": fmt.Sprintf("resp_%d", req.Number), "object": "response", "created_at": time.Now().Unix(),
		"status": status, "model": req.Model, "output": output, "error": nil, "incomplete_details": nil,
	}
}
