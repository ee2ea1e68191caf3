package todo

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"confidant/internal/chat"
	"confidant/internal/tool"
	"confidant/internal/tool/argument"
)

// GetActionItems lists tasks.
type GetActionItems struct {
	Tasks         chat.Tasks
	Conversations Conversations
}

var _ tool.Tool = GetActionItems{}

// The limits of get_action_items_tool.
const (
	getDefault    = 50
	getMost       = 200
	getOffsetMost = 100_000
)

// Spec implements tool.Tool.
func (GetActionItems) Spec() tool.Spec {
	return tool.Spec{
		Name:        "get_action_items_tool",
		Description: "Returns the person's action items (tasks, to-dos) with their ids: those with a due time first, by that, then the newest. For what is to be done today or this week use due_start_date and due_end_date.",
		Label:       "Checking action items",
		Idempotent:  true,
		Parameters: argument.Object("",
			fmt.Sprintf(`"limit":{"type":"integer","minimum":1,"description":"How many action items; default %d, at most %d."}`, getDefault, getMost),
			fmt.Sprintf(`"offset":{"type":"integer","minimum":0,"maximum":%d,"description":"How many to skip, to go on after a truncated result."}`, getOffsetMost),
			`"completed":{"type":"boolean","description":"Only those that are done (true) or open (false). Default both."}`,
			`"conversation_id":{"type":"string","description":"Only those that came up in this conversation."}`,
			`"start_date":{"type":"string","description":"Only those noted at or after this time. ISO 8601 with an offset, such as 2024-01-19T00:00:00-08:00."}`,
			`"end_date":{"type":"string","description":"Only those noted before this time. ISO 8601 with an offset."}`,
			`"due_start_date":{"type":"string","description":"Only those due at or after this time. ISO 8601 with an offset."}`,
			`"due_end_date":{"type":"string","description":"Only those due before this time. ISO 8601 with an offset."}`),
	}
}

type getArguments struct {
	argument.Window
	DueStart     string `json:"due_start_date"`
	DueEnd       string `json:"due_end_date"`
	Limit        int    `json:"limit"`
	Offset       int    `json:"offset"`
	Completed    *bool  `json:"completed"`
	Conversation string `json:"conversation_id"`
}

// Run implements tool.Tool.
func (t GetActionItems) Run(ctx context.Context, call tool.Call) (tool.Result, error) {
	args, err := argument.Decode[getArguments](call)
	if err != nil {
		return tool.Result{}, err
	}
	q := chat.TaskQuery{Completed: args.Completed, ConversationID: args.Conversation, Offset: args.Offset}
	if q.CreatedFrom, q.CreatedUntil, err = args.Parse(); err != nil {
		return tool.Result{}, err
	}
	if q.DueFrom, q.DueUntil, err = argument.Range("due_start_date", args.DueStart, "due_end_date", args.DueEnd); err != nil {
		return tool.Result{}, err
	}
	var notes []string
	limit := args.Limit
	if limit == 0 {
		limit = getDefault
	}
	if limit > getMost {
		limit = getMost
		notes = append(notes, fmt.Sprintf("The limit was cut to %d.", getMost))
	}
	q.Limit = limit + 1
	found, err := t.Tasks.Tasks(ctx, call.UserID, q)
	if err != nil {
		return tool.Result{}, fmt.Errorf("list tasks: %w", err)
	}
	if len(found) > limit {
		found = found[:limit]
		notes = append(notes, fmt.Sprintf("There are more. Call again with offset %d, or with narrower dates.", args.Offset+limit))
	}
	list, err := t.unlocked(ctx, call, found)
	if err != nil {
		return tool.Result{}, err
	}
	room := argument.Budget{Left: argument.MaxCharacters}
	shown := []item{}
	for i, task := range list {
		if !room.Take(task.Description + task.ID + task.ConversationID) {
			notes = []string{fmt.Sprintf("Truncated at %d characters. Call again with limit %d.", argument.MaxCharacters, i)}
			break
		}
		shown = append(shown, show(task, call.Zone))
	}
	if len(list) == 0 {
		notes = append(notes, "There is no such action item.")
	}
	return tool.Result{Content: map[string]any{"action_items": shown, "note": strings.Join(notes, " ")}, Display: true}, nil
}

// unlocked leaves out the tasks of locked conversations, which tools do not read.
func (t GetActionItems) unlocked(ctx context.Context, call tool.Call, found []chat.Task) ([]chat.Task, error) {
	locked := map[string]bool{}
	var list []chat.Task
	for _, task := range found {
		id := task.ConversationID
		if _, known := locked[id]; !known && id != "" {
			c, err := t.Conversations.Conversation(ctx, call.UserID, id)
			if err != nil && !errors.Is(err, chat.ErrNotFound) {
				return nil, fmt.Errorf("read conversation: %w", err)
			}
			locked[id] = c.Locked
		}
		if !locked[id] {
			list = append(list, task)
		}
	}
	return list, nil
}
