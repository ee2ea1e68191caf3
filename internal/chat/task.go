package chat

import (
	"context"
	"time"
)

// Task is something to be done: Omi's "action item".
type Task struct {
	ID          string `json:"task_id"`
	UserID      string `json:"-"`
	Description string `json:"description"`
	Completed   bool   `json:"completed"`
	// ConversationID and SegmentID are where it was said; empty for manual ones.
	ConversationID string    `json:"conversation_id,omitempty"`
	SegmentID      string    `json:"segment_id,omitempty"`
	DueAt          time.Time `json:"due_at,omitzero"`
	CompletedAt    time.Time `json:"completed_at,omitzero"`
	CreatedAt      time.Time `json:"created_at"`
	UpdatedAt      time.Time `json:"updated_at"`
	// Edited tasks were changed by the person: processing leaves them alone.
	Edited bool `json:"edited"`
	// Revision counts the changes. A save that carries an older one is ErrConflict.
	Revision int64 `json:"revision"`
}

// TaskQuery selects tasks: those with a due time first, by that, then the newest.
type TaskQuery struct {
	Completed      *bool
	ConversationID string
	// CreatedFrom ≤ CreatedAt < CreatedUntil, likewise for Due; zero means open.
	CreatedFrom, CreatedUntil time.Time
	DueFrom, DueUntil         time.Time
	Limit, Offset             int
}

// Tasks keeps tasks. A task of another person is ErrNotFound.
type Tasks interface {
	Task(ctx context.Context, userID, id string) (Task, error)
	Tasks(ctx context.Context, userID string, q TaskQuery) ([]Task, error)
	// SaveTasks stores changes in one transaction.
	SaveTasks(ctx context.Context, userID string, changes Changes[Task]) error
}

// Complete marks the task done or open at a time.
func (t *Task) Complete(done bool, now time.Time) {
	if done == t.Completed {
		return
	}
	if t.Completed, t.CompletedAt = done, (time.Time{}); done {
		t.CompletedAt = now
	}
}
