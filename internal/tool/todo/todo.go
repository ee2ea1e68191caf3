// Package todo has the tools for what the person has to do: Omi's "action items"
// (seeds/omi-chat-system.txt, facts/omi.md section 5).
package todo

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"confidant/internal/chat"
	"confidant/internal/tool"
	"confidant/internal/tool/argument"
)

// Conversations tells what a task was said in.
type Conversations interface {
	Conversation(ctx context.Context, userID, id string) (chat.Conversation, error)
}

// item is how a task is shown to the model.
type item struct {
	ID             string `json:"action_item_id"`
	Description    string `json:"description"`
	Completed      bool   `json:"completed"`
	DueAt          string `json:"due_at,omitempty"`
	CreatedAt      string `json:"created_at,omitempty"`
	CompletedAt    string `json:"completed_at,omitempty"`
	ConversationID string `json:"conversation_id,omitempty"`
}

func show(t chat.Task, zone *time.Location) item {
	return item{
		ID: t.ID, Description: t.Description, Completed: t.Completed, ConversationID: t.ConversationID,
		DueAt: argument.ShowTime(t.DueAt, zone), CreatedAt: argument.ShowTime(t.CreatedAt, zone), CompletedAt: argument.ShowTime(t.CompletedAt, zone),
	}
}

// MaxDescription is how many characters a task may have.
const MaxDescription = 1000

func description(text string) (string, error) {
	text = strings.Join(strings.Fields(text), " ")
	if text == "" {
		return "", tool.Problem("description is empty. Say in 5 to 10 words what is to be done.")
	}
	if n := utf8.RuneCountInString(text); n > MaxDescription {
		return "", tool.Problem(fmt.Sprintf("description has %d characters; the limit is %d (task_characters). Say it in 5 to 10 words.", n, MaxDescription))
	}
	return text, nil
}

// due reads when a task is due. What was due more than a day ago is a slip of the
// model: nobody notes down what is late already.
func due(call tool.Call, text string) (time.Time, error) {
	at, err := argument.Time("due_at", text)
	if err == nil && !at.IsZero() && at.Before(call.Now.AddDate(0, 0, -1)) {
		err = tool.Problem(fmt.Sprintf("due_at is in the past; it is %s now. Give a time to come, or none.", argument.ShowTime(call.Now, call.Zone)))
	}
	return at.UTC(), err
}

// missing is err in words for the model when there is no such task.
func missing(err error, id string) error {
	if errors.Is(err, chat.ErrNotFound) {
		return tool.Problem(fmt.Sprintf("There is no action item %.60q. List them with get_action_items_tool and take an action_item_id from there.", id))
	}
	return err
}
