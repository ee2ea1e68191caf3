package sqlite

import (
	"context"

	"confidant/internal/chat"
)

var _ chat.Tasks = (*Store)(nil)

var tasks = records[chat.Task]{
	table:   "tasks",
	columns: "conversation, created_at, completed, due_at",
	values: func(t chat.Task) []any {
		return []any{t.ConversationID, millis(t.CreatedAt), t.Completed, millis(t.DueAt)}
	},
	id:       func(t *chat.Task) *string { return &t.ID },
	revision: func(t *chat.Task) *int64 { return &t.Revision },
	owner:    func(t *chat.Task) *string { return &t.UserID },
	passage: func(t chat.Task) (chat.Passage, bool) {
		return chat.Passage{Kind: chat.PassageTask, Text: t.Description, At: t.CreatedAt}, true
	},
}

// Task implements chat.Tasks.
func (s *Store) Task(ctx context.Context, userID, id string) (chat.Task, error) {
	return tasks.one(ctx, s, userID, id)
}

// Tasks implements chat.Tasks.
func (s *Store) Tasks(ctx context.Context, userID string, q chat.TaskQuery) ([]chat.Task, error) {
	completed := -1 // either
	if q.Completed != nil {
		completed = 0
		if *q.Completed {
			completed = 1
		}
	}
	return tasks.list(ctx, s, userID, `(? < 0 OR r.completed = ?) AND (? = '' OR r.conversation = ?)
		AND r.created_at >= ? AND (? = 0 OR r.created_at < ?)
		AND (? = 0 OR r.due_at >= ?) AND (? = 0 OR r.due_at <> 0 AND r.due_at < ?)
		ORDER BY r.due_at = 0, r.due_at, r.created_at DESC, r.id DESC LIMIT ? OFFSET ?`,
		completed, completed, q.ConversationID, q.ConversationID,
		millis(q.CreatedFrom), millis(q.CreatedUntil), millis(q.CreatedUntil),
		millis(q.DueFrom), millis(q.DueFrom), millis(q.DueUntil), millis(q.DueUntil), q.Limit, q.Offset)
}

// SaveTasks implements chat.Tasks.
func (s *Store) SaveTasks(ctx context.Context, userID string, changes chat.Changes[chat.Task]) error {
	return tasks.save(ctx, s, userID, changes)
}
