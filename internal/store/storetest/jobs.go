package storetest

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"confidant/internal/chat"
)

func ids(jobs []chat.Job) []string {
	list := make([]string, len(jobs))
	for i, j := range jobs {
		list[i] = j.ID
	}
	return list
}

func testClaimOrder(t *testing.T, f *fixture) {
	var want []string
	for i := range 4 {
		want = append(want, f.begin(f.ana, "", fmt.Sprint(i)).ID)
	}
	if jobs, err := f.Claim(f.ctx, chat.Claim{Worker: "w", Kinds: []string{"other"}, Limit: 9, Now: start, Until: start}); err != nil || len(jobs) != 0 {
		t.Errorf("claimed %d jobs of another kind, %v", len(jobs), err)
	}
	now := time.Now()
	got := append(ids(f.claim("w", 3, now)), ids(f.claim("w", 3, now))...)
	if !slices.Equal(got, want) {
		t.Errorf("claimed %v, want %v", got, want)
	}
	if jobs := f.claim("w", 3, now); len(jobs) != 0 {
		t.Errorf("claimed again: %v", ids(jobs))
	}
}

func testLane(t *testing.T, f *fixture) {
	first := f.begin(f.ana, "", "one")
	second := f.begin(f.ana, first.ChatID, "two")
	now := time.Now()
	jobs := f.claim("w", 9, now)
	if !slices.Equal(ids(jobs), []string{first.ID}) {
		t.Fatalf("claimed %v, want only the first of the lane", ids(jobs))
	}
	end := delta(jobs[0], 2, "done")
	end.Effects = []chat.Effect{chat.EndJob{State: chat.JobFinished}}
	f.append(end)
	if jobs := f.claim("w", 9, now); !slices.Equal(ids(jobs), []string{second.ID}) {
		t.Errorf("after the first ended: claimed %v, want the second", ids(jobs))
	}
}

func testTakeover(t *testing.T, f *fixture) {
	turn := f.begin(f.ana, "", "hello")
	now := time.Now()
	dead := f.claim("dead", 1, now)[0]
	if jobs := f.claim("alive", 1, now.Add(9*time.Second)); len(jobs) != 0 {
		t.Error("a job was claimed while its lease held")
	}
	jobs := f.claim("alive", 1, now.Add(11*time.Second))
	if len(jobs) != 1 || jobs[0].ID != turn.ID || jobs[0].Fence <= dead.Fence {
		t.Fatalf("after the lease ended: %+v, want the job with a higher fence than %d", jobs, dead.Fence)
	}
	if outcome := f.append(delta(dead, 2, "ghost"))[0]; !errors.Is(outcome, chat.ErrFenced) {
		t.Errorf("the dead worker wrote: %v", outcome)
	}
	if outcome := f.append(delta(jobs[0], 2, "fine"))[0]; outcome != nil {
		t.Errorf("the new worker cannot write: %v", outcome)
	}
}

func testRenew(t *testing.T, f *fixture) {
	turn := f.begin(f.ana, "", "hello")
	f.begin(f.ana, "", "somebody else's")
	now := time.Now()
	f.claim("w", 1, now)
	f.claim("other", 1, now)
	held, err := f.Renew(f.ctx, "w", now.Add(time.Minute))
	f.ok(err)
	if !slices.Equal(held, []string{turn.ID}) {
		t.Errorf("renewed %v, want %s", held, turn.ID)
	}
	if jobs := f.claim("late", 9, now.Add(30*time.Second)); slices.Contains(ids(jobs), turn.ID) {
		t.Error("a renewed lease was taken over")
	}
	_, err = f.Renew(f.ctx, "w", now.Add(-time.Second))
	f.ok(err)
	if jobs := f.claim("late", 9, now); !slices.Equal(ids(jobs), []string{turn.ID}) {
		t.Errorf("a lease that was given back: claimed %v", ids(jobs))
	}
}

func testAppend(t *testing.T, f *fixture) {
	turn := f.begin(f.ana, "", "hello")
	job := f.claim("w", 1, time.Now())[0]
	run := delta(job, 2, "a\n\"b\" ✓ \u2028 c")
	run.Events = append(run.Events, delta(job, 3, "").Events[0], delta(job, 4, "d").Events[0])
	f.append(run)
	f.append(delta(job, 5, "e"))
	for after, want := range map[int64]int{0: 5, 1: 4, 2: 3, 3: 2, 4: 1, 5: 0, 99: 0} {
		events, err := f.Events(f.ctx, turn.ID, after)
		f.ok(err)
		if len(events) != want {
			t.Errorf("%d events after %d, want %d", len(events), after, want)
		}
		for i, e := range events {
			if e.Seq != after+int64(i)+1 {
				t.Errorf("after %d: event %d has seq %d", after, i, e.Seq)
			}
		}
	}
	events, err := f.Events(f.ctx, turn.ID, 1)
	f.ok(err)
	if events[0].Body != run.Events[0].Body || events[0].Agent != "Confidant" || !events[0].At.Equal(start) {
		t.Errorf("event read back: %+v, want %+v", events[0], run.Events[0])
	}
	j, err := f.Job(f.ctx, turn.ID)
	f.ok(err)
	if j.LastSeq != 5 || j.State != chat.JobRunning {
		t.Errorf("job: %+v, want seq 5, running", j)
	}
}

func testFencing(t *testing.T, f *fixture) {
	f.begin(f.ana, "", "hello")
	job := f.claim("w", 1, time.Now())[0]
	for name, a := range map[string]chat.Append{
		"older fence": {JobID: job.ID, Fence: job.Fence - 1, Events: delta(job, 2, "x").Events},
		"newer fence": {JobID: job.ID, Fence: job.Fence + 1, Events: delta(job, 2, "x").Events},
		"unknown job": {JobID: "nope", Fence: job.Fence, Events: delta(job, 2, "x").Events},
	} {
		if outcome := f.append(a)[0]; !errors.Is(outcome, chat.ErrFenced) {
			t.Errorf("%s: %v, want ErrFenced", name, outcome)
		}
	}
	end := delta(job, 2, "end")
	end.Effects = []chat.Effect{chat.EndJob{State: chat.JobFinished}}
	f.append(end)
	if outcome := f.append(delta(job, 3, "after the end"))[0]; !errors.Is(outcome, chat.ErrFenced) {
		t.Errorf("append to an ended job: %v, want ErrFenced", outcome)
	}
}

func testEffects(t *testing.T, f *fixture) {
	turn := f.begin(f.ana, "", "hello")
	job := f.claim("w", 1, time.Now())[0]
	answer := chat.Message{
		ID: turn.AnswerID, ChatID: turn.ChatID, Content: "hi[1]", State: chat.MessageOK, CreatedAt: time.Now(),
		Citations: []chat.Citation{{N: 1, Kind: "conversation", ConversationID: "c", Quote: "q"}},
		Usage:     chat.Usage{Input: 3, Output: 4, Total: 7},
	}
	fenced := delta(job, 2, "x")
	fenced.Fence--
	fenced.Effects = []chat.Effect{chat.StoreAnswer{Message: answer}, chat.EndJob{State: chat.JobFinished}}
	f.append(fenced)
	if m, err := f.Message(f.ctx, f.ana.ID, turn.AnswerID); err != nil || m.Ready {
		t.Fatalf("a fenced append stored its answer: %+v, %v", m, err)
	}
	done := delta(job, 2, "x")
	done.Effects = fenced.Effects
	f.append(done)
	m, err := f.Message(f.ctx, f.ana.ID, turn.AnswerID)
	f.ok(err)
	if !m.Ready || m.Content != answer.Content || len(m.Citations) != 1 || m.Citations[0] != answer.Citations[0] || m.Usage != answer.Usage {
		t.Errorf("answer: %+v", m)
	}
	if got, err := f.Turn(f.ctx, turn.ID); err != nil || got.State != chat.JobFinished {
		t.Errorf("turn: %+v, %v", got, err)
	}
}

func testFencedNeighbour(t *testing.T, f *fixture) {
	f.begin(f.ana, "", "one")
	f.begin(f.ana, "", "two")
	jobs := f.claim("w", 2, time.Now())
	lost := delta(jobs[0], 2, "lost")
	lost.Fence--
	outcomes := f.append(lost, delta(jobs[1], 2, "kept"))
	if !errors.Is(outcomes[0], chat.ErrFenced) || outcomes[1] != nil {
		t.Errorf("outcomes: %v", outcomes)
	}
	if events, err := f.Events(f.ctx, jobs[1].ID, 1); err != nil || len(events) != 1 {
		t.Errorf("the neighbour of a fenced append: %d events, %v", len(events), err)
	}
}

func testSignals(t *testing.T, f *fixture) {
	turn := f.begin(f.ana, "", "hello")
	other := f.begin(f.ana, "", "other")
	f.ok(f.SendSignal(f.ctx, chat.Signal{JobID: turn.ID, Name: "cancel", Value: "ana"}))
	f.ok(f.SendSignal(f.ctx, chat.Signal{JobID: turn.ID, Name: "cancel", Value: "bob"}))
	f.ok(f.SendSignal(f.ctx, chat.Signal{JobID: "nope", Name: "cancel", Value: "x"}))
	got, err := f.Signals(f.ctx, []string{turn.ID, other.ID, "nope"})
	f.ok(err)
	if want := []chat.Signal{{JobID: turn.ID, Name: "cancel", Value: "ana"}}; !slices.Equal(got, want) {
		t.Errorf("signals: %v, want %v: the first of a name wins", got, want)
	}
	job := f.claim("w", 1, time.Now())[0]
	end := delta(job, 2, "end")
	end.Effects = []chat.Effect{chat.EndJob{State: chat.JobCancelled}}
	f.append(end)
	f.ok(f.SendSignal(f.ctx, chat.Signal{JobID: turn.ID, Name: "cancel", Value: "late"}))
	if got, err := f.Signals(f.ctx, []string{turn.ID}); err != nil || len(got) != 0 {
		t.Errorf("signals of an ended job: %v, %v", got, err)
	}
}

func testConcurrentAppends(t *testing.T, f *fixture) {
	const jobs, each = 8, 25
	for i := range jobs {
		f.begin(f.ana, "", fmt.Sprint(i))
	}
	claimed := f.claim("w", jobs, time.Now())
	var wait sync.WaitGroup
	for _, job := range claimed {
		wait.Go(func() {
			for i := range each {
				if outcomes, err := f.Append(f.ctx, []chat.Append{delta(job, int64(2+i), "x")}); err != nil || outcomes[0] != nil {
					t.Errorf("append: %v, %v", outcomes, err)
				}
			}
		})
	}
	wait.Wait()
	for _, job := range claimed {
		if events, err := f.Events(f.ctx, job.ID, 0); err != nil || len(events) != each+1 {
			t.Errorf("%d events, %v, want %d", len(events), err, each+1)
		}
	}
}
