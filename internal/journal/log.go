package journal

import (
	"context"
	"errors"
	"sync"
	"time"

	"confidant/internal/chat"
)

// maxPending is how many events of one log may wait for their commit before
// Append waits too.
const maxPending = 1024

// Log is the log of a job that this process holds.
type Log struct {
	journal *Journal
	job     chat.Job
	ctx     context.Context
	cancel  context.CancelCauseFunc
	retries int

	mu        sync.Mutex
	past      []chat.Event
	seq       int64 // of the last event appended
	committed int64 // of the last event committed
	pending   []chat.Event
	effects   []chat.Effect
	queued    bool
	ended     bool
	err       error
	progress  chan struct{} // closed at the next commit; nil when nobody waits for it
	delivered map[string]bool
	listener  func(chat.Signal)
	unheard   []chat.Signal // delivered before anybody listened
}

func newLog(ctx context.Context, j *Journal, job chat.Job) *Log {
	ctx, cancel := context.WithCancelCause(ctx)
	return &Log{
		journal: j, job: job, ctx: ctx, cancel: cancel,
		delivered: map[string]bool{},
	}
}

// Job returns the job as it was claimed.
func (l *Log) Job() chat.Job { return l.job }

// Past returns the events that the log had when this attempt began.
func (l *Log) Past() []chat.Event { return l.past }

// Attempt counts from 1 how often work on the job was begun, by anybody.
func (l *Log) Attempt() int { return int(l.job.Fence) + l.retries }

// Listen calls hear for the signals sent to the job, those that have come and
// those that will, each name once, until stop. It must not block, nor use the log.
func (l *Log) Listen(hear func(chat.Signal)) (stop func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.unheard {
		hear(s)
	}
	l.unheard, l.listener = nil, hear
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.listener = nil
	}
}

func (l *Log) deliver(s chat.Signal) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.delivered[s.Name] {
		return
	}
	l.delivered[s.Name] = true
	if l.listener == nil {
		l.unheard = append(l.unheard, s)
		return
	}
	l.listener(s)
}

// rewind prepares another attempt: the log starts from what is committed.
func (l *Log) rewind(past []chat.Event) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return l.err
	}
	// The attempt that heard them is over: they come again from the store.
	clear(l.delivered)
	l.unheard = nil
	l.past = past
	if len(past) > 0 {
		l.seq = past[len(past)-1].Seq
	}
	l.committed = l.seq
	return nil
}

// Append adds events to the log and returns the sequence number of the last. It
// returns before they are committed, in order; it waits only when the store lags
// far behind.
func (l *Log) Append(agent string, bodies ...chat.Body) (int64, error) {
	return l.AppendWith(nil, agent, bodies...)
}

// AppendWith adds events and, in the same transaction, carries out effects.
func (l *Log) AppendWith(effects []chat.Effect, agent string, bodies ...chat.Body) (int64, error) {
	if err := l.room(); err != nil {
		return 0, err
	}
	now := time.Now().UTC()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return 0, l.err
	}
	if l.ended {
		return 0, errors.New("append to a log that has ended")
	}
	for _, body := range bodies {
		l.seq++
		l.pending = append(l.pending, chat.Event{Seq: l.seq, TurnID: l.job.ID, At: now, Agent: agent, Body: body})
	}
	l.effects = append(l.effects, effects...)
	for _, e := range effects {
		if _, ok := e.(chat.EndJob); ok {
			l.ended = true
		}
	}
	if !l.queued {
		l.queued = true
		l.journal.markDirty(l)
	}
	return l.seq, nil
}

// Flush waits until all that was appended is committed.
func (l *Log) Flush(ctx context.Context) error {
	return l.wait(ctx, func() bool { return l.committed >= l.seq })
}

func (l *Log) room() error {
	l.mu.Lock()
	free := l.err == nil && len(l.pending) < maxPending
	l.mu.Unlock()
	if free { // as nearly always
		return nil
	}
	return l.wait(l.ctx, func() bool { return len(l.pending) < maxPending })
}

// wait returns when the condition, asked under the lock, holds.
func (l *Log) wait(ctx context.Context, holds func() bool) error {
	for {
		l.mu.Lock()
		if l.err != nil || holds() {
			defer l.mu.Unlock()
			return l.err
		}
		if l.progress == nil {
			l.progress = make(chan struct{})
		}
		progress := l.progress
		l.mu.Unlock()
		select {
		case <-progress:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (l *Log) hasEnded() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ended && l.committed == l.seq
}

// take removes what waits for its commit.
func (l *Log) take() chat.Append {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := chat.Append{JobID: l.job.ID, Fence: l.job.Fence, Events: l.pending, Effects: l.effects}
	l.pending, l.effects, l.queued = nil, nil, false
	return a
}

// settle records the outcome of a commit and wakes whoever waits for it.
func (l *Log) settle(a chat.Append, err error) {
	l.mu.Lock()
	if err != nil {
		l.err = err
	} else {
		l.committed = a.Events[len(a.Events)-1].Seq
	}
	if l.progress != nil {
		close(l.progress)
		l.progress = nil
	}
	l.mu.Unlock()
	if err != nil {
		l.cancel(err)
	}
}
