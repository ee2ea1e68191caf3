// Package thread does with chats what is no turn: it opens and clears them,
// restores what was cleared, takes in messages that others wrote, and shares some.
package thread

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"confidant/internal/chat"
	"confidant/internal/ident"
)

// Store is what the keeper keeps chats in.
type Store interface {
	chat.Chats
	chat.Messages
	chat.Notes
	chat.Clearing
	chat.Shares
}

// Turns stops turns; see chat.Assistant.
type Turns interface {
	Cancel(ctx context.Context, userID, turnID, by string) error
}

// Greeter finds the words that open a chat, of a persona when one is named. They
// are empty when there is nobody to find them.
type Greeter interface {
	Greet(ctx context.Context, userID, chatID, persona string) (string, error)
}

// Keeper is what keeps chats.
type Keeper struct {
	Store   Store
	Turns   Turns
	Greeter Greeter
	// Cleared is how long a cleared chat can be restored, Shared how long a share
	// can be read.
	Cleared, Shared time.Duration
}

func now() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }

// NewChat stores an empty chat.
func (k *Keeper) NewChat(ctx context.Context, c chat.Chat) (chat.Chat, error) {
	c.ID, c.CreatedAt = ident.New(), now()
	c.LastActivity = c.CreatedAt
	return c, k.Store.CreateChat(ctx, c)
}

// keyed returns the person's chat of a key, made now when there is none.
func (k *Keeper) keyed(ctx context.Context, userID, key string) (chat.Chat, error) {
	c, err := k.Store.ChatByKey(ctx, userID, key)
	if !errors.Is(err, chat.ErrNotFound) {
		return c, err
	}
	c, err = k.NewChat(ctx, chat.Chat{UserID: userID, Key: key})
	if errors.Is(err, chat.ErrConflict) { // somebody else made it meanwhile
		return k.Store.ChatByKey(ctx, userID, key)
	}
	return c, err
}

// Note stores a message at the end of a chat, which is named by its id, or by its
// key when the message has none.
func (k *Keeper) Note(ctx context.Context, userID, key string, m chat.Message) (chat.Message, error) {
	if m.ChatID == "" {
		c, err := k.keyed(ctx, userID, key)
		if err != nil {
			return m, err
		}
		m.ChatID = c.ID
	}
	m.ID, m.CreatedAt, m.Ready, m.State = ident.New(), now(), true, chat.MessageOK
	return m, k.Store.PutMessage(ctx, userID, m)
}

// The words that open a chat when there is no model to find better ones.
const (
	greeting        = "Hello! Ask me about what you recorded and wrote down. I show where I found it."
	personaGreeting = "hey, what's on your mind?"
)

// Greet opens a chat with words that take up what was said in it and what is
// known of the person, and stores them.
func (k *Keeper) Greet(ctx context.Context, userID, key, persona string) (chat.Message, error) {
	c, err := k.keyed(ctx, userID, key)
	if err != nil {
		return chat.Message{}, err
	}
	text, err := k.Greeter.Greet(ctx, userID, c.ID, persona)
	if err != nil {
		return chat.Message{}, err
	}
	if text == "" {
		text = greeting
		if persona != "" {
			text = personaGreeting
		}
	}
	return k.Note(ctx, userID, key, chat.Message{ChatID: c.ID, Role: chat.RoleAssistant, Content: text})
}

// Clear hides the messages of a chat and stops the turns that answer some of them.
// It returns how many messages that were.
func (k *Keeper) Clear(ctx context.Context, userID, chatID, by string) (int, error) {
	cleared, err := k.Store.ClearChat(ctx, userID, chatID, now())
	if err != nil {
		return 0, err
	}
	for _, id := range cleared.Turns {
		if err := k.Turns.Cancel(ctx, userID, id, by); err != nil && !errors.Is(err, chat.ErrNotFound) {
			return cleared.Messages, fmt.Errorf("stop a turn of a cleared chat: %w", err)
		}
	}
	return cleared.Messages, nil
}

// Restore shows again what was cleared and is still kept. It returns how many
// messages that are.
func (k *Keeper) Restore(ctx context.Context, userID, chatID string) (int, error) {
	return k.Store.RestoreChat(ctx, userID, chatID, now().Add(-k.Cleared))
}

// shareMost bounds the messages of one share.
const shareMost = 200

// Share returns the token with which anybody can read the messages for a time. A
// message of another person is ErrNotFound.
func (k *Keeper) Share(ctx context.Context, userID string, ids []string) (string, error) {
	if len(ids) == 0 {
		return "", chat.Fail(chat.CodeInvalid, "message_ids names no message.")
	}
	if len(ids) > shareMost {
		return "", chat.Fail(chat.CodeTooLarge, fmt.Sprintf("message_ids has %d ids; the limit is %d (shared_messages).", len(ids), shareMost))
	}
	for _, id := range ids {
		if _, err := k.Store.Message(ctx, userID, id); err != nil {
			return "", err
		}
	}
	var secret [16]byte
	_, _ = rand.Read(secret[:]) // never fails
	token := hex.EncodeToString(secret[:])
	return token, k.Store.AddShare(ctx, chat.Share{
		Hash: sha256.Sum256([]byte(token)), UserID: userID, MessageIDs: ids, Expires: now().Add(k.Shared),
	})
}

// ReadShare returns the messages of a share as they are now, and who shares them.
// Those that were deleted, cleared, or are not answered yet are left out; a share
// of nothing else is ErrNotFound, as an expired one is.
func (k *Keeper) ReadShare(ctx context.Context, token string) (name string, messages []chat.Message, err error) {
	share, name, err := k.Store.Share(ctx, sha256.Sum256([]byte(token)), now())
	if err != nil {
		return "", nil, err
	}
	for _, id := range share.MessageIDs {
		m, err := k.Store.Message(ctx, share.UserID, id)
		if errors.Is(err, chat.ErrNotFound) || err == nil && !m.Ready {
			continue
		}
		if err != nil {
			return "", nil, err
		}
		messages = append(messages, m)
	}
	if len(messages) == 0 {
		return "", nil, chat.ErrNotFound
	}
	return name, messages, nil
}

// Sweep deletes now and then what was cleared too long ago, and expired shares,
// until ctx ends.
func (k *Keeper) Sweep(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		n, err := k.Store.PurgeCleared(ctx, now().Add(-k.Cleared))
		if err == nil {
			err = k.Store.PurgeShares(ctx, now())
		}
		if err != nil && ctx.Err() == nil {
			slog.ErrorContext(ctx, "purge cleared chats", "error", err)
		}
		if n > 0 {
			slog.InfoContext(ctx, "deleted what was cleared", "messages", n)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}
