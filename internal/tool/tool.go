// Package tool is what the agent can do besides talking. The families of tools
// are its sub-packages.
package tool

import (
	"context"
	"encoding/json"
	"time"

	"confidant/internal/chat"
)

// Tool is one action that a model may call.
type Tool interface {
	Spec() Spec
	// Run does it. An error that is a Problem is shown to the model as it is; any
	// other is logged, and the model learns only that the tool failed.
	Run(ctx context.Context, call Call) (Result, error)
}

// Spec describes a tool to models, to people and to the engine.
type Spec struct {
	Name        string
	Description string
	// Parameters is a JSON Schema of an object.
	Parameters json.RawMessage
	// Label tells a person what happens, such as "Adding numbers". Empty: the
	// call is silent.
	Label string
	// Idempotent tools may be run again when the process died during a call.
	Idempotent bool
	// Consent, when not empty, is why a person must approve each call first.
	Consent string
	// Timeout bounds one call; 0 means the engine's limit for outside calls.
	Timeout time.Duration
}

// Asker is a Tool that decides for each call whether a person must approve it.
type Asker interface {
	// Consent returns why a person must approve the call first, "" when nobody needs
	// to. It changes nothing. Its errors are Run's. Of a call that is resumed after a
	// crash it is not asked again once the person was.
	Consent(ctx context.Context, call Call) (why string, err error)
}

// Call is one call with the circumstances of its turn.
type Call struct {
	// ID names the call within its turn only: servers number calls anew for each answer.
	ID     string
	TurnID string
	UserID string
	ChatID string
	// Arguments has been checked against the tool's Parameters.
	Arguments json.RawMessage
	Now       time.Time
	Zone      *time.Location
	// Earlier are the person's messages before the question, oldest first.
	Earlier []string
	// FileIDs are the files that the question is about, none for all.
	FileIDs []string
	// Approved is the reason that a person read and approved, empty when none was asked.
	Approved string
	// Cite gives a source its number in the turn; the same span keeps its number.
	Cite func(chat.Citation) int
}

// Result is what the model reads.
type Result struct {
	// Content is marshalled to JSON.
	Content any
	// Display asks clients to show the result to the person.
	Display bool
}

// Problem is an error in words that the model can act on.
type Problem string

// Error implements error.
func (p Problem) Error() string { return string(p) }
