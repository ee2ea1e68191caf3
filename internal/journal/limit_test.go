package journal_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"confidant/internal/journal"
)

// Of a kind with a limit of its own so many run at once, and all get done.
func TestAKindHasItsOwnLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		for i := range 10 {
			f.store.add(fmt.Sprint(i), fmt.Sprint("lane ", i))
		}
		var now, most, done atomic.Int64
		j := journal.New(f.store, f.bus, journal.Options{Worker: "w"})
		j.HandleSome("test", 3, func(_ context.Context, log *journal.Log) error {
			most.Store(max(most.Load(), now.Add(1)))
			time.Sleep(time.Second)
			now.Add(-1)
			done.Add(1)
			return end(log)
		})
		ctx, stop := context.WithCancel(t.Context())
		finished := make(chan error, 1)
		go func() { finished <- j.Run(ctx) }()
		time.Sleep(20 * time.Second)
		if most.Load() != 3 || done.Load() != 10 {
			t.Errorf("%d of 10 jobs were done, %d at once; want 3 at once", done.Load(), most.Load())
		}
		stop()
		if err := <-finished; err != nil {
			t.Error(err)
		}
	})
}
