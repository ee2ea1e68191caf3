package journal

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"confidant/internal/chat"
)

func (j *Journal) markDirty(l *Log) {
	j.mu.Lock()
	j.dirty = append(j.dirty, l)
	j.mu.Unlock()
	select {
	case j.dirtySignal <- struct{}{}:
	default:
	}
}

// commitLoop commits whatever waits, the logs of many jobs together, again and
// again. While one commit is under way the next one's events gather.
func (j *Journal) commitLoop(ctx context.Context) {
	for {
		select {
		case <-j.dirtySignal:
		case <-ctx.Done():
			return
		}
		for {
			logs := j.takeDirty()
			if len(logs) == 0 {
				break
			}
			appends := make([]chat.Append, len(logs))
			for i, l := range logs {
				appends[i] = l.take()
			}
			next := time.Now().Add(pace(len(logs)))
			j.commit(ctx, logs, appends)
			if pause := time.Until(next); pause > 0 {
				select {
				case <-time.After(pause):
				case <-ctx.Done():
					return
				}
			}
		}
	}
}

// takeDirty takes the logs that have waited longest, as many as one commit has.
func (j *Journal) takeDirty() []*Log {
	j.mu.Lock()
	defer j.mu.Unlock()
	n := min(len(j.dirty), maxLogs)
	logs := j.dirty[:n:n]
	j.dirty = j.dirty[n:]
	return logs
}

// pace is how far the next commit begins from one of so many logs at least. A few
// turns wait for nothing; many share a commit.
func pace(logs int) time.Duration {
	if logs <= paceFree {
		return 0
	}
	return paceMost
}

const (
	paceFree = 100
	paceMost = 30 * time.Millisecond
	// maxLogs bounds the logs of one commit, because all their followers wake at
	// once when it is done, and the last of them waits for all others.
	maxLogs = 500
)

// fullDiskPause is how long to wait before trying again to commit to a full disk.
const fullDiskPause = time.Second

func (j *Journal) commit(ctx context.Context, logs []*Log, appends []chat.Append) {
	outcomes, err := j.store.Append(ctx, appends)
	for errors.Is(err, chat.ErrStorageFull) {
		// The turns stand still until there is room; none is lost, none fails.
		slog.ErrorContext(ctx, "commit events", "error", err, "waiting", len(appends))
		select {
		case <-time.After(fullDiskPause):
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			break
		}
		outcomes, err = j.store.Append(ctx, appends)
	}
	if err != nil && len(appends) > 1 && ctx.Err() == nil {
		// One bad append must not take the others down.
		for i := range appends {
			j.commit(ctx, logs[i:i+1], appends[i:i+1])
		}
		return
	}
	for i, l := range logs {
		outcome := err
		if err == nil {
			outcome = outcomes[i]
		}
		if outcome != nil {
			l.settle(appends[i], fmt.Errorf("commit events: %w", outcome))
			continue
		}
		j.bus.Publish(subjectLog(l.job.ID), appends[i].Events)
		l.settle(appends[i], nil)
	}
}
