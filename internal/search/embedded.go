package search

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
)

// embedded is the question's vector, which is made while words are searched.
type embedded struct {
	done    chan struct{} // nil without an embedder
	vectors *Vectors      // whose space it is in
	vector  []float32

	mu  sync.Mutex
	err error
}

// embed begins to embed a text.
func (c *Core) embed(ctx context.Context, text string) *embedded {
	e := &embedded{vectors: c.searched()}
	if e.vectors == nil {
		return e
	}
	e.done = make(chan struct{})
	go func() {
		defer close(e.done)
		vector, err := e.vectors.embedQuestion(ctx, text)
		if err != nil {
			if ctx.Err() == nil {
				slog.WarnContext(ctx, "searching words only", "error", err)
			}
			e.fail(fmt.Errorf("embed query: %w", err))
			return
		}
		e.vector = vector
	}()
	return e
}

// wait returns the vector, nil without an embedder.
func (e *embedded) wait(ctx context.Context) ([]float32, error) {
	if e.done == nil {
		return nil, nil
	}
	select {
	case <-e.done:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.vector, e.err
}

// fail makes the rest of the search do without meaning.
func (e *embedded) fail(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.err = err
}
