package gemini

import (
	"encoding/json"
	"errors"
	"strings"
	"time"

	"google.golang.org/genai"

	"confidant/internal/llm"
)

// refine corrects a refused call by its body: a wrong key and a conversation
// that is too long are plain 400s, and the time to come back stands in no header.
func refine(e *llm.Error, body []byte) {
	var answer struct {
		Error struct {
			Message string `json:"message"`
			Details []struct {
				Reason     string `json:"reason"`
				RetryDelay string `json:"retryDelay"`
			} `json:"details"`
		} `json:"error"`
	}
	if json.Unmarshal(body, &answer) != nil {
		return
	}
	for _, detail := range answer.Error.Details {
		if detail.Reason == "API_KEY_INVALID" {
			e.Kind = llm.Unauthorized
		}
		if delay, err := time.ParseDuration(detail.RetryDelay); err == nil && e.RetryAfter == 0 {
			e.RetryAfter = max(0, delay)
		}
	}
	if e.Kind == llm.Rejected && tooLong(answer.Error.Message) {
		e.Kind = llm.TooLong
	}
}

// tooLong reports whether a message speaks of the limit of input tokens.
func tooLong(message string) bool {
	return strings.Contains(message, "token count") && strings.Contains(message, "exceeds")
}

// streamError finds the error that was reported in the stream; anything else is
// returned as it is.
func streamError(model string, err error) error {
	reported, ok := errors.AsType[genai.APIError](err)
	if !ok || reported.Code < 400 {
		return err
	}
	return &llm.Error{Kind: llm.KindOf(reported.Code), Model: model, Status: reported.Code, Err: errors.New(reported.Message)}
}
