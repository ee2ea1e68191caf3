package llm

import (
	"context"
	"iter"
	"log/slog"
)

// WithLastResort returns a model that answers as first does, and as last does
// when first fails before it has said anything: after Roles has tried all that
// there is to try.
func WithLastResort(first, last Model) Model { return &lastResort{first: first, last: last} }

type lastResort struct{ first, last Model }

// Name implements Model. Done.Model tells who answered.
func (m *lastResort) Name() string { return m.first.Name() }

// Stream implements Model.
func (m *lastResort) Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		said := false
		for chunk, err := range m.first.Stream(ctx, req) {
			if err != nil && !said && ctx.Err() == nil {
				slog.WarnContext(ctx, "no model answers, falling back", "to", m.last.Name(), "outcome", CallReport{Err: err}.Outcome())
				m.fallBack(ctx, req, yield)
				return
			}
			said = true
			if !yield(chunk, err) || err != nil {
				return
			}
		}
	}
}

func (m *lastResort) fallBack(ctx context.Context, req Request, yield func(Chunk, error) bool) {
	for chunk, err := range m.last.Stream(ctx, req) {
		if done, ok := chunk.(Done); ok {
			done.Model = m.last.Name()
			chunk = done
		}
		if !yield(chunk, err) || err != nil {
			return
		}
	}
}
