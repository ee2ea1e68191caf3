// Package chat is the domain: chats, messages, turns and the events that make
// up a turn, recorded conversations, and the interfaces that stores implement.
// It imports the standard library only; every other package may import it.
package chat

import "time"

// Role says who wrote a message.
type Role string

// The roles of a stored message.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
)

// Chat is a thread of messages that belongs to one person.
type Chat struct {
	ID     string `json:"chat_id"`
	UserID string `json:"-"`
	// Key is a name that a client gave the chat, unique within a person and empty
	// for most: Omi keeps one chat for each app and never learns its id.
	Key string `json:"-"`
	// Title is empty until the first question.
	Title string `json:"title"`
	// Unlisted chats back stateless protocols; they are kept and not shown in lists.
	Unlisted bool `json:"-"`
	// AppID is the app that a client made the chat for, empty for most.
	AppID        string    `json:"app_id,omitempty"`
	Starred      bool      `json:"starred,omitempty"`
	CreatedAt    time.Time `json:"created_at"`
	LastActivity time.Time `json:"last_activity"`
	// RunningTurnID is the turn now queued or running, if any.
	RunningTurnID string `json:"running_turn_id,omitempty"`
}

// MessageState says how the turn that made a message ended.
type MessageState string

// The states of a message. A user's message is always ok.
const (
	MessageOK        MessageState = "ok"
	MessageFailed    MessageState = "failed"
	MessageCancelled MessageState = "cancelled"
)

// Message is one user message, or the answer to it. The answer is stored as a
// placeholder that is not Ready when its turn starts, and filled when it ends.
type Message struct {
	ID        string       `json:"message_id"`
	ChatID    string       `json:"chat_id"`
	TurnID    string       `json:"turn_id"`
	Role      Role         `json:"role"`
	Content   string       `json:"content"`
	Ready     bool         `json:"ready"`
	State     MessageState `json:"state"`
	Error     *Failure     `json:"error,omitempty"`
	Citations []Citation   `json:"citations,omitempty"`
	// FileIDs are the files that a question was about.
	FileIDs []string `json:"file_ids,omitempty"`
	Usage   Usage    `json:"-"`
	// Rating is 1, -1, or 0 when the person gave none.
	Rating       int    `json:"rating,omitempty"`
	Reported     bool   `json:"reported,omitempty"`
	ReportReason string `json:"report_reason,omitempty"`
	// Metadata is opaque: what a client that only stores messages wants back.
	Metadata  string    `json:"metadata,omitempty"`
	CreatedAt time.Time `json:"created_at"`
}

// Failure is why a turn failed, in words fit for a person.
type Failure struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`
}

// The kinds of citations.
const (
	CitesConversation = "conversation" // by a marker [N]
	CitesPage         = "page"         // of a file, by a reference [Page](FileID)
)

// Citation points from a marker in an answer to the span that carries it.
type Citation struct {
	N              int    `json:"n"`
	Kind           string `json:"kind"`
	ConversationID string `json:"conversation_id,omitempty"`
	SegmentID      string `json:"segment_id,omitempty"`
	FileID         string `json:"file_id,omitempty"`
	Page           int    `json:"page,omitempty"`
	ChunkID        string `json:"chunk_id,omitempty"`

	Title   string    `json:"title,omitempty"`
	Emoji   string    `json:"emoji,omitempty"`
	Speaker string    `json:"speaker,omitempty"`
	At      time.Time `json:"at,omitzero"`
	Quote   string    `json:"quote,omitempty"`
}

// Source is the id of what is cited, a conversation's or a file's.
func (c Citation) Source() string {
	if c.Kind == CitesPage {
		return c.FileID
	}
	return c.ConversationID
}

// Span tells apart what is cited: a segment of a conversation, or a chunk of a file.
func (c Citation) Span() [2]string {
	if c.Kind == CitesPage {
		return [2]string{c.FileID, c.ChunkID}
	}
	return [2]string{c.ConversationID, c.SegmentID}
}

// Usage counts the tokens of one or more model calls. Input includes the
// cached part, so Total is input plus output and counts nothing twice.
type Usage struct {
	Input  int `json:"input_tokens"`
	Cached int `json:"cached_input_tokens"`
	Output int `json:"output_tokens"`
	Total  int `json:"total_tokens"`
}

// Add returns the sum of two usages.
func (u Usage) Add(v Usage) Usage {
	return Usage{Input: u.Input + v.Input, Cached: u.Cached + v.Cached, Output: u.Output + v.Output, Total: u.Total + v.Total}
}
