package sqlite

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"confidant/internal/chat"
)

var (
	_ chat.Processing = (*Store)(nil)
	_ chat.Queue      = (*Store)(nil)
)

// steps in their order.
var stepOrder = map[chat.StepName]int{
	chat.StepDiscard: 1, chat.StepStructure: 2, chat.StepFolder: 3, chat.StepMetadata: 4, chat.StepFacts: 5, chat.StepTasks: 6,
}

// Steps implements chat.Processing.
func (s *Store) Steps(ctx context.Context, userID, conversationID string) ([]chat.Step, error) {
	if _, err := s.Conversation(ctx, userID, conversationID); err != nil {
		return nil, err
	}
	list := []chat.Step{}
	err := s.each(ctx, "SELECT name, state, attempts, detail, prompt, retry_at, at FROM steps WHERE conversation = ? ORDER BY place",
		func(r row) error {
			var step chat.Step
			var retry, at int64
			err := r.Scan(&step.Name, &step.State, &step.Attempts, &step.Detail, &step.Prompt, &retry, &at)
			step.RetryAt, step.At = fromMillis(retry), fromMillis(at)
			list = append(list, step)
			return err
		}, conversationID)
	return list, err
}

// SaveStep implements chat.Processing.
func (s *Store) SaveStep(ctx context.Context, userID, conversationID string, step chat.Step, outcome chat.Outcome) error {
	return s.edit(ctx, userID, conversationID, func(ctx context.Context, w *writer, user int64, stored chat.Conversation) error {
		if c := outcome.Conversation; c != nil {
			if _, err := w.saveConversation(ctx, user, stored, *c); err != nil {
				return err
			}
		}
		if err := facts.change(ctx, w, user, outcome.Facts); err != nil {
			return err
		}
		if err := tasks.change(ctx, w, user, outcome.Tasks); err != nil {
			return err
		}
		return w.putStep(ctx, conversationID, step)
	})
}

func (w *writer) putStep(ctx context.Context, conversation string, step chat.Step) error {
	place, known := stepOrder[step.Name]
	if !known {
		return fmt.Errorf("there is no step %q", step.Name)
	}
	return w.exec(ctx, `INSERT OR REPLACE INTO steps (conversation, name, place, state, attempts, detail, prompt, retry_at, at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		conversation, step.Name, place, step.State, step.Attempts, step.Detail, step.Prompt, millis(step.RetryAt), millis(step.At))
}

// Due implements chat.Processing.
func (s *Store) Due(ctx context.Context, now time.Time, model bool, limit int) ([]chat.Conversation, error) {
	var list []chat.Conversation
	err := s.each(ctx, conversationQuery+` WHERE c.id IN (
			SELECT conversation FROM steps INDEXED BY steps_due WHERE state IN ('failed', 'waiting')
			AND (state = 'failed' AND retry_at <> 0 AND retry_at <= ? OR state = 'waiting' AND ?))
		AND NOT EXISTS (SELECT 1 FROM jobs j INDEXED BY jobs_lane WHERE j.lane = c.id AND j.state IN ('queued', 'running'))
		ORDER BY c.id LIMIT ?`, func(r row) error {
		var c chat.Conversation
		err := scanConversation(&c)(r)
		list = append(list, c)
		return err
	}, millis(now), model, limit)
	return list, err
}

// Enqueue implements chat.Queue.
func (s *Store) Enqueue(ctx context.Context, job chat.Job) error {
	user, err := s.userNo(ctx, job.UserID)
	if err != nil {
		return err
	}
	return s.write(ctx, func(ctx context.Context, w *writer) error { return w.enqueue(ctx, user, &job) })
}

// enqueue is Enqueue within a transaction; nil is no job.
func (w *writer) enqueue(ctx context.Context, user int64, job *chat.Job) error {
	if job == nil {
		return nil
	}
	payload := job.Payload
	if payload == nil {
		payload = json.RawMessage("{}")
	}
	n, err := w.affected(ctx, `INSERT INTO jobs (id, kind, lane, user, state, payload, created_at)
		SELECT ?1, ?2, ?3, ?4, 'queued', ?5, ?6 WHERE NOT EXISTS (SELECT 1 FROM jobs INDEXED BY jobs_lane
			WHERE lane = ?3 AND kind = ?2 AND state IN ('queued', 'running') AND state = 'queued')`,
		job.ID, job.Kind, job.Lane, user, string(payload), millis(job.CreatedAt))
	if err != nil || n == 0 {
		return err
	}
	first := chat.Event{Seq: 1, TurnID: job.ID, At: job.CreatedAt, Body: chat.Queued{Kind: job.Kind}}
	run, err := first.AppendJSON(nil)
	if err != nil {
		return err
	}
	return w.exec(ctx, "INSERT INTO log (job, first, last, events) SELECT no, 1, 1, ? FROM jobs WHERE id = ?", run, job.ID)
}

// Unended implements chat.Queue.
func (s *Store) Unended(ctx context.Context, kind string) (int, error) {
	var n int
	err := s.one(ctx, "SELECT count(*) FROM jobs INDEXED BY jobs_lane WHERE state IN ('queued', 'running') AND kind = ?",
		func(r row) error { return r.Scan(&n) }, kind)
	return n, err
}

// LatestJob implements chat.Queue.
func (s *Store) LatestJob(ctx context.Context, userID, lane string) (chat.Job, error) {
	var j chat.Job
	err := s.one(ctx, "SELECT "+jobColumns+" FROM jobs j INDEXED BY jobs_of_lane JOIN users u ON u.no = j.user WHERE j.lane = ? AND u.id = ? ORDER BY j.no DESC LIMIT 1",
		scanJob(&j), lane, userID)
	return j, err
}
