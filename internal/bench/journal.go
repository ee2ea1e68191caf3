package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"time"

	"confidant/internal/bus"
	"confidant/internal/chat"
	"confidant/internal/ident"
	"confidant/internal/journal"
	"confidant/internal/store/sqlite"
)

const (
	journalTurns  = 1000
	journalEvents = 500 // of each turn
	journalAlone  = 2 * time.Second
)

// measureJournal commits events of a thousand turns at once, durably, on a real
// disk, and reads turns back.
func measureJournal(ctx context.Context, b *bench) ([]figure, error) {
	dir := filepath.Join(b.dir, "journal")
	store, err := sqlite.Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	t, err := newTurns(ctx, store)
	if err != nil {
		return nil, err
	}
	alone, err := t.alone(ctx)
	if err != nil {
		return nil, err
	}
	together, err := t.together(ctx)
	if err != nil {
		return nil, err
	}
	figures := []figure{{Name: "journal: events committed a second, 1,000 turns", Value: together, Baseline: alone,
		BaselineName: "a transaction an event", Unit: "/s", Target: 100_000, AtLeast: true}}
	for _, replay := range []struct {
		events int
		target float64
	}{{10, 100}, {200, 0}} {
		f, err := t.replay(ctx, dir, replay.events)
		if err != nil {
			return nil, err
		}
		f.Name = fmt.Sprintf("journal: replay of a turn of %d events, a row each", replay.events)
		f.Target = replay.target
		figures = append(figures, f)
	}
	return figures, nil
}

// turns makes turns of one person.
type turns struct {
	store *sqlite.Store
	user  string
}

func newTurns(ctx context.Context, store *sqlite.Store) (*turns, error) {
	user, err := store.EnsureUser(ctx, "bench")
	return &turns{store: store, user: user.ID}, err
}

const turnKind = "bench"

// begin stores a turn, as a question does.
func (t *turns) begin(ctx context.Context) (string, error) {
	now := time.Now().UTC()
	turn := chat.Turn{ID: ident.New(), ChatID: ident.New(), UserID: t.user, MessageID: ident.New(), AnswerID: ident.New(), CreatedAt: now}
	payload := fmt.Appendf(nil, `{"message_id":%q,"answer_id":%q}`, turn.MessageID, turn.AnswerID)
	_, _, err := t.store.Begin(ctx, chat.NewTurn{
		Job:     chat.Job{ID: turn.ID, Kind: turnKind, Lane: turn.ChatID, UserID: t.user, Payload: payload, CreatedAt: now},
		Turn:    turn,
		Chat:    &chat.Chat{ID: turn.ChatID, UserID: t.user, CreatedAt: now, LastActivity: now},
		Message: chat.Message{ID: turn.MessageID, ChatID: turn.ChatID, TurnID: turn.ID, Role: chat.RoleUser, Content: "?", Ready: true, State: chat.MessageOK, CreatedAt: now},
		Answer:  chat.Message{ID: turn.AnswerID, ChatID: turn.ChatID, TurnID: turn.ID, Role: chat.RoleAssistant, State: chat.MessageOK, CreatedAt: now},
		First:   chat.Event{Seq: 1, TurnID: turn.ID, At: now, Body: chat.TurnStarted{ChatID: turn.ChatID}},
	})
	return turn.ID, err
}

// claim takes over the one turn that was begun.
func (t *turns) claim(ctx context.Context) (chat.Job, error) {
	now := time.Now()
	jobs, err := t.store.Claim(ctx, chat.Claim{Worker: "bench", Kinds: []string{turnKind}, Limit: 1, Now: now, Until: now.Add(time.Hour)})
	if err == nil && len(jobs) != 1 {
		err = errors.New("no turn to claim")
	}
	if err != nil {
		return chat.Job{}, err
	}
	return jobs[0], nil
}

// one appends events to a turn, each in a transaction of its own.
func (t *turns) one(ctx context.Context, job chat.Job, seq int64, effects ...chat.Effect) error {
	outcomes, err := t.store.Append(ctx, []chat.Append{{JobID: job.ID, Fence: job.Fence, Effects: effects, Events: []chat.Event{
		{Seq: seq, TurnID: job.ID, At: time.Now().UTC(), Agent: "Confidant", Body: chat.TextDelta{Delta: "word "}},
	}}})
	if err != nil {
		return err
	}
	return outcomes[0]
}

// recorded makes an ended turn of so many events, and returns its id.
func (t *turns) recorded(ctx context.Context, events int, limit time.Time) (id string, made int, err error) {
	if _, err := t.begin(ctx); err != nil {
		return "", 0, err
	}
	job, err := t.claim(ctx)
	if err != nil {
		return "", 0, err
	}
	for seq := int64(2); seq < int64(events) && (limit.IsZero() || time.Now().Before(limit)); seq++ {
		if err := t.one(ctx, job, seq); err != nil {
			return "", 0, err
		}
		made++
	}
	return job.ID, made + 2, t.one(ctx, job, int64(made+2), chat.EndJob{State: chat.JobFinished})
}

// alone is the rate at which one turn commits one event after the other.
func (t *turns) alone(ctx context.Context) (float64, error) {
	start := time.Now()
	_, made, err := t.recorded(ctx, 1<<30, start.Add(journalAlone))
	return float64(made) / time.Since(start).Seconds(), err
}

// together is the rate at which a thousand turns at once commit their events,
// each appended by itself.
func (t *turns) together(ctx context.Context) (float64, error) {
	for range journalTurns {
		if _, err := t.begin(ctx); err != nil {
			return 0, err
		}
	}
	var ready, ended atomic.Int64
	gate, done := make(chan struct{}), make(chan struct{})
	handler := func(ctx context.Context, log *journal.Log) error {
		if ready.Add(1) == journalTurns {
			close(gate)
		}
		<-gate
		for range journalEvents - 1 {
			if _, err := log.Append("Confidant", chat.TextDelta{Delta: "word "}); err != nil {
				return err
			}
		}
		if _, err := log.AppendWith([]chat.Effect{chat.EndJob{State: chat.JobFinished}}, "Confidant", chat.TurnClosed{}); err != nil {
			return err
		}
		if err := log.Flush(ctx); err != nil {
			return err
		}
		if ended.Add(1) == journalTurns {
			close(done)
		}
		return nil
	}
	j := journal.New(t.store, bus.NewLocal(), journal.Options{Worker: "bench"})
	j.Handle(turnKind, handler)
	running, stop := context.WithCancel(ctx)
	defer stop()
	failed := make(chan error, 1)
	go func() { failed <- j.Run(running) }()
	<-gate
	start := time.Now()
	select {
	case <-done:
	case err := <-failed:
		return 0, err
	}
	rate := journalTurns * journalEvents / time.Since(start).Seconds()
	stop()
	return rate, <-failed
}

// replay times reading a turn, against reading the same rows and no more.
func (t *turns) replay(ctx context.Context, dir string, events int) (figure, error) {
	const times = 2000
	id, _, err := t.recorded(ctx, events, time.Time{})
	if err != nil {
		return figure{}, err
	}
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "confidant.db")+"?_pragma=query_only(1)&_pragma=mmap_size(1073741824)&_pragma=cache_size(-32768)")
	if err != nil {
		return figure{}, err
	}
	defer db.Close()
	raw, err := db.PrepareContext(ctx, "SELECT events FROM log WHERE job = (SELECT no FROM jobs WHERE id = ?) ORDER BY first")
	if err != nil {
		return figure{}, err
	}
	var reading, replaying []time.Duration
	for range times {
		took, err := timed(func() error { return readRows(ctx, raw, id) })
		if err != nil {
			return figure{}, err
		}
		reading = append(reading, took)
		took, err = timed(func() error {
			log, err := t.store.Events(ctx, id, 0)
			if err == nil && len(log) != events {
				err = fmt.Errorf("%d events were read, want %d", len(log), events)
			}
			return err
		})
		if err != nil {
			return figure{}, err
		}
		replaying = append(replaying, took)
	}
	return figure{Value: µs(median(replaying)), Baseline: µs(median(reading)), BaselineName: "its rows, not decoded", Unit: "µs"}, nil
}

func readRows(ctx context.Context, stmt *sql.Stmt, id string) error {
	rows, err := stmt.QueryContext(ctx, id)
	if err != nil {
		return err
	}
	defer rows.Close()
	var data sql.RawBytes
	for rows.Next() {
		if err := rows.Scan(&data); err != nil {
			return err
		}
	}
	return rows.Err()
}
