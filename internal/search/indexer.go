package search

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"time"

	"golang.org/x/sync/errgroup"

	"confidant/internal/chat"
)

const (
	// embedBatch is how many passages are embedded and stored at a time: few, so
	// that a crash loses little and searches find them soon.
	embedBatch = 64
	// embedPause is how long to wait after a failure, doubled up to embedPauseMost.
	embedPause     = time.Second
	embedPauseMost = time.Minute
	// embedPoll is how often to look for what nobody announced.
	embedPoll = 5 * time.Second
)

// Run embeds whatever has no vector yet, until ctx ends. What is to be done is
// read from the store, so a crash loses nothing.
func (v *Vectors) Run(ctx context.Context) error {
	pause := embedPause
	for ctx.Err() == nil {
		n, err := v.Embed(ctx)
		switch {
		case err != nil && ctx.Err() == nil:
			slog.WarnContext(ctx, "embed passages", "error", err, "retry_in", pause)
			v.sleep(ctx, pause)
			pause = min(2*pause, embedPauseMost)
		case n == 0:
			if v.complete != nil && err == nil && ctx.Err() == nil {
				v.previous.Store(nil)
				v.complete(ctx)
				v.complete = nil
			}
			select {
			case <-v.wake:
			case <-time.After(embedPoll): // facts and tasks are stored by many hands
			case <-ctx.Done():
			}
		default:
			pause = embedPause
		}
	}
	return nil
}

// Drain embeds until nothing is left.
func (v *Vectors) Drain(ctx context.Context) error {
	for {
		n, err := v.Embed(ctx)
		if n == 0 || err != nil {
			return err
		}
	}
}

func (v *Vectors) sleep(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// Embed embeds one batch and returns how many passages it had, 0 when nothing is left.
func (v *Vectors) Embed(ctx context.Context) (int, error) {
	passages, err := v.store.Unembedded(ctx, v.embedder.Model(), embedBatch)
	if err != nil || len(passages) == 0 {
		return 0, err
	}
	texts := make([]string, len(passages))
	for i, p := range passages {
		texts[i] = p.Text
	}
	embedded, err := v.embedAll(ctx, texts)
	if err != nil {
		return 0, fmt.Errorf("embed: %w", err)
	}
	vectors := make([]chat.Vector, len(passages))
	for i, p := range passages {
		vectors[i] = chat.Vector{ID: p.ID, UserID: p.UserID, Kind: p.Kind, At: p.At, Data: embedded[i]}
	}
	if err := v.store.PutVectors(ctx, v.embedder.Model(), vectors); err != nil {
		return 0, fmt.Errorf("store vectors: %w", err)
	}
	return len(passages), v.publish(vectors)
}

// embedShare is how many texts one of the embedders that work side by side takes.
const embedShare = 8

// embedAll embeds texts on half of the processors, because people are answered on
// the others.
func (v *Vectors) embedAll(ctx context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(max(1, runtime.GOMAXPROCS(0)/2))
	for from := 0; from < len(texts); from += embedShare {
		until := min(from+embedShare, len(texts))
		work.Go(func() error {
			part, err := v.embedder.Embed(ctx, texts[from:until])
			copy(vectors[from:until], part)
			return err
		})
	}
	return vectors, work.Wait()
}

// publish adds new vectors to the indexes that are in memory. One that is being
// read meanwhile may have them already; adding again replaces.
func (v *Vectors) publish(vectors []chat.Vector) error {
	var errs []error
	for _, vec := range vectors {
		v.mu.Lock()
		p := v.people[vec.UserID]
		v.mu.Unlock()
		if p == nil {
			continue
		}
		p.mu.Lock()
		if p.index != nil {
			errs = append(errs, p.index.Add(vec.ID, millis(vec.At), uint8(vec.Kind), vec.Data))
		}
		p.mu.Unlock()
	}
	return errors.Join(errs...)
}
