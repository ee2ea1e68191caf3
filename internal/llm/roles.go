package llm

import (
	"context"
	"errors"
	"iter"
	"time"

	"confidant/internal/chat"
)

// ModelRole says what a model is wanted for. The code asks for a role, the
// configuration says which models play it.
type ModelRole string

// The roles that models play.
const (
	// Fast classifies and extracts.
	Fast ModelRole = "fast"
	// Agent answers with tools. It stands in for any role that is not set.
	Agent ModelRole = "agent"
	// Reason thinks before it answers.
	Reason ModelRole = "reason"
	// Persona answers in the voice of a persona.
	Persona ModelRole = "persona"
	// Vision looks at pictures.
	Vision ModelRole = "vision"
)

// Defaults of RolesConfig.
const (
	DefaultRounds  = 3
	DefaultMaxWait = 20 * time.Second
)

// RolesConfig says which models play which role and how long to keep trying.
type RolesConfig struct {
	// Models lists the models of each role, the first choice first.
	Models map[ModelRole][]Model
	// Rounds is how often the whole list is tried; 0 is DefaultRounds.
	Rounds int
	// MaxWait is the longest pause between two rounds. A provider that asks for
	// a longer one is not waited for. 0 is DefaultMaxWait.
	MaxWait time.Duration
	// Observe, when set, hears of every call as it ends, also of those that the
	// caller never sees because the next model answered. It must not block.
	Observe func(CallReport)
}

// CallReport is what one call of one model came to.
type CallReport struct {
	Role  ModelRole
	Model string
	Start time.Time
	// FirstChunk is the time to the first chunk, 0 when there was none.
	FirstChunk time.Duration
	Duration   time.Duration
	// Usage is zero unless the answer was complete.
	Usage chat.Usage
	// Err is nil when the answer was complete, not an *Error when the consumer
	// stopped or its context ended, and otherwise what the stream ended with.
	Err error
}

// Outcome is "ok", the Kind of the failure, or "cancelled": one word to count by.
func (r CallReport) Outcome() string {
	if r.Err == nil {
		return "ok"
	}
	if e, ok := errors.AsType[*Error](r.Err); ok {
		return string(e.Kind)
	}
	return "cancelled"
}

// errAbandoned is the outcome of a call whose consumer stopped listening.
var errAbandoned = errors.New("the answer was abandoned")

// errNoModel is the reason of a call for which nothing is configured.
var errNoModel = errors.New("no model is configured")

// Roles chooses models by role.
type Roles struct{ config RolesConfig }

// NewRoles returns the router of a configuration.
func NewRoles(config RolesConfig) *Roles {
	if config.Rounds == 0 {
		config.Rounds = DefaultRounds
	}
	if config.MaxWait == 0 {
		config.MaxWait = DefaultMaxWait
	}
	return &Roles{config: config}
}

// For returns the model of a role, or of Agent when the role has none. Its
// stream tries the next model when one fails before its first chunk in a way
// that the next may not share; when all failed it waits, as long as the
// providers ask but no longer than MaxWait, and tries those again that may
// recover. Once a chunk was yielded an error is passed on as it is.
func (r *Roles) For(role ModelRole) Model {
	models := r.config.Models[role]
	if len(models) == 0 {
		models = r.config.Models[Agent]
	}
	return &chain{role: role, models: models, config: r.config}
}

// chain is an ordered list of models that acts as one.
type chain struct {
	role   ModelRole
	models []Model
	config RolesConfig
}

var _ Model = (*chain)(nil)

// Name implements Model: the name of the first choice. Done.Model names the
// model that answered.
func (c *chain) Name() string {
	if len(c.models) == 0 {
		return "none:" + string(c.role)
	}
	return c.models[0].Name()
}

// Stream implements Model.
func (c *chain) Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		if len(c.models) == 0 {
			yield(nil, &Error{Kind: Rejected, Model: c.Name(), Err: errNoModel})
			return
		}
		candidates := make([]*candidate, len(c.models))
		for i, m := range c.models {
			candidates[i] = &candidate{model: m}
		}
		var last error
		for round := range c.config.Rounds {
			for _, candidate := range candidates {
				if !candidate.ready(time.Now()) {
					continue
				}
				var final bool
				if last, final = c.call(ctx, candidate.model, req, yield); final {
					return
				}
				if !candidate.failed(last, round) {
					yield(nil, last)
					return
				}
			}
			if round+1 == c.config.Rounds || !c.wait(ctx, candidates) {
				break
			}
		}
		if ctx.Err() != nil {
			last = ctx.Err()
		}
		yield(nil, last)
	}
}

// call makes one call of one model. It returns final when the consumer has all
// that it will get, and otherwise the error that came before the first chunk.
func (c *chain) call(ctx context.Context, m Model, req Request, yield func(Chunk, error) bool) (err error, final bool) {
	report := CallReport{Role: c.role, Model: m.Name(), Start: time.Now(), Err: StreamFailure(ctx, m.Name(), nil)}
	defer func() {
		report.Duration = time.Since(report.Start)
		if c.config.Observe != nil {
			c.config.Observe(report)
		}
	}()
	started := false
	for chunk, err := range m.Stream(ctx, req) {
		if err != nil {
			report.Err = err
			break
		}
		if !started {
			started = true
			report.FirstChunk = time.Since(report.Start)
		}
		if done, ok := chunk.(Done); ok {
			done.Model = m.Name()
			report.Usage, report.Err = done.Usage, nil
			yield(done, nil)
			return nil, true
		}
		if !yield(chunk, nil) {
			report.Err = errAbandoned
			return nil, true
		}
	}
	if started {
		yield(nil, report.Err)
	}
	return report.Err, started
}

// wait pauses until the first candidate may be tried again. It reports false
// when there is none, when that is too far off, and when the context ends.
func (c *chain) wait(ctx context.Context, candidates []*candidate) bool {
	var next time.Time
	for _, candidate := range candidates {
		if !candidate.out && (next.IsZero() || candidate.notBefore.Before(next)) {
			next = candidate.notBefore
		}
	}
	pause := time.Until(next)
	if next.IsZero() || pause > c.config.MaxWait {
		return false
	}
	select {
	case <-time.After(pause):
		return true
	case <-ctx.Done():
		return false
	}
}
