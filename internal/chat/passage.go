package chat

import (
	"context"
	"iter"
	"time"
)

// PassageKind says what a passage is part of.
type PassageKind uint8

// The kinds of passages.
const (
	PassageSegment PassageKind = iota // one turn of a recorded conversation
	PassageSummary                    // its title and overview; GroupID is the conversation, Position -2: nobody's neighbour
	PassageFact                       // a fact that holds; GroupID and Ref are its id
	PassageTask                       // a task; likewise
	PassageEvent                      // an event of the calendar; likewise
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
