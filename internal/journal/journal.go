// Package journal runs durable jobs. A job is claimed with a lease and a fence,
// its handler appends events to the job's log, and anybody may follow the log,
// live or from any sequence number. Nothing is shown before it is committed.
package journal

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"confidant/internal/chat"
)

// Handler does the work of one job and returns when it has ended the job with
// chat.EndJob, or with an error to be run again from the log. Its context ends
// when the lease is lost or the process stops.
type Handler func(ctx context.Context, log *Log) error

// Store is what a journal keeps jobs in.
type Store interface {
	chat.Jobs
	chat.Signals
}

// Options are the timings of a journal; zero values take the defaults.
type Options struct {
	// Worker names this process among those that share the store.
	Worker string
	// Lease is how long a dead worker's jobs wait to be taken over. Default 10 s.
	Lease time.Duration
	// Poll is how often to look for work that nobody announced. Default 1 s.
	Poll time.Duration
	// Limit is the number of jobs of a kind that run at once, unless it has its own.
	// Default 4,096.
	Limit int
	// Grace is how long running jobs may go on when the process stops. Default 5 s.
	Grace time.Duration
}

func (o Options) withDefaults() Options {
	if o.Lease == 0 {
		o.Lease = 10 * time.Second
	}
	if o.Poll == 0 {
		o.Poll = time.Second
	}
	if o.Limit == 0 {
		o.Limit = 4096
	}
	if o.Grace == 0 {
		o.Grace = 5 * time.Second
	}
	return o
}

// Journal claims jobs, commits their logs and feeds followers.
type Journal struct {
	store    Store
	bus      chat.Bus
	opt      Options
	handlers map[string]Handler
	limits   map[string]int // of kinds that have their own

	dirtySignal chan struct{}
	stopping    chan struct{} // closed when no more is claimed

	mu    sync.Mutex
	work  context.Context // what jobs run under; nil while none is taken
	dirty []*Log
	held  map[string]*Log
	count map[string]int // of those held, by kind
	jobs  sync.WaitGroup
}

// New returns a journal that runs jobs once Run is called.
func New(store Store, bus chat.Bus, opt Options) *Journal {
	return &Journal{
		store: store, bus: bus, opt: opt.withDefaults(), handlers: map[string]Handler{}, limits: map[string]int{},
		dirtySignal: make(chan struct{}, 1), stopping: make(chan struct{}), held: map[string]*Log{}, count: map[string]int{},
	}
}

// Handle makes h the handler of a kind of jobs. It is called before Run.
func (j *Journal) Handle(kind string, h Handler) { j.handlers[kind] = h }

// HandleSome is Handle for a kind of which only so many run at once, because each
// is expensive: the others wait in the store.
func (j *Journal) HandleSome(kind string, atOnce int, h Handler) {
	j.handlers[kind], j.limits[kind] = h, atOnce
}

// The subjects on the bus.
const (
	subjectWork    = "work"    // there may be a job to claim
	subjectSignals = "signals" // there may be a signal
)

func subjectLog(jobID string) string { return "log." + jobID }

// Reserve returns a claim for a job of a kind that the caller is about to store,
// nil when this process takes none now. Claimed with its storing, a job starts two
// transactions earlier than one that waits to be found.
func (j *Journal) Reserve(kind string) *chat.Claim {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.work == nil || j.room(kind) <= 0 {
		return nil
	}
	now := time.Now()
	return &chat.Claim{Worker: j.opt.Worker, Limit: 1, Now: now, Until: now.Add(j.opt.Lease)}
}

// Start runs a job that was stored with the claim of a Reserve. When the process
// has stopped taking jobs meanwhile, the job's lease runs out and others take it.
func (j *Journal) Start(job chat.Job) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.work != nil {
		j.start(j.work, job)
	}
}

// Wake tells all workers that a job was queued.
func (j *Journal) Wake() { j.bus.Publish(subjectWork, nil) }

// Run works until ctx ends, then lets running jobs go on for the grace, gives
// back what is left, and returns.
func (j *Journal) Run(ctx context.Context) error {
	// Commits and leases outlive ctx: what is running must still be able to finish.
	work, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	var services sync.WaitGroup
	services.Go(func() { j.commitLoop(work) })
	services.Go(func() { j.leaseLoop(work) })
	services.Go(func() { j.signalLoop(work) })

	j.take(work)
	j.claimLoop(ctx, work)
	j.takeNoMore()
	close(j.stopping)
	if !j.drained(j.opt.Grace) {
		j.cancelAll(chat.ErrUnavailable)
		j.drained(j.opt.Grace)
	}
	_, err := j.store.Renew(work, j.opt.Worker, time.Now().Add(-time.Second))
	stop()
	services.Wait()
	if err != nil {
		return fmt.Errorf("give back leases: %w", err)
	}
	return nil
}

// take sets what jobs run under from now on.
func (j *Journal) take(work context.Context) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.work = work
}

func (j *Journal) takeNoMore() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.work = nil
}

// drained reports whether all running jobs returned within the limit.
func (j *Journal) drained(limit time.Duration) bool {
	done := make(chan struct{})
	go func() { j.jobs.Wait(); close(done) }()
	select {
	case <-done:
		return true
	case <-time.After(limit):
		return false
	}
}

func (j *Journal) cancelAll(cause error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, log := range j.held {
		log.cancel(cause)
	}
}

// room is how many more jobs of a kind may run. The caller holds the lock.
func (j *Journal) room(kind string) int {
	limit, own := j.limits[kind]
	if !own {
		limit = j.opt.Limit
	}
	return limit - j.count[kind]
}

func (j *Journal) roomFor(kind string) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.room(kind)
}

// claimLoop claims until ctx ends. Jobs run under work, which lives longer.
func (j *Journal) claimLoop(ctx, work context.Context) {
	for range j.wakeups(ctx, subjectWork, j.opt.Poll) {
		for kind := range j.handlers {
			j.claim(ctx, work, kind)
		}
	}
}

// claim takes as many jobs of a kind as there are and as may run.
func (j *Journal) claim(ctx, work context.Context, kind string) {
	for ctx.Err() == nil {
		limit := min(j.roomFor(kind), 256)
		if limit <= 0 {
			return
		}
		now := time.Now()
		jobs, err := j.store.Claim(ctx, chat.Claim{Worker: j.opt.Worker, Kinds: []string{kind}, Limit: limit, Now: now, Until: now.Add(j.opt.Lease)})
		if err != nil {
			if ctx.Err() == nil {
				slog.ErrorContext(ctx, "claim jobs", "kind", kind, "error", err)
			}
			return
		}
		ids := make([]string, len(jobs))
		for i, job := range jobs {
			ids[i] = job.ID
			j.mu.Lock()
			j.start(work, job)
			j.mu.Unlock()
		}
		if len(ids) > 0 {
			j.jobs.Go(func() { j.readSignals(work, ids) }) // one may have come before the claim
		}
		if len(jobs) < limit {
			return
		}
	}
}

// start runs a job that is ours. The caller holds the lock.
func (j *Journal) start(ctx context.Context, job chat.Job) {
	log := newLog(ctx, j, job)
	if before := j.held[job.ID]; before != nil { // its lease was lost and has come back
		j.count[before.job.Kind]--
	}
	j.held[job.ID] = log
	j.count[job.Kind]++
	j.jobs.Go(func() {
		defer j.Wake() // the lane is free for its next job
		defer j.letGo(log)
		j.handle(log)
	})
}

func (j *Journal) letGo(log *Log) {
	log.cancel(nil)
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.held[log.job.ID] == log {
		delete(j.held, log.job.ID)
		j.count[log.job.Kind]--
	}
}

// handle runs the job's handler until the job has ended or is not ours any more.
func (j *Journal) handle(log *Log) {
	for retry := 0; ; retry++ {
		err := j.attempt(log)
		if log.hasEnded() || log.ctx.Err() != nil {
			return
		}
		slog.Error("job attempt failed", "job", log.job.ID, "kind", log.job.Kind, "attempt", log.Attempt(), "error", err)
		select {
		case <-time.After(min(100*time.Millisecond<<min(retry, 10), j.opt.Lease)):
		case <-log.ctx.Done():
			return
		}
		log.retries++
	}
}

func (j *Journal) attempt(log *Log) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	if err := log.Flush(log.ctx); err != nil { // what an earlier attempt left behind
		return err
	}
	past, err := j.store.Events(log.ctx, log.job.ID, 0)
	if err != nil {
		return fmt.Errorf("read log: %w", err)
	}
	if err := log.rewind(past); err != nil {
		return err
	}
	if err := j.handlers[log.job.Kind](log.ctx, log); err != nil {
		return err
	}
	if err := log.Flush(log.ctx); err != nil {
		return err
	}
	if !log.hasEnded() {
		return errors.New("handler returned without ending the job")
	}
	return nil
}

// wakeups yields at once, then on every message on the subject and at least once
// an interval, until ctx ends. Messages that arrive together are one wake-up.
func (j *Journal) wakeups(ctx context.Context, subject string, interval time.Duration) func(func(struct{}) bool) {
	return func(yield func(struct{}) bool) {
		sub := j.bus.Subscribe(subject, 1)
		defer func() { sub.Close() }()
		ticker := time.NewTicker(interval)
		defer ticker.Stop()
		for ctx.Err() == nil {
			if !yield(struct{}{}) {
				return
			}
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			case _, ok := <-sub.C():
				if !ok { // dropped because one was waiting already
					sub = j.bus.Subscribe(subject, 1)
				}
			}
		}
	}
}
