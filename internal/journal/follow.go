package journal

import (
	"context"
	"fmt"
	"iter"
	"time"

	"confidant/internal/chat"
)

const (
	// followBuffer is how many commits a follower may lag before it is dropped
	// from the bus and catches up from the log.
	followBuffer = 64
	// followCheck is how often a silent follower looks into the log, because a bus
	// may lose messages.
	followCheck = 5 * time.Second
)

// Follow yields the events of a job after seq, first from the log, then live,
// without gaps or repetition, until TurnClosed: always as many as there are, so
// that a caller may send them together. It ends with ErrUnavailable when the
// process stops, with the context's or the store's error otherwise.
func (j *Journal) Follow(ctx context.Context, jobID string, after int64) iter.Seq2[[]chat.Event, error] {
	return func(yield func([]chat.Event, error) bool) {
		f := follower{journal: j, jobID: jobID, last: after, yield: yield}
		if err := f.run(ctx); err != nil {
			yield(nil, err)
		}
	}
}

type follower struct {
	journal *Journal
	jobID   string
	last    int64
	yield   func([]chat.Event, error) bool
	closed  bool // TurnClosed was seen, or the caller has enough
}

func (f *follower) run(ctx context.Context) error {
	for !f.closed {
		// Subscribed before reading, so that nothing falls between the two.
		sub := f.journal.bus.Subscribe(subjectLog(f.jobID), followBuffer)
		err := f.catchUp(ctx)
		if err == nil {
			err = f.live(ctx, sub)
		}
		sub.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// live yields what the bus brings until the log is closed or the bus drops us.
func (f *follower) live(ctx context.Context, sub chat.Subscription) error {
	check := time.NewTicker(followCheck)
	defer check.Stop()
	for !f.closed {
		select {
		case events, ok := <-sub.C():
			if !ok {
				return nil
			}
			if err := f.pass(ctx, events); err != nil {
				return err
			}
			check.Reset(followCheck)
		case <-check.C:
			if err := f.catchUp(ctx); err != nil {
				return err
			}
		case <-f.journal.stopping:
			return f.stopped(ctx, sub)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// stopped follows on for the grace that running jobs have, then gives up.
func (f *follower) stopped(ctx context.Context, sub chat.Subscription) error {
	grace := time.NewTimer(f.journal.opt.Grace)
	defer grace.Stop()
	for !f.closed {
		select {
		case events, ok := <-sub.C():
			if !ok {
				return chat.ErrUnavailable
			}
			if err := f.pass(ctx, events); err != nil {
				return err
			}
		case <-grace.C:
			return chat.ErrUnavailable
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// pass yields events that are new; a gap before them is filled from the log.
func (f *follower) pass(ctx context.Context, events []chat.Event) error {
	for len(events) > 0 && events[0].Seq <= f.last {
		events = events[1:]
	}
	if len(events) == 0 {
		return nil
	}
	if events[0].Seq != f.last+1 {
		return f.catchUp(ctx)
	}
	f.show(events)
	return nil
}

func (f *follower) catchUp(ctx context.Context) error {
	events, err := f.journal.store.Events(ctx, f.jobID, f.last)
	if err != nil {
		return fmt.Errorf("read log: %w", err)
	}
	if len(events) == 0 {
		return f.nothingNew(ctx)
	}
	for i, e := range events {
		if e.Seq != f.last+int64(i)+1 {
			return fmt.Errorf("log of job %s has a gap after %d", f.jobID, f.last+int64(i))
		}
	}
	f.show(events)
	return nil
}

// nothingNew finds out whether there is anything to wait for: the caller may have
// seen the end before, and the job may have been deleted.
func (f *follower) nothingNew(ctx context.Context) error {
	job, err := f.journal.store.Job(ctx, f.jobID)
	if err != nil {
		return err
	}
	f.closed = f.closed || job.State.Final() && f.last >= job.LastSeq
	return nil
}

func (f *follower) show(events []chat.Event) {
	last := events[len(events)-1]
	f.last = last.Seq
	_, closed := last.Body.(chat.TurnClosed)
	if !f.yield(events, nil) || closed {
		f.closed = true
	}
}
