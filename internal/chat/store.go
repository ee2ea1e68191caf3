package chat

import "context"

// Page asks for a part of a list. Cursor is opaque: the id of the last record of
// the page before, empty for the first page.
type Page struct {
	Cursor string
	Limit  int
}

// Chats keeps chats and their messages. A chat of another person is
// ErrForbidden to ask for by id, which most callers render as ErrNotFound.
type Chats interface {
	Chat(ctx context.Context, userID, chatID string) (Chat, error)
	// ChatByKey returns the person's chat of that key, or ErrNotFound.
	ChatByKey(ctx context.Context, userID, key string) (Chat, error)
	// Chats returns listed chats, the last active first, and the next cursor, "" at the end.
	Chats(ctx context.Context, userID string, page Page) ([]Chat, string, error)
	RenameChat(ctx context.Context, userID, chatID, title string) (Chat, error)
	// DeleteChat removes the chat with its messages, turns and logs.
	DeleteChat(ctx context.Context, userID, chatID string) error
}

// Messages reads the messages of a chat that were not superseded.
type Messages interface {
	// Messages returns a page, newest first, and the next cursor, "" at the end.
	Messages(ctx context.Context, userID, chatID string, page Page) ([]Message, string, error)
	Message(ctx context.Context, userID, messageID string) (Message, error)
}
