// Package turn runs turns: it takes a person's message in, has it answered stage
// by stage, and outlives the request that brought it. It is the chat.Assistant
// that every dialect talks to.
package turn

import (
	"context"
	"iter"
	"time"

	"confidant/internal/chat"
	"confidant/internal/journal"
	"confidant/internal/llm"
	"confidant/internal/tool"
	"confidant/internal/turn/agent"
	"confidant/internal/turn/intake"
	"confidant/internal/turn/route"
)

// Store is what the engine keeps turns in.
type Store interface {
	chat.Turns
	chat.Chats
	chat.Messages
	Memory
}

// Memory is what the routes read of what the person recorded, and keep of chats.
type Memory interface {
	chat.Facts
	chat.Conversations
	chat.Personas
	chat.Files
	chat.Summaries
}

// Options are what the engine needs from outside, and its limits.
type Options struct {
	// Agent answers, Persona as a persona; nil means Agent. Fast chooses routes,
	// summarises and suggests; nil means that the first is done by rules and the
	// others not at all.
	Agent, Persona, Fast llm.Model
	Tools                *tool.Registry
	Limits               agent.Limits
	Intake               intake.Limits
	// History is how many earlier messages the model sees, Pinned how many
	// characters of pinned facts.
	History, Pinned int
	// RouteTime is how long an answer waits for its route, and for a summary.
	RouteTime time.Duration
	// Zone is the time zone of people who did not say theirs.
	Zone *time.Location
	// Attempts is how often a turn is begun before it is given up.
	Attempts int
	// AfterTime bounds what is done once the answer is stored.
	AfterTime time.Duration
	// Name is the assistant's, as events carry it.
	Name string
}

// Engine is the chat.Assistant.
type Engine struct {
	store   Store
	journal *journal.Journal
	intake  *intake.Intake
	router  *route.Router
	opt     Options
}

var _ chat.Assistant = (*Engine)(nil)

// New returns an engine that answers turns once the journal runs.
func New(store Store, jobs *journal.Journal, opt Options) *Engine {
	if opt.Persona == nil {
		opt.Persona = opt.Agent
	}
	e := &Engine{
		store: store, journal: jobs,
		intake: &intake.Intake{Chats: store, Messages: store, Turns: store, Personas: store, Files: store, Limits: opt.Intake},
		router: &route.Router{
			Messages: store, Summaries: store, Facts: store, Conversations: store, Personas: store, Files: store,
			Fast: opt.Fast, History: opt.History, Pinned: opt.Pinned, Patience: opt.RouteTime,
		},
		opt: opt,
	}
	jobs.Handle(intake.Kind, e.handle)
	return e
}

// Ask implements chat.Assistant.
func (e *Engine) Ask(ctx context.Context, ask chat.Ask) (chat.Turn, error) {
	t, job, err := e.intake.Admit(ctx, ask, e.journal.Reserve(intake.Kind))
	if err != nil {
		return chat.Turn{}, err
	}
	if job != nil {
		e.journal.Start(*job)
	} else {
		e.journal.Wake()
	}
	return t, nil
}

// Turn implements chat.Assistant.
func (e *Engine) Turn(ctx context.Context, userID, turnID string) (chat.Turn, error) {
	t, err := e.store.Turn(ctx, turnID)
	if err != nil {
		return chat.Turn{}, err
	}
	if t.UserID != userID {
		return chat.Turn{}, chat.ErrNotFound
	}
	return t, nil
}

// Follow implements chat.Assistant.
func (e *Engine) Follow(ctx context.Context, userID, turnID string, after int64) iter.Seq2[[]chat.Event, error] {
	return func(yield func([]chat.Event, error) bool) {
		if _, err := e.Turn(ctx, userID, turnID); err != nil {
			yield(nil, err)
			return
		}
		e.journal.Follow(ctx, turnID, after)(yield)
	}
}

// The signals that a turn understands.
const (
	signalCancel   = "cancel"
	signalApproval = "approval:" // and the call's id
)

// Cancel implements chat.Assistant.
func (e *Engine) Cancel(ctx context.Context, userID, turnID, by string) error {
	if _, err := e.Turn(ctx, userID, turnID); err != nil {
		return err
	}
	return e.journal.Signal(ctx, chat.Signal{JobID: turnID, Name: signalCancel, Value: by})
}

// Approve implements chat.Assistant.
func (e *Engine) Approve(ctx context.Context, userID, turnID, callID string, approve bool) error {
	if _, err := e.Turn(ctx, userID, turnID); err != nil {
		return err
	}
	value := "no"
	if approve {
		value = "yes"
	}
	return e.journal.Signal(ctx, chat.Signal{JobID: turnID, Name: signalApproval + callID, Value: value})
}
