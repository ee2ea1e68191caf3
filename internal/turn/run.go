package turn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/trace"

	"confidant/internal/chat"
	"confidant/internal/journal"
	"confidant/internal/llm"
	"confidant/internal/tool"
	"confidant/internal/turn/agent"
	"confidant/internal/turn/commit"
	"confidant/internal/turn/intake"
)

// handle answers one turn, from wherever its log ends.
func (e *Engine) handle(ctx context.Context, log *journal.Log) error {
	r := &run{Engine: e, log: log, job: log.Job()}
	if err := json.Unmarshal(r.job.Payload, &r.order); err != nil {
		return fmt.Errorf("read order: %w", err)
	}
	ctx, span := e.watched(ctx, r.job, log.Attempt())
	defer span.End()
	end, err := r.recallEnding(ctx)
	if err == nil && end == nil {
		end, err = r.answer(ctx)
	}
	if err != nil {
		return err
	}
	return r.close(ctx, end)
}

// run is one attempt at a turn.
type run struct {
	*Engine
	log   *journal.Log
	job   chat.Job
	order intake.Order
	// opening is the route that is not in the log yet.
	opening atomic.Pointer[chat.RouteChosen]
	// filled says that something is to be summarised for the next question.
	filled bool
}

// cancelled is the cause of a context that a person ended.
type cancelled struct{ by string }

func (c cancelled) Error() string { return "cancelled by " + c.by }

// answer goes through the stages up to the stored answer. It returns an error
// only when the turn has not ended and should be begun again.
func (r *run) answer(ctx context.Context) (*ending, error) {
	if r.log.Attempt() > r.opt.Attempts {
		return r.fail(agent.Outcome{}, chat.CodeInternal, "This question could not be answered: the server failed at it several times.")
	}
	reading := ctx // not to be cancelled: a turn stopped while it read would seem to have failed, and be begun again
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	consents := newConsents()
	defer r.log.Listen(func(s chat.Signal) { heed(s, cancel, consents) })()
	plan, spent, err := r.plan(reading, ctx)
	if errors.Is(err, errNoPersona) {
		return r.fail(agent.Outcome{Usage: spent}, chat.CodeNotFound, "The persona that was asked has been deleted.")
	}
	if err != nil {
		return nil, err
	}
	if person, stopped := errors.AsType[cancelled](context.Cause(ctx)); stopped {
		return r.stop(agent.Outcome{Usage: spent}, person.by)
	}
	loop := &agent.Loop{
		Agent: r.opt.Name, Model: plan.model, Tools: plan.tools, Limits: r.opt.Limits, Log: r, Consent: consents.wait,
		Frame: tool.Call{ID: r.job.ID, UserID: r.job.UserID, ChatID: r.job.Lane, Now: time.Now(), Zone: r.zone(), Earlier: earlier(plan.History), FileIDs: r.order.FileIDs},
	}
	outcome, err := loop.Run(ctx, plan.System, plan.History, r.log.Past())
	outcome.Usage = outcome.Usage.Add(spent)
	var person cancelled
	var failed *llm.Error
	switch {
	case err == nil && strings.TrimSpace(outcome.Text) == "":
		return r.fail(outcome, chat.CodeModel, "The model gave no answer.")
	case err == nil:
		return r.finish(outcome)
	case errors.As(context.Cause(ctx), &person):
		return r.stop(outcome, person.by)
	case ctx.Err() != nil:
		return nil, err // the lease is lost, or the process stops: the turn goes on elsewhere
	case errors.As(err, &failed):
		slog.ErrorContext(ctx, "model failed", "turn", r.job.ID, "model", failed.Model, "kind", failed.Kind, "status", failed.Status)
		return r.fail(outcome, chat.CodeModel, excuse(failed.Kind))
	}
	return nil, err
}

// earlier are the person's messages before the question.
func earlier(history []llm.Message) []string {
	var list []string
	for _, m := range history[:max(0, len(history)-1)] {
		if m.Role == llm.User {
			list = append(list, m.Text)
		}
	}
	return list
}

// excuse tells a person why the model did not answer.
func excuse(kind llm.Kind) string {
	switch kind {
	case llm.RateLimited:
		return "The model's provider is refusing requests for now, because there were too many. Try again in a few minutes."
	case llm.Unauthorized:
		return "The model's provider did not accept the key that is configured."
	case llm.TooLong:
		return "The conversation is too long for the model. Start a new chat."
	case llm.Stalled:
		return "The model stopped responding in the middle of its answer."
	case llm.Cut, llm.Malformed:
		return "The connection to the model broke several times."
	case llm.Rejected:
		return "The model's provider rejected the request."
	}
	return "The model cannot be reached."
}

// ending is how the turn ended: what is to be stored and what is to be told.
type ending struct {
	state  chat.JobState
	answer chat.Message
	bodies []chat.Body
}

func (r *run) finish(o agent.Outcome) (*ending, error) {
	m := r.message(o, chat.MessageOK)
	return r.end(&ending{chat.JobFinished, m, []chat.Body{
		chat.TextFinished{Text: m.Content, Citations: m.Citations},
		chat.TurnFinished{MessageID: m.ID, Usage: o.Usage, StopReason: string(o.Stop)},
	}})
}

func (r *run) fail(o agent.Outcome, code chat.Code, why string) (*ending, error) {
	m := r.message(o, chat.MessageFailed)
	m.Error = &chat.Failure{Code: code, Message: why}
	return r.end(&ending{chat.JobFailed, m, []chat.Body{chat.TurnFailed{Code: code, Message: why, Usage: o.Usage}}})
}

func (r *run) stop(o agent.Outcome, by string) (*ending, error) {
	return r.end(&ending{chat.JobCancelled, r.message(o, chat.MessageCancelled), []chat.Body{chat.TurnCancelled{By: by, Usage: o.Usage}}})
}

// message is the answer as it is stored, its citations checked.
func (r *run) message(o agent.Outcome, state chat.MessageState) chat.Message {
	text, citations := commit.Check(o.Text, o.Sources)
	return chat.Message{
		ID: r.order.AnswerID, ChatID: r.job.Lane, TurnID: r.job.ID, Role: chat.RoleAssistant,
		Content: text, Ready: true, State: state, Citations: citations, Usage: o.Usage, CreatedAt: time.Now().UTC(),
	}
}

// end stores the answer and, in the same transaction, the events that announce it.
func (r *run) end(e *ending) (*ending, error) {
	_, err := r.appendWith([]chat.Effect{chat.StoreAnswer{Message: e.answer}}, r.opt.Name, e.bodies...)
	return e, err
}

// recallEnding reads from the log how the turn ended, nil when it has not.
func (r *run) recallEnding(ctx context.Context) (*ending, error) {
	for _, e := range r.log.Past() {
		var state chat.JobState
		switch e.Body.(type) {
		case chat.TurnFinished:
			state = chat.JobFinished
		case chat.TurnFailed:
			state = chat.JobFailed
		case chat.TurnCancelled:
			state = chat.JobCancelled
		default:
			continue
		}
		answer, err := r.store.Message(ctx, r.job.UserID, r.order.AnswerID)
		return &ending{state: state, answer: answer}, err
	}
	return nil, nil
}

// close does what comes after the answer and ends the turn.
func (r *run) close(ctx context.Context, e *ending) error {
	var bodies []chat.Body
	usage := e.answer.Usage
	if e.state == chat.JobFinished {
		metadata, suggestions, spent := r.afterwards(ctx, e.answer)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		bodies = append(bodies, metadata, suggestions)
		usage = usage.Add(spent)
	}
	_, err := r.appendWith([]chat.Effect{chat.EndJob{State: e.state}}, r.opt.Name, append(bodies, chat.TurnClosed{Usage: usage})...)
	if err == nil {
		ended(ctx, trace.SpanFromContext(ctx), e.state, usage)
	}
	return err
}

// zone is the person's time zone. Intake has checked the name.
func (r *run) zone() *time.Location {
	if r.order.Zone != "" {
		if zone, err := time.LoadLocation(r.order.Zone); err == nil {
			return zone
		}
	}
	return r.opt.Zone
}
