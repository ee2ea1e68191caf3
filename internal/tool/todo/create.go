package todo

import (
	"context"
	"errors"
	"fmt"

	"confidant/internal/chat"
	"confidant/internal/ident"
	"confidant/internal/tool"
	"confidant/internal/tool/argument"
)

// CreateActionItem notes down a task.
type CreateActionItem struct {
	Tasks         chat.Tasks
	Conversations Conversations
}

var _ tool.Tool = CreateActionItem{}

// Spec implements tool.Tool.
func (CreateActionItem) Spec() tool.Spec {
	return tool.Spec{
		Name:        "create_action_item_tool",
		Description: "Notes down an action item. Use it only when the person asks for it in so many words, such as \"remind me to\" or \"add a task\".",
		Label:       "Creating action item",
		// The task's id comes of the call, so that a call that is repeated after a
		// crash finds the task that it made.
		Idempotent: true,
		Parameters: argument.Object(`"description"`,
			`"description":{"type":"string","minLength":1,"description":"What is to be done, in 5 to 10 words, beginning with a verb."}`,
			`"due_at":{"type":"string","description":"When it is due. ISO 8601 with an offset, such as 2024-01-19T17:00:00-08:00. Leave it out when the person named no time."}`,
			`"conversation_id":{"type":"string","description":"The conversation that it came up in, if it is known."}`),
	}
}

// Run implements tool.Tool. A task without a due time stays without one: a
// default of a day, as Omi once had, made tasks vanish from the list when it had
// passed (facts/omi.md section 5, C).
func (t CreateActionItem) Run(ctx context.Context, call tool.Call) (tool.Result, error) {
	args, err := argument.Decode[struct {
		Description  string `json:"description"`
		DueAt        string `json:"due_at"`
		Conversation string `json:"conversation_id"`
	}](call)
	if err != nil {
		return tool.Result{}, err
	}
	task := chat.Task{ID: ident.Derive(call.TurnID, call.ID), ConversationID: args.Conversation, CreatedAt: call.Now.UTC(), UpdatedAt: call.Now.UTC()}
	if task.Description, err = description(args.Description); err != nil {
		return tool.Result{}, err
	}
	if task.DueAt, err = due(call, args.DueAt); err != nil {
		return tool.Result{}, err
	}
	if task.ConversationID != "" {
		if _, err := t.Conversations.Conversation(ctx, call.UserID, task.ConversationID); errors.Is(err, chat.ErrNotFound) {
			return tool.Result{}, tool.Problem("There is no conversation with this conversation_id. Leave it out, or take one from a result.")
		} else if err != nil {
			return tool.Result{}, fmt.Errorf("read conversation: %w", err)
		}
	}
	if made, err := t.Tasks.Task(ctx, call.UserID, task.ID); err == nil {
		task = made
	} else if !errors.Is(err, chat.ErrNotFound) {
		return tool.Result{}, fmt.Errorf("read task: %w", err)
	} else if err := t.Tasks.SaveTasks(ctx, call.UserID, chat.Changes[chat.Task]{Put: []chat.Task{task}}); err != nil {
		return tool.Result{}, fmt.Errorf("save task: %w", err)
	}
	return tool.Result{Content: map[string]any{"action_item": show(task, call.Zone), "note": "It is noted down."}, Display: true}, nil
}
