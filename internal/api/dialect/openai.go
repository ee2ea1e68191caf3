package dialect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"confidant/internal/chat"
)

// openai is OpenAI's Chat Completions API, as its official clients speak it. The
// client keeps the conversation and sends it with every request, so each one
// gets a chat of its own that no list shows. The server's tools run on the
// server; the client sees the answer. Reasoning comes as reasoning_content, the
// name that compatible servers have for it.
func openai() Dialect {
	return Dialect{
		Name:  "openai",
		Error: openaiError,
		Endpoints: []Endpoint{
			{"POST /v1/chat/completions", openaiAsk},
			{"GET /v1/models", openaiModels},
		},
	}
}

// openaiFault says which parameter an error is about.
type openaiFault struct{ param, code string }

// Error implements error.
func (f openaiFault) Error() string { return f.param + ": " + f.code }

func openaiRefuse(param, code, detail string) error {
	return chat.Fail(chat.CodeInvalid, detail).With(openaiFault{param, code})
}

func openaiError(e *chat.Error) (int, any) {
	status := Status(e.Code)
	body := map[string]any{"message": e.Detail, "type": "invalid_request_error", "param": nil, "code": e.Code}
	switch {
	case e.Code == chat.CodeUnauthenticated:
		body["code"] = "invalid_api_key"
	case status == http.StatusTooManyRequests:
		body["type"], body["code"] = "rate_limit_error", "rate_limit_exceeded"
	case status >= http.StatusInternalServerError:
		body["type"] = "server_error"
	}
	if fault, ok := errors.AsType[openaiFault](e.Err); ok {
		body["param"], body["code"] = fault.param, fault.code
	}
	return status, map[string]any{"error": body}
}

// openaiModel is the only model; a request may call it anything.
const openaiModel = "confidant"

func openaiModels(context.Context, Backend, Request) (Reply, error) {
	model := map[string]any{"id": openaiModel, "object": "model", "created": 1767225600, "owned_by": "confidant"}
	return Reply{Body: map[string]any{"object": "list", "data": []any{model}}}, nil
}

func openaiAsk(ctx context.Context, b Backend, r Request) (Reply, error) {
	request, ask, err := openaiBody(r.Body)
	if err != nil {
		return Reply{}, err
	}
	ask.UserID, ask.IdempotencyKey = r.User.ID, r.Header("Idempotency-Key")
	turn, err := b.Ask(ctx, ask)
	if err != nil {
		return Reply{}, err
	}
	if request.Stream {
		return Reply{Stream: &Stream{
			Turn: turn, ContentType: "text/event-stream", Encoder: &openaiEncoder{openaiAnswer: openaiAnswer{turn: turn, model: request.Model}, usage: request.Options.Usage},
			Ping: []byte(": ping\n\n"), Every: 15 * time.Second,
		}}, nil
	}
	answer := openaiAnswer{turn: turn, model: request.Model}
	for events, err := range b.Follow(ctx, r.User.ID, turn.ID, 0) {
		if err != nil {
			return Reply{}, err
		}
		for _, e := range events {
			if failed, ok := e.Body.(chat.TurnFailed); ok {
				return Reply{}, chat.Fail(failed.Code, failed.Message)
			}
			answer.hear(e.Body)
			if chat.Terminal(e.Body) {
				return Reply{Body: answer.completion()}, nil
			}
		}
	}
	return Reply{}, chat.ErrInternal
}

// openaiRequest is what this server reads of a request. What only shapes the
// sampling, such as temperature or max_tokens, is left to the server's settings.
type openaiRequest struct {
	Model    string          `json:"model"`
	Messages []openaiMessage `json:"messages"`
	Stream   bool            `json:"stream"`
	Options  struct {
		Usage bool `json:"include_usage"`
	} `json:"stream_options"`
}

type openaiMessage struct {
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	ToolCalls []any           `json:"tool_calls"`
	Call      any             `json:"function_call"`
}

// openaiIgnorable lists the parameters that would change what an answer is, each
// with the values that ask for nothing. Any other value is refused: an answer
// that pretends to have obeyed would be worse.
var openaiIgnorable = []struct {
	param  string
	values []string
}{
	{"tools", []string{"[]"}}, {"functions", []string{"[]"}}, {"n", []string{"1"}},
	{"tool_choice", []string{`"none"`, `"auto"`}}, {"function_call", []string{`"none"`, `"auto"`}},
	{"logprobs", []string{"false"}}, {"top_logprobs", []string{"0"}}, {"logit_bias", []string{"{}"}},
	{"stop", []string{"[]"}}, {"response_format", []string{`{"type":"text"}`}},
	{"audio", nil}, {"modalities", []string{`["text"]`}}, {"web_search_options", nil},
}

// openaiBody reads a request into an ask: the last message is the question, the
// ones before it are the history, the instructions stand above.
func openaiBody(data []byte) (openaiRequest, chat.Ask, error) {
	var r openaiRequest
	params := map[string]json.RawMessage{}
	err := readJSON(data, &params)
	if err == nil {
		err = openaiSupported(params)
	}
	if err == nil {
		err = readJSON(data, &r)
	}
	if err != nil {
		return r, chat.Ask{}, err
	}
	if r.Model == "" {
		r.Model = openaiModel
	}
	last := len(r.Messages) - 1
	if last < 0 || r.Messages[last].Role != "user" {
		return r, chat.Ask{}, openaiRefuse("messages", "invalid_value", "The last of the messages must be from the user.")
	}
	ask := chat.Ask{Unlisted: true, History: []chat.HistoryMessage{}}
	for i, m := range r.Messages {
		param := "messages[" + strconv.Itoa(i) + "]"
		if len(m.ToolCalls) > 0 || m.Call != nil {
			return r, ask, openaiRefuse(param+".tool_calls", "unsupported_value", "Calls of the client's own tools are not supported.")
		}
		text, err := openaiText(param+".content", m.Content)
		if err != nil {
			return r, ask, err
		}
		switch {
		case i == last:
			ask.Text = text
		case m.Role == "system" || m.Role == "developer":
			if ask.Instructions != "" {
				ask.Instructions += "\n\n"
			}
			ask.Instructions += text
		case m.Role != "user" && m.Role != "assistant":
			return r, ask, openaiRefuse(param+".role", "unsupported_value", fmt.Sprintf("Messages of the role %q are not supported.", cut(m.Role)))
		case text != "":
			ask.History = append(ask.History, chat.HistoryMessage{Role: chat.Role(m.Role), Content: text})
		}
	}
	return r, ask, nil
}

func openaiSupported(params map[string]json.RawMessage) error {
next:
	for _, p := range openaiIgnorable {
		given := compact(params[p.param])
		if given == "" || given == "null" {
			continue
		}
		for _, value := range p.values {
			if given == value {
				continue next
			}
		}
		return openaiRefuse(p.param, "unsupported_parameter", "The parameter "+p.param+" is not supported with this value.")
	}
	return nil
}

// openaiText reads content: a string, or an array of text parts.
func openaiText(param string, content json.RawMessage) (string, error) {
	var text string
	if len(content) == 0 || json.Unmarshal(content, &text) == nil {
		return text, nil
	}
	var parts []struct {
		Type string  `json:"type"`
		Text *string `json:"text"`
	}
	if json.Unmarshal(content, &parts) != nil {
		return "", openaiRefuse(param, "invalid_type", "The content must be a string or an array of text parts.")
	}
	for i, part := range parts {
		if part.Type != "text" || part.Text == nil {
			return "", openaiRefuse(fmt.Sprintf("%s[%d]", param, i), "unsupported_value", fmt.Sprintf("Content parts of the type %q are not supported, only \"text\".", cut(part.Type)))
		}
		text += *part.Text
	}
	return text, nil
}

// compact is a JSON value without its spaces.
func compact(value json.RawMessage) string {
	var v any
	if json.Unmarshal(value, &v) != nil {
		return string(value)
	}
	return string(mustJSON(v))
}

// cut shortens a client's own word for an error.
func cut(word string) string {
	if runes := []rune(word); len(runes) > 40 {
		return string(runes[:40]) + "…"
	}
	return word
}

// openaiAnswer gathers a turn into one completion.
type openaiAnswer struct {
	turn      chat.Turn
	model     string
	spoken    spoken
	reasoning string
	text      string
	stop      string
	usage     chat.Usage
}

// hear takes an event and returns what it adds: text, or reasoning.
func (a *openaiAnswer) hear(body chat.Body) (text, reasoning string) {
	text = a.spoken.hear(body)
	switch b := body.(type) {
	case chat.ReasoningStarted:
		if a.reasoning != "" {
			reasoning = "\n\n"
		}
	case chat.ReasoningDelta:
		reasoning = b.Delta
	case chat.TextFinished:
		a.text = b.Text
	case chat.TurnFinished:
		a.stop, a.usage = openaiStop(b.StopReason), b.Usage
	case chat.TurnCancelled:
		a.text, a.stop, a.usage = a.spoken.said(), "stop", b.Usage
	}
	a.reasoning += reasoning
	return text, reasoning
}

// openaiStop is the finish_reason of a turn.
func openaiStop(reason string) string {
	switch reason {
	case "length":
		return "length"
	case "refused":
		return "content_filter"
	}
	return "stop"
}

// object is what completions and chunks share.
func (a *openaiAnswer) object(kind string, choices ...any) map[string]any {
	if choices == nil {
		choices = []any{}
	}
	return map[string]any{
		"id": "chatcmpl-" + a.turn.ID, "object": kind, "created": a.turn.CreatedAt.Unix(), "model": a.model, "choices": choices,
	}
}

func (a *openaiAnswer) completion() map[string]any {
	message := map[string]any{"role": "assistant", "content": a.text, "refusal": nil}
	if a.reasoning != "" {
		message["reasoning_content"] = a.reasoning
	}
	object := a.object("chat.completion", map[string]any{"index": 0, "message": message, "logprobs": nil, "finish_reason": a.stop})
	object["usage"] = openaiUsage(a.usage)
	return object
}

func openaiUsage(u chat.Usage) map[string]any {
	return map[string]any{
		"prompt_tokens": u.Input, "completion_tokens": u.Output, "total_tokens": u.Total,
		"prompt_tokens_details": map[string]int{"cached_tokens": u.Cached},
	}
}

// openaiEncoder writes the chunks of a streamed completion.
type openaiEncoder struct {
	openaiAnswer
	usage bool // the client wants it in a chunk of its own
}

// Encode implements Encoder.
func (o *openaiEncoder) Encode(e chat.Event) ([]byte, bool) {
	text, reasoning := o.hear(e.Body)
	switch b := e.Body.(type) {
	case chat.TurnStarted:
		return o.chunk(map[string]any{"role": "assistant", "content": ""}, nil), false
	case chat.TurnFinished, chat.TurnCancelled:
		return o.end(), true
	case chat.TurnFailed:
		return openaiBroken(chat.Fail(b.Code, b.Message)), true
	}
	switch {
	case text != "":
		return o.chunk(map[string]any{"content": text}, nil), false
	case reasoning != "":
		return o.chunk(map[string]any{"reasoning_content": reasoning}, nil), false
	}
	return nil, false
}

// Fail implements Encoder.
func (o *openaiEncoder) Fail(err *chat.Error) []byte { return openaiBroken(err) }

func (o *openaiEncoder) end() []byte {
	out := o.chunk(map[string]any{}, o.stop)
	if o.usage {
		last := o.object("chat.completion.chunk")
		last["usage"] = openaiUsage(o.openaiAnswer.usage)
		out = append(out, openaiData(mustJSON(last))...)
	}
	return append(out, openaiData([]byte("[DONE]"))...)
}

func (o *openaiEncoder) chunk(delta map[string]any, finish any) []byte {
	object := o.object("chat.completion.chunk", map[string]any{"index": 0, "delta": delta, "logprobs": nil, "finish_reason": finish})
	if o.usage {
		object["usage"] = nil
	}
	return openaiData(mustJSON(object))
}

// openaiBroken ends a stream without an answer: clients raise an error for it.
func openaiBroken(err *chat.Error) []byte {
	_, body := openaiError(err)
	return openaiData(mustJSON(body))
}

func openaiData(data []byte) []byte { return append(append([]byte("data: "), data...), "\n\n"...) }
