package memory

import (
	"context"
	"log/slog"
	"time"

	"confidant/internal/chat"
)

// Eraser removes, in the background, what is left of what was deleted. What is to
// be done is read from the store, so that a crash loses none of it.
type Eraser struct {
	store chat.Forgetting
	index Index // nil when there is none
	wake  chan struct{}
	// Belongings, when set, deletes what a person has outside the store. It may be
	// called again.
	Belongings func(ctx context.Context, userID string) error
}

// NewEraser returns an eraser that works once Run is called.
func NewEraser(store chat.Forgetting, index Index) *Eraser {
	return &Eraser{store: store, index: index, wake: make(chan struct{}, 1)}
}

// eraseRetry is how long to wait after a failure.
const eraseRetry = 30 * time.Second

// Run removes traces until ctx ends.
func (e *Eraser) Run(ctx context.Context) {
	for ctx.Err() == nil {
		retry := (<-chan time.Time)(nil)
		if err := e.Drain(ctx); err != nil && ctx.Err() == nil {
			slog.ErrorContext(ctx, "remove traces of what was deleted", "error", err, "retry_in", eraseRetry)
			retry = time.After(eraseRetry)
		}
		select {
		case <-e.wake:
		case <-retry:
		case <-ctx.Done():
		}
	}
}

// Wake says that something was deleted.
func (e *Eraser) Wake() {
	select {
	case e.wake <- struct{}{}:
	default:
	}
}

// Drain removes all that is left now.
func (e *Eraser) Drain(ctx context.Context) error {
	begun, err := e.store.Erasing(ctx)
	if err != nil {
		return err
	}
	for _, b := range begun {
		if err := e.Erase(ctx, b.UserID, b.Account); err != nil {
			return err
		}
	}
	traces, err := e.store.Traces(ctx)
	if err != nil {
		return err
	}
	for _, t := range traces {
		if err := e.store.RemoveTrace(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

// Erase deletes everything of a person; see chat.Forgetting.
func (e *Eraser) Erase(ctx context.Context, userID string, account bool) error {
	if e.Belongings != nil {
		if err := e.Belongings(ctx, userID); err != nil {
			return err
		}
	}
	err := e.store.Erase(ctx, userID, account)
	if e.index != nil {
		e.index.Forget(userID)
	}
	return err
}
