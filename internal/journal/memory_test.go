package journal_test

import (
	"context"
	"sync"
	"time"

	"confidant/internal/chat"
)

// memoryStore is a journal's store in memory, with faults on demand.
type memoryStore struct {
	mu      sync.Mutex
	jobs    []*memoryJob
	signals []chat.Signal
	full    bool  // the disk has no room
	fail    error // every Append fails
	commits int
}

type memoryJob struct {
	chat.Job
	worker string
	until  time.Time
	events []chat.Event
}

func (s *memoryStore) add(id, lane string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.jobs = append(s.jobs, &memoryJob{Job: chat.Job{ID: id, Kind: "test", Lane: lane, State: chat.JobQueued}})
}

func (s *memoryStore) setFull(full bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.full = full
}

func (s *memoryStore) find(id string) *memoryJob {
	for _, j := range s.jobs {
		if j.ID == id {
			return j
		}
	}
	return nil
}

func (s *memoryStore) Claim(_ context.Context, c chat.Claim) ([]chat.Job, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var claimed []chat.Job
	busy := map[string]bool{}
	for _, j := range s.jobs {
		runnable := j.State == chat.JobQueued || j.State == chat.JobRunning && !j.until.After(c.Now)
		if runnable && !busy[j.Lane] && len(claimed) < c.Limit {
			j.State, j.worker, j.until = chat.JobRunning, c.Worker, c.Until
			j.Fence++
			claimed = append(claimed, j.Job)
		}
		busy[j.Lane] = busy[j.Lane] || !j.State.Final()
	}
	return claimed, nil
}

func (s *memoryStore) Renew(_ context.Context, worker string, until time.Time) ([]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var held []string
	for _, j := range s.jobs {
		if j.State == chat.JobRunning && j.worker == worker {
			j.until = until
			held = append(held, j.ID)
		}
	}
	return held, nil
}

func (s *memoryStore) Append(_ context.Context, appends []chat.Append) ([]error, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.full {
		return nil, chat.ErrStorageFull
	}
	if s.fail != nil {
		return nil, s.fail
	}
	s.commits++
	outcomes := make([]error, len(appends))
	for i, a := range appends {
		j := s.find(a.JobID)
		if j == nil || j.Fence != a.Fence || j.State != chat.JobRunning {
			outcomes[i] = chat.ErrFenced
			continue
		}
		j.events = append(j.events, a.Events...)
		j.LastSeq = a.Events[len(a.Events)-1].Seq
		for _, e := range a.Effects {
			if end, ok := e.(chat.EndJob); ok {
				j.State = end.State
			}
		}
	}
	return outcomes, nil
}

func (s *memoryStore) Events(_ context.Context, id string, after int64) ([]chat.Event, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var events []chat.Event
	if j := s.find(id); j != nil {
		for _, e := range j.events {
			if e.Seq > after {
				events = append(events, e)
			}
		}
	}
	return events, nil
}

func (s *memoryStore) Job(_ context.Context, id string) (chat.Job, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if j := s.find(id); j != nil {
		return j.Job, nil
	}
	return chat.Job{}, chat.ErrNotFound
}

func (s *memoryStore) SendSignal(_ context.Context, signal chat.Signal) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.signals = append(s.signals, signal)
	return nil
}

func (s *memoryStore) Signals(context.Context, []string) ([]chat.Signal, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]chat.Signal{}, s.signals...), nil
}
