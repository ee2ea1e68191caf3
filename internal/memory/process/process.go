// Package process understands what was recorded: a durable job for each
// conversation, whose steps judge, name, file, and draw facts and tasks from it.
// A step's failure neither loses the recording nor blocks the other steps.
package process

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"confidant/internal/chat"
	"confidant/internal/ident"
	"confidant/internal/journal"
	"confidant/internal/llm"
	"confidant/internal/prompt"
)

// Kind is the kind of job that processes a conversation. Its lane is the
// conversation's id.
const Kind = "process"

// Store is what the pipeline reads and writes.
type Store interface {
	chat.Conversations
	chat.ConversationEdits
	chat.Processing
	chat.Queue
	chat.Facts
	chat.Tasks
	chat.Folders
}

// Near finds the facts of a person that mean about the same as a text, the
// nearest first, with their cosine similarity where it is known.
type Near func(ctx context.Context, userID, text string, limit int) ([]NearFact, error)

// NearFact is a fact and how near it is, from 0 to 1.
type NearFact struct {
	Fact       chat.Fact
	Similarity float64
}

// Options are what the pipeline needs beside its store.
type Options struct {
	// Model extracts; nil means that steps which need one wait for it.
	Model llm.Model
	// Near finds known facts; nil compares words only.
	Near Near
	// Zone is where the days of people begin.
	Zone *time.Location
	// Changed is called when a person has something new to be embedded.
	Changed func()
	// Attempts is how often a step is tried within a job, Pause the first wait between two.
	Attempts int
	Pause    time.Duration
	// Later is how long to wait before a failed step gets another job, by how many
	// jobs it has had. After the last it has failed for good.
	Later []time.Duration
}

// DefaultOptions are the waits that suit a provider's bad hour and a bad day.
var DefaultOptions = Options{
	Zone: time.UTC, Attempts: 3, Pause: time.Second,
	Later: []time.Duration{time.Minute, 10 * time.Minute, time.Hour, 6 * time.Hour, 24 * time.Hour},
}

// Pipeline processes conversations.
type Pipeline struct {
	store Store
	opt   Options
}

// New returns a pipeline. Its Handle is the handler of jobs of Kind.
func New(store Store, opt Options) *Pipeline { return &Pipeline{store: store, opt: opt} }

// order is the payload of a job.
type order struct {
	// Again does also what is done already: the person asked for it, or the
	// recording has changed. Nothing is discarded then.
	Again bool `json:"again,omitempty"`
}

// Job returns the job that processes a conversation.
func Job(userID, conversationID string, again bool) *chat.Job {
	payload, err := json.Marshal(order{Again: again})
	if err != nil {
		panic(err) // a bool always marshals
	}
	return &chat.Job{
		ID: ident.New(), Kind: Kind, Lane: conversationID, UserID: userID, Payload: payload,
		CreatedAt: time.Now().UTC().Truncate(time.Millisecond),
	}
}

// step is one of the things to do. It returns what it came to and how it ended,
// or an error that is worth another attempt.
type step struct {
	name chat.StepName
	run  func(*run, context.Context) (result, error)
}

// result is how a step ended.
type result struct {
	state   chat.StepState
	detail  string
	prompt  string
	outcome chat.Outcome
}

var steps = []step{
	{chat.StepDiscard, (*run).discard},
	{chat.StepStructure, (*run).structure},
	{chat.StepFolder, (*run).folder},
	{chat.StepMetadata, (*run).metadata},
	{chat.StepFacts, (*run).facts},
	{chat.StepTasks, (*run).tasks},
}

// waiting is the result of a step that needs a model, when there is none.
func waiting(outcome chat.Outcome) result {
	return result{state: chat.StepWaiting, detail: "Waits for a language model.", outcome: outcome}
}

func skipped(detail string) result { return result{state: chat.StepSkipped, detail: detail} }

// run is one job at work on one conversation.
type run struct {
	*Pipeline
	log      *journal.Log
	job      chat.Job
	order    order
	c        chat.Conversation
	segments []chat.Segment
	usage    chat.Usage // of all model calls of this attempt
}

// Handle is the journal.Handler of the pipeline.
func (p *Pipeline) Handle(ctx context.Context, log *journal.Log) error {
	r := &run{Pipeline: p, log: log, job: log.Job()}
	if err := json.Unmarshal(r.job.Payload, &r.order); err != nil {
		return fmt.Errorf("read order: %w", err)
	}
	err := r.read(ctx)
	if errors.Is(err, chat.ErrNotFound) { // deleted meanwhile
		return r.end(chat.JobCancelled)
	}
	if err != nil {
		return err
	}
	done, err := r.store.Steps(ctx, r.job.UserID, r.c.ID)
	if err != nil {
		return err
	}
	before := map[chat.StepName]chat.Step{}
	for _, s := range done {
		before[s.Name] = s
	}
	status := chat.StatusCompleted
	for _, s := range steps {
		state := before[s.name]
		if r.due(state) {
			if state, err = r.do(ctx, s, state); err != nil {
				return err
			}
			if state.State == "" { // the conversation is gone
				return r.end(chat.JobCancelled)
			}
		}
		if state.State == chat.StepFailed && state.RetryAt.IsZero() {
			status = chat.StatusFailed
		}
	}
	if err := r.settle(ctx, status); err != nil {
		return err
	}
	return r.end(chat.JobFinished)
}

// due reports whether a step is to be done by this job. One that this job has
// done before a crash is not.
func (r *run) due(s chat.Step) bool {
	mine := !s.At.Before(r.job.CreatedAt)
	switch s.State {
	case chat.StepDone, chat.StepSkipped:
		return r.order.Again && !mine
	case chat.StepWaiting:
		return !mine
	case chat.StepFailed:
		return !mine
	}
	return true
}

// read takes the conversation as it is now.
func (r *run) read(ctx context.Context) (err error) {
	if r.c, err = r.store.Conversation(ctx, r.job.UserID, r.job.Lane); err != nil {
		return err
	}
	r.segments, err = r.store.Segments(ctx, r.job.UserID, r.job.Lane, 0, r.c.Segments)
	return err
}

// do does one step and stores how it ended. The step that comes back is empty
// when the conversation is gone. An error means that the job cannot go on.
func (r *run) do(ctx context.Context, s step, before chat.Step) (chat.Step, error) {
	after := chat.Step{Name: s.name, Attempts: before.Attempts + 1}
	r.progress(chat.Progress{Step: string(s.name), State: string(chat.StepRunning)})
	for attempt := 1; ; attempt++ {
		res, err := s.run(r, ctx)
		if err == nil {
			after.State, after.Detail, after.Prompt = res.state, res.detail, res.prompt
			if after.State != chat.StepFailed {
				after.Attempts = 0
			}
			err = r.save(ctx, after, res.outcome)
		}
		switch {
		case err == nil:
			after.At = time.Now()
			r.progress(chat.Progress{Step: string(s.name), State: string(after.State), Detail: after.Detail})
			return after, nil
		case ctx.Err() != nil:
			return after, context.Cause(ctx)
		case errors.Is(err, chat.ErrNotFound):
			return chat.Step{}, nil
		case errors.Is(err, chat.ErrConflict):
			// A person changed it meanwhile: the step looks at what is there now.
			if err := r.read(ctx); err != nil {
				return after, err
			}
		}
		slog.WarnContext(ctx, "processing step failed", "conversation", r.c.ID, "step", s.name, "attempt", attempt, "error", prompt.Loggable(err))
		if attempt >= r.opt.Attempts {
			return r.fail(ctx, after, err)
		}
		select {
		case <-time.After(r.opt.Pause << (attempt - 1)):
		case <-ctx.Done():
			return after, context.Cause(ctx)
		}
	}
}

// save stores a step with its outcome and reads back what that changed.
func (r *run) save(ctx context.Context, s chat.Step, outcome chat.Outcome) error {
	s.At = time.Now().UTC()
	if err := r.store.SaveStep(ctx, r.job.UserID, r.c.ID, s, outcome); err != nil {
		return err
	}
	if outcome.Conversation == nil {
		return nil
	}
	c, err := r.store.Conversation(ctx, r.job.UserID, r.c.ID)
	if err == nil {
		r.c = c
	}
	return err
}

// fail gives a step up for now.
func (r *run) fail(ctx context.Context, s chat.Step, cause error) (chat.Step, error) {
	s.State, s.Detail = chat.StepFailed, excuse(cause)
	if n := s.Attempts - 1; n < len(r.opt.Later) {
		s.RetryAt = time.Now().Add(r.opt.Later[n]).UTC()
	}
	if err := r.save(ctx, s, chat.Outcome{}); err != nil {
		return s, err
	}
	r.progress(chat.Progress{Step: string(s.Name), State: string(s.State), Detail: s.Detail})
	return s, nil
}

// settle sets the conversation's status, over whatever a person changed meanwhile.
func (r *run) settle(ctx context.Context, status chat.ConversationStatus) error {
	for {
		c, err := r.store.Conversation(ctx, r.job.UserID, r.c.ID)
		if errors.Is(err, chat.ErrNotFound) || err == nil && c.Status == status {
			return nil
		}
		if err != nil {
			return err
		}
		c.Status = status
		if _, err = r.store.SaveConversation(ctx, c, nil); !errors.Is(err, chat.ErrConflict) {
			return err
		}
	}
}

func (r *run) progress(p chat.Progress) {
	// An error ends the job at its next flush.
	_, _ = r.log.Append("", p)
}

func (r *run) end(state chat.JobState) error {
	if r.opt.Changed != nil {
		r.opt.Changed()
	}
	_, err := r.log.AppendWith([]chat.Effect{chat.EndJob{State: state}}, "", chat.TurnClosed{Usage: r.usage})
	return err
}

// excuse tells a person why a step failed.
func excuse(err error) string {
	if _, ok := errors.AsType[prompt.BadAnswer](err); ok {
		return "The language model's answer had another form than asked for."
	}
	if _, ok := errors.AsType[*llm.Error](err); ok {
		return "The language model could not be asked."
	}
	return "Something went wrong on the server."
}
