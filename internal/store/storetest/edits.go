package storetest

import (
	"errors"
	"slices"
	"testing"
	"time"

	"confidant/internal/chat"
	"confidant/internal/ident"
)

// live stores a conversation that is being recorded.
func (f *fixture) live(user chat.User, title string) chat.Conversation {
	f.t.Helper()
	c, created, err := f.PutConversation(f.ctx, chat.Conversation{
		ID: ident.New(), UserID: user.ID, Title: title, Source: "device", Status: chat.StatusInProgress, StartedAt: start, CreatedAt: start,
	}, nil, nil)
	f.ok(err)
	if !created {
		f.t.Fatal("a second live conversation was taken for the first")
	}
	return c
}

func said(client, speaker, text string, at float64) chat.Segment {
	return chat.Segment{ClientID: client, Speaker: speaker, Text: text, Start: at, End: at + 1}
}

func (f *fixture) texts(c chat.Conversation) []string {
	f.t.Helper()
	segments, err := f.Segments(f.ctx, c.UserID, c.ID, 0, 1000)
	f.ok(err)
	var texts []string
	for i, s := range segments {
		if s.Position != i || s.ID != chat.SegmentID(c.ID, i) {
			f.t.Errorf("segment %d has position %d and id %s", i, s.Position, s.ID)
		}
		texts = append(texts, s.Speaker+": "+s.Text)
	}
	return texts
}

func (f *fixture) read(c chat.Conversation) chat.Conversation {
	f.t.Helper()
	c, err := f.Conversation(f.ctx, c.UserID, c.ID)
	f.ok(err)
	return c
}

func testAppendSegments(t *testing.T, f *fixture) {
	c := f.live(f.ana, "call")
	f.live(f.ana, "another")
	stored, err := f.AppendSegments(f.ctx, f.ana.ID, c.ID, []chat.Segment{said("d1-1", "Ana", "zebra", 0), said("", "Ben", "giraffe", 2)})
	f.ok(err)
	if len(stored) != 2 || stored[1].ID != chat.SegmentID(c.ID, 1) {
		t.Fatalf("stored %+v", stored)
	}
	// A device that does not know whether it was heard says it again.
	stored, err = f.AppendSegments(f.ctx, f.ana.ID, c.ID, []chat.Segment{said("d1-1", "Ana", "zebra", 0), said("d2-1", "Cem", "okapi", 1)})
	f.ok(err)
	if len(stored) != 1 || stored[0].Position != 2 {
		t.Errorf("stored again %+v", stored)
	}
	want := []string{"Ana: zebra", "Ben: giraffe", "Cem: okapi"}
	if got := f.texts(c); !slices.Equal(got, want) {
		t.Errorf("segments %q, want %q", got, want)
	}
	after := f.read(c)
	if after.Segments != 3 || !slices.Equal(after.Speakers, []string{"Ana", "Ben", "Cem"}) || !after.FinishedAt.Equal(start.Add(3*time.Second)) {
		t.Errorf("conversation %+v", after)
	}
	if got := f.found(chat.LexicalQuery{UserID: f.ana.ID, Terms: []string{"okapi"}}); len(got) != 1 {
		t.Errorf("what was just said is not found: %q", got)
	}
	if _, err := f.AppendSegments(f.ctx, f.bob.ID, c.ID, nil); !errors.Is(err, chat.ErrNotFound) {
		t.Errorf("appending to a foreign conversation: %v", err)
	}
	after.Status = chat.StatusProcessing
	_, err = f.SaveConversation(f.ctx, after, nil)
	f.ok(err)
	if _, err := f.AppendSegments(f.ctx, f.ana.ID, c.ID, []chat.Segment{said("", "Ana", "late", 9)}); !errors.Is(err, chat.ErrConflict) {
		t.Errorf("appending to a finished conversation: %v, want ErrConflict", err)
	}
}

func testQuiet(t *testing.T, f *fixture) {
	c := f.live(f.ana, "call")
	quiet := func(since time.Time) int {
		t.Helper()
		list, err := f.Quiet(f.ctx, since, 10)
		f.ok(err)
		return len(list)
	}
	if quiet(start.Add(-time.Second)) != 0 || quiet(start.Add(time.Second)) != 1 {
		t.Error("a conversation is quiet from its last change on")
	}
	_, err := f.AppendSegments(f.ctx, f.ana.ID, c.ID, []chat.Segment{said("", "Ana", "hello", 0)})
	f.ok(err)
	if quiet(start.Add(time.Second)) != 0 {
		t.Error("it was appended to since")
	}
}

func testSaveConversation(t *testing.T, f *fixture) {
	c := f.conversation(f.ana, "before", start, "one", "two")
	c.Title, c.Named, c.Overview, c.Category, c.Emoji = "Zebra crossing", true, "They spoke of giraffes.", "travel", "🦒"
	c.Events = []chat.ProposedEvent{{Title: "Zoo", Start: start, Minutes: 30}}
	c.Mentions = chat.Mentions{People: []string{"ben cole"}, Topics: []string{"zoo"}, Dates: []string{"2026-03-01"}}
	c.Starred, c.Language, c.Location, c.Shown = true, "de", &chat.Location{Latitude: 52.5, Longitude: 13.4, Address: "Berlin"}, chat.Shared
	saved, err := f.SaveConversation(f.ctx, c, nil)
	f.ok(err)
	read := f.read(c)
	if read.Revision != c.Revision+1 || saved.Revision != read.Revision {
		t.Errorf("revisions: %d before, %d answered, %d stored", c.Revision, saved.Revision, read.Revision)
	}
	if read.Title != c.Title || !read.Named || read.Overview != c.Overview || read.Category != "travel" || read.Emoji != "🦒" || len(read.Events) != 1 ||
		!read.Starred || read.Language != "de" || *read.Location != *c.Location || read.Shown != chat.Shared || !slices.Equal(read.Mentions.People, []string{"ben cole"}) {
		t.Errorf("read back %+v", read)
	}
	if _, err := f.SaveConversation(f.ctx, c, nil); !errors.Is(err, chat.ErrConflict) {
		t.Errorf("saving an old revision: %v, want ErrConflict", err)
	}
	// The title is found at every segment, the overview as a summary of its own.
	if got := f.found(chat.LexicalQuery{UserID: f.ana.ID, Terms: []string{"crossing"}, Kinds: []chat.PassageKind{chat.PassageSegment}}); len(got) != 2 {
		t.Errorf("the new title finds %q", got)
	}
	if got := f.found(chat.LexicalQuery{UserID: f.ana.ID, Terms: []string{"before"}}); len(got) != 0 {
		t.Errorf("the old title finds %q", got)
	}
	if got := f.found(chat.LexicalQuery{UserID: f.ana.ID, Terms: []string{"giraffes"}}); !slices.Equal(got, []string{"Zebra crossing. They spoke of giraffes."}) {
		t.Errorf("the summary is found as %q", got)
	}
	for name, q := range map[string]chat.ConversationQuery{
		"a person":       {Mentions: chat.Mentions{People: []string{"ben cole"}}},
		"any of several": {Mentions: chat.Mentions{People: []string{"nobody"}, Dates: []string{"2026-03-01"}}},
		"starred":        {Starred: true},
	} {
		q.Limit = 10
		list, err := f.Conversations(f.ctx, f.ana.ID, q)
		f.ok(err)
		if len(list) != 1 {
			t.Errorf("%s: %d conversations", name, len(list))
		}
	}
	for name, test := range map[string]struct {
		mentions chat.Mentions
		want     int
	}{
		"the whole name":   {chat.Mentions{People: []string{"ben cole"}}, 1},
		"the first name":   {chat.Mentions{People: []string{"ben"}}, 1},
		"the last name":    {chat.Mentions{People: []string{"cole"}}, 1},
		"part of a name":   {chat.Mentions{People: []string{"be"}}, 0},
		"a longer name":    {chat.Mentions{People: []string{"ben coleman"}}, 0},
		"another kind":     {chat.Mentions{Topics: []string{"ben cole"}}, 0},
		"the whole date":   {chat.Mentions{Dates: []string{"2026-03-01"}}, 1},
		"one letter more":  {chat.Mentions{People: []string{"xxxxxxxxx"}}, 0},
		"nothing at all":   {chat.Mentions{}, 0},
		"one of two kinds": {chat.Mentions{People: []string{"nobody"}, Topics: []string{"zoo"}}, 1},
	} {
		ids, err := f.Mentioning(f.ctx, f.ana.ID, test.mentions)
		f.ok(err)
		if len(ids) != test.want {
			t.Errorf("mentioning %s: %d, want %d", name, len(ids), test.want)
		}
	}
	list, err := f.Conversations(f.ctx, f.ana.ID, chat.ConversationQuery{Mentions: chat.Mentions{People: []string{"nobody"}}, Limit: 10})
	f.ok(err)
	if len(list) != 0 {
		t.Errorf("nobody is mentioned in %d conversations", len(list))
	}
}

func testRelabel(t *testing.T, f *fixture) {
	c := f.live(f.ana, "call")
	_, err := f.AppendSegments(f.ctx, f.ana.ID, c.ID, []chat.Segment{said("", "Speaker 1", "hello", 0), said("", "Ben", "hi", 1), said("", "Speaker 1", "bye", 2)})
	f.ok(err)
	n, err := f.RelabelSpeaker(f.ctx, f.ana.ID, c.ID, "Speaker 1", chat.Speaker{Name: "Marguerite", PersonID: "p1"})
	f.ok(err)
	if want := []string{"Marguerite: hello", "Ben: hi", "Marguerite: bye"}; n != 2 || !slices.Equal(f.texts(c), want) {
		t.Errorf("%d changed: %q", n, f.texts(c))
	}
	if got := f.read(c).Speakers; !slices.Equal(got, []string{"Marguerite", "Ben"}) {
		t.Errorf("speakers %q", got)
	}
	if got := f.found(chat.LexicalQuery{UserID: f.ana.ID, Terms: []string{"marguerite"}}); len(got) != 2 {
		t.Errorf("the new name finds %q", got)
	}
	if n, err := f.RelabelSpeaker(f.ctx, f.ana.ID, c.ID, "Nobody", chat.Speaker{Name: "X"}); n != 0 || err != nil {
		t.Errorf("a speaker who does not exist: %d, %v", n, err)
	}
}

func testMerge(t *testing.T, f *fixture) {
	first := f.conversation(f.ana, "first", start, "one", "two")
	second := f.conversation(f.ana, "second", start.Add(time.Minute), "three")
	foreign := f.conversation(f.bob, "bob's", start, "five")
	if _, err := f.Merge(f.ctx, second, []string{foreign.ID}, nil); !errors.Is(err, chat.ErrNotFound) {
		t.Fatalf("merging a foreign conversation: %v", err)
	}
	merged, err := f.Merge(f.ctx, second, []string{first.ID}, nil)
	f.ok(err)
	if merged.ID != second.ID || merged.Segments != 3 || !merged.StartedAt.Equal(start) {
		t.Errorf("merged %+v", merged)
	}
	if got, want := f.texts(merged), []string{"Ana: one", "Ana: two", "Ana: three"}; !slices.Equal(got, want) {
		t.Errorf("segments %q, want %q", got, want)
	}
	segments, err := f.Segments(f.ctx, f.ana.ID, merged.ID, 2, 3)
	f.ok(err)
	if segments[0].Start != 60 {
		t.Errorf("the second's start is at %g s, want 60", segments[0].Start)
	}
	if _, err := f.Conversation(f.ctx, f.ana.ID, first.ID); !errors.Is(err, chat.ErrNotFound) {
		t.Errorf("what was merged is still there: %v", err)
	}
	if got := f.found(chat.LexicalQuery{UserID: f.ana.ID, Terms: []string{"one"}}); len(got) != 1 {
		t.Errorf("found %q", got)
	}
}
