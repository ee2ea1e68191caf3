package chat

import (
	"context"
	"iter"
	"slices"
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

	// A chunk of a file; GroupID is the file, Speaker the headings that it stands
	// under. Each type of ChunkTypes is a kind, so that a type is searched for as
	// fast as a kind.
	PassageDefinition
	PassageQuestion
	PassageAnswer
	PassageQuestionAnswer
	PassageOther

	PassageFile // a file's name and summary; GroupID is the file, Position -2
)

// ChunkKinds are the kinds of chunks, in the order of ChunkTypes.
var ChunkKinds = []PassageKind{PassageDefinition, PassageQuestion, PassageAnswer, PassageQuestionAnswer, PassageOther}

// KindOf is the kind of a chunk of this type.
func KindOf(t ChunkType) PassageKind {
	if i := slices.Index(ChunkTypes, t); i >= 0 {
		return ChunkKinds[i]
	}
	return PassageOther
}

// ChunkType is the type of a kind of chunks, empty for other kinds.
func (k PassageKind) ChunkType() ChunkType {
	if i := slices.Index(ChunkKinds, k); i >= 0 {
		return ChunkTypes[i]
	}
	return ""
}

// Shelf is one of a person's indexes. They are kept apart, so that none crowds
// another out, nor spoils the weights of its words.
type Shelf uint8

// The shelves.
const (
	ShelfSaid    Shelf = iota // segments of conversations
	ShelfDerived              // what was made of them, and of files
	ShelfWritten              // chunks of files
)

// Shelves lists them.
var Shelves = []Shelf{ShelfSaid, ShelfDerived, ShelfWritten}

// Shelf is where passages of the kind stand.
func (k PassageKind) Shelf() Shelf {
	switch {
	case k == PassageSegment:
		return ShelfSaid
	case k >= PassageDefinition && k <= PassageOther:
		return ShelfWritten
	}
	return ShelfDerived
}

// Derived reports whether passages of the kind were made of others. Those that
// were not have neighbours: what was said, or written, around them.
func (k PassageKind) Derived() bool { return k.Shelf() == ShelfDerived }

// Passage is the unit that search finds: a piece of text with its place and time.
type Passage struct {
	// ID is the store's own, ascending within a group.
	ID     int64
	UserID string
	Kind   PassageKind
	// GroupID is the conversation or the file; Ref the segment or the chunk; Position
	// its place in the group.
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
	Terms []string
	// Passages says how many have each of the terms, if the caller knows it from
	// Frequencies; otherwise the store counts.
	Passages []int
	// Phrases are words in their order; a passage has all of them.
	Phrases []string
	// Kinds and GroupIDs limit what is found; none means all.
	Kinds       []PassageKind
	GroupIDs    []string
	From, Until time.Time
	Limit       int
}

// Frequencies are what the weight of a word is made of.
type Frequencies struct {
	// Passages is how many there are, Length how many words one has on average. Those
	// that were deleted may be among them.
	Passages int
	Length   float64
	// Of is how many passages have each of the terms.
	Of []int
}

// Words finds passages by word.
type Words interface {
	// Lexical ranks by BM25 over the person's own passages. Hidden ones, of what is
	// locked or not published, may be among them; reading them leaves those out.
	Lexical(ctx context.Context, q LexicalQuery) ([]Scored, error)
	// Frequencies counts among the person's passages of one shelf.
	Frequencies(ctx context.Context, userID string, shelf Shelf, terms []string) (Frequencies, error)
}

// Passages reads passages.
type Passages interface {
	// Passages returns those of the given ids that are the person's, in no order.
	Passages(ctx context.Context, userID string, ids []int64) ([]Passage, error)
	// Around returns the segments, or the chunks, of the group at positions from ≤ p
	// ≤ until, in order.
	Around(ctx context.Context, userID, groupID string, from, until int) ([]Passage, error)
	// Neighbourhood returns the passages of the given ids and those up to reach
	// places before and after them, each once, in no order.
	Neighbourhood(ctx context.Context, userID string, ids []int64, reach int) ([]Passage, error)
	// Members returns the ids of all passages of the groups.
	Members(ctx context.Context, userID string, groupIDs []string) ([]int64, error)
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

// VectorModels are the embedders that vectors are kept of.
type VectorModels interface {
	// VectorModels returns their names, the one with the most vectors first.
	VectorModels(ctx context.Context) ([]string, error)
	// DropVectors deletes some vectors of a model, and reports whether there are more.
	DropVectors(ctx context.Context, model string) (more bool, err error)
}
