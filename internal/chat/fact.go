package chat

import (
	"context"
	"time"
)

// FactCategory says what kind of fact it is (seeds/omi-chat-system.txt).
type FactCategory string

// The categories of facts.
const (
	FactInteresting FactCategory = "interesting" // advice and stories of others, with their source
	FactSystem      FactCategory = "system"      // preferences, habits, what the person is like
	FactManual      FactCategory = "manual"      // what the person wrote down themselves
)

// Fact is something that holds about a person: Omi's "memory". It is never
// overwritten: a newer one supersedes it, and it stays to be seen.
type Fact struct {
	ID       string       `json:"memory_id"`
	UserID   string       `json:"-"`
	Content  string       `json:"content"`
	Category FactCategory `json:"category"`
	Tags     []string     `json:"tags,omitempty"`
	// ConversationID and SegmentIDs are the span it came from; empty for manual ones.
	ConversationID string   `json:"conversation_id,omitempty"`
	SegmentIDs     []string `json:"segment_ids,omitempty"`

	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
	// ValidFrom is when it was said. ValidTo is zero while it holds.
	ValidFrom    time.Time `json:"valid_from"`
	ValidTo      time.Time `json:"valid_to,omitzero"`
	SupersededBy string    `json:"superseded_by,omitempty"`

	Manual bool       `json:"manually_added"`
	Edited bool       `json:"edited"`
	Pinned bool       `json:"pinned"`
	Review Review     `json:"review,omitempty"`
	Shown  Visibility `json:"visibility"`
	Locked bool       `json:"locked"`
	// Revision counts the changes. A save that carries an older one is ErrConflict.
	Revision int64 `json:"revision"`
}

// Review is what the person said of a fact that was found for them.
type Review string

// The reviews. A rejected fact is kept, so that it is not found again, and
// appears nowhere but in the list of rejected ones.
const (
	Unreviewed Review = ""
	Kept       Review = "kept"
	Rejected   Review = "rejected"
)

// Holds reports whether the fact counts: not superseded, and not rejected.
func (f Fact) Holds() bool { return f.ValidTo.IsZero() && f.Review != Rejected }

// FactQuery selects facts, the newest first; pinned ones come before all others.
type FactQuery struct {
	// All selects also those that do not hold any more.
	All bool
	// Pinned selects only these; ConversationID those of one conversation.
	Pinned         bool
	ConversationID string
	// SupersededBy selects those that this fact has superseded.
	SupersededBy string
	// From and Until bound CreatedAt, from ≤ t < until; zero means open.
	From, Until   time.Time
	Limit, Offset int
}

// Facts keeps facts. A fact of another person is ErrNotFound.
type Facts interface {
	Fact(ctx context.Context, userID, id string) (Fact, error)
	Facts(ctx context.Context, userID string, q FactQuery) ([]Fact, error)
	// SaveFacts stores changes in one transaction.
	SaveFacts(ctx context.Context, userID string, changes Changes[Fact]) error
}

// Changes are records to store and ids to remove, together or not at all. A
// record whose Revision is not the stored one (0 for a new one) is ErrConflict;
// a stored record has the next revision. Removing what is not there is no error.
type Changes[T any] struct {
	Put    []T
	Remove []string
}
