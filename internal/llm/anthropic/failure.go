package anthropic

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/anthropics/anthropic-sdk-go"

	"confidant/internal/llm"
)

// failure is the error object of the API.
type failure struct {
	Error struct {
		Type    string `json:"type"`
		Message string `json:"message"`
	} `json:"error"`
}

// refine corrects the kind of a refused call by the message in its body: both a
// conversation that is too long and an exhausted account are plain 400s.
func refine(e *llm.Error, body []byte) {
	var f failure
	if e.Kind == llm.Rejected && json.Unmarshal(body, &f) == nil {
		e.Kind = rejected(f.Error.Message)
	}
}

// rejected sorts an invalid request by its message.
func rejected(message string) llm.Kind {
	message = strings.ToLower(message)
	switch {
	case strings.Contains(message, "prompt is too long"), strings.Contains(message, "exceed context limit"):
		return llm.TooLong
	case strings.Contains(message, "credit balance"):
		return llm.Unauthorized
	}
	return llm.Rejected
}

// kinds sorts the types of error events.
var kinds = map[string]llm.Kind{
	"rate_limit_error":     llm.RateLimited,
	"overloaded_error":     llm.Overloaded,
	"api_error":            llm.Overloaded,
	"timeout_error":        llm.Overloaded,
	"authentication_error": llm.Unauthorized,
	"permission_error":     llm.Unauthorized,
	"billing_error":        llm.Unauthorized,
	"not_found_error":      llm.Unauthorized,
	"request_too_large":    llm.TooLong,
}

// streamError finds the reported error in what the SDK makes of an error event;
// anything else is returned as it is.
func streamError(model string, err error) error {
	event, ok := errors.AsType[*anthropic.Error](err)
	if !ok {
		return err
	}
	var f failure
	if json.Unmarshal([]byte(event.RawJSON()), &f) != nil {
		return &llm.Error{Kind: llm.Malformed, Model: model, Err: errors.New(event.RawJSON())}
	}
	kind, ok := kinds[f.Error.Type]
	if !ok {
		kind = rejected(f.Error.Message)
	}
	return &llm.Error{Kind: kind, Model: model, Err: errors.New(f.Error.Message)}
}
