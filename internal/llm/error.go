package llm

import (
	"fmt"
	"time"
)

// Kind sorts the ways in which a model call fails by what can be done about them.
type Kind string

// The kinds of failure.
const (
	// RateLimited asks to come back after Error.RetryAfter.
	RateLimited Kind = "rate_limited"
	// Overloaded is any 5xx, and a connection that could not be made.
	Overloaded Kind = "overloaded"
	// Unauthorized is a missing, wrong or exhausted key.
	Unauthorized Kind = "unauthorized"
	// Rejected is a request that the provider will never accept.
	Rejected Kind = "rejected"
	// TooLong is a conversation over the model's context window.
	TooLong Kind = "context_too_long"
	// Stalled is a stream that sent nothing for the idle limit.
	Stalled Kind = "stalled"
	// Cut is a stream that ended before the provider said that it was done.
	Cut Kind = "cut"
	// Malformed is an answer that is not what the protocol promises.
	Malformed Kind = "malformed"
)

// Error is a failed model call. Its text holds the provider's reason, which may
// quote the request, so it goes to logs at debug level only.
type Error struct {
	Kind  Kind
	Model string
	// Status is the HTTP status, 0 when there was none.
	Status int
	// RetryAfter is the provider's own wish, 0 when it had none.
	RetryAfter time.Duration
	Err        error
}

// Error implements error.
func (e *Error) Error() string {
	return fmt.Sprintf("model %s: %s (status %d): %v", e.Model, e.Kind, e.Status, e.Err)
}

// Unwrap returns the provider's error.
func (e *Error) Unwrap() error { return e.Err }

// Retryable reports whether the same call may succeed later or elsewhere.
func (e *Error) Retryable() bool {
	switch e.Kind {
	case RateLimited, Overloaded, Stalled, Cut, Malformed:
		return true
	}
	return false
}
