package chat

import (
	"context"
	"strconv"
	"strings"
	"time"
)

// Conversation is something that was said, recorded or written down: a meeting,
// a call, a note.
type Conversation struct {
	ID         string    `json:"conversation_id"`
	UserID     string    `json:"-"`
	Title      string    `json:"title"`
	Source     string    `json:"source"`
	StartedAt  time.Time `json:"started_at"`
	FinishedAt time.Time `json:"finished_at"`
	CreatedAt  time.Time `json:"created_at"`
	Speakers   []string  `json:"speakers"`
	Segments   int       `json:"segment_count"`
	// Fingerprint identifies the imported content, so that the same content is
	// stored once for each person.
	Fingerprint string `json:"-"`
}

// Segment is one utterance or paragraph. Start and End are seconds from the
// conversation's StartedAt, negative when unknown.
type Segment struct {
	ID       string  `json:"segment_id"`
	Position int     `json:"position"`
	Speaker  string  `json:"speaker"`
	Text     string  `json:"text"`
	Start    float64 `json:"start"`
	End      float64 `json:"end"`
}

// SegmentID names the segment at a position of a conversation.
func SegmentID(conversationID string, position int) string {
	return conversationID + "." + strconv.Itoa(position)
}

// SegmentPosition reads the position back, false when id is no segment's.
func SegmentPosition(id string) (int, bool) {
	_, text, _ := strings.Cut(id, ".")
	position, err := strconv.Atoi(text)
	return position, err == nil && position >= 0
}

// At is when a segment began, the conversation's start when that is not known,
// and zero when neither is.
func (c Conversation) At(s Segment) time.Time {
	if c.StartedAt.IsZero() || s.Start <= 0 {
		return c.StartedAt
	}
	return c.StartedAt.Add(time.Duration(s.Start * float64(time.Second)))
}

// File is something to import.
type File struct {
	// Name tells its kind, its title when the content has none, and perhaps its date.
	Name string
	// Kind overrides what the name tells, "" and "auto" do not.
	Kind    string
	Content []byte
	// Modified is the date of what has no other; zero when that is not known.
	Modified time.Time
}

// ConversationQuery selects conversations by time, newest first.
type ConversationQuery struct {
	// From and Until bound StartedAt, from ≤ t < until; zero means open.
	From, Until time.Time
	Limit       int
	// Before is the id that ended the previous page.
	Before string
}

// Conversations keeps recorded conversations. A conversation of another person
// is ErrNotFound.
type Conversations interface {
	// PutConversation stores a conversation with its segments in one transaction.
	// When the person has one with the same fingerprint it returns that one, false.
	PutConversation(ctx context.Context, c Conversation, segments []Segment) (Conversation, bool, error)
	Conversation(ctx context.Context, userID, id string) (Conversation, error)
	Conversations(ctx context.Context, userID string, q ConversationQuery) ([]Conversation, error)
	// Segments returns those at positions from ≤ p < until.
	Segments(ctx context.Context, userID, conversationID string, from, until int) ([]Segment, error)
	// DeleteConversation removes it with all that was derived from it.
	DeleteConversation(ctx context.Context, userID, id string) error
}
