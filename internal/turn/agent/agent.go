// Package agent is the loop of model and tools: the fourth stage of a turn. All
// that happens goes to the turn's log first; a loop that is begun again from
// that log goes on after the last finished step.
package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"confidant/internal/chat"
	"confidant/internal/llm"
	"confidant/internal/tool"
)

// Log is where the loop writes; see journal.Log.
type Log interface {
	Append(agent string, bodies ...chat.Body) (int64, error)
	Flush(ctx context.Context) error
}

// Limits bound a turn. DESIGN.md section 12 has the seeds they come from.
type Limits struct {
	Iterations int           // model calls; the last is without tools
	ToolCalls  int           // tool calls in all
	Parallel   int           // tool calls at a time
	Context    int           // tokens sent to the model, estimated
	CallTime   time.Duration // one tool call
	Failures   int           // model calls that broke off, in a row
}

// DefaultLimits are the seeds' own.
var DefaultLimits = Limits{Iterations: 10, ToolCalls: 10, Parallel: 8, Context: 500_000, CallTime: 30 * time.Second, Failures: 5}

// Loop is one turn's conversation between a model and its tools.
type Loop struct {
	Agent  string // who speaks in the log
	Model  llm.Model
	Tools  *tool.Registry
	Limits Limits
	Log    Log
	// Consent waits for the person's answer about a call.
	Consent func(ctx context.Context, callID string) (bool, error)
	// Frame is what every tool call of the turn shares.
	Frame tool.Call
}

// Outcome is what came of it.
type Outcome struct {
	// Text is all that the model said and did not retract, over all steps.
	Text string
	Stop llm.Stop
	// Usage is what was spent, also when the loop failed or was cancelled.
	Usage chat.Usage
	// Sources are the spans that tools offered, by citation number.
	Sources map[int]chat.Citation
}

// Run talks until the model answers without calling a tool. The error is the
// context's, the log's, or the last *llm.Error when the model failed too often;
// the outcome then holds what there is.
func (l *Loop) Run(ctx context.Context, system string, history []llm.Message, past []chat.Event) (Outcome, error) {
	s := recall(past)
	err := l.run(ctx, s, system, history)
	return Outcome{Text: s.text + string(s.partial), Stop: s.stop, Usage: s.usage, Sources: s.book.sources()}, err
}

func (l *Loop) run(ctx context.Context, s *state, system string, history []llm.Message) error {
	if s.voidFrom > 0 { // the process died while the model was speaking
		if err := l.retract(s); err != nil {
			return err
		}
	}
	if err := l.finishCalls(ctx, s); err != nil {
		return err
	}
	failures := 0
	for !s.answered {
		req := llm.Request{System: system, Messages: fit(history, s.messages, l.Limits.Context)}
		if !l.mustAnswer(s) {
			req.Tools = l.offer()
		}
		err := l.step(ctx, s, req)
		if err == nil {
			failures = 0
			if err := l.finishCalls(ctx, s); err != nil {
				return err
			}
			continue
		}
		if ctx.Err() != nil {
			s.usage = s.usage.Add(estimate(req, string(s.partial)))
			return context.Cause(ctx)
		}
		var failed *llm.Error
		if failures++; !errors.As(err, &failed) || !failed.Retryable() || failures >= l.Limits.Failures {
			return err
		}
		slog.WarnContext(ctx, "model step broke off", "turn", l.Frame.ID, "kind", failed.Kind, "model", failed.Model, "failures", failures)
		if err := l.retract(s); err != nil {
			return err
		}
	}
	return nil
}

// retract voids what the unfinished step has said.
func (l *Loop) retract(s *state) error {
	from := s.voidFrom
	s.abandon()
	if from == 0 {
		return nil
	}
	_, err := l.Log.Append(l.Agent, chat.StepRetracted{FromSeq: from})
	return err
}

// mustAnswer reports whether tools are withheld, so that the model must answer:
// on the last iteration, when the calls are used up, or when it runs in circles.
func (l *Loop) mustAnswer(s *state) bool {
	return s.steps+1 >= l.Limits.Iterations || len(s.made) >= l.Limits.ToolCalls || circling(s.made)
}

func (l *Loop) offer() []llm.ToolSpec {
	tools := l.Tools.All()
	specs := make([]llm.ToolSpec, len(tools))
	for i, t := range tools {
		spec := t.Spec()
		specs[i] = llm.ToolSpec{Name: spec.Name, Description: spec.Description, Parameters: spec.Parameters}
	}
	return specs
}

// step makes one model call and logs it. With the step the calls it made are
// logged, all at once, before any of them runs.
func (l *Loop) step(ctx context.Context, s *state, req llm.Request) error {
	var calls []chat.Call
	var done *llm.Done
	ctx, span := watchModel(ctx, l.Model.Name())
	defer func() { endModel(span, done) }()
	for chunk, err := range l.Model.Stream(ctx, req) {
		if err != nil {
			return err
		}
		switch c := chunk.(type) {
		case llm.ReasoningStarted:
			err = l.say(s, chat.ReasoningStarted{})
		case llm.ReasoningDelta:
			err = l.say(s, chat.ReasoningDelta{Delta: c.Text})
		case llm.ReasoningEnded:
			err = l.say(s, chat.ReasoningEnded{})
		case llm.TextDelta:
			delta := s.paragraph(c.Text)
			s.partial = append(s.partial, delta...)
			err = l.say(s, chat.TextDelta{Delta: delta})
		case llm.ToolCall:
			calls = append(calls, c.Call)
		case llm.Done:
			done = &c
		}
		if err != nil {
			return err
		}
	}
	if done == nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return &llm.Error{Kind: llm.Cut, Model: l.Model.Name(), Err: errors.New("the stream ended without saying so")}
	}
	if len(req.Tools) == 0 {
		calls = nil // none was offered: there is nothing to call
	}
	return l.finishStep(s, calls, *done)
}

func (l *Loop) say(s *state, body chat.Body) error {
	seq, err := l.Log.Append(l.Agent, body)
	if s.voidFrom == 0 {
		s.voidFrom = seq
	}
	return err
}

func (l *Loop) finishStep(s *state, calls []chat.Call, done llm.Done) error {
	for i := range calls { // some servers number the calls of every answer from 0
		if s.knows(calls[i].ID) {
			calls[i].ID = fmt.Sprintf("%s.%d", calls[i].ID, s.steps+1)
		}
	}
	finished := chat.StepFinished{
		Step: s.steps + 1, Model: cmp.Or(done.Model, l.Model.Name()), StopReason: string(done.Stop),
		Usage: done.Usage, Calls: calls, State: done.State,
	}
	bodies := []chat.Body{finished}
	for _, c := range calls {
		bodies = append(bodies, l.announce(c))
	}
	if _, err := l.Log.Append(l.Agent, bodies...); err != nil {
		return fmt.Errorf("log step: %w", err)
	}
	s.finish(finished)
	return nil
}

func (l *Loop) announce(c chat.Call) chat.ToolCalled {
	called := chat.ToolCalled{CallID: c.ID, Name: c.Name}
	if t, ok := l.Tools.Find(c.Name); ok {
		if label := t.Spec().Label; label != "" {
			called.Label = &label
		}
		if args, err := l.Tools.Check(c.Name, c.Arguments); err == nil {
			called.Arguments = args
		}
	}
	if called.Arguments == nil {
		called.Arguments = asObject(c.Arguments)
	}
	return called
}
