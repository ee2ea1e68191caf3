package sqlite

import (
	"context"
	"fmt"
	"time"

	"confidant/internal/chat"
)

var _ chat.Clearing = (*Store)(nil)

// ClearChat implements chat.Clearing.
func (s *Store) ClearChat(ctx context.Context, userID, chatID string, at time.Time) (chat.Cleared, error) {
	if _, err := s.Chat(ctx, userID, chatID); err != nil {
		return chat.Cleared{}, err
	}
	var cleared chat.Cleared
	err := s.write(ctx, func(ctx context.Context, w *writer) error {
		n, err := w.affected(ctx, "UPDATE messages SET cleared = ? WHERE chat = ? AND cleared = 0 AND superseded = 0", millis(at), chatID)
		if cleared.Messages = int(n); err != nil || n == 0 {
			return err
		}
		if err := w.exec(ctx, "UPDATE messages SET cleared = ? WHERE chat = ? AND cleared = 0", millis(at), chatID); err != nil {
			return err
		}
		err = w.each(ctx, "SELECT id FROM jobs INDEXED BY jobs_lane WHERE lane = ? AND state IN ('queued', 'running') ORDER BY no", func(r row) error {
			var id string
			err := r.Scan(&id)
			cleared.Turns = append(cleared.Turns, id)
			return err
		}, chatID)
		if err != nil {
			return err
		}
		// The title is made of what was said, unless the person chose it.
		if err := w.exec(ctx, "UPDATE chats SET cleared = ?, title = CASE WHEN named THEN title ELSE '' END WHERE id = ?", millis(at), chatID); err != nil {
			return err
		}
		for _, text := range []string{
			"DELETE FROM summaries WHERE chat = ?",
			`DELETE FROM idempotency WHERE job IN (SELECT id FROM jobs INDEXED BY jobs_of_lane WHERE lane = ? AND state NOT IN ('queued', 'running'))`,
		} {
			if err := w.exec(ctx, text, chatID); err != nil {
				return fmt.Errorf("clear chat: %w", err)
			}
		}
		return nil
	})
	return cleared, err
}

// RestoreChat implements chat.Clearing.
func (s *Store) RestoreChat(ctx context.Context, userID, chatID string, since time.Time) (int, error) {
	if _, err := s.Chat(ctx, userID, chatID); err != nil {
		return 0, err
	}
	restored := 0
	err := s.write(ctx, func(ctx context.Context, w *writer) error {
		n, err := w.affected(ctx, "UPDATE messages SET cleared = 0 WHERE chat = ? AND cleared > 0 AND cleared >= ?", chatID, millis(since))
		if restored = int(n); err != nil || n == 0 {
			return err
		}
		// A summary does not cover what is between its messages now.
		if err := w.exec(ctx, "DELETE FROM summaries WHERE chat = ?", chatID); err != nil {
			return err
		}
		return w.exec(ctx, `UPDATE chats SET cleared = 0, title = CASE WHEN title <> '' THEN title ELSE coalesce(
			(SELECT substr(replace(content, char(10), ' '), 1, 120) FROM messages
				WHERE chat = chats.id AND role = 'user' AND superseded = 0 AND cleared = 0 ORDER BY id LIMIT 1), '') END
			WHERE id = ?`, chatID)
	})
	return restored, err
}

// PurgeCleared implements chat.Clearing: a transaction for each chat.
func (s *Store) PurgeCleared(ctx context.Context, before time.Time) (int, error) {
	var chats []string
	err := s.each(ctx, "SELECT DISTINCT chat FROM messages WHERE cleared > 0 AND cleared < ?", func(r row) error {
		var id string
		err := r.Scan(&id)
		chats = append(chats, id)
		return err
	}, millis(before))
	purged := 0
	for _, id := range chats {
		if err == nil {
			var n int
			n, err = s.purge(ctx, id, before)
			purged += n
		}
	}
	return purged, err
}

func (s *Store) purge(ctx context.Context, chatID string, before time.Time) (int, error) {
	purged := 0
	err := s.write(ctx, func(ctx context.Context, w *writer) error {
		const turns = "SELECT turn FROM messages WHERE chat = ? AND cleared > 0 AND cleared < ? AND turn <> ''"
		for _, text := range []string{
			"DELETE FROM log WHERE job IN (SELECT no FROM jobs WHERE id IN (" + turns + "))",
			"DELETE FROM signals WHERE job IN (" + turns + ")",
			"DELETE FROM idempotency WHERE job IN (" + turns + ")",
			"DELETE FROM jobs WHERE id IN (" + turns + ")",
		} {
			if err := w.exec(ctx, text, chatID, millis(before)); err != nil {
				return fmt.Errorf("purge turns: %w", err)
			}
		}
		n, err := w.affected(ctx, "DELETE FROM messages WHERE chat = ? AND cleared > 0 AND cleared < ?", chatID, millis(before))
		if err != nil {
			return fmt.Errorf("purge messages: %w", err)
		}
		purged = int(n)
		return w.exec(ctx, "DELETE FROM chats WHERE id = ? AND cleared > 0 AND NOT EXISTS (SELECT 1 FROM messages WHERE chat = chats.id)", chatID)
	})
	return purged, err
}
