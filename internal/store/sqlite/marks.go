package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"confidant/internal/chat"
)

var (
	_ chat.Notes  = (*Store)(nil)
	_ chat.Marks  = (*Store)(nil)
	_ chat.Shares = (*Store)(nil)
)

// CreateChat implements chat.Notes.
func (s *Store) CreateChat(ctx context.Context, c chat.Chat) error {
	user, err := s.userNo(ctx, c.UserID)
	if err != nil {
		return err
	}
	return s.write(ctx, func(ctx context.Context, w *writer) error {
		return w.exec(ctx, `INSERT INTO chats (id, user, key, title, named, unlisted, app, starred, created_at, last_activity) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			c.ID, user, sql.NullString{String: c.Key, Valid: c.Key != ""}, c.Title, c.Title != "", c.Unlisted, c.AppID, c.Starred,
			millis(c.CreatedAt), millis(c.LastActivity))
	})
}

// PutMessage implements chat.Notes.
func (s *Store) PutMessage(ctx context.Context, userID string, m chat.Message) error {
	if _, err := s.Chat(ctx, userID, m.ChatID); err != nil {
		return err
	}
	return s.write(ctx, func(ctx context.Context, w *writer) error {
		n, err := w.affected(ctx, "UPDATE chats SET last_activity = max(last_activity, ?), cleared = 0 WHERE id = ?", millis(m.CreatedAt), m.ChatID)
		if err != nil {
			return err
		}
		if n == 0 { // deleted meanwhile
			return chat.ErrNotFound
		}
		return w.exec(ctx, `INSERT INTO messages (id, chat, turn, role, content, ready, state, metadata, created_at) VALUES (?, ?, '', ?, ?, 1, ?, ?, ?)`,
			m.ID, m.ChatID, m.Role, m.Content, m.State, m.Metadata, millis(m.CreatedAt))
	})
}

// StarChat implements chat.Marks.
func (s *Store) StarChat(ctx context.Context, userID, chatID string, starred bool) (chat.Chat, error) {
	if _, err := s.Chat(ctx, userID, chatID); err != nil {
		return chat.Chat{}, err
	}
	err := s.write(ctx, func(ctx context.Context, w *writer) error {
		return w.exec(ctx, "UPDATE chats SET starred = ? WHERE id = ?", starred, chatID)
	})
	if err != nil {
		return chat.Chat{}, err
	}
	return s.Chat(ctx, userID, chatID)
}

var errOwnMessage = chat.Fail(chat.CodeInvalid, "Only an answer can be rated or reported, not a message of your own.")

// answer returns a message that is an answer.
func (s *Store) answer(ctx context.Context, userID, messageID string) (chat.Message, error) {
	m, err := s.Message(ctx, userID, messageID)
	if err == nil && m.Role != chat.RoleAssistant {
		err = errOwnMessage
	}
	return m, err
}

// RateMessage implements chat.Marks.
func (s *Store) RateMessage(ctx context.Context, userID, messageID string, rating int) error {
	if _, err := s.answer(ctx, userID, messageID); err != nil {
		return err
	}
	return s.write(ctx, func(ctx context.Context, w *writer) error {
		return w.exec(ctx, "UPDATE messages SET rating = ? WHERE id = ?", rating, messageID)
	})
}

// ReportMessage implements chat.Marks.
func (s *Store) ReportMessage(ctx context.Context, userID, messageID, reason string) error {
	if _, err := s.answer(ctx, userID, messageID); err != nil {
		return err
	}
	return s.write(ctx, func(ctx context.Context, w *writer) error {
		n, err := w.affected(ctx, "UPDATE messages SET reported = 1, report_reason = ? WHERE id = ? AND reported = 0", reason, messageID)
		if err == nil && n == 0 {
			err = chat.ErrConflict
		}
		return err
	})
}

// AddShare implements chat.Shares.
func (s *Store) AddShare(ctx context.Context, share chat.Share) error {
	user, err := s.userNo(ctx, share.UserID)
	if err != nil {
		return err
	}
	ids, err := json.Marshal(share.MessageIDs)
	if err != nil {
		return err
	}
	return s.write(ctx, func(ctx context.Context, w *writer) error {
		return w.exec(ctx, "INSERT INTO shares (hash, user, messages, expires) VALUES (?, ?, ?, ?)", share.Hash[:], user, string(ids), millis(share.Expires))
	})
}

// Share implements chat.Shares.
func (s *Store) Share(ctx context.Context, hash [32]byte, now time.Time) (chat.Share, string, error) {
	share := chat.Share{Hash: hash}
	var name string
	err := s.one(ctx, "SELECT u.id, u.name, s.messages, s.expires FROM shares s JOIN users u ON u.no = s.user WHERE s.hash = ? AND s.expires > ?", func(r row) error {
		var ids string
		var expires int64
		if err := r.Scan(&share.UserID, &name, &ids, &expires); err != nil {
			return err
		}
		share.Expires = fromMillis(expires)
		if err := json.Unmarshal([]byte(ids), &share.MessageIDs); err != nil {
			return fmt.Errorf("messages of a share: %w", err)
		}
		return nil
	}, hash[:], millis(now))
	return share, name, err
}

// PurgeShares implements chat.Shares.
func (s *Store) PurgeShares(ctx context.Context, now time.Time) error {
	return s.write(ctx, func(ctx context.Context, w *writer) error {
		return w.exec(ctx, "DELETE FROM shares WHERE expires <= ?", millis(now))
	})
}
