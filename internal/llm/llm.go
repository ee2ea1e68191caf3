// Package llm is what Confidant asks of a language model: one streaming call.
// The providers are its sub-packages; Roles chooses among them.
package llm

import (
	"context"
	"encoding/json"
	"iter"

	"confidant/internal/chat"
)

// Model is one language model of one provider.
type Model interface {
	// Name is "provider:model", such as "openai:gpt-5.1". It is logged and stored.
	Name() string
	// Stream makes one call. The sequence yields chunks in the order in which the
	// provider sent them and ends with exactly one Done, or with an error, which
	// is an *Error unless the context ended. Stopping the iteration ends the call.
	Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error]
}

// Request is one call: the conversation so far and what the model may do.
type Request struct {
	// System is the instruction that stands above the conversation.
	System   string
	Messages []Message
	// Tools are offered to the model; none means that it must answer in text.
	Tools []ToolSpec
	// Schema, when set, makes the whole answer one JSON value of this schema.
	Schema *Schema
	// MaxOutput limits the answer in tokens; 0 leaves it to the provider.
	MaxOutput int
	// Effort is how much to reason: "", "low", "medium" or "high". Models
	// without reasoning ignore it.
	Effort string
}

// Message is one item of the conversation. Exactly one of its three forms is
// used: Text by the user, Text with Calls by the assistant, or Results by tools.
type Message struct {
	Role  Role
	Text  string
	Calls []chat.Call
	// State is what Done.State held when this assistant message was made. A
	// provider ignores the state of another provider.
	State   json.RawMessage
	Results []ToolResult
}

// Role says whose message it is.
type Role string

// The roles of a message in a request.
const (
	User      Role = "user"
	Assistant Role = "assistant"
	Tool      Role = "tool"
)

// ToolResult answers the call with the same id. Content is JSON or plain text.
type ToolResult struct {
	CallID  string
	Name    string
	Content string
	IsError bool
}

// ToolSpec describes a tool to the model. Parameters is a JSON Schema object.
type ToolSpec struct {
	Name        string
	Description string
	Parameters  json.RawMessage
}

// Schema is a named JSON Schema for a structured answer.
type Schema struct {
	Name string
	JSON json.RawMessage
}

// Chunk is a piece of a streamed answer. The set of its implementations is
// closed: the types below.
type Chunk interface{ chunk() }

// The chunks. A reasoning part is opened, continued and closed; text comes in
// deltas; a call comes whole.
type (
	// ReasoningStarted opens a part of the reasoning.
	ReasoningStarted struct{}
	// ReasoningDelta continues it.
	ReasoningDelta struct{ Text string }
	// ReasoningEnded closes it.
	ReasoningEnded struct{}
	// TextDelta continues the answer.
	TextDelta struct{ Text string }
	// ToolCall is a complete call. Its id is unique within the answer, made up
	// by the provider package when the provider sent none.
	ToolCall struct{ chat.Call }
	// Done ends every successful stream.
	Done struct {
		// Model is the name of the model that answered. Providers leave it to
		// Roles, which knows that it may not be the first choice.
		Model string
		Stop  Stop
		Usage chat.Usage
		// State goes into the Message made of this answer, so that the next call
		// can carry it; nil when the provider needs none.
		State json.RawMessage
	}
)

func (ReasoningStarted) chunk() {}
func (ReasoningDelta) chunk()   {}
func (ReasoningEnded) chunk()   {}
func (TextDelta) chunk()        {}
func (ToolCall) chunk()         {}
func (Done) chunk()             {}

// Stop is why the model stopped.
type Stop string

// The reasons to stop, the same for all providers.
const (
	StopEnd     Stop = "stop"
	StopTools   Stop = "tool_calls"
	StopLength  Stop = "length"
	StopRefused Stop = "refused"
)
