package chat

import (
	"encoding/json"
	"time"
)

// Event is one entry of a turn's log. Seq counts from 1 without gaps.
type Event struct {
	Seq    int64
	TurnID string
	At     time.Time
	// Agent is who speaks: the assistant's name, or the agent handed off to.
	Agent string
	Body  Body
}

// Body is what happened. The set of its implementations is closed: the types
// of this file.
type Body interface {
	// Type is the name on the wire, such as "text.delta".
	Type() string
	body()
}

// The events of a turn, in about the order in which they occur.
type (
	// TurnStarted opens every log.
	TurnStarted struct {
		ChatID    string `json:"chat_id"`
		MessageID string `json:"message_id"`
		AnswerID  string `json:"answer_id"`
		// Route is empty where it was not known yet; then RouteChosen tells it.
		Route Route `json:"route,omitempty"`
	}
	// RouteChosen says how the question is answered. It is in the log before the
	// first model step, so that a worker that takes over goes the same way.
	RouteChosen struct {
		Route Route `json:"route"`
		// By is how that was found out: "rules", "model", or "request".
		By string `json:"by"`
		// Persona is the id of the one that answers.
		Persona string `json:"persona,omitempty"`
		// Usage is what finding out has cost.
		Usage Usage `json:"usage"`
	}
	// Status is a line for people in the present participle, "Searching conversations".
	Status struct {
		Text string `json:"text"`
	}
	// AgentChanged is a hand-off from one agent to another.
	AgentChanged struct {
		Name     string `json:"name"`
		Previous string `json:"previous"`
	}
	// ReasoningStarted opens a part of the model's reasoning.
	ReasoningStarted struct{}
	// ReasoningDelta continues it.
	ReasoningDelta struct {
		Delta string `json:"delta"`
	}
	// ReasoningEnded closes it.
	ReasoningEnded struct{}
	// TextDelta continues the answer.
	TextDelta struct {
		Delta string `json:"delta"`
	}
	// StepFinished says that a model call is complete. What came since the last
	// one is final, so a worker that takes over never asks for it again. It is
	// committed together with the ToolCalled events of its calls.
	StepFinished struct {
		Step       int    `json:"step"`
		Model      string `json:"model"`
		StopReason string `json:"stop_reason"`
		Usage      Usage  `json:"usage"`
		Calls      []Call `json:"calls,omitempty"`
		// State is opaque to all but the provider that made it, such as
		// encrypted reasoning that the next call must carry.
		State json.RawMessage `json:"state,omitempty"`
	}
	// ToolCalled says that a tool is about to run. Once it is in the log the
	// tool's side effects may have happened.
	ToolCalled struct {
		CallID string `json:"call_id"`
		Name   string `json:"name"`
		// Label is a line for people; null means that the call is silent.
		Label *string `json:"label"`
		// Arguments is a JSON object, or null when the model's were not JSON.
		Arguments json.RawMessage `json:"arguments"`
	}
	// ToolFinished carries what the model reads: Result, or Error.
	ToolFinished struct {
		CallID    string          `json:"call_id"`
		Name      string          `json:"name"`
		Result    json.RawMessage `json:"result,omitempty"`
		Error     string          `json:"error,omitempty"`
		Display   bool            `json:"display"`
		ElapsedMS int64           `json:"elapsed_ms"`
		// Sources are the spans that Result offers for citation, numbered within the turn.
		Sources []Citation `json:"sources,omitempty"`
	}
	// ApprovalAsked says that a tool waits for the person's consent.
	ApprovalAsked struct {
		CallID string `json:"call_id"`
		Why    string `json:"why"`
	}
	// ApprovalGiven is the answer to it.
	ApprovalGiven struct {
		CallID  string `json:"call_id"`
		Approve bool   `json:"approve"`
	}
	// StepRetracted voids what the current step said from FromSeq on: its model
	// call was cut off and is made again.
	StepRetracted struct {
		FromSeq int64 `json:"from_seq"`
	}
	// TextFinished is the whole answer after its citations were checked. It
	// replaces what was streamed.
	TextFinished struct {
		Text      string     `json:"text"`
		Citations []Citation `json:"citations"`
	}
	// TurnFinished says that the answer is stored.
	TurnFinished struct {
		MessageID  string `json:"message_id"`
		Usage      Usage  `json:"usage"`
		StopReason string `json:"stop_reason"`
	}
	// TurnFailed says why there is no answer.
	TurnFailed struct {
		Code    Code   `json:"code"`
		Message string `json:"message"`
		Usage   Usage  `json:"usage"`
	}
	// TurnCancelled says who stopped the turn.
	TurnCancelled struct {
		By    string `json:"by"`
		Usage Usage  `json:"usage"`
	}
	// Metadata describes the chat after the turn.
	Metadata struct {
		Title string `json:"title"`
	}
	// Suggestions are prompts to go on with.
	Suggestions struct {
		FollowUps []string `json:"follow_ups"`
		NewChat   []string `json:"new_chat"`
	}
	// Queued opens the log of a job that is no turn.
	Queued struct {
		Kind string `json:"kind"`
	}
	// Progress says how far a step of such a job is. Total is 0 when it cannot be counted.
	Progress struct {
		Step   string `json:"step"`
		State  string `json:"state"`
		Done   int    `json:"done,omitempty"`
		Total  int    `json:"total,omitempty"`
		Detail string `json:"detail,omitempty"`
	}
	// TurnClosed ends every log. Usage is the whole turn's, with what was spent
	// after the answer, on suggestions for example.
	TurnClosed struct {
		Usage Usage `json:"usage"`
	}
)

// Route is how a question is answered (seeds/omi-chat-system.txt).
type Route string

// The routes.
const (
	RouteDirect  Route = "direct"  // one model call, without tools or memory
	RouteAgentic Route = "agentic" // the loop of model and tools
	RoutePersona Route = "persona" // in the voice of a persona
)

// Call is a tool call as the model made it. Arguments should be a JSON object
// and may be anything.
type Call struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// Terminal reports whether b is one of the three ways in which a turn ends.
func Terminal(b Body) bool {
	switch b.(type) {
	case TurnFinished, TurnFailed, TurnCancelled:
		return true
	}
	return false
}
