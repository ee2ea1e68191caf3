// Package memory takes in what a person recorded and wrote down, and keeps what
// is derived from it in step.
package memory

import (
	"context"
	"time"

	"confidant/internal/chat"
)

// Memory is the person's recorded conversations. It adds to the store what must
// happen when they change.
type Memory struct {
	records
	index Index
	// Zone is where dates without an offset are meant; nil for UTC.
	Zone *time.Location
}

// records is embedded under this name because chat.Conversations has a method of
// its own name.
type records = chat.Conversations

// Index is what search keeps of conversations; see search.Vectors.
type Index interface {
	// Wake says that there is something new.
	Wake()
	// Forget drops what is held of a person, after something was deleted.
	Forget(userID string)
}

// New returns a memory over a store. A nil index means that nothing is derived.
func New(store chat.Conversations, index Index) *Memory {
	return &Memory{records: store, index: index}
}

// DeleteConversation implements chat.Conversations.
func (m *Memory) DeleteConversation(ctx context.Context, userID, id string) error {
	if err := m.records.DeleteConversation(ctx, userID, id); err != nil {
		return err
	}
	if m.index != nil {
		m.index.Forget(userID)
	}
	return nil
}
