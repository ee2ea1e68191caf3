package todo

import (
	"context"
	"errors"
	"fmt"

	"confidant/internal/chat"
	"confidant/internal/tool"
	"confidant/internal/tool/argument"
)

// UpdateActionItem changes a task or marks it done.
type UpdateActionItem struct{ Tasks chat.Tasks }

var _ tool.Tool = UpdateActionItem{}

// Spec implements tool.Tool.
func (UpdateActionItem) Spec() tool.Spec {
	return tool.Spec{
		Name:        "update_action_item_tool",
		Description: "Marks an action item done or open, or changes its description or due time. List them first with get_action_items_tool to have its id.",
		Label:       "Updating action item",
		Idempotent:  true, // it says how the task is to be, not by how much it changes
		Parameters: argument.Object(`"action_item_id"`,
			`"action_item_id":{"type":"string","minLength":1,"description":"The id, from get_action_items_tool."}`,
			`"completed":{"type":"boolean","description":"Whether it is done."}`,
			`"description":{"type":"string","minLength":1,"description":"What is to be done, in 5 to 10 words."}`,
			`"due_at":{"type":"string","description":"When it is due. ISO 8601 with an offset, such as 2024-01-19T17:00:00-08:00."}`),
	}
}

type updateArguments struct {
	ID          string `json:"action_item_id"`
	Completed   *bool  `json:"completed"`
	Description string `json:"description"`
	DueAt       string `json:"due_at"`
}

// Run implements tool.Tool.
func (t UpdateActionItem) Run(ctx context.Context, call tool.Call) (tool.Result, error) {
	args, err := argument.Decode[updateArguments](call)
	if err != nil {
		return tool.Result{}, err
	}
	if args.Completed == nil && args.Description == "" && args.DueAt == "" {
		return tool.Result{}, tool.Problem("Nothing to change was given. Give completed, description or due_at.")
	}
	const tries = 3
	for try := 1; ; try++ {
		task, err := t.update(ctx, call, args)
		if errors.Is(err, chat.ErrConflict) && try < tries {
			continue // it was changed elsewhere meanwhile; the change still holds
		}
		if err != nil {
			return tool.Result{}, missing(err, args.ID)
		}
		return tool.Result{Content: map[string]any{"action_item": show(task, call.Zone), "note": "It is changed."}, Display: true}, nil
	}
}

func (t UpdateActionItem) update(ctx context.Context, call tool.Call, args updateArguments) (chat.Task, error) {
	task, err := t.Tasks.Task(ctx, call.UserID, args.ID)
	if err != nil {
		return task, fmt.Errorf("read task: %w", err)
	}
	if args.Description != "" {
		if task.Description, err = description(args.Description); err != nil {
			return task, err
		}
	}
	if args.DueAt != "" {
		if task.DueAt, err = due(call, args.DueAt); err != nil {
			return task, err
		}
	}
	if args.Completed != nil {
		task.Complete(*args.Completed, call.Now.UTC())
	}
	task.Edited, task.UpdatedAt = true, call.Now.UTC()
	if err := t.Tasks.SaveTasks(ctx, call.UserID, chat.Changes[chat.Task]{Put: []chat.Task{task}}); err != nil {
		return task, fmt.Errorf("save task: %w", err)
	}
	return task, nil
}
