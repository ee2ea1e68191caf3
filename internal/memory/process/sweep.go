package process

import (
	"context"
	"log/slog"
	"time"

	"confidant/internal/chat"
)

// Sweep looks, until ctx ends, for conversations that nobody finished and for
// steps whose time has come again. silence is how long a conversation in progress
// may be without a new segment before it counts as finished, every how often to look.
func (p *Pipeline) Sweep(ctx context.Context, silence, every time.Duration) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		if err := p.sweep(ctx, silence); err != nil && ctx.Err() == nil {
			slog.ErrorContext(ctx, "look for conversations to process", "error", err)
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

// sweepBatch is how many conversations one look takes on.
const sweepBatch = 500

func (p *Pipeline) sweep(ctx context.Context, silence time.Duration) error {
	now := time.Now()
	quiet, err := p.store.Quiet(ctx, now.Add(-silence), sweepBatch)
	if err != nil {
		return err
	}
	for _, c := range quiet {
		// Somebody may append or finish it at this moment: then it is not quiet.
		if _, err := Finish(ctx, p.store, c); err != nil && chat.AsError(err).Code != chat.CodeConflict {
			return err
		}
	}
	again, err := p.store.Due(ctx, now, p.opt.Model != nil, sweepBatch)
	if err != nil {
		return err
	}
	for _, c := range again {
		if err := p.store.Enqueue(ctx, *Job(c.UserID, c.ID, false)); err != nil {
			return err
		}
	}
	return nil
}

// Finish ends a conversation in progress and queues its processing. It fails with
// ErrConflict when the conversation has changed since it was read.
func Finish(ctx context.Context, edits chat.ConversationEdits, c chat.Conversation) (chat.Conversation, error) {
	if c.Status != chat.StatusInProgress {
		return c, nil
	}
	c.Status = chat.StatusProcessing
	if c.FinishedAt.IsZero() {
		c.FinishedAt = time.Now().UTC()
	}
	return edits.SaveConversation(ctx, c, Job(c.UserID, c.ID, false))
}
