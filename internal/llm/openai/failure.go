package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"github.com/openai/openai-go/v3/packages/ssestream"

	"confidant/internal/llm"
)

// refine corrects the kind of a refused call by the code in its body.
func refine(e *llm.Error, body []byte) {
	var answer struct {
		Error struct {
			Code    any    `json:"code"` // some servers send a number
			Type    string `json:"type"`
			Message string `json:"message"`
		} `json:"error"`
	}
	if json.Unmarshal(body, &answer) != nil {
		answer.Error.Message = string(body)
	}
	code, _ := answer.Error.Code.(string)
	for _, word := range []string{code, answer.Error.Type} {
		if kind, ok := kinds[word]; ok && (kind == llm.TooLong || kind == llm.Unauthorized) {
			e.Kind = kind
		}
	}
	if e.Kind == llm.Rejected && tooLong(answer.Error.Message) {
		e.Kind = llm.TooLong
	}
}

// kinds sorts the codes and types of OpenAI's error objects.
var kinds = map[string]llm.Kind{
	"rate_limit_exceeded":     llm.RateLimited,
	"rate_limit_error":        llm.RateLimited,
	"server_error":            llm.Overloaded,
	"overloaded_error":        llm.Overloaded,
	"insufficient_quota":      llm.Unauthorized,
	"invalid_api_key":         llm.Unauthorized,
	"authentication_error":    llm.Unauthorized,
	"context_length_exceeded": llm.TooLong,
}

// tooLong reports whether a message without a code speaks of the context window,
// in the words of vLLM, llama.cpp, Ollama and LM Studio.
func tooLong(message string) bool {
	message = strings.ToLower(message)
	return strings.Contains(message, "context length") || strings.Contains(message, "context window") ||
		strings.Contains(message, "context size")
}

// reported is an error that came in a stream or in a failed response.
func reported(model, code, message string) *llm.Error {
	kind, ok := kinds[code]
	switch {
	case !ok && tooLong(message):
		kind = llm.TooLong
	case !ok && code == "":
		kind = llm.Overloaded // servers that fail midway often say no more than that
	case !ok:
		kind = llm.Rejected
	}
	return &llm.Error{Kind: kind, Model: model, Err: errors.New(message)}
}

// streamError finds the reported error in what the SDK makes of an error event;
// anything else is returned as it is.
func streamError(model string, err error) error {
	event, ok := errors.AsType[*ssestream.StreamError](err)
	if !ok {
		return err
	}
	var data struct {
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(event.Event.Data, &data) != nil {
		return err
	}
	return reportedIn(model, data.Error)
}

// reportedIn reads the error object of an error event.
func reportedIn(model string, data json.RawMessage) error {
	var object struct {
		Code    any    `json:"code"`
		Type    string `json:"type"`
		Message string `json:"message"`
	}
	if json.Unmarshal(data, &object) != nil {
		return reported(model, "", string(bytes.TrimSpace(data)))
	}
	code, _ := object.Code.(string)
	if _, known := kinds[code]; !known && kinds[object.Type] != "" {
		code = object.Type
	}
	return reported(model, code, object.Message)
}
