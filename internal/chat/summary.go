package chat

import (
	"context"
	"time"
)

// Summary is what the older messages of a chat come to. A chat has one, which
// grows as more messages leave the part that the model sees.
type Summary struct {
	ChatID string
	Text   string
	// Covers is the id of the last message that the text includes; it includes all
	// those before it too.
	Covers string
	// Prompt is the version of the prompt that made it.
	Prompt string
	At     time.Time
}

// Summaries keeps summaries. One is removed with its chat, when the chat is
// cleared, and when a message that it covers is superseded.
type Summaries interface {
	// Summary returns the summary of the person's chat, or ErrNotFound.
	Summary(ctx context.Context, userID, chatID string) (Summary, error)
	// SaveSummary stores it in the place of the one before. ErrConflict when the
	// message that it covers is not a visible one of the chat any more.
	SaveSummary(ctx context.Context, userID string, s Summary) error
}
