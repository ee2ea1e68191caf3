package llm

import (
	"crypto/rand"

	"confidant/internal/chat"
)

// MadeUpID begins the ids of calls that their provider sent without a usable one.
const MadeUpID = "call_local_"

// Emitter helps a provider to keep the promises of Model.Stream: reasoning is
// closed before anything else follows, empty deltas are dropped, call ids are
// unique, and nothing is yielded after the consumer stopped.
type Emitter struct {
	yield     func(Chunk, error) bool
	stopped   bool
	reasoning bool
	ids       map[string]bool
}

// NewEmitter returns an Emitter that yields to the consumer of one stream.
func NewEmitter(yield func(Chunk, error) bool) *Emitter {
	return &Emitter{yield: yield, ids: map[string]bool{}}
}

// Stopped reports whether the consumer wants no more, or the stream has ended.
func (e *Emitter) Stopped() bool { return e.stopped }

// Calls returns how many tool calls were yielded.
func (e *Emitter) Calls() int { return len(e.ids) }

// StartReasoning opens a new part of the reasoning and closes the one before it.
func (e *Emitter) StartReasoning() {
	e.EndReasoning()
	e.reasoning = true
	e.send(ReasoningStarted{})
}

// Reasoning continues the open part, or opens one.
func (e *Emitter) Reasoning(text string) {
	if text == "" {
		return
	}
	if !e.reasoning {
		e.StartReasoning()
	}
	e.send(ReasoningDelta{Text: text})
}

// EndReasoning closes the open part, if there is one.
func (e *Emitter) EndReasoning() {
	if e.reasoning {
		e.reasoning = false
		e.send(ReasoningEnded{})
	}
}

// Text continues the answer.
func (e *Emitter) Text(text string) {
	if text == "" {
		return
	}
	e.EndReasoning()
	e.send(TextDelta{Text: text})
}

// Call yields a complete call and returns the id that it got: its own, or one
// made up at random because it had none, or one that was used before.
func (e *Emitter) Call(call chat.Call) string {
	e.EndReasoning()
	if call.ID == "" || e.ids[call.ID] {
		call.ID = MadeUpID + rand.Text()
	}
	e.ids[call.ID] = true
	e.send(ToolCall{Call: call})
	return call.ID
}

// Done ends the stream. An answer that calls tools stops for them, whatever
// the provider said.
func (e *Emitter) Done(done Done) {
	e.EndReasoning()
	if len(e.ids) > 0 && done.Stop == StopEnd {
		done.Stop = StopTools
	}
	e.send(done)
	e.stopped = true
}

// Fail ends the stream with an error. An open part of the reasoning stays open:
// the consumer retracts it together with the rest.
func (e *Emitter) Fail(err error) {
	if !e.stopped {
		e.stopped = true
		e.yield(nil, err)
	}
}

func (e *Emitter) send(chunk Chunk) {
	if !e.stopped {
		e.stopped = !e.yield(chunk, nil)
	}
}
