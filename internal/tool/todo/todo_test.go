package todo_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"confidant/internal/chat"
	"confidant/internal/ident"
	"confidant/internal/store/sqlite"
	"confidant/internal/store/sqlite/sqlitetest"
	"confidant/internal/tool"
	"confidant/internal/tool/todo"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// desk has the tools over a real store.
type desk struct {
	*testing.T
	store *sqlite.Store
	tools *tool.Registry
	user  string
	other string
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	store := sqlitetest.Open(t)
	d := &desk{T: t, store: store}
	for name, id := range map[string]*string{"ana": &d.user, "bob": &d.other} {
		*id = sqlitetest.User(t, store, name).ID
	}
	var err error
	if d.tools, err = tool.NewRegistry(todo.GetActionItems{Tasks: store, Conversations: store}, todo.CreateActionItem{Tasks: store, Conversations: store}, todo.UpdateActionItem{Tasks: store}); err != nil {
		t.Fatal(err)
	}
	return d
}

type item struct {
	ID          string `json:"action_item_id"`
	Description string `json:"description"`
	Completed   bool   `json:"completed"`
	DueAt       string `json:"due_at"`
	CompletedAt string `json:"completed_at"`
}

type reply struct {
	Items []item `json:"action_items"`
	Item  item   `json:"action_item"`
	Note  string `json:"note"`
}

// call runs a tool as the loop does.
func (d *desk) call(user, name, arguments string) (reply, error) {
	d.Helper()
	checked, err := d.tools.Check(name, arguments)
	if err != nil {
		return reply{}, err
	}
	tl, _ := d.tools.Find(name)
	res, err := tl.Run(d.Context(), tool.Call{ID: "call_1", TurnID: arguments, UserID: user, Arguments: checked, Now: now, Zone: time.FixedZone("", 9*3600)})
	if err != nil {
		if _, ok := errors.AsType[tool.Problem](err); !ok {
			d.Fatalf("%s%s: %v", name, arguments, err)
		}
		return reply{}, err
	}
	data, err := json.Marshal(res.Content)
	if err != nil {
		d.Fatal(err)
	}
	var r reply
	if err := json.Unmarshal(data, &r); err != nil {
		d.Fatal(err)
	}
	return r, nil
}

func TestCreateGetUpdate(t *testing.T) {
	d := newDesk(t)
	const bread = `{"description":" Buy  bread ","due_at":"2026-03-02T18:00:00+09:00"}`
	made, err := d.call(d.user, "create_action_item_tool", bread)
	if err != nil || made.Item.Description != "Buy bread" || made.Item.DueAt != "2026-03-02T18:00:00+09:00" {
		t.Fatalf("%+v, %v", made, err)
	}
	if again, err := d.call(d.user, "create_action_item_tool", bread); err != nil || again.Item != made.Item {
		t.Errorf("the same call again: %+v, %v", again, err)
	}
	if undated, err := d.call(d.user, "create_action_item_tool", `{"description":"Learn Portuguese"}`); err != nil || undated.Item.DueAt != "" {
		t.Errorf("a task without a due time got one: %+v, %v", undated, err)
	}
	all, err := d.call(d.user, "get_action_items_tool", `{}`)
	if err != nil || len(all.Items) != 2 || all.Items[0] != made.Item {
		t.Fatalf("%+v, %v", all, err)
	}
	done, err := d.call(d.user, "update_action_item_tool", `{"action_item_id":"`+made.Item.ID+`","completed":true,"description":"Buy rye bread"}`)
	if err != nil || !done.Item.Completed || done.Item.CompletedAt != "2026-03-01T21:00:00+09:00" || done.Item.Description != "Buy rye bread" || done.Item.DueAt == "" {
		t.Errorf("%+v, %v", done, err)
	}
	stored, err := d.store.Task(t.Context(), d.user, made.Item.ID)
	if err != nil || !stored.Edited || stored.Revision != 2 {
		t.Errorf("stored %+v, %v", stored, err)
	}
	for arguments, want := range map[string]int{
		`{"completed":false}`: 1, `{"completed":true}`: 1, `{"due_start_date":"2026-03-02T00:00:00+09:00","due_end_date":"2026-03-03T00:00:00+09:00"}`: 1,
		`{"due_start_date":"2026-03-03T00:00:00+09:00"}`: 0, `{"start_date":"2026-03-01T12:00:00Z"}`: 2, `{"end_date":"2026-03-01T12:00:00Z"}`: 0, `{"conversation_id":"c"}`: 0,
	} {
		if r, err := d.call(d.user, "get_action_items_tool", arguments); err != nil || len(r.Items) != want || want == 0 && !strings.Contains(r.Note, "no such") {
			t.Errorf("%s: %+v, %v; want %d", arguments, r, err, want)
		}
	}
	if r, err := d.call(d.other, "get_action_items_tool", `{}`); err != nil || len(r.Items) != 0 {
		t.Errorf("another person sees %+v, %v", r, err)
	}
	if _, err := d.call(d.other, "update_action_item_tool", `{"action_item_id":"`+made.Item.ID+`","completed":true}`); err == nil || !strings.Contains(err.Error(), "no action item") {
		t.Errorf("another person updates: %v", err)
	}
}

func TestProblems(t *testing.T) {
	d := newDesk(t)
	for _, test := range []struct{ name, arguments, want string }{
		{"create_action_item_tool", `{"description":"x","due_at":"2026-03-02"}`, "no time zone"},
		{"create_action_item_tool", `{"description":"x","due_at":"tomorrow"}`, "not an ISO 8601 date"},
		{"create_action_item_tool", `{"description":"x","due_at":"2026-02-28T11:00:00Z"}`, "in the past"},
		{"create_action_item_tool", `{"description":"   "}`, "empty"},
		{"create_action_item_tool", `{"description":"` + strings.Repeat("x", 2000) + `"}`, "limit is 1000 (task_characters)"},
		{"create_action_item_tool", `{"description":"x","conversation_id":"nope"}`, "no conversation"},
		{"update_action_item_tool", `{"action_item_id":"x"}`, "Nothing to change"},
		{"update_action_item_tool", `{"action_item_id":"x","completed":true}`, "get_action_items_tool"},
		{"get_action_items_tool", `{"due_start_date":"2026-03-02T00:00:00Z","due_end_date":"2026-03-01T00:00:00Z"}`, "due_end_date is before due_start_date"},
		{"get_action_items_tool", `{"start_date":"2026-03-02"}`, "start_date has no time zone"},
		{"get_action_items_tool", `{"limit":0}`, "/limit"},
	} {
		if _, err := d.call(d.user, test.name, test.arguments); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s(%.80s): %v, want %q", test.name, test.arguments, err, test.want)
		}
	}
	if _, err := d.call(d.user, "create_action_item_tool", `{"description":"late today","due_at":"2026-02-28T13:00:00Z"}`); err != nil {
		t.Errorf("due less than a day ago: %v", err)
	}
}

func TestListsAreBounded(t *testing.T) {
	d := newDesk(t)
	var tasks []chat.Task
	for i := range 300 {
		tasks = append(tasks, chat.Task{ID: ident.New(), Description: fmt.Sprint(i, strings.Repeat("x", 500)), CreatedAt: now})
	}
	if err := d.store.SaveTasks(t.Context(), d.user, chat.Changes[chat.Task]{Put: tasks}); err != nil {
		t.Fatal(err)
	}
	if r, err := d.call(d.user, "get_action_items_tool", `{}`); err != nil || len(r.Items) != 50 || !strings.Contains(r.Note, "offset 50") {
		t.Errorf("%d items, %q, %v", len(r.Items), r.Note, err)
	}
	r, err := d.call(d.user, "get_action_items_tool", `{"limit":5000}`)
	if err != nil || len(r.Items) > 120 || !strings.Contains(r.Note, "Truncated at 60000 characters") {
		t.Errorf("%d items, %q, %v", len(r.Items), r.Note, err)
	}
}

func TestTasksOfLockedConversationsAreNotRead(t *testing.T) {
	d := newDesk(t)
	c := chat.Conversation{ID: ident.New(), UserID: d.user, Title: "secret", StartedAt: now, CreatedAt: now, Locked: true, Fingerprint: "f"}
	if _, _, err := d.store.PutConversation(t.Context(), c, []chat.Segment{{ID: chat.SegmentID(c.ID, 0), Text: "x"}}, nil); err != nil {
		t.Fatal(err)
	}
	if err := d.store.SaveTasks(t.Context(), d.user, chat.Changes[chat.Task]{Put: []chat.Task{{ID: ident.New(), Description: "hidden", ConversationID: c.ID, CreatedAt: now}, {ID: ident.New(), Description: "open", CreatedAt: now}}}); err != nil {
		t.Fatal(err)
	}
	if r, err := d.call(d.user, "get_action_items_tool", `{}`); err != nil || len(r.Items) != 1 || r.Items[0].Description != "open" {
		t.Errorf("%+v, %v", r, err)
	}
}
