package storetest

import (
	"errors"
	"testing"

	"confidant/internal/chat"
	"confidant/internal/ident"
)

func testPersonas(t *testing.T, f *fixture) {
	p := chat.Persona{ID: ident.New(), Name: "Future me", Description: "Wiser", Prompt: "You are {name}.", Tools: []string{"a"}, CreatedAt: start, UpdatedAt: start}
	other := chat.Persona{ID: ident.New(), Name: "Child me", CreatedAt: start, UpdatedAt: start}
	f.ok(f.SavePersonas(f.ctx, f.ana.ID, chat.Changes[chat.Persona]{Put: []chat.Persona{p, other}}))
	list, err := f.Personas(f.ctx, f.ana.ID)
	f.ok(err)
	if len(list) != 2 || list[0].Name != "Child me" || list[1].Prompt != p.Prompt || list[1].Tools[0] != "a" || list[1].UserID != f.ana.ID || !list[1].CreatedAt.Equal(start) {
		t.Errorf("listed %+v", list)
	}
	if _, err := f.Persona(f.ctx, f.bob.ID, p.ID); !errors.Is(err, chat.ErrNotFound) {
		t.Errorf("a foreign persona: %v", err)
	}
	changed := list[1]
	changed.Name = "Old me"
	f.ok(f.SavePersonas(f.ctx, f.ana.ID, chat.Changes[chat.Persona]{Put: []chat.Persona{changed}, Remove: []string{other.ID}}))
	if err := f.SavePersonas(f.ctx, f.ana.ID, chat.Changes[chat.Persona]{Put: []chat.Persona{changed}}); !errors.Is(err, chat.ErrConflict) {
		t.Errorf("a save over a newer one: %v, want ErrConflict", err)
	}
	if got, err := f.Persona(f.ctx, f.ana.ID, p.ID); err != nil || got.Name != "Old me" || got.Revision != 2 {
		t.Errorf("changed: %+v, %v", got, err)
	}
	if _, err := f.Persona(f.ctx, f.ana.ID, other.ID); !errors.Is(err, chat.ErrNotFound) {
		t.Errorf("a removed persona: %v", err)
	}
}

func testSummaries(t *testing.T, f *fixture) {
	first := f.begin(f.ana, "", "one")
	second := f.begin(f.ana, first.ChatID, "two")
	save := func(covers, text string) error {
		return f.SaveSummary(f.ctx, f.ana.ID, chat.Summary{ChatID: first.ChatID, Text: text, Covers: covers, Prompt: "p.v1", At: start})
	}
	missing := func(when string) {
		t.Helper()
		if s, err := f.Summary(f.ctx, f.ana.ID, first.ChatID); !errors.Is(err, chat.ErrNotFound) {
			t.Errorf("%s there is a summary: %+v, %v", when, s, err)
		}
	}
	missing("at first")
	f.ok(save(first.MessageID, "a"))
	f.ok(save(first.AnswerID, "ab"))
	got, err := f.Summary(f.ctx, f.ana.ID, first.ChatID)
	f.ok(err)
	if want := (chat.Summary{ChatID: first.ChatID, Text: "ab", Covers: first.AnswerID, Prompt: "p.v1", At: start}); got != want {
		t.Errorf("summary\n got %+v\nwant %+v", got, want)
	}
	if _, err := f.Summary(f.ctx, f.bob.ID, first.ChatID); !errors.Is(err, chat.ErrNotFound) {
		t.Errorf("a foreign summary: %v", err)
	}
	if err := f.SaveSummary(f.ctx, f.bob.ID, chat.Summary{ChatID: first.ChatID, Covers: first.MessageID}); !errors.Is(err, chat.ErrForbidden) {
		t.Errorf("a summary of a foreign chat: %v", err)
	}
	stranger := f.begin(f.ana, "", "another chat")
	if err := save(stranger.MessageID, "x"); !errors.Is(err, chat.ErrConflict) {
		t.Errorf("a summary that covers a message of another chat: %v, want ErrConflict", err)
	}

	n := draft(f.ana, first.ChatID, "two, better")
	n.Replaces = second.MessageID
	_, _, err = f.Begin(f.ctx, n)
	f.ok(err)
	if s, err := f.Summary(f.ctx, f.ana.ID, first.ChatID); err != nil || s.Text != "ab" {
		t.Errorf("replacing a later message took the summary: %+v, %v", s, err)
	}
	n = draft(f.ana, first.ChatID, "one, better")
	n.Replaces = first.MessageID
	_, _, err = f.Begin(f.ctx, n)
	f.ok(err)
	missing("after a message that it covers was replaced")
	if err := save(first.MessageID, "late"); !errors.Is(err, chat.ErrConflict) {
		t.Errorf("a summary of what was replaced: %v, want ErrConflict", err)
	}

	f.ok(save(n.Turn.MessageID, "new"))
	f.ok(f.DeleteChat(f.ctx, f.ana.ID, first.ChatID))
	missing("after its chat was deleted")
}
