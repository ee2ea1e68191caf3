package chat

import (
	"context"
	"iter"
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

// PassageKind says what a passage is part of.
type PassageKind uint8

// The kinds of passages.
const (
	PassageSegment PassageKind = iota // one turn of a recorded conversation
)

// Passage is the unit that search finds: a piece of text with its place and time.
type Passage struct {
	// ID is the store's own, ascending within a group.
	ID     int64
	UserID string
	Kind   PassageKind
	// GroupID is the conversation; Ref the segment; Position its place in the group.
	GroupID  string
	Ref      string
	Position int
	Title    string
	Speaker  string
	Text     string
	At       time.Time
}

// Scored is a passage's id with a score, larger is better.
type Scored struct {
	ID    int64
	Score float64
}

// LexicalQuery asks for passages by their words.
type LexicalQuery struct {
	UserID string
	// Terms are words as a person wrote them; any may match.
	Terms       []string
	Kinds       []PassageKind
	From, Until time.Time
	Limit       int
}

// Passages finds passages by word and reads them.
type Passages interface {
	// Lexical ranks by BM25 over the person's own passages.
	Lexical(ctx context.Context, q LexicalQuery) ([]Scored, error)
	// Passages returns those of the given ids that are the person's, in no order.
	Passages(ctx context.Context, userID string, ids []int64) ([]Passage, error)
	// Around returns those of the group at positions from ≤ p ≤ until, in order.
	Around(ctx context.Context, userID, groupID string, from, until int) ([]Passage, error)
}

// Vector is the embedding of a passage.
type Vector struct {
	ID     int64
	UserID string
	Kind   PassageKind
	At     time.Time
	Data   []float32
}

// Vectors keeps the embeddings of passages, apart for each model.
type Vectors interface {
	// Unembedded returns passages that have no vector of the model, oldest first.
	Unembedded(ctx context.Context, model string, limit int) ([]Passage, error)
	PutVectors(ctx context.Context, model string, vectors []Vector) error
	// LoadVectors yields all vectors of a person.
	LoadVectors(ctx context.Context, model, userID string) iter.Seq2[Vector, error]
	// ExactVectors returns the vectors of ids, in their order, nil for one that is gone.
	ExactVectors(ctx context.Context, model string, ids []int64) ([][]float32, error)
	// Pending counts the passages that have no vector of the model.
	Pending(ctx context.Context, model string) (int, error)
}
