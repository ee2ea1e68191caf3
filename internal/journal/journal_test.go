package journal_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"confidant/internal/bus"
	"confidant/internal/chat"
	"confidant/internal/journal"
)

// journals of a test share a store, and a bus unless they are told apart.
type fixture struct {
	t     *testing.T
	store *memoryStore
	bus   chat.Bus
}

func newFixture(t *testing.T) *fixture {
	return &fixture{t: t, store: &memoryStore{}, bus: bus.NewLocal()}
}

// start runs a journal until the test ends or stop is called.
func (f *fixture) start(worker string, handler journal.Handler) (j *journal.Journal, stop func()) {
	j = journal.New(f.store, f.bus, journal.Options{Worker: worker})
	j.Handle("test", handler)
	ctx, cancel := context.WithCancel(f.t.Context())
	done := make(chan error, 1)
	go func() { done <- j.Run(ctx) }()
	stop = func() {
		cancel()
		if err := <-done; err != nil {
			f.t.Errorf("Run: %v", err)
		}
		done <- nil
	}
	f.t.Cleanup(stop)
	return j, stop
}

// follow collects the texts of a log up to its end.
func (f *fixture) follow(j *journal.Journal, id string, after int64) (texts []string, err error) {
	for events, err := range j.Follow(f.t.Context(), id, after) {
		if err != nil {
			return texts, err
		}
		for _, e := range events {
			if d, ok := e.Body.(chat.TextDelta); ok {
				texts = append(texts, d.Delta)
			}
		}
	}
	return texts, nil
}

func end(log *journal.Log) error {
	_, err := log.AppendWith([]chat.Effect{chat.EndJob{State: chat.JobFinished}}, "", chat.TurnClosed{})
	return err
}

// says appends texts and ends the job.
func says(texts ...string) journal.Handler {
	return func(_ context.Context, log *journal.Log) error {
		for _, text := range texts {
			if _, err := log.Append("", chat.TextDelta{Delta: text}); err != nil {
				return err
			}
		}
		return end(log)
	}
}

func TestFollowersSeeTheWholeLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		step := make(chan struct{})
		j, _ := f.start("w", func(_ context.Context, log *journal.Log) error {
			for i := range 5 {
				<-step
				if _, err := log.Append("", chat.TextDelta{Delta: fmt.Sprint(i)}); err != nil {
					return err
				}
			}
			return end(log)
		})
		f.store.add("a", "lane")
		j.Wake()
		early := make(chan []string)
		go func() { texts, _ := f.follow(j, "a", 0); early <- texts }()
		step <- struct{}{}
		step <- struct{}{}
		synctest.Wait()
		late := make(chan []string)
		go func() { texts, _ := f.follow(j, "a", 1); late <- texts }()
		for range 3 {
			step <- struct{}{}
		}
		if got := <-early; !slices.Equal(got, []string{"0", "1", "2", "3", "4"}) {
			t.Errorf("followed from the start: %v", got)
		}
		if got := <-late; !slices.Equal(got, []string{"1", "2", "3", "4"}) {
			t.Errorf("followed from 1: %v", got)
		}
		if got, err := f.follow(j, "a", 6); err != nil || len(got) != 0 {
			t.Errorf("followed a log whose end was seen: %v, %v", got, err)
		}
		if _, err := f.follow(j, "nope", 0); !errors.Is(err, chat.ErrNotFound) {
			t.Errorf("followed an unknown job: %v, want ErrNotFound", err)
		}
	})
}

// deaf is a bus that loses everything.
type deaf struct{ *bus.Local }

func (deaf) Publish(string, []chat.Event) {}

func TestNothingDependsOnTheBus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		f.bus = deaf{bus.NewLocal()}
		j, _ := f.start("w", says("a", "b"))
		f.store.add("a", "lane")
		if got, err := f.follow(j, "a", 0); err != nil || !slices.Equal(got, []string{"a", "b"}) {
			t.Errorf("followed over a dead bus: %v, %v", got, err)
		}
	})
}

func TestASlowFollowerCatchesUpAndSlowsNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		const events = 5000
		finished := make(chan struct{})
		j, _ := f.start("w", func(ctx context.Context, log *journal.Log) error {
			defer close(finished)
			for i := range events {
				if _, err := log.Append("", chat.TextDelta{Delta: fmt.Sprint(i)}); err != nil {
					return err
				}
				if err := log.Flush(ctx); err != nil { // a commit for each, to overrun the buffer
					return err
				}
			}
			return end(log)
		})
		f.store.add("a", "lane")
		j.Wake()
		seen := 0
		for events, err := range j.Follow(t.Context(), "a", 0) {
			if err != nil {
				t.Fatal(err)
			}
			if events[0].Seq == 1 {
				<-finished // read nothing more until the turn is over
			}
			seen += len(events)
		}
		if seen != events+1 {
			t.Errorf("saw %d events, want %d", seen, events+1)
		}
	})
}

func TestTakeOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		f.store.add("a", "lane")
		// A worker that died after one event.
		jobs, err := f.store.Claim(t.Context(), chat.Claim{Worker: "dead", Limit: 1, Now: time.Now(), Until: time.Now().Add(10 * time.Second)})
		if err != nil || len(jobs) != 1 {
			t.Fatal(jobs, err)
		}
		if _, err := f.store.Append(t.Context(), []chat.Append{{JobID: "a", Fence: 1, Events: []chat.Event{{Seq: 1, TurnID: "a", Body: chat.TextDelta{Delta: "old"}}}}}); err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		var past int
		j, _ := f.start("alive", func(_ context.Context, log *journal.Log) error {
			past = len(log.Past())
			if log.Attempt() != 2 {
				t.Errorf("attempt %d, want 2", log.Attempt())
			}
			if _, err := log.Append("", chat.TextDelta{Delta: "new"}); err != nil {
				return err
			}
			return end(log)
		})
		got, err := f.follow(j, "a", 0)
		if err != nil || !slices.Equal(got, []string{"old", "new"}) || past != 1 {
			t.Errorf("after the take-over: %v, %v, %d events were there", got, err, past)
		}
		if waited := time.Since(begun); waited > 12*time.Second {
			t.Errorf("taken over after %s, want about 10 s", waited)
		}
	})
}

func TestALostLeaseStopsTheHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		stopped := make(chan error, 1)
		j, _ := f.start("slow", func(ctx context.Context, log *journal.Log) error {
			<-ctx.Done()
			stopped <- context.Cause(ctx)
			_, err := log.Append("", chat.TextDelta{Delta: "ghost"})
			return err
		})
		f.store.add("a", "lane")
		j.Wake()
		synctest.Wait()
		f.store.mu.Lock()
		f.store.find("a").worker, f.store.find("a").Fence = "thief", 7
		f.store.mu.Unlock()
		if cause := <-stopped; !errors.Is(cause, chat.ErrFenced) {
			t.Errorf("the handler's context ended with %v, want ErrFenced", cause)
		}
		synctest.Wait()
		if events, _ := f.store.Events(t.Context(), "a", 0); len(events) != 0 {
			t.Errorf("a worker without its lease wrote %v", events)
		}
	})
}

func TestOneOfALaneAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		var running, most atomic.Int32
		var order []string
		j, _ := f.start("w", func(_ context.Context, log *journal.Log) error {
			most.Store(max(most.Load(), running.Add(1)))
			order = append(order, log.Job().ID)
			time.Sleep(time.Second)
			running.Add(-1)
			return end(log)
		})
		for _, id := range []string{"a", "b", "c"} {
			f.store.add(id, "same lane")
		}
		begun := time.Now()
		j.Wake()
		if _, err := f.follow(j, "c", 0); err != nil {
			t.Fatal(err)
		}
		if most.Load() != 1 || !slices.Equal(order, []string{"a", "b", "c"}) {
			t.Errorf("%d at once, in the order %v", most.Load(), order)
		}
		if took := time.Since(begun); took > 3500*time.Millisecond {
			t.Errorf("three seconds of work took %s: the next was not woken", took)
		}
	})
}

func TestAFullDiskPausesAndLosesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		f.store.full = true
		j, _ := f.start("w", says("a", "b"))
		f.store.add("a", "lane")
		j.Wake()
		time.Sleep(time.Minute)
		if events, _ := f.store.Events(t.Context(), "a", 0); len(events) != 0 {
			t.Fatalf("a full disk took %d events", len(events))
		}
		f.store.setFull(false)
		if got, err := f.follow(j, "a", 0); err != nil || !slices.Equal(got, []string{"a", "b"}) {
			t.Errorf("after there was room again: %v, %v", got, err)
		}
	})
}

func TestAHandlerThatFailsIsRunAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		tries := 0
		j, _ := f.start("w", func(_ context.Context, log *journal.Log) error {
			tries++
			switch tries {
			case 1:
				return errors.New("no luck")
			case 2:
				panic("worse")
			case 3:
				return nil // without ending the job
			}
			if log.Attempt() != 4 {
				t.Errorf("attempt %d, want 4", log.Attempt())
			}
			return end(log)
		})
		f.store.add("a", "lane")
		if _, err := f.follow(j, "a", 0); err != nil || tries != 4 {
			t.Errorf("%d tries, %v", tries, err)
		}
	})
}

func TestSignals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		var got []chat.Signal
		j, _ := f.start("w", func(_ context.Context, log *journal.Log) error {
			heard := make(chan chat.Signal, 3)
			defer log.Listen(func(s chat.Signal) { heard <- s })()
			got = append(got, <-heard, <-heard)
			return end(log)
		})
		for _, name := range []string{"cancel", "cancel", "approval:1"} {
			if err := j.Signal(t.Context(), chat.Signal{JobID: "a", Name: name}); err != nil {
				t.Fatal(err)
			}
		}
		f.store.add("a", "lane") // the signals came before the job was claimed
		if _, err := f.follow(j, "a", 0); err != nil {
			t.Fatal(err)
		}
		if len(got) != 2 || got[0].Name != "cancel" || got[1].Name != "approval:1" {
			t.Errorf("signals %v, want each name once", got)
		}
	})
}

func TestStopping(t *testing.T) {
	for name, work := range map[string]time.Duration{"work within the grace ends": 3 * time.Second, "longer work is given back": time.Hour} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFixture(t)
				j, stop := f.start("w", func(ctx context.Context, log *journal.Log) error {
					select {
					case <-time.After(work):
						return end(log)
					case <-ctx.Done():
						return context.Cause(ctx)
					}
				})
				f.store.add("a", "lane")
				followed := make(chan error, 1)
				go func() { _, err := f.follow(j, "a", 0); followed <- err }()
				synctest.Wait()
				begun := time.Now()
				stop()
				if took := time.Since(begun); took > 11*time.Second {
					t.Errorf("stopping took %s", took)
				}
				job, _ := f.store.Job(t.Context(), "a")
				err := <-followed
				if work < time.Minute && (job.State != chat.JobFinished || err != nil) {
					t.Errorf("state %s, follower %v", job.State, err)
				}
				if work > time.Minute {
					if !errors.Is(err, chat.ErrUnavailable) {
						t.Errorf("the follower got %v, want ErrUnavailable", err)
					}
					if jobs, _ := f.store.Claim(t.Context(), chat.Claim{Worker: "next", Limit: 1, Now: time.Now()}); len(jobs) != 1 {
						t.Error("the lease was not given back")
					}
				}
			})
		})
	}
}

func TestManyEventsShareACommit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		texts := make([]string, 1000)
		j, _ := f.start("w", says(texts...))
		f.store.add("a", "lane")
		if _, err := f.follow(j, "a", 0); err != nil {
			t.Fatal(err)
		}
		if f.store.commits > 900 {
			t.Errorf("%d commits for a thousand events", f.store.commits)
		}
	})
}
