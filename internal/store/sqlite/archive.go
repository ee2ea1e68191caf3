package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	"confidant/internal/chat"
)

var _ chat.Archive = (*Store)(nil)

// ArchivedChats implements chat.Archive. What was cleared is left out.
func (s *Store) ArchivedChats(ctx context.Context, userID string) iter.Seq2[chat.ArchivedChat, error] {
	return func(yield func(chat.ArchivedChat, error) bool) {
		user, err := s.userNo(ctx, userID)
		if err != nil {
			yield(chat.ArchivedChat{}, err)
			return
		}
		var chats []chat.ArchivedChat
		err = s.each(ctx, "SELECT id, coalesce(key, ''), title, named, unlisted, app, starred, created_at, last_activity FROM chats WHERE user = ? AND cleared = 0 ORDER BY id",
			func(r row) error {
				var c chat.ArchivedChat
				var created, active int64
				err := r.Scan(&c.ID, &c.Key, &c.Title, &c.Named, &c.Unlisted, &c.AppID, &c.Starred, &created, &active)
				c.CreatedAt, c.LastActivity = fromMillis(created), fromMillis(active)
				chats = append(chats, c)
				return err
			}, user)
		if err != nil {
			yield(chat.ArchivedChat{}, err)
			return
		}
		for _, c := range chats {
			c.Messages, err = s.archivedMessages(ctx, c.ID)
			if !yield(c, err) || err != nil {
				return
			}
		}
	}
}

func (s *Store) archivedMessages(ctx context.Context, chatID string) ([]chat.ArchivedMessage, error) {
	list := []chat.ArchivedMessage{}
	err := s.each(ctx, "SELECT "+messageColumns+" FROM messages WHERE chat = ? AND superseded = 0 AND cleared = 0 ORDER BY id", func(r row) error {
		var m chat.Message
		err := scanMessage(&m)(r)
		list = append(list, chat.ArchivedMessage{Message: m, Usage: m.Usage})
		return err
	}, chatID)
	return list, err
}

// ownedBy reports whether a table has a record of that id. ErrConflict says that
// it is another person's.
func (w *writer) ownedBy(ctx context.Context, table, id string, user int64) (bool, error) {
	var owner int64
	err := w.one(ctx, "SELECT user FROM "+table+" WHERE id = ?", func(r row) error { return r.Scan(&owner) }, id)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err == nil && owner != user {
		err = chat.ErrConflict
	}
	return true, err
}

// RestoreArchivedChat implements chat.Archive. A message whose turn had not ended stays
// unanswered: the turn itself is not in the archive.
func (s *Store) RestoreArchivedChat(ctx context.Context, userID string, c chat.ArchivedChat) (bool, error) {
	user, err := s.userNo(ctx, userID)
	if err != nil {
		return false, err
	}
	fresh := false
	err = s.write(ctx, func(ctx context.Context, w *writer) error {
		there, err := w.ownedBy(ctx, "chats", c.ID, user)
		if err != nil || there {
			return err
		}
		fresh = true
		if err := w.exec(ctx, `INSERT INTO chats (id, user, key, title, named, unlisted, app, starred, created_at, last_activity) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			c.ID, user, sql.NullString{String: c.Key, Valid: c.Key != ""}, c.Title, c.Named, c.Unlisted, c.AppID, c.Starred, millis(c.CreatedAt), millis(c.LastActivity)); err != nil {
			return fmt.Errorf("restore chat: %w", err)
		}
		for _, m := range c.Messages {
			if err := w.restoreMessage(ctx, c.ID, m); err != nil {
				return fmt.Errorf("restore message: %w", err)
			}
		}
		return nil
	})
	return fresh, err
}

func (w *writer) restoreMessage(ctx context.Context, chatID string, m chat.ArchivedMessage) error {
	if err := w.exec(ctx, `INSERT INTO messages (id, chat, turn, role, content, ready, state, created_at, rating, reported, report_reason, metadata)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		m.ID, chatID, m.TurnID, m.Role, m.Content, m.Ready, m.State, millis(m.CreatedAt), m.Rating, m.Reported, m.ReportReason, m.Metadata); err != nil {
		return err
	}
	for column, value := range map[string]any{"error": m.Error, "citations": m.Citations, "usage": m.Usage, "files": m.FileIDs} {
		text, err := json.Marshal(value)
		if err != nil {
			return err
		}
		if string(text) == "null" {
			continue
		}
		if err := w.exec(ctx, "UPDATE messages SET "+column+" = ? WHERE id = ?", string(text), m.ID); err != nil {
			return err
		}
	}
	return nil
}

// RestoreConversation implements chat.Archive. One with the same content counts
// as there, whatever its id.
func (s *Store) RestoreConversation(ctx context.Context, userID string, a chat.ArchivedConversation, job *chat.Job) (bool, error) {
	user, err := s.userNo(ctx, userID)
	if err != nil {
		return false, err
	}
	fresh := false
	err = s.write(ctx, func(ctx context.Context, w *writer) error {
		there, err := w.ownedBy(ctx, "conversations", a.ID, user)
		if err != nil || there {
			return err
		}
		var known int
		if err := w.one(ctx, "SELECT count(*) FROM conversations WHERE user = ? AND fingerprint = ?", func(r row) error { return r.Scan(&known) }, user, a.Fingerprint); err != nil || known > 0 {
			return err
		}
		fresh = true
		c := a.Conversation
		c.UserID, c.Fingerprint = userID, a.Fingerprint
		if _, err := w.insertConversation(ctx, user, c); err != nil {
			return err
		}
		for _, seg := range a.Segments {
			if err := w.putSegment(ctx, user, c, seg); err != nil {
				return err
			}
			if seg.ClientID != "" {
				if err := w.exec(ctx, "INSERT OR IGNORE INTO segment_clients (conversation, client) VALUES (?, ?)", c.ID, seg.ClientID); err != nil {
					return err
				}
			}
		}
		if err := w.exec(ctx, "UPDATE conversations SET segments = ?, revision = ? WHERE id = ?", len(a.Segments), c.Revision, c.ID); err != nil {
			return err
		}
		if err := w.putSummary(ctx, user, c); err != nil {
			return err
		}
		for _, step := range a.Steps {
			if err := w.putStep(ctx, c.ID, step); err != nil {
				return err
			}
		}
		return w.enqueue(ctx, user, job)
	})
	return fresh, err
}

// RestoreRecords implements chat.Archive.
func (s *Store) RestoreRecords(ctx context.Context, userID string, r chat.Records) (int, error) {
	user, err := s.userNo(ctx, userID)
	if err != nil {
		return 0, err
	}
	fresh := 0
	err = s.write(ctx, func(ctx context.Context, w *writer) error {
		fresh = 0
		return errors.Join(
			restore(ctx, w, facts, user, r.Facts, &fresh), restore(ctx, w, tasks, user, r.Tasks, &fresh), restore(ctx, w, events, user, r.Events, &fresh),
			restore(ctx, w, people, user, r.People, &fresh), restore(ctx, w, folders, user, r.Folders, &fresh),
			restore(ctx, w, personas, user, r.Personas, &fresh))
	})
	return fresh, err
}

// restore stores records that are not there with the revision that they have.
func restore[T any](ctx context.Context, w *writer, k records[T], user int64, list []T, fresh *int) error {
	for _, record := range list {
		there, err := w.ownedBy(ctx, k.table, *k.id(&record), user)
		if err != nil {
			return err
		}
		if there {
			continue
		}
		*fresh++
		if err := k.write(ctx, w, user, record); err != nil {
			return err
		}
	}
	return nil
}
