package storetest

import (
	"errors"
	"slices"
	"testing"
	"time"

	"confidant/internal/chat"
)

func testConversations(t *testing.T, f *fixture) {
	old := f.conversation(f.ana, "old", start, "one", "two", "three")
	newer := f.conversation(f.ana, "newer", start.AddDate(0, 0, 1), "four")
	f.conversation(f.bob, "bob's", start, "five")
	titles := func(q chat.ConversationQuery) []string {
		t.Helper()
		list, err := f.Conversations(f.ctx, f.ana.ID, q)
		f.ok(err)
		var titles []string
		for _, c := range list {
			titles = append(titles, c.Title)
		}
		return titles
	}
	for name, test := range map[string]struct {
		query chat.ConversationQuery
		want  []string
	}{
		"all, newest first": {chat.ConversationQuery{Limit: 9}, []string{"newer", "old"}},
		"from is inclusive": {chat.ConversationQuery{From: start, Limit: 9}, []string{"newer", "old"}},
		"until is not":      {chat.ConversationQuery{Until: start.AddDate(0, 0, 1), Limit: 9}, []string{"old"}},
		"limit":             {chat.ConversationQuery{Limit: 1}, []string{"newer"}},
		"next page":         {chat.ConversationQuery{Limit: 1, Before: newer.ID}, []string{"old"}},
	} {
		if got := titles(test.query); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
	segments, err := f.Segments(f.ctx, f.ana.ID, old.ID, 1, 3)
	f.ok(err)
	if len(segments) != 2 || segments[0].Text != "two" || segments[0].Start != 10 || segments[1].Position != 2 {
		t.Errorf("segments: %+v", segments)
	}
	if _, err := f.Conversation(f.ctx, f.bob.ID, old.ID); !errors.Is(err, chat.ErrNotFound) {
		t.Errorf("foreign conversation: %v, want ErrNotFound", err)
	}
	if _, err := f.Segments(f.ctx, f.bob.ID, old.ID, 0, 9); !errors.Is(err, chat.ErrNotFound) {
		t.Errorf("foreign segments: %v, want ErrNotFound", err)
	}
	if err := f.DeleteConversation(f.ctx, f.bob.ID, old.ID); !errors.Is(err, chat.ErrNotFound) {
		t.Errorf("deleting a foreign conversation: %v, want ErrNotFound", err)
	}
}

func testFingerprint(t *testing.T, f *fixture) {
	c := f.conversation(f.ana, "same", start, "one")
	again := c
	again.ID, again.Title = "other", "another title"
	stored, created, err := f.PutConversation(f.ctx, again, nil, nil)
	f.ok(err)
	if created || stored.ID != c.ID || stored.Title != "same" || stored.Segments != 1 {
		t.Errorf("the same content again: %+v, new %t", stored, created)
	}
	f.conversation(f.bob, "same", start, "one") // another person may have the same file
}

// found returns the texts that a query finds, best first.
func (f *fixture) found(q chat.LexicalQuery) []string {
	f.t.Helper()
	if q.Limit == 0 {
		q.Limit = 10
	}
	hits, err := f.Lexical(f.ctx, q)
	f.ok(err)
	var texts []string
	for i, h := range hits {
		if i > 0 && h.Score > hits[i-1].Score {
			f.t.Error("scores are not in order")
		}
		passages, err := f.Passages(f.ctx, q.UserID, []int64{h.ID})
		f.ok(err)
		if len(passages) == 0 {
			continue // hidden
		}
		texts = append(texts, passages[0].Text)
	}
	return texts
}

func testLexical(t *testing.T, f *fixture) {
	f.conversation(f.ana, "Budget", start, "the launch moves to May", "we launched rockets", "tea, not coffee", `say "AND" OR NOT* (now`)
	f.conversation(f.ana, "Später", start.AddDate(0, 1, 0), "die Müllabfuhr kommt", "launch party")
	for name, test := range map[string]struct {
		query chat.LexicalQuery
		want  []string
	}{
		"word":                  {chat.LexicalQuery{Terms: []string{"coffee"}}, []string{"tea, not coffee"}},
		"stem":                  {chat.LexicalQuery{Terms: []string{"rocket"}}, []string{"we launched rockets"}},
		"diacritics":            {chat.LexicalQuery{Terms: []string{"mullabfuhr"}}, []string{"die Müllabfuhr kommt"}},
		"more words are better": {chat.LexicalQuery{Terms: []string{"launch", "may"}, Limit: 1}, []string{"the launch moves to May"}},
		"from":                  {chat.LexicalQuery{Terms: []string{"launch"}, From: start.AddDate(0, 0, 1)}, []string{"launch party"}},
		"until and kind":        {chat.LexicalQuery{Terms: []string{"party", "coffee"}, Until: start.AddDate(0, 0, 1), Kinds: []chat.PassageKind{chat.PassageSegment}}, []string{"tea, not coffee"}},
		"another kind":          {chat.LexicalQuery{Terms: []string{"coffee"}, Kinds: []chat.PassageKind{60}}, nil},
		"operators are words":   {chat.LexicalQuery{Terms: []string{`"now`, "NEAR(", "*"}}, []string{`say "AND" OR NOT* (now`}},
		"nothing":               {chat.LexicalQuery{Terms: []string{"zebra"}}, nil},
		"no terms":              {chat.LexicalQuery{}, nil},
	} {
		test.query.UserID = f.ana.ID
		if got := f.found(test.query); !slices.Equal(got, test.want) {
			t.Errorf("%s: found %q, want %q", name, got, test.want)
		}
	}
	c := f.conversation(f.ana, "Around", start, "a", "b", "c", "d")
	around, err := f.Around(f.ctx, f.ana.ID, c.ID, 1, 2)
	f.ok(err)
	if len(around) != 2 || around[0].Text != "b" || around[1].Text != "c" || around[1].Title != "Around" {
		t.Errorf("around: %+v", around)
	}
	if foreign, err := f.Around(f.ctx, f.bob.ID, c.ID, 0, 9); err != nil || len(foreign) != 0 {
		t.Errorf("foreign neighbours: %+v, %v", foreign, err)
	}
}

func testLexicalIsolation(t *testing.T, f *fixture) {
	f.conversation(f.ana, "a", start, "the secret word is xylophone")
	if got := f.found(chat.LexicalQuery{UserID: f.bob.ID, Terms: []string{"xylophone"}}); len(got) != 0 {
		t.Errorf("bob found ana's words: %q", got)
	}
	f.conversation(f.bob, "b", start, "xylophone")
	if got := f.found(chat.LexicalQuery{UserID: f.bob.ID, Terms: []string{"xylophone"}}); !slices.Equal(got, []string{"xylophone"}) {
		t.Errorf("bob found %q", got)
	}
	hits, err := f.Lexical(f.ctx, chat.LexicalQuery{UserID: f.ana.ID, Terms: []string{"xylophone"}, Limit: 9})
	f.ok(err)
	if p, err := f.Passages(f.ctx, f.bob.ID, []int64{hits[0].ID}); err != nil || len(p) != 0 {
		t.Errorf("bob read ana's passage by its id: %+v, %v", p, err)
	}
}

func testVectors(t *testing.T, f *fixture) {
	f.conversation(f.ana, "a", start, "one", "two")
	f.conversation(f.bob, "b", start, "three")
	missing, err := f.Unembedded(f.ctx, "m1", 10)
	f.ok(err)
	if len(missing) != 3 || missing[0].Text != "one" || missing[0].UserID != f.ana.ID || missing[2].UserID != f.bob.ID {
		t.Fatalf("unembedded: %+v", missing)
	}
	first := chat.Vector{ID: missing[0].ID, Data: []float32{1, -0.5}}
	f.ok(f.PutVectors(f.ctx, "m1", []chat.Vector{first, {ID: missing[2].ID, Data: []float32{0, 1}}, {ID: 1 << 40, Data: []float32{9, 9}}}))
	if n, err := f.Pending(f.ctx, "m1"); err != nil || n != 1 {
		t.Errorf("pending: %d, %v, want 1", n, err)
	}
	if n, err := f.Pending(f.ctx, "m2"); err != nil || n != 3 {
		t.Errorf("pending of another model: %d, %v, want 3", n, err)
	}
	var loaded []chat.Vector
	for v, err := range f.LoadVectors(f.ctx, "m1", f.ana.ID) {
		f.ok(err)
		loaded = append(loaded, v)
	}
	if len(loaded) != 1 || loaded[0].ID != first.ID || !slices.Equal(loaded[0].Data, first.Data) || !loaded[0].At.Equal(start) {
		t.Errorf("loaded: %+v", loaded)
	}
	exact, err := f.ExactVectors(f.ctx, "m1", []int64{1 << 40, first.ID})
	f.ok(err)
	if len(exact) != 2 || exact[0] != nil || !slices.Equal(exact[1], first.Data) {
		t.Errorf("exact: %v", exact)
	}
	missing, err = f.Unembedded(f.ctx, "m1", 10)
	f.ok(err)
	if len(missing) != 1 || missing[0].Text != "two" {
		t.Errorf("unembedded after storing two: %+v", missing)
	}
	f.conversation(f.ana, "c", start, "four")
	if missing, err = f.Unembedded(f.ctx, "m1", 10); err != nil || len(missing) != 2 {
		t.Errorf("unembedded after one more: %+v, %v", missing, err)
	}
}

func testDeleteConversation(t *testing.T, f *fixture) {
	c := f.conversation(f.ana, "gone", start, "xylophone")
	kept := f.conversation(f.ana, "kept", start.Add(time.Hour), "xylophone lessons")
	missing, err := f.Unembedded(f.ctx, "m", 10)
	f.ok(err)
	for _, p := range missing {
		f.ok(f.PutVectors(f.ctx, "m", []chat.Vector{{ID: p.ID, Data: []float32{1}}}))
	}
	f.ok(f.DeleteConversation(f.ctx, f.ana.ID, c.ID))
	if got := f.found(chat.LexicalQuery{UserID: f.ana.ID, Terms: []string{"xylophone"}}); !slices.Equal(got, []string{"xylophone lessons"}) {
		t.Errorf("found after deleting: %q", got)
	}
	n := 0
	for _, err := range f.LoadVectors(f.ctx, "m", f.ana.ID) {
		f.ok(err)
		n++
	}
	if n != 1 {
		t.Errorf("%d vectors after deleting, want 1", n)
	}
	if _, err := f.Conversation(f.ctx, f.ana.ID, c.ID); !errors.Is(err, chat.ErrNotFound) {
		t.Errorf("deleted conversation: %v", err)
	}
	if segments, err := f.Segments(f.ctx, f.ana.ID, kept.ID, 0, 9); err != nil || len(segments) != 1 {
		t.Errorf("the other conversation: %+v, %v", segments, err)
	}
	f.conversation(f.ana, "gone", start, "xylophone again") // the fingerprint is free
}
