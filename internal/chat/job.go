package chat

import (
	"context"
	"encoding/json"
	"time"
)

// JobState is where a durable job is in its life.
type JobState string

// The states of a job. The last three are final.
const (
	JobQueued    JobState = "queued"
	JobRunning   JobState = "running"
	JobFinished  JobState = "finished"
	JobFailed    JobState = "failed"
	JobCancelled JobState = "cancelled"
)

// Final reports whether a job in this state will never run again.
func (s JobState) Final() bool { return s != JobQueued && s != JobRunning }

// Job is a piece of work that outlives the process that does it.
type Job struct {
	ID   string
	Kind string
	// Lane orders jobs: of those with the same lane one runs at a time, the oldest first.
	Lane   string
	UserID string
	State  JobState
	// Payload is what the kind's handler needs to know, as JSON.
	Payload json.RawMessage
	// Fence counts the claims. A write that carries an older one is refused.
	Fence     int64
	LastSeq   int64
	CreatedAt time.Time
}

// Claim asks for work.
type Claim struct {
	Worker string
	Kinds  []string
	// Limit is the largest number of jobs to take.
	Limit int
	// Until is when the lease ends unless it is renewed; Now decides which have ended.
	Now, Until time.Time
}

// Append adds events to the log of a job that the caller holds, together with
// what else becomes true at that moment.
type Append struct {
	JobID string
	Fence int64
	// Events continue the log: the first one's Seq is the log's last plus one.
	Events  []Event
	Effects []Effect
}

// Effect is a change of a record that is stored in the same transaction as the
// events which announce it. The set of implementations is closed.
type Effect interface{ effect() }

// The effects.
type (
	// StoreAnswer fills the turn's placeholder. Doing it twice is the same as once.
	StoreAnswer struct{ Message Message }
	// SetTitle names the chat, unless a person has named it.
	SetTitle struct{ ChatID, Title string }
	// EndJob makes the job's state final.
	EndJob struct{ State JobState }
)

func (StoreAnswer) effect() {}
func (SetTitle) effect()    {}
func (EndJob) effect()      {}

// Signal is a message to whoever runs a job, kept until the job ends.
type Signal struct {
	JobID string
	// Name is "cancel" or "approval:CALL_ID"; the first of a name wins.
	Name  string
	Value string
}

// Jobs keeps durable jobs and their logs.
type Jobs interface {
	// Claim leases the oldest jobs that may run: queued ones, and running ones
	// whose lease has ended, none of whose lane another is older and not ended.
	Claim(ctx context.Context, claim Claim) ([]Job, error)
	// Renew prolongs the leases that worker holds and returns the ids it still
	// holds. A time in the past gives them back.
	Renew(ctx context.Context, worker string, until time.Time) ([]string, error)
	// Append commits all appends in one durable transaction. The answer has one
	// entry for each: nil, or ErrFenced when the lease is not the caller's any
	// more; then nothing of that append is stored. The error means that nothing
	// of any was stored: ErrStorageFull, the context's, or the store's own.
	Append(ctx context.Context, appends []Append) ([]error, error)
	// Events returns the log after seq, complete up to the moment of the call.
	Events(ctx context.Context, jobID string, after int64) ([]Event, error)
	// Job returns one job, or ErrNotFound.
	Job(ctx context.Context, jobID string) (Job, error)
}

// Queue takes new jobs other than turns.
type Queue interface {
	// Enqueue stores a job, unless one of the same kind waits in its lane already:
	// that one will do the same work. Its log begins with Queued.
	Enqueue(ctx context.Context, job Job) error
	// LatestJob returns the newest job of a lane, or ErrNotFound.
	LatestJob(ctx context.Context, userID, lane string) (Job, error)
	// Unended counts the jobs of a kind that have not ended, everybody's.
	Unended(ctx context.Context, kind string) (int, error)
}

// Signals passes signals between processes that share a store.
type Signals interface {
	// SendSignal stores a signal for a job that has not ended; else it does nothing.
	SendSignal(ctx context.Context, signal Signal) error
	// Signals returns those of the given jobs, oldest first.
	Signals(ctx context.Context, jobIDs []string) ([]Signal, error)
}

// NewTurn is all that comes into being when a turn starts.
type NewTurn struct {
	Job  Job
	Turn Turn
	// Chat is set when the chat is new.
	Chat *Chat
	// Title names a chat that has no title yet.
	Title string
	// Message is the person's; Answer is the placeholder.
	Message, Answer Message
	// Replaces is the message from which on the chat is superseded, or empty.
	Replaces       string
	IdempotencyKey string
	// First is the log's first event.
	First Event
	// Claim, when set, lets the store lease the turn at once, if none of its chat is
	// before it: then the stored turn is running, with fence 1. A store may leave it
	// queued.
	Claim *Claim
}

// Turns starts turns.
type Turns interface {
	// Begin stores a new turn in one transaction. When the person has used the
	// idempotency key before it returns that turn, false, and stores nothing. A
	// lost race for a chat's id or key is ErrConflict.
	Begin(ctx context.Context, turn NewTurn) (Turn, bool, error)
	// Turn returns a turn by its id, or ErrNotFound.
	Turn(ctx context.Context, turnID string) (Turn, error)
}

// Bus carries what was committed to those who wait for it, and wakes workers.
// It may lose messages; the log is the truth.
type Bus interface {
	// Publish never blocks. Subscribers whose buffer is full are dropped.
	Publish(subject string, events []Event)
	// Subscribe buffers that many messages, then drops the subscription.
	Subscribe(subject string, buffer int) Subscription
}

// Subscription is one listener on a subject.
type Subscription interface {
	// C yields what is published. It is closed by Close, or when the subscription
	// is dropped for being slow.
	C() <-chan []Event
	Close()
}
