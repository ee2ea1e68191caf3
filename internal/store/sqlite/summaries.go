package sqlite

import (
	"context"
	"fmt"

	"confidant/internal/chat"
)

var _ chat.Summaries = (*Store)(nil)

// Summary implements chat.Summaries.
func (s *Store) Summary(ctx context.Context, userID, chatID string) (chat.Summary, error) {
	sum := chat.Summary{ChatID: chatID}
	err := s.one(ctx, `SELECT m.text, m.covers, m.prompt, m.at FROM summaries m
		JOIN chats c ON c.id = m.chat JOIN users u ON u.no = c.user WHERE m.chat = ? AND u.id = ?`,
		func(r row) error {
			var at int64
			err := r.Scan(&sum.Text, &sum.Covers, &sum.Prompt, &at)
			sum.At = fromMillis(at)
			return err
		}, chatID, userID)
	return sum, err
}

// SaveSummary implements chat.Summaries.
func (s *Store) SaveSummary(ctx context.Context, userID string, sum chat.Summary) error {
	if _, err := s.Chat(ctx, userID, sum.ChatID); err != nil {
		return err
	}
	return s.write(ctx, func(ctx context.Context, w *writer) error {
		// Meanwhile the chat may have been deleted or cleared, or the message replaced.
		n, err := w.affected(ctx, `INSERT OR REPLACE INTO summaries (chat, text, covers, prompt, at)
			SELECT chat, ?, id, ?, ? FROM messages WHERE id = ? AND chat = ? AND superseded = 0 AND cleared = 0`,
			sum.Text, sum.Prompt, millis(sum.At), sum.Covers, sum.ChatID)
		if err != nil {
			return fmt.Errorf("store summary: %w", err)
		}
		if n == 0 {
			return chat.ErrConflict
		}
		return nil
	})
}
