package chat

import (
	"context"
	"iter"
	"time"
)

// ArchivedConversation is a conversation as its export has it.
type ArchivedConversation struct {
	Conversation
	Fingerprint string    `json:"fingerprint"`
	Segments    []Segment `json:"segments"`
	Steps       []Step    `json:"steps"`
}

// ArchivedChat is a chat as its export has it, the messages oldest first.
type ArchivedChat struct {
	Chat
	Key      string            `json:"key,omitempty"`
	Unlisted bool              `json:"unlisted,omitempty"`
	Named    bool              `json:"named,omitempty"`
	Messages []ArchivedMessage `json:"messages"`
}

// ArchivedMessage is a message with what no client is shown.
type ArchivedMessage struct {
	Message
	Usage Usage `json:"usage,omitzero"`
}

// ArchivedFile is a file as its export has it, its bytes beside. What was read from
// them is not in it: it is read anew.
type ArchivedFile struct {
	ID       string    `json:"file_id"`
	Name     string    `json:"name"`
	Type     string    `json:"type"`
	Size     int64     `json:"size"`
	Hash     string    `json:"sha256"`
	ChatID   string    `json:"chat_id,omitempty"`
	Modified time.Time `json:"modified_at,omitzero"`
	Created  time.Time `json:"created_at"`
}

// Records are those of a person that stand for themselves.
type Records struct {
	Facts    []Fact
	Tasks    []Task
	Events   []CalendarEvent
	People   []Person
	Folders  []Folder
	Personas []Persona
}

// Archive gives out and takes back all that belongs to a person. What is taken
// back is stored exactly as it was, its ids, times and revisions too; what the
// person has already is left as it is. ErrConflict says that somebody else has a
// record of the same id; then nothing of that call is stored.
type Archive interface {
	// ArchivedChats yields all chats, also those that no list shows.
	ArchivedChats(ctx context.Context, userID string) iter.Seq2[ArchivedChat, error]
	RestoreArchivedChat(ctx context.Context, userID string, c ArchivedChat) (bool, error)
	// RestoreConversation queues the job when the conversation is new.
	RestoreConversation(ctx context.Context, userID string, c ArchivedConversation, job *Job) (bool, error)
	// RestoreRecords returns how many were new.
	RestoreRecords(ctx context.Context, userID string, r Records) (int, error)
}
