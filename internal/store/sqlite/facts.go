package sqlite

import (
	"context"
	"time"

	"confidant/internal/chat"
)

var _ chat.Facts = (*Store)(nil)

var facts = records[chat.Fact]{
	table:    "facts",
	columns:  "conversation, created_at, holds, pinned",
	values:   func(f chat.Fact) []any { return []any{f.ConversationID, millis(f.CreatedAt), f.Holds(), f.Pinned} },
	id:       func(f *chat.Fact) *string { return &f.ID },
	revision: func(f *chat.Fact) *int64 { return &f.Revision },
	owner:    func(f *chat.Fact) *string { return &f.UserID },
	passage: func(f chat.Fact) (chat.Passage, bool) {
		at := f.ValidFrom
		if at.IsZero() {
			at = f.CreatedAt
		}
		return chat.Passage{Kind: chat.PassageFact, Text: f.Content, At: at}, f.Holds() && !f.Locked
	},
}

// What a removed fact had superseded holds again: the reason is gone.
func init() {
	facts.removed = func(ctx context.Context, w *writer, user int64, id string) error {
		list, err := facts.within(ctx, w, user, "r.data ->> 'superseded_by' = ?", id)
		if err != nil {
			return err
		}
		for _, f := range list {
			f.SupersededBy, f.ValidTo = "", time.Time{}
			if err := facts.put(ctx, w, user, f); err != nil {
				return err
			}
		}
		return nil
	}
}

// Fact implements chat.Facts.
func (s *Store) Fact(ctx context.Context, userID, id string) (chat.Fact, error) {
	return facts.one(ctx, s, userID, id)
}

// Facts implements chat.Facts.
func (s *Store) Facts(ctx context.Context, userID string, q chat.FactQuery) ([]chat.Fact, error) {
	where := ""
	if q.Pinned { // every turn asks for these: the index has them first
		where = "r.pinned = 1 AND "
	}
	return facts.list(ctx, s, userID, where+`(? OR r.holds = 1) AND (? = '' OR r.conversation = ?) AND (? = '' OR r.data ->> 'superseded_by' = ?)
		AND r.created_at >= ? AND (? = 0 OR r.created_at < ?)
		ORDER BY r.pinned DESC, r.created_at DESC, r.id DESC LIMIT ? OFFSET ?`,
		q.All, q.ConversationID, q.ConversationID, q.SupersededBy, q.SupersededBy, millis(q.From), millis(q.Until), millis(q.Until), q.Limit, q.Offset)
}

// SaveFacts implements chat.Facts.
func (s *Store) SaveFacts(ctx context.Context, userID string, changes chat.Changes[chat.Fact]) error {
	return facts.save(ctx, s, userID, changes)
}
