package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"confidant/internal/chat"
)

var (
	_ chat.Chats    = (*Store)(nil)
	_ chat.Messages = (*Store)(nil)
)

const chatColumns = `c.id, u.id, c.key, c.title, c.unlisted, c.app, c.starred, c.created_at, c.last_activity,
	coalesce((SELECT j.id FROM jobs j INDEXED BY jobs_lane WHERE j.lane = c.id AND j.state IN ('queued', 'running') ORDER BY j.no LIMIT 1), '')`

func scanChat(c *chat.Chat) func(row) error {
	return func(r row) error {
		var key sql.NullString
		var created, active int64
		err := r.Scan(&c.ID, &c.UserID, &key, &c.Title, &c.Unlisted, &c.AppID, &c.Starred, &created, &active, &c.RunningTurnID)
		c.Key, c.CreatedAt, c.LastActivity = key.String, fromMillis(created), fromMillis(active)
		return err
	}
}

// Chat implements chat.Chats.
func (s *Store) Chat(ctx context.Context, userID, chatID string) (chat.Chat, error) {
	var c chat.Chat
	err := s.one(ctx, "SELECT "+chatColumns+" FROM chats c JOIN users u ON u.no = c.user WHERE c.id = ?", scanChat(&c), chatID)
	if err != nil {
		return chat.Chat{}, err
	}
	if c.UserID != userID {
		return chat.Chat{}, chat.ErrForbidden
	}
	return c, nil
}

// ChatByKey implements chat.Chats.
func (s *Store) ChatByKey(ctx context.Context, userID, key string) (chat.Chat, error) {
	var c chat.Chat
	err := s.one(ctx, "SELECT "+chatColumns+" FROM chats c JOIN users u ON u.no = c.user WHERE u.id = ? AND c.key = ?",
		scanChat(&c), userID, key)
	return c, err
}

// Chats implements chat.Chats.
func (s *Store) Chats(ctx context.Context, userID string, page chat.Page) ([]chat.Chat, string, error) {
	user, err := s.userNo(ctx, userID)
	if err != nil {
		return nil, "", err
	}
	var chats []chat.Chat
	err = s.each(ctx, "SELECT "+chatColumns+` FROM chats c JOIN users u ON u.no = c.user
		WHERE c.user = ? AND c.unlisted = 0 AND c.cleared = 0 AND (? = '' OR (c.last_activity, c.id) < (SELECT last_activity, id FROM chats WHERE id = ?))
		ORDER BY c.last_activity DESC, c.id DESC LIMIT ?`,
		func(r row) error {
			var c chat.Chat
			err := scanChat(&c)(r)
			chats = append(chats, c)
			return err
		}, user, page.Cursor, page.Cursor, page.Limit+1)
	if err != nil || len(chats) <= page.Limit {
		return chats, "", err
	}
	chats = chats[:page.Limit]
	return chats, chats[page.Limit-1].ID, nil
}

// RenameChat implements chat.Chats.
func (s *Store) RenameChat(ctx context.Context, userID, chatID, title string) (chat.Chat, error) {
	if _, err := s.Chat(ctx, userID, chatID); err != nil {
		return chat.Chat{}, err
	}
	err := s.write(ctx, func(ctx context.Context, w *writer) error {
		return w.exec(ctx, "UPDATE chats SET title = ?, named = 1 WHERE id = ?", title, chatID)
	})
	if err != nil {
		return chat.Chat{}, err
	}
	return s.Chat(ctx, userID, chatID)
}

// DeleteChat implements chat.Chats. A turn that is running loses its job, so its
// worker finds itself fenced off.
func (s *Store) DeleteChat(ctx context.Context, userID, chatID string) error {
	if _, err := s.Chat(ctx, userID, chatID); err != nil {
		return err
	}
	return s.write(ctx, func(ctx context.Context, w *writer) error {
		for _, text := range []string{
			"DELETE FROM log WHERE job IN (SELECT no FROM jobs WHERE lane = ?)",
			"DELETE FROM signals WHERE job IN (SELECT id FROM jobs WHERE lane = ?)",
			"DELETE FROM idempotency WHERE job IN (SELECT id FROM jobs WHERE lane = ?)",
			"DELETE FROM jobs WHERE lane = ?",
			"DELETE FROM messages WHERE chat = ?",
			"DELETE FROM summaries WHERE chat = ?",
			"DELETE FROM chats WHERE id = ?",
		} {
			if err := w.exec(ctx, text, chatID); err != nil {
				return fmt.Errorf("delete chat: %w", err)
			}
		}
		return nil
	})
}

const messageColumns = "id, chat, turn, role, content, ready, state, error, citations, usage, rating, reported, report_reason, metadata, files, created_at"

func scanMessage(m *chat.Message) func(row) error {
	return func(r row) error {
		var created int64
		var failure, citations, usage, files sql.NullString
		if err := r.Scan(&m.ID, &m.ChatID, &m.TurnID, &m.Role, &m.Content, &m.Ready, &m.State,
			&failure, &citations, &usage, &m.Rating, &m.Reported, &m.ReportReason, &m.Metadata, &files, &created); err != nil {
			return err
		}
		m.CreatedAt = fromMillis(created)
		for _, part := range []struct {
			from sql.NullString
			to   any
		}{{failure, &m.Error}, {citations, &m.Citations}, {usage, &m.Usage}, {files, &m.FileIDs}} {
			if part.from.Valid {
				if err := json.Unmarshal([]byte(part.from.String), part.to); err != nil {
					return fmt.Errorf("message %s: %w", m.ID, err)
				}
			}
		}
		return nil
	}
}

// Messages implements chat.Messages.
func (s *Store) Messages(ctx context.Context, userID, chatID string, page chat.Page) ([]chat.Message, string, error) {
	if _, err := s.Chat(ctx, userID, chatID); err != nil {
		return nil, "", err
	}
	var messages []chat.Message
	err := s.each(ctx, "SELECT "+messageColumns+` FROM messages
		WHERE chat = ? AND superseded = 0 AND cleared = 0 AND (? = '' OR id < ?) ORDER BY id DESC LIMIT ?`,
		func(r row) error {
			var m chat.Message
			err := scanMessage(&m)(r)
			messages = append(messages, m)
			return err
		}, chatID, page.Cursor, page.Cursor, page.Limit+1)
	if err != nil || len(messages) <= page.Limit {
		return messages, "", err
	}
	messages = messages[:page.Limit]
	return messages, messages[page.Limit-1].ID, nil
}

// Message implements chat.Messages.
func (s *Store) Message(ctx context.Context, userID, messageID string) (chat.Message, error) {
	var m chat.Message
	err := s.one(ctx, "SELECT "+messageColumns+" FROM messages WHERE id = ? AND cleared = 0", scanMessage(&m), messageID)
	if err != nil {
		return chat.Message{}, err
	}
	if _, err := s.Chat(ctx, userID, m.ChatID); err != nil {
		return chat.Message{}, chat.ErrNotFound
	}
	return m, nil
}

// storeAnswer fills the placeholder of a turn. Being an update by id it is idempotent.
func (w *writer) storeAnswer(ctx context.Context, m chat.Message) error {
	var failure sql.NullString
	if m.Error != nil {
		text, err := json.Marshal(m.Error)
		if err != nil {
			return err
		}
		failure = sql.NullString{String: string(text), Valid: true}
	}
	citations, err := json.Marshal(m.Citations)
	if err != nil {
		return err
	}
	usage, err := json.Marshal(m.Usage)
	if err != nil {
		return err
	}
	if err := w.exec(ctx, "UPDATE messages SET content = ?, ready = 1, state = ?, error = ?, citations = ?, usage = ? WHERE id = ?",
		m.Content, m.State, failure, string(citations), string(usage), m.ID); err != nil {
		return fmt.Errorf("store answer: %w", err)
	}
	return w.exec(ctx, "UPDATE chats SET last_activity = max(last_activity, ?) WHERE id = ?", millis(m.CreatedAt), m.ChatID)
}
