package sqlite

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"confidant/internal/chat"
)

var (
	_ chat.Jobs    = (*Store)(nil)
	_ chat.Signals = (*Store)(nil)
)

const jobColumns = "j.id, j.kind, j.lane, u.id, j.state, j.payload, j.fence, j.created_at, " +
	"coalesce((SELECT last FROM log WHERE job = j.no ORDER BY first DESC LIMIT 1), 0)"

func scanJob(j *chat.Job) func(row) error {
	return func(r row) error {
		var created int64
		var payload string
		err := r.Scan(&j.ID, &j.Kind, &j.Lane, &j.UserID, &j.State, &payload, &j.Fence, &created, &j.LastSeq)
		j.Payload, j.CreatedAt = json.RawMessage(payload), fromMillis(created)
		return err
	}
}

// Claim implements chat.Jobs.
func (s *Store) Claim(ctx context.Context, claim chat.Claim) ([]chat.Job, error) {
	kinds, err := json.Marshal(claim.Kinds)
	if err != nil {
		return nil, err
	}
	runnable, err := s.runnable(ctx, string(kinds), claim)
	if err != nil || len(runnable) == 0 {
		return nil, err
	}
	var jobs []chat.Job
	err = s.write(ctx, func(ctx context.Context, w *writer) error {
		for _, no := range runnable {
			// What the readers saw may be old: the writer asks again, one by one.
			claimed, err := w.claim(ctx, "?", no, claim)
			if err != nil {
				return err
			}
			if !claimed {
				continue
			}
			var j chat.Job
			if err := w.one(ctx, "SELECT "+jobColumns+" FROM jobs j JOIN users u ON u.no = j.user WHERE j.no = ?", scanJob(&j), no); err != nil {
				return err
			}
			jobs = append(jobs, j)
		}
		return nil
	})
	return jobs, err
}

// claim leases one job, if it may run. The job is an expression for its number,
// with one parameter.
func (w *writer) claim(ctx context.Context, job string, id any, claim chat.Claim) (bool, error) {
	n, err := w.affected(ctx, `UPDATE jobs AS j SET state = 'running', worker = ?, fence = fence + 1, lease_until = ?
		WHERE no = `+job+` AND (state = 'queued' OR state = 'running' AND lease_until <= ?)
		`+firstOfLane, claim.Worker, millis(claim.Until), id, millis(claim.Now))
	return n == 1, err
}

// firstOfLane holds for a job j with none before it in its lane. Here and below
// the index is named because SQLite, which keeps no statistics of this file, else
// reads all turns that there ever were: a quarter of the time to a first token
// after a thousand turns.
const firstOfLane = `AND NOT EXISTS (SELECT 1 FROM jobs e INDEXED BY jobs_lane
	WHERE e.lane = j.lane AND e.no < j.no AND e.state IN ('queued', 'running'))`

func (s *Store) runnable(ctx context.Context, kinds string, claim chat.Claim) ([]int64, error) {
	var nos []int64
	err := s.each(ctx, `SELECT no FROM (
			SELECT no, lane, kind FROM jobs INDEXED BY jobs_queued WHERE state = 'queued'
			UNION ALL
			SELECT no, lane, kind FROM jobs INDEXED BY jobs_running WHERE state = 'running' AND lease_until <= ?
		) j
		WHERE kind IN (SELECT value FROM json_each(?))
		`+firstOfLane+`
		ORDER BY no LIMIT ?`,
		func(r row) error {
			var no int64
			err := r.Scan(&no)
			nos = append(nos, no)
			return err
		}, millis(claim.Now), kinds, claim.Limit)
	return nos, err
}

// Renew implements chat.Jobs.
func (s *Store) Renew(ctx context.Context, worker string, until time.Time) ([]string, error) {
	var held []string
	err := s.write(ctx, func(ctx context.Context, w *writer) error {
		return w.each(ctx, "UPDATE jobs INDEXED BY jobs_running SET lease_until = ? WHERE state = 'running' AND worker = ? RETURNING id",
			func(r row) error {
				var id string
				err := r.Scan(&id)
				held = append(held, id)
				return err
			}, millis(until), worker)
	})
	return held, err
}

// Append implements chat.Jobs.
func (s *Store) Append(ctx context.Context, appends []chat.Append) ([]error, error) {
	rows, err := encodeRuns(appends)
	if err != nil {
		return nil, err
	}
	outcomes := make([]error, len(appends))
	err = s.write(ctx, func(ctx context.Context, w *writer) error {
		held, err := w.held(ctx, appends)
		if err != nil {
			return err
		}
		for i, a := range appends {
			// Before any effect the fence decides.
			job, ok := held[a.JobID]
			if !ok || job.fence != a.Fence {
				outcomes[i] = chat.ErrFenced
				continue
			}
			if err := w.append(ctx, job.no, a, rows[i]); err != nil {
				return fmt.Errorf("append to job %s: %w", a.JobID, err)
			}
			if ends(a.Effects) {
				delete(held, a.JobID)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return outcomes, nil
}

// heldJob is a running job as an append meets it.
type heldJob struct{ no, fence int64 }

// held finds the running ones among the appends' jobs, all with one query.
func (w *writer) held(ctx context.Context, appends []chat.Append) (map[string]heldJob, error) {
	ids := make([]string, len(appends))
	for i, a := range appends {
		ids[i] = a.JobID
	}
	list, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	held := make(map[string]heldJob, len(appends))
	err = w.each(ctx, "SELECT id, no, fence FROM jobs WHERE id IN (SELECT value FROM json_each(?)) AND state = 'running'",
		func(r row) error {
			var id string
			var job heldJob
			err := r.Scan(&id, &job.no, &job.fence)
			held[id] = job
			return err
		}, string(list))
	return held, err
}

func ends(effects []chat.Effect) bool {
	return slices.ContainsFunc(effects, func(e chat.Effect) bool { _, end := e.(chat.EndJob); return end })
}

// append stores one run of events and its effects. An insert of plain values
// needs no journal for itself, unlike one that selects: with 2,000 turns that
// took five times as long.
func (w *writer) append(ctx context.Context, job int64, a chat.Append, run []byte) error {
	if len(a.Events) == 0 {
		return errors.New("an append needs an event")
	}
	err := w.exec(ctx, "INSERT INTO log (job, first, last, events) VALUES (?, ?, ?, ?)",
		job, a.Events[0].Seq, a.Events[len(a.Events)-1].Seq, run)
	if err != nil {
		return err
	}
	for _, effect := range a.Effects {
		if err := w.apply(ctx, a.JobID, effect); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) apply(ctx context.Context, jobID string, effect chat.Effect) error {
	switch e := effect.(type) {
	case chat.StoreAnswer:
		return w.storeAnswer(ctx, e.Message)
	case chat.SetTitle:
		return w.exec(ctx, "UPDATE chats SET title = ? WHERE id = ? AND named = 0", e.Title, e.ChatID)
	case chat.EndJob:
		if err := w.exec(ctx, "DELETE FROM signals WHERE job = ?", jobID); err != nil {
			return err
		}
		return w.exec(ctx, "UPDATE jobs SET state = ? WHERE id = ?", e.State, jobID)
	}
	return fmt.Errorf("unknown effect %T", effect)
}

// encodeRuns writes the events of each append as JSON lines, which is how a row
// of the log keeps them. The rows share one buffer: one for every row made a
// fifth of the garbage of a server with 2,000 streams.
func encodeRuns(appends []chat.Append) ([][]byte, error) {
	const usual = 192 // bytes of an event
	events := 0
	for _, a := range appends {
		events += len(a.Events)
	}
	buf := make([]byte, 0, usual*events)
	ends := make([]int, len(appends))
	for i, a := range appends {
		for k, e := range a.Events {
			if k > 0 {
				buf = append(buf, '\n')
			}
			var err error
			if buf, err = e.AppendJSON(buf); err != nil {
				return nil, err
			}
		}
		ends[i] = len(buf)
	}
	rows := make([][]byte, len(appends))
	start := 0
	for i, end := range ends {
		rows[i], start = buf[start:end:end], end
	}
	return rows, nil
}

func decodeRun(run []byte, after int64, events []chat.Event) ([]chat.Event, error) {
	for line := range bytes.SplitSeq(run, []byte{'\n'}) {
		var e chat.Event
		if err := e.UnmarshalJSON(line); err != nil {
			return events, err
		}
		if e.Seq > after {
			events = append(events, e)
		}
	}
	return events, nil
}

// Events implements chat.Jobs.
func (s *Store) Events(ctx context.Context, jobID string, after int64) ([]chat.Event, error) {
	var events []chat.Event
	err := s.each(ctx, `SELECT l.events FROM log l WHERE l.job = (SELECT no FROM jobs WHERE id = ?) AND l.last > ?
		ORDER BY l.first`,
		func(r row) error {
			var run []byte
			err := r.Scan(&run)
			if err != nil {
				return err
			}
			events, err = decodeRun(run, after, events)
			return err
		}, jobID, after)
	return events, err
}

// Job implements chat.Jobs.
func (s *Store) Job(ctx context.Context, jobID string) (chat.Job, error) {
	var j chat.Job
	err := s.one(ctx, "SELECT "+jobColumns+" FROM jobs j JOIN users u ON u.no = j.user WHERE j.id = ?", scanJob(&j), jobID)
	return j, err
}

// SendSignal implements chat.Signals.
func (s *Store) SendSignal(ctx context.Context, signal chat.Signal) error {
	return s.write(ctx, func(ctx context.Context, w *writer) error {
		return w.exec(ctx, `INSERT OR IGNORE INTO signals (job, name, value)
			SELECT id, ?, ? FROM jobs WHERE id = ? AND state IN ('queued', 'running')`,
			signal.Name, signal.Value, signal.JobID)
	})
}

// Signals implements chat.Signals.
func (s *Store) Signals(ctx context.Context, jobIDs []string) ([]chat.Signal, error) {
	list, err := json.Marshal(jobIDs)
	if err != nil {
		return nil, err
	}
	var signals []chat.Signal
	err = s.each(ctx, "SELECT job, name, value FROM signals WHERE job IN (SELECT value FROM json_each(?)) ORDER BY no",
		func(r row) error {
			var sig chat.Signal
			err := r.Scan(&sig.JobID, &sig.Name, &sig.Value)
			signals = append(signals, sig)
			return err
		}, string(list))
	return signals, err
}
