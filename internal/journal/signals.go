package journal

import (
	"context"
	"log/slog"

	"confidant/internal/chat"
)

// Signal sends a signal to whoever runs a job, now or later.
func (j *Journal) Signal(ctx context.Context, signal chat.Signal) error {
	if err := j.store.SendSignal(ctx, signal); err != nil {
		return err
	}
	j.bus.Publish(subjectSignals, nil)
	return nil
}

// signalLoop hands signals to the logs of the jobs that are held here.
func (j *Journal) signalLoop(ctx context.Context) {
	for range j.wakeups(ctx, subjectSignals, j.opt.Poll) {
		j.mu.Lock()
		ids := make([]string, 0, len(j.held))
		for id := range j.held {
			ids = append(ids, id)
		}
		j.mu.Unlock()
		if len(ids) > 0 {
			j.readSignals(ctx, ids)
		}
	}
}

// readSignals hands the signals of jobs to their logs.
func (j *Journal) readSignals(ctx context.Context, ids []string) {
	signals, err := j.store.Signals(ctx, ids)
	if err != nil {
		if ctx.Err() == nil {
			slog.ErrorContext(ctx, "read signals", "error", err)
		}
		return
	}
	for _, s := range signals {
		j.mu.Lock()
		log := j.held[s.JobID]
		j.mu.Unlock()
		if log != nil {
			log.deliver(s)
		}
	}
}
