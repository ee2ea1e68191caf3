package chat

import (
	"context"
	"time"
)

// Notes stores what no turn made.
type Notes interface {
	// CreateChat stores an empty chat. ErrConflict when its id or key is taken.
	CreateChat(ctx context.Context, c Chat) error
	// PutMessage stores a message at the end of a chat of the person. ErrForbidden
	// or ErrNotFound as Chats.Chat.
	PutMessage(ctx context.Context, userID string, m Message) error
}

// Marks keeps what a person thinks of chats and answers.
type Marks interface {
	StarChat(ctx context.Context, userID, chatID string, starred bool) (Chat, error)
	// RateMessage stores 1, -1, or 0 for none, with an answer. CodeInvalid for a
	// message of the person's own.
	RateMessage(ctx context.Context, userID, messageID string, rating int) error
	// ReportMessage notes that an answer was reported. CodeInvalid for a message of
	// the person's own, ErrConflict when it was reported before.
	ReportMessage(ctx context.Context, userID, messageID, reason string) error
}

// Clearing hides the messages of a chat, for a time in which they can be shown
// again. What is hidden is in no list, no history and no summary, and its turns
// are ErrNotFound. A chat without other messages is in no list either.
type Clearing interface {
	// ClearChat hides all messages that the chat has.
	ClearChat(ctx context.Context, userID, chatID string, at time.Time) (Cleared, error)
	// RestoreChat shows those again that were hidden at since or later, and returns
	// how many they are.
	RestoreChat(ctx context.Context, userID, chatID string, since time.Time) (int, error)
	// PurgeCleared deletes what was hidden before a time, with its turns and their
	// logs, and chats in which nothing is left. It returns how many messages they were.
	PurgeCleared(ctx context.Context, before time.Time) (int, error)
}

// Cleared is what was hidden: how many messages that could be seen, and the ids of
// the turns that have not ended, whose answers are hidden too.
type Cleared struct {
	Messages int
	Turns    []string
}

// Share lets anybody who has its token read some messages of a person.
type Share struct {
	Hash       [32]byte // SHA-256 of the token, which is never stored
	UserID     string
	MessageIDs []string
	Expires    time.Time
}

// Shares keeps shares.
type Shares interface {
	AddShare(ctx context.Context, s Share) error
	// Share returns the share of a token's hash and the name of its person. ErrNotFound
	// covers expired ones.
	Share(ctx context.Context, hash [32]byte, now time.Time) (Share, string, error)
	// PurgeShares removes expired ones.
	PurgeShares(ctx context.Context, now time.Time) error
}
