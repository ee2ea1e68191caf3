package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"confidant/internal/chat"
)

var _ chat.Conversations = (*Store)(nil)

const conversationColumns = "c.id, u.id, c.title, c.source, c.started_at, c.finished_at, c.created_at, c.speakers, c.segments, c.fingerprint"

func scanConversation(c *chat.Conversation) func(row) error {
	return func(r row) error {
		var started, finished, created int64
		var speakers string
		if err := r.Scan(&c.ID, &c.UserID, &c.Title, &c.Source, &started, &finished, &created, &speakers, &c.Segments, &c.Fingerprint); err != nil {
			return err
		}
		c.StartedAt, c.FinishedAt, c.CreatedAt = fromMillis(started), fromMillis(finished), fromMillis(created)
		return json.Unmarshal([]byte(speakers), &c.Speakers)
	}
}

// PutConversation implements chat.Conversations.
func (s *Store) PutConversation(ctx context.Context, c chat.Conversation, segments []chat.Segment) (chat.Conversation, bool, error) {
	user, err := s.userNo(ctx, c.UserID)
	if err != nil {
		return chat.Conversation{}, false, err
	}
	speakers, err := json.Marshal(append([]string{}, c.Speakers...))
	if err != nil {
		return chat.Conversation{}, false, err
	}
	c.Segments = len(segments)
	stored, created := c, true
	err = s.write(ctx, func(ctx context.Context, w *writer) error {
		err := w.one(ctx, "SELECT "+conversationColumns+" FROM conversations c JOIN users u ON u.no = c.user WHERE c.user = ? AND c.fingerprint = ?",
			scanConversation(&stored), user, c.Fingerprint)
		if err == nil {
			created = false
			return nil
		}
		if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		stored = c
		if err := w.exec(ctx, `INSERT INTO conversations (id, user, title, source, started_at, finished_at, created_at, speakers, segments, fingerprint)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, c.ID, user, c.Title, c.Source, millis(c.StartedAt), millis(c.FinishedAt),
			millis(c.CreatedAt), string(speakers), len(segments), c.Fingerprint); err != nil {
			return fmt.Errorf("store conversation: %w", err)
		}
		return w.putSegments(ctx, user, c, segments)
	})
	return stored, created, err
}

func (w *writer) putSegments(ctx context.Context, user int64, c chat.Conversation, segments []chat.Segment) error {
	for _, seg := range segments {
		id, err := w.putPassage(ctx, user, chat.Passage{
			Kind: chat.PassageSegment, GroupID: c.ID, Ref: seg.ID, Position: seg.Position,
			Title: c.Title, Speaker: seg.Speaker, Text: seg.Text, At: c.At(seg),
		})
		if err != nil {
			return err
		}
		if err := w.exec(ctx, "INSERT INTO segments (passage, start, finish) VALUES (?, ?, ?)", id, seg.Start, seg.End); err != nil {
			return fmt.Errorf("store segment: %w", err)
		}
	}
	return nil
}

// Conversation implements chat.Conversations.
func (s *Store) Conversation(ctx context.Context, userID, id string) (chat.Conversation, error) {
	var c chat.Conversation
	err := s.one(ctx, "SELECT "+conversationColumns+" FROM conversations c JOIN users u ON u.no = c.user WHERE c.id = ? AND u.id = ?",
		scanConversation(&c), id, userID)
	return c, err
}

// Conversations implements chat.Conversations.
func (s *Store) Conversations(ctx context.Context, userID string, q chat.ConversationQuery) ([]chat.Conversation, error) {
	user, err := s.userNo(ctx, userID)
	if err != nil {
		return nil, err
	}
	var list []chat.Conversation
	err = s.each(ctx, "SELECT "+conversationColumns+` FROM conversations c JOIN users u ON u.no = c.user
		WHERE c.user = ? AND (? = 0 OR c.started_at >= ?) AND (? = 0 OR c.started_at < ?)
		AND (? = '' OR (c.started_at, c.id) < (SELECT started_at, id FROM conversations WHERE id = ?))
		ORDER BY c.started_at DESC, c.id DESC LIMIT ?`,
		func(r row) error {
			var c chat.Conversation
			err := scanConversation(&c)(r)
			list = append(list, c)
			return err
		}, user, millis(q.From), millis(q.From), millis(q.Until), millis(q.Until), q.Before, q.Before, q.Limit)
	return list, err
}

// Segments implements chat.Conversations.
func (s *Store) Segments(ctx context.Context, userID, conversationID string, from, until int) ([]chat.Segment, error) {
	if _, err := s.Conversation(ctx, userID, conversationID); err != nil {
		return nil, err
	}
	var list []chat.Segment
	err := s.each(ctx, `SELECT p.ref, p.position, p.speaker, p.text, g.start, g.finish
		FROM passages p JOIN segments g ON g.passage = p.id
		WHERE p.grp = ? AND p.position >= ? AND p.position < ? ORDER BY p.position`,
		func(r row) error {
			var seg chat.Segment
			err := r.Scan(&seg.ID, &seg.Position, &seg.Speaker, &seg.Text, &seg.Start, &seg.End)
			list = append(list, seg)
			return err
		}, conversationID, from, until)
	return list, err
}

// DeleteConversation implements chat.Conversations.
func (s *Store) DeleteConversation(ctx context.Context, userID, id string) error {
	if _, err := s.Conversation(ctx, userID, id); err != nil {
		return err
	}
	user, err := s.userNo(ctx, userID)
	if err != nil {
		return err
	}
	return s.write(ctx, func(ctx context.Context, w *writer) error {
		if err := w.deletePassages(ctx, user, id); err != nil {
			return err
		}
		return w.exec(ctx, "DELETE FROM conversations WHERE id = ?", id)
	})
}
