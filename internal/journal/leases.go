package journal

import (
	"context"
	"log/slog"
	"time"

	"confidant/internal/chat"
)

// leaseLoop renews the leases and cancels the handlers of jobs that were lost.
func (j *Journal) leaseLoop(ctx context.Context) {
	ticker := time.NewTicker(j.opt.Lease / 3)
	defer ticker.Stop()
	var orphans map[string]bool // jobs leased to us that nobody ran last time
	for {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
		j.mu.Lock()
		before := make(map[string]*Log, len(j.held))
		for id, log := range j.held {
			before[id] = log
		}
		j.mu.Unlock()
		if len(before) == 0 {
			continue
		}
		renewed, err := j.store.Renew(ctx, j.opt.Worker, time.Now().Add(j.opt.Lease))
		if err != nil {
			// Not yet lost: the fence decides at the next append.
			slog.ErrorContext(ctx, "renew leases", "error", err)
			continue
		}
		idle := map[string]bool{}
		for _, id := range renewed {
			if before[id] == nil {
				idle[id] = true
			}
			delete(before, id)
		}
		for id := range idle {
			if orphans[id] { // not one that is just beginning
				j.adopt(ctx, id)
			}
		}
		orphans = idle
		for _, log := range before {
			if !log.hasEnded() {
				log.cancel(chat.ErrFenced)
			}
		}
	}
}

// adopt runs a job that is leased to us and that nobody runs: its handler could
// not write, or what stored it never heard that it had.
func (j *Journal) adopt(ctx context.Context, id string) {
	job, err := j.store.Job(ctx, id)
	if err != nil {
		slog.ErrorContext(ctx, "read job to adopt", "job", id, "error", err)
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.work != nil && j.held[id] == nil && job.State == chat.JobRunning {
		j.start(j.work, job)
	}
}
