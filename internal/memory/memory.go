// Package memory takes in what a person recorded and wrote down, and keeps what
// is derived from it in step.
package memory

import (
	"context"
	"errors"
	"time"

	"confidant/internal/chat"
	"confidant/internal/memory/process"
)

// Store is what a memory is kept in.
type Store interface {
	chat.Conversations
	chat.ConversationEdits
	chat.Processing
	chat.Queue
	chat.Forgetting
}

// Memory is the person's recorded conversations. It adds to the store what must
// happen when they change.
type Memory struct {
	Store
	index  Index
	eraser *Eraser
	// Zone is where dates without an offset are meant; nil for UTC.
	Zone *time.Location
	// Queued is called when a job was queued; nil leaves its worker to find it.
	Queued func()
}

// Index is what search keeps of conversations; see search.Vectors.
type Index interface {
	// Wake says that there is something new.
	Wake()
	// Forget drops what is held of a person, after something was deleted.
	Forget(userID string)
}

// New returns a memory over a store. A nil index means that nothing is derived.
func New(store Store, index Index) *Memory {
	return &Memory{Store: store, index: index, eraser: NewEraser(store, index)}
}

// Eraser removes what is left of what is deleted here, once it runs.
func (m *Memory) Eraser() *Eraser { return m.eraser }

// Erase deletes everything of a person, the account too when account is set. A
// server that dies meanwhile goes on when it comes back.
func (m *Memory) Erase(ctx context.Context, userID string, account bool) error {
	return m.eraser.Erase(ctx, userID, account)
}

func (m *Memory) zone() *time.Location {
	if m.Zone == nil {
		return time.UTC
	}
	return m.Zone
}

// Wake tells the index and the workers that there is something new.
func (m *Memory) Wake() {
	if m.Queued != nil {
		m.Queued()
	}
	m.WakeIndex()
}

// WakeIndex tells the index that there is something new.
func (m *Memory) WakeIndex() {
	if m.index != nil {
		m.index.Wake()
	}
}

func (m *Memory) forget(userID string) {
	if m.index != nil {
		m.index.Forget(userID)
	}
}

// DeleteConversation implements chat.Conversations.
func (m *Memory) DeleteConversation(ctx context.Context, userID, id string) error {
	if err := m.Store.DeleteConversation(ctx, userID, id); err != nil {
		return err
	}
	m.forget(userID)
	m.eraser.Wake()
	return nil
}

// Edit changes a conversation as it is stored when change is called. A revision
// other than 0 must be the stored one, else the edit fails with ErrConflict.
func (m *Memory) Edit(ctx context.Context, userID, id string, revision int64, change func(*chat.Conversation) error) (chat.Conversation, error) {
	for {
		c, err := m.Conversation(ctx, userID, id)
		if err != nil {
			return c, err
		}
		if revision != 0 && c.Revision != revision {
			return c, chat.ErrConflict
		}
		if err := change(&c); err != nil {
			return c, err
		}
		saved, err := m.SaveConversation(ctx, c, nil)
		if errors.Is(err, chat.ErrConflict) && revision == 0 && ctx.Err() == nil {
			continue // somebody else changed another field meanwhile
		}
		if err == nil {
			m.Wake()
		}
		return saved, err
	}
}

// Reprocess queues the processing of a finished conversation once more.
func (m *Memory) Reprocess(ctx context.Context, userID, id string) (chat.Conversation, error) {
	c, err := m.Conversation(ctx, userID, id)
	if err != nil {
		return c, err
	}
	if c.Status == chat.StatusInProgress {
		return c, chat.Fail(chat.CodeConflict, "The conversation is still being recorded. Finish it first.")
	}
	c.Status = chat.StatusProcessing
	c, err = m.SaveConversation(ctx, c, process.Job(userID, id, true))
	if err == nil {
		m.Wake()
	}
	return c, err
}

// Combine puts conversations together into the first of them and processes that anew.
func (m *Memory) Combine(ctx context.Context, userID string, ids []string) (chat.Conversation, error) {
	if len(ids) < 2 || len(ids) > maxMerged {
		return chat.Conversation{}, chat.Fail(chat.CodeInvalid, "Merging takes from 2 to 100 conversations (merged_conversations).")
	}
	seen := map[string]bool{}
	for _, id := range ids {
		if seen[id] {
			return chat.Conversation{}, chat.Fail(chat.CodeInvalid, "A conversation is named twice.")
		}
		seen[id] = true
		c, err := m.Conversation(ctx, userID, id)
		if err != nil {
			return c, err
		}
		if c.Status == chat.StatusInProgress {
			return c, chat.Fail(chat.CodeConflict, "One of the conversations is still being recorded. Finish it first.")
		}
	}
	into, err := m.Conversation(ctx, userID, ids[0])
	if err != nil {
		return into, err
	}
	into.Status, into.Discarded = chat.StatusProcessing, false
	merged, err := m.Store.Merge(ctx, into, ids[1:], process.Job(userID, into.ID, true))
	if err == nil {
		m.forget(userID)
		m.eraser.Wake()
		m.Wake()
	}
	return merged, err
}

// maxMerged bounds one merge.
const maxMerged = 100
