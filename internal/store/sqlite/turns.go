package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"confidant/internal/chat"
)

var _ chat.Turns = (*Store)(nil)

// payload is what the job of a turn keeps of the turn, beside what its handler put there.
type turnIDs struct {
	MessageID string `json:"message_id"`
	AnswerID  string `json:"answer_id"`
}

// Begin implements chat.Turns.
func (s *Store) Begin(ctx context.Context, n chat.NewTurn) (chat.Turn, bool, error) {
	user, err := s.userNo(ctx, n.Job.UserID)
	if err != nil {
		return chat.Turn{}, false, err
	}
	run, err := n.First.AppendJSON(nil)
	if err != nil {
		return chat.Turn{}, false, err
	}
	turn, created := n.Turn, true
	err = s.write(ctx, func(ctx context.Context, w *writer) error {
		if n.IdempotencyKey != "" {
			var seen string
			err := w.one(ctx, "SELECT job FROM idempotency WHERE user = ? AND key = ?",
				func(r row) error { return r.Scan(&seen) }, user, n.IdempotencyKey)
			if err == nil {
				created = false
				return w.one(ctx, turnQuery, scanTurn(&turn), seen)
			}
			if !errors.Is(err, sql.ErrNoRows) {
				return err
			}
			if err := w.exec(ctx, "INSERT INTO idempotency (user, key, job) VALUES (?, ?, ?)", user, n.IdempotencyKey, n.Job.ID); err != nil {
				return err
			}
		}
		if err := w.begin(ctx, user, n, run); err != nil || n.Claim == nil {
			return err
		}
		claimed, err := w.claim(ctx, "(SELECT no FROM jobs WHERE id = ?)", n.Job.ID, *n.Claim)
		if claimed {
			turn.State = chat.JobRunning
		}
		return err
	})
	return turn, created, err
}

func (w *writer) begin(ctx context.Context, user int64, n chat.NewTurn, run []byte) error {
	now := millis(n.Job.CreatedAt)
	if c := n.Chat; c != nil {
		if err := w.exec(ctx, `INSERT INTO chats (id, user, key, title, unlisted, app, created_at, last_activity) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
			c.ID, user, sql.NullString{String: c.Key, Valid: c.Key != ""}, c.Title, c.Unlisted, c.AppID, now, now); err != nil {
			return fmt.Errorf("store chat: %w", err)
		}
	} else {
		touched, err := w.affected(ctx, `UPDATE chats SET last_activity = ?, cleared = 0,
			title = CASE WHEN title = '' THEN ? ELSE title END WHERE id = ?`, now, n.Title, n.Turn.ChatID)
		if err != nil {
			return fmt.Errorf("touch chat: %w", err)
		}
		if touched == 0 {
			return chat.ErrNotFound
		}
	}
	if n.Replaces != "" {
		if err := w.exec(ctx, "UPDATE messages SET superseded = 1 WHERE chat = ? AND id >= ?", n.Turn.ChatID, n.Replaces); err != nil {
			return fmt.Errorf("supersede messages: %w", err)
		}
		if err := w.exec(ctx, "DELETE FROM summaries WHERE chat = ? AND covers >= ?", n.Turn.ChatID, n.Replaces); err != nil {
			return fmt.Errorf("drop summary: %w", err)
		}
	}
	for _, m := range []chat.Message{n.Message, n.Answer} {
		var files any // NULL, as for most messages
		if len(m.FileIDs) > 0 {
			data, err := json.Marshal(m.FileIDs)
			if err != nil {
				return err
			}
			files = string(data)
		}
		if err := w.exec(ctx, `INSERT INTO messages (id, chat, turn, role, content, ready, state, files, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			m.ID, m.ChatID, m.TurnID, m.Role, m.Content, m.Ready, m.State, files, millis(m.CreatedAt)); err != nil {
			return fmt.Errorf("store message: %w", err)
		}
	}
	if err := w.exec(ctx, `INSERT INTO jobs (id, kind, lane, user, state, payload, created_at) VALUES (?, ?, ?, ?, 'queued', ?, ?)`,
		n.Job.ID, n.Job.Kind, n.Job.Lane, user, string(n.Job.Payload), now); err != nil {
		return fmt.Errorf("queue job: %w", err)
	}
	return w.exec(ctx, "INSERT INTO log (job, first, last, events) SELECT no, 1, 1, ? FROM jobs WHERE id = ?", run, n.Job.ID)
}

const turnQuery = "SELECT " + jobColumns + " FROM jobs j JOIN users u ON u.no = j.user WHERE j.id = ?"

func scanTurn(t *chat.Turn) func(row) error {
	return func(r row) error {
		var j chat.Job
		if err := scanJob(&j)(r); err != nil {
			return err
		}
		var ids turnIDs
		if err := json.Unmarshal(j.Payload, &ids); err != nil {
			return fmt.Errorf("payload of turn %s: %w", j.ID, err)
		}
		*t = chat.Turn{
			ID: j.ID, ChatID: j.Lane, UserID: j.UserID, MessageID: ids.MessageID, AnswerID: ids.AnswerID,
			State: j.State, LastSeq: j.LastSeq, CreatedAt: j.CreatedAt,
		}
		return nil
	}
}

// Turn implements chat.Turns. A turn that is hidden can be stopped, not read. A
// job that is no turn has no message.
func (s *Store) Turn(ctx context.Context, turnID string) (chat.Turn, error) {
	var t chat.Turn
	err := s.one(ctx, turnQuery, scanTurn(&t), turnID)
	if err != nil || !t.State.Final() {
		return t, err
	}
	hidden := false
	err = s.one(ctx, "SELECT EXISTS (SELECT 1 FROM messages WHERE id = ? AND cleared > 0)", func(r row) error { return r.Scan(&hidden) }, t.MessageID)
	if hidden {
		err = chat.ErrNotFound
	}
	return t, err
}
