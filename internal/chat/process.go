package chat

import (
	"context"
	"time"
)

// StepName names a step of the processing of a conversation.
type StepName string

// The steps, in their order.
const (
	StepDiscard   StepName = "discard"   // is there anything worth keeping?
	StepStructure StepName = "structure" // title, overview, emoji, category, events
	StepFolder    StepName = "folder"
	StepMetadata  StepName = "metadata" // people, topics, entities, dates
	StepFacts     StepName = "facts"
	StepTasks     StepName = "tasks"
)

// StepState is how far a step is.
type StepState string

// The states of a step.
const (
	StepPending StepState = "pending"
	StepRunning StepState = "running"
	StepDone    StepState = "done"
	// StepWaiting has done what can be done without a language model, and is done
	// again when there is one.
	StepWaiting StepState = "waiting"
	StepFailed  StepState = "failed"  // tried again at RetryAt
	StepSkipped StepState = "skipped" // does not apply
)

// Step is how far one step of a conversation is.
type Step struct {
	Name     StepName  `json:"name"`
	State    StepState `json:"state"`
	Attempts int       `json:"attempts"`
	// Detail is a sentence for a person: why it failed, or what it waits for.
	Detail string `json:"detail,omitempty"`
	// Prompt is the version of the prompt that made the result, empty without one.
	Prompt  string    `json:"prompt,omitempty"`
	RetryAt time.Time `json:"retry_at,omitzero"`
	At      time.Time `json:"at"`
}

// Outcome is what a step came to.
type Outcome struct {
	// Conversation, when set, is saved with its revision checked.
	Conversation *Conversation
	Facts        Changes[Fact]
	Tasks        Changes[Task]
}

// Processing keeps how far the processing of conversations is.
type Processing interface {
	// Steps returns the steps that have been begun, in the order of their names' constants.
	Steps(ctx context.Context, userID, conversationID string) ([]Step, error)
	// SaveStep stores a step and what it came to in one transaction. ErrConflict
	// when something that it changes was changed meanwhile.
	SaveStep(ctx context.Context, userID, conversationID string, step Step, outcome Outcome) error
	// Due returns conversations with a step to be done again at now: failed ones
	// whose time has come, and waiting ones when there is a model. Those with a job
	// that has not ended are left out.
	Due(ctx context.Context, now time.Time, model bool, limit int) ([]Conversation, error)
}
