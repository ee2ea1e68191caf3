package storetest

import (
	"errors"
	"slices"
	"testing"
	"time"

	"confidant/internal/chat"
	"confidant/internal/ident"
)

func testFacts(t *testing.T, f *fixture) {
	c := f.conversation(f.ana, "talk", start, "one")
	old := chat.Fact{ID: ident.New(), Content: "Lives in Lisbon", Category: chat.FactSystem, CreatedAt: start, ValidFrom: start}
	newer := chat.Fact{ID: ident.New(), Content: "Lives in Porto", Category: chat.FactSystem, ConversationID: c.ID, CreatedAt: start.Add(time.Hour), ValidFrom: start}
	pinned := chat.Fact{ID: ident.New(), Content: "Is allergic to nuts", Category: chat.FactManual, Pinned: true, CreatedAt: start}
	f.ok(f.SaveFacts(f.ctx, f.ana.ID, chat.Changes[chat.Fact]{Put: []chat.Fact{old, newer, pinned}}))
	contents := func(q chat.FactQuery) []string {
		t.Helper()
		q.Limit = 10
		list, err := f.Facts(f.ctx, f.ana.ID, q)
		f.ok(err)
		var contents []string
		for _, fact := range list {
			contents = append(contents, fact.Content)
		}
		return contents
	}
	if got, want := contents(chat.FactQuery{}), []string{"Is allergic to nuts", "Lives in Porto", "Lives in Lisbon"}; !slices.Equal(got, want) {
		t.Errorf("facts %q, want the pinned one and then the newest first: %q", got, want)
	}
	stored, err := f.Fact(f.ctx, f.ana.ID, old.ID)
	f.ok(err)
	if stored.Revision != 1 || stored.UserID != f.ana.ID {
		t.Errorf("stored %+v", stored)
	}

	stored.ValidTo, stored.SupersededBy = start.Add(time.Hour), newer.ID
	f.ok(f.SaveFacts(f.ctx, f.ana.ID, chat.Changes[chat.Fact]{Put: []chat.Fact{stored}}))
	if got := contents(chat.FactQuery{}); slices.Contains(got, "Lives in Lisbon") {
		t.Errorf("a superseded fact is among those that hold: %q", got)
	}
	if got := contents(chat.FactQuery{All: true}); !slices.Contains(got, "Lives in Lisbon") {
		t.Errorf("a superseded fact cannot be seen: %q", got)
	}
	if got := f.found(chat.LexicalQuery{UserID: f.ana.ID, Terms: []string{"lives"}}); !slices.Equal(got, []string{"Lives in Porto"}) {
		t.Errorf("found %q", got)
	}
	if err := f.SaveFacts(f.ctx, f.ana.ID, chat.Changes[chat.Fact]{Put: []chat.Fact{stored}, Remove: []string{pinned.ID}}); !errors.Is(err, chat.ErrConflict) {
		t.Errorf("saving an old revision: %v, want ErrConflict", err)
	}
	if got := contents(chat.FactQuery{Pinned: true}); len(got) != 1 {
		t.Errorf("a change that failed removed something: %q", got)
	}
	if err := f.SaveFacts(f.ctx, f.bob.ID, chat.Changes[chat.Fact]{Remove: []string{pinned.ID}}); err != nil || len(contents(chat.FactQuery{Pinned: true})) != 1 {
		t.Errorf("a foreign fact was removed (%v)", err)
	}
	if err := f.SaveFacts(f.ctx, f.bob.ID, chat.Changes[chat.Fact]{Put: []chat.Fact{newer}}); !errors.Is(err, chat.ErrConflict) {
		t.Errorf("a foreign fact was overwritten: %v", err)
	}

	// With the conversation goes what it brought; what that had superseded holds again.
	f.ok(f.DeleteConversation(f.ctx, f.ana.ID, c.ID))
	if got, want := contents(chat.FactQuery{All: true}), []string{"Is allergic to nuts", "Lives in Lisbon"}; !slices.Equal(got, want) {
		t.Errorf("after deleting the conversation: %q, want %q", got, want)
	}
	if got := f.found(chat.LexicalQuery{UserID: f.ana.ID, Terms: []string{"lives"}}); !slices.Equal(got, []string{"Lives in Lisbon"}) {
		t.Errorf("found %q", got)
	}
}

func testTasks(t *testing.T, f *fixture) {
	done := chat.Task{ID: ident.New(), Description: "Pay rent", Completed: true, CreatedAt: start}
	due := chat.Task{ID: ident.New(), Description: "Call Ana", DueAt: start.Add(48 * time.Hour), CreatedAt: start}
	soon := chat.Task{ID: ident.New(), Description: "Buy bread", DueAt: start.Add(time.Hour), CreatedAt: start}
	f.ok(f.SaveTasks(f.ctx, f.ana.ID, chat.Changes[chat.Task]{Put: []chat.Task{done, due, soon}}))
	open := false
	for name, test := range map[string]struct {
		query chat.TaskQuery
		want  []string
	}{
		"by due time":        {chat.TaskQuery{}, []string{"Buy bread", "Call Ana", "Pay rent"}},
		"open":               {chat.TaskQuery{Completed: &open}, []string{"Buy bread", "Call Ana"}},
		"due":                {chat.TaskQuery{DueFrom: start, DueUntil: start.Add(24 * time.Hour)}, []string{"Buy bread"}},
		"due after":          {chat.TaskQuery{DueFrom: start.Add(2 * time.Hour)}, []string{"Call Ana"}},
		"created before":     {chat.TaskQuery{CreatedUntil: start}, nil},
		"of no conversation": {chat.TaskQuery{ConversationID: "c"}, nil},
		"offset":             {chat.TaskQuery{Offset: 2}, []string{"Pay rent"}},
	} {
		test.query.Limit = 10
		list, err := f.Tasks(f.ctx, f.ana.ID, test.query)
		f.ok(err)
		var got []string
		for _, task := range list {
			got = append(got, task.Description)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
	if _, err := f.Task(f.ctx, f.bob.ID, due.ID); !errors.Is(err, chat.ErrNotFound) {
		t.Errorf("a foreign task: %v", err)
	}
	f.ok(f.SaveTasks(f.ctx, f.ana.ID, chat.Changes[chat.Task]{Remove: []string{due.ID}}))
	if got := f.found(chat.LexicalQuery{UserID: f.ana.ID, Terms: []string{"call", "bread"}}); !slices.Equal(got, []string{"Buy bread"}) {
		t.Errorf("found %q", got)
	}
}

func testCalendar(t *testing.T, f *fixture) {
	event := func(title string, from, last time.Time) chat.CalendarEvent {
		return chat.CalendarEvent{ID: ident.New(), UID: title, Title: title, Start: from, End: from.Add(time.Hour), Last: last, CreatedAt: start}
	}
	weekly := event("weekly", start, time.Time{})
	once := event("once", start.Add(24*time.Hour), start.Add(25*time.Hour))
	past := event("past", start.AddDate(0, -1, 0), start.AddDate(0, -1, 0).Add(time.Hour))
	f.ok(f.SaveCalendarEvents(f.ctx, f.ana.ID, chat.Changes[chat.CalendarEvent]{Put: []chat.CalendarEvent{weekly, once, past}}))
	for name, test := range map[string]struct {
		query chat.EventQuery
		want  []string
	}{
		"all":     {chat.EventQuery{}, []string{"past", "weekly", "once"}},
		"from":    {chat.EventQuery{From: start.AddDate(1, 0, 0)}, []string{"weekly"}},
		"window":  {chat.EventQuery{From: start, Until: start.Add(time.Hour)}, []string{"weekly"}},
		"touches": {chat.EventQuery{From: start.Add(25 * time.Hour), Until: start.Add(26 * time.Hour)}, []string{"weekly"}},
		"uid":     {chat.EventQuery{UID: "once"}, []string{"once"}},
	} {
		test.query.Limit = 10
		list, err := f.CalendarEvents(f.ctx, f.ana.ID, test.query)
		f.ok(err)
		var got []string
		for _, e := range list {
			got = append(got, e.Title)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
	if _, err := f.CalendarEvent(f.ctx, f.bob.ID, once.ID); !errors.Is(err, chat.ErrNotFound) {
		t.Errorf("a foreign event: %v", err)
	}
}

func testPeople(t *testing.T, f *fixture) {
	ben := chat.Person{ID: ident.New(), Name: "Ben", Email: "ben@example.org", CreatedAt: start}
	f.ok(f.SavePeople(f.ctx, f.ana.ID, chat.Changes[chat.Person]{Put: []chat.Person{ben, {ID: ident.New(), Name: "Ada", CreatedAt: start}}}))
	list, err := f.People(f.ctx, f.ana.ID)
	f.ok(err)
	if len(list) != 2 || list[0].Name != "Ada" || list[1].Email != "ben@example.org" {
		t.Errorf("people %+v", list)
	}
	c := f.live(f.ana, "call")
	_, err = f.AppendSegments(f.ctx, f.ana.ID, c.ID, []chat.Segment{{Speaker: "Ben", PersonID: ben.ID, Text: "hello"}})
	f.ok(err)
	spoke, err := f.Spoke(f.ctx, f.ana.ID)
	f.ok(err)
	if others, err := f.Spoke(f.ctx, f.bob.ID); err != nil || len(spoke) != 1 || spoke[ben.ID] != 1 || len(others) != 0 {
		t.Errorf("conversations by person %v, of another user %v (%v)", spoke, others, err)
	}
	f.ok(f.SavePeople(f.ctx, f.ana.ID, chat.Changes[chat.Person]{Remove: []string{ben.ID}}))
	segments, err := f.Segments(f.ctx, f.ana.ID, c.ID, 0, 1)
	f.ok(err)
	if segments[0].PersonID != "" {
		t.Errorf("a segment still names a person who was removed: %+v", segments[0])
	}
	if _, err := f.Person(f.ctx, f.ana.ID, ben.ID); !errors.Is(err, chat.ErrNotFound) {
		t.Errorf("the person is still there: %v", err)
	}
}

func testFolders(t *testing.T, f *fixture) {
	folder := chat.Folder{ID: ident.New(), Name: "Work", CreatedAt: start}
	f.ok(f.SaveFolders(f.ctx, f.ana.ID, chat.Changes[chat.Folder]{Put: []chat.Folder{folder}}))
	c := f.conversation(f.ana, "talk", start, "one")
	c.FolderID = folder.ID
	_, err := f.SaveConversation(f.ctx, c, nil)
	f.ok(err)
	list, err := f.Conversations(f.ctx, f.ana.ID, chat.ConversationQuery{FolderID: folder.ID, Limit: 10})
	f.ok(err)
	if len(list) != 1 {
		t.Errorf("%d conversations in the folder", len(list))
	}
	f.ok(f.SaveFolders(f.ctx, f.ana.ID, chat.Changes[chat.Folder]{Remove: []string{folder.ID}}))
	if got := f.read(c); got.FolderID != "" {
		t.Errorf("the folder is gone, and the conversation in it: %+v", got)
	}
}

func testSteps(t *testing.T, f *fixture) {
	c := f.conversation(f.ana, "talk", start, "one")
	c.Overview = "A talk."
	fact := chat.Fact{ID: ident.New(), Content: "Likes tea", ConversationID: c.ID, CreatedAt: start}
	task := chat.Task{ID: ident.New(), Description: "Buy tea", ConversationID: c.ID, CreatedAt: start}
	f.ok(f.SaveStep(f.ctx, f.ana.ID, c.ID, chat.Step{Name: chat.StepTasks, State: chat.StepFailed, Attempts: 1, RetryAt: start.Add(time.Hour), At: start},
		chat.Outcome{Tasks: chat.Changes[chat.Task]{Put: []chat.Task{task}}}))
	f.ok(f.SaveStep(f.ctx, f.ana.ID, c.ID, chat.Step{Name: chat.StepStructure, State: chat.StepDone, Attempts: 1, Prompt: "structure 1", At: start},
		chat.Outcome{Conversation: &c, Facts: chat.Changes[chat.Fact]{Put: []chat.Fact{fact}}}))
	steps, err := f.Steps(f.ctx, f.ana.ID, c.ID)
	f.ok(err)
	if len(steps) != 2 || steps[0].Name != chat.StepStructure || steps[0].Prompt != "structure 1" || steps[1].State != chat.StepFailed || !steps[1].RetryAt.Equal(start.Add(time.Hour)) {
		t.Errorf("steps %+v", steps)
	}
	// The conversation was saved meanwhile: nothing of the outcome is stored.
	other := chat.Fact{ID: ident.New(), Content: "Likes coffee", ConversationID: c.ID, CreatedAt: start}
	err = f.SaveStep(f.ctx, f.ana.ID, c.ID, chat.Step{Name: chat.StepFacts, State: chat.StepDone, At: start},
		chat.Outcome{Conversation: &c, Facts: chat.Changes[chat.Fact]{Put: []chat.Fact{other}}})
	if !errors.Is(err, chat.ErrConflict) {
		t.Errorf("an outcome for an old revision: %v, want ErrConflict", err)
	}
	if _, err := f.Fact(f.ctx, f.ana.ID, other.ID); !errors.Is(err, chat.ErrNotFound) {
		t.Errorf("half of an outcome was stored: %v", err)
	}

	due := func(now time.Time, model bool) int {
		t.Helper()
		list, err := f.Due(f.ctx, now, model, 10)
		f.ok(err)
		return len(list)
	}
	if due(start, true) != 0 || due(start.Add(time.Hour), false) != 1 {
		t.Error("a failed step is due at its time")
	}
	f.ok(f.SaveStep(f.ctx, f.ana.ID, c.ID, chat.Step{Name: chat.StepTasks, State: chat.StepWaiting, At: start}, chat.Outcome{}))
	if due(start, false) != 0 || due(start, true) != 1 {
		t.Error("a waiting step is due when there is a model")
	}
	job := chat.Job{ID: ident.New(), Kind: "process", Lane: c.ID, UserID: f.ana.ID, CreatedAt: start}
	f.ok(f.Enqueue(f.ctx, job))
	if due(start, true) != 0 {
		t.Error("what has a job is not due")
	}
	again := job
	again.ID = ident.New()
	f.ok(f.Enqueue(f.ctx, again))
	latest, err := f.LatestJob(f.ctx, f.ana.ID, c.ID)
	f.ok(err)
	if latest.ID != job.ID || latest.State != chat.JobQueued || latest.LastSeq != 1 {
		t.Errorf("latest job %+v, want that the first still waits alone", latest)
	}
	if n, err := f.Unended(f.ctx, "process"); err != nil || n != 1 {
		t.Errorf("%d jobs have not ended (%v), want 1", n, err)
	}
	events, err := f.Events(f.ctx, job.ID, 0)
	f.ok(err)
	if len(events) != 1 || events[0].Body != (chat.Queued{Kind: "process"}) {
		t.Errorf("log %+v", events)
	}
	if _, err := f.LatestJob(f.ctx, f.bob.ID, c.ID); !errors.Is(err, chat.ErrNotFound) {
		t.Errorf("a foreign job: %v", err)
	}

	f.ok(f.DeleteConversation(f.ctx, f.ana.ID, c.ID))
	if _, err := f.Job(f.ctx, job.ID); !errors.Is(err, chat.ErrNotFound) {
		t.Errorf("the job outlived its conversation: %v", err)
	}
	if _, err := f.Task(f.ctx, f.ana.ID, task.ID); !errors.Is(err, chat.ErrNotFound) {
		t.Errorf("the task outlived its conversation: %v", err)
	}
}

func testForgetting(t *testing.T, f *fixture) {
	c := f.conversation(f.ana, "talk", start, "zebra")
	f.conversation(f.ana, "stays", start, "okapi")
	f.ok(f.DeleteConversation(f.ctx, f.ana.ID, c.ID))
	traces, err := f.Traces(f.ctx)
	f.ok(err)
	if len(traces) != 1 || traces[0] != (chat.Trace{UserID: f.ana.ID, Source: c.ID}) {
		t.Fatalf("traces %+v", traces)
	}
	f.ok(f.RemoveTrace(f.ctx, traces[0]))
	if traces, err = f.Traces(f.ctx); err != nil || len(traces) != 0 {
		t.Errorf("traces left: %+v, %v", traces, err)
	}
	if got := f.found(chat.LexicalQuery{UserID: f.ana.ID, Terms: []string{"okapi", "zebra"}}); !slices.Equal(got, []string{"okapi"}) {
		t.Errorf("found %q", got)
	}

	f.conversation(f.bob, "bob's", start, "giraffe")
	f.begin(f.ana, "", "question")
	f.ok(f.Erase(f.ctx, f.ana.ID, false))
	list, err := f.Conversations(f.ctx, f.ana.ID, chat.ConversationQuery{Limit: 10})
	f.ok(err)
	chats, _, err := f.Chats(f.ctx, f.ana.ID, chat.Page{Limit: 10})
	f.ok(err)
	if len(list) != 0 || len(chats) != 0 || len(f.claim("w", 10, time.Now())) != 0 {
		t.Errorf("%d conversations and %d chats are left", len(list), len(chats))
	}
	f.conversation(f.ana, "a new life", start, "okapi")
	f.ok(f.Erase(f.ctx, f.ana.ID, true))
	if _, err := f.Conversations(f.ctx, f.ana.ID, chat.ConversationQuery{Limit: 10}); !errors.Is(err, chat.ErrNotFound) {
		t.Errorf("the account is still there: %v", err)
	}
	if got := f.found(chat.LexicalQuery{UserID: f.bob.ID, Terms: []string{"giraffe"}}); len(got) != 1 {
		t.Errorf("another person's is found as %q", got)
	}
	if erasing, err := f.Erasing(f.ctx); err != nil || len(erasing) != 0 {
		t.Errorf("still erasing: %+v, %v", erasing, err)
	}
}
