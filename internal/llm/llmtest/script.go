// Package llmtest holds what every implementation of llm.Model is tested with:
// a conformance suite, and recorded conversations in its provider's own bytes.
package llmtest

import (
	"time"

	"confidant/internal/chat"
	"confidant/internal/llm"
)

// Key is the API key of the models under test. A refusing server quotes it, and
// no error may.
const Key llm.Secret = "sk-llmtest-0123456789"

// Script is what the provider's server answers to every request: reasoning,
// then text, then calls.
type Script struct {
	// Reasoning are the parts of the reasoning.
	Reasoning []string
	// Text are the deltas of the answer.
	Text []string
	// Calls are the tool calls. A call without an id is sent without one where
	// the provider's format allows it.
	Calls []chat.Call
	// Stop is why the answer ends: StopLength, StopRefused, or empty.
	Stop  llm.Stop
	Usage chat.Usage

	// Fault is how the server fails, after the first delta unless Early is set,
	// which makes it fail before.
	Fault Fault
	Early bool
	// Status refuses the request with this HTTP status and a body that quotes Key.
	Status int
	// RetryAfter goes with Status, in whole seconds.
	RetryAfter time.Duration

	// IdleTimeout is the idle limit that the model must have; 0 is its default.
	IdleTimeout time.Duration
}

// Fault is a way in which a stream fails.
type Fault string

// The faults.
const (
	// Stall sends nothing more and keeps the connection open.
	Stall Fault = "stall"
	// Cut breaks the connection off.
	Cut Fault = "cut"
	// End ends the response before its terminal event.
	End Fault = "end"
	// Malformed sends an event whose data is half a JSON value.
	Malformed Fault = "malformed"
)
