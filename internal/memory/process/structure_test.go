package process_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"confidant/internal/chat"
	"confidant/internal/ident"
)

func TestDiscard(t *testing.T) {
	long := "Ana: " + strings.Repeat("well ", 120)
	for name, test := range map[string]struct {
		source  string
		lines   []string
		answers map[string][]string
		want    bool
	}{
		"the model says so":       {"", []string{"Ana: Hi there."}, map[string][]string{"discard": {`{"discard":true}`}}, true},
		"the model says no":       {"", []string{"Ana: Call the bank."}, nil, false},
		"long is not asked":       {"", []string{long}, map[string][]string{"discard": {`{"discard":true}`}}, false},
		"a note is not asked":     {"note", []string{"Ana: hm"}, map[string][]string{"discard": {`{"discard":true}`}}, false},
		"an error keeps it":       {"", []string{"Ana: Hi there."}, map[string][]string{"discard": nil}, false},
		"nothing was said at all": {"", nil, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			c := f.record(chat.Conversation{Title: "x", Source: test.source}, test.lines...)
			f.run(options(model(test.answers)))
			got := f.read(c)
			if got.Discarded != test.want || got.Segments != len(test.lines) {
				t.Errorf("discarded %t, want %t; %d segments", got.Discarded, test.want, got.Segments)
			}
			if test.want && (len(f.facts(true)) != 0 || len(f.tasks()) != 0 || got.Overview != "") {
				t.Error("something was derived from what was discarded")
			}
		})
	}
}

func TestTheEventFilter(t *testing.T) {
	event := func(title, start string, minutes int, flags string) string {
		all := map[string]bool{}
		for i, name := range []string{"confirmed", "user_involved", "concrete_time", "consequential"} {
			all[name] = flags[i] == '1'
		}
		e := map[string]any{"title": title, "description": "", "start": start, "duration_minutes": minutes}
		for k, v := range all {
			e[k] = v
		}
		text, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	f := newFixture(t)
	c := f.record(chat.Conversation{}, talk...)
	f.run(options(model(map[string][]string{"structure": {`{"title":"A b c d e f g h i j k l","overview":"o","emoji":"","category":"gossip","events":[` +
		strings.Join([]string{
			event("Dentist", "2026-03-05T15:00", 0, "1111"),
			event("Marathon", "2026-03-06T10:00", 600, "1111"),
			event("Not confirmed", "2026-03-05T15:00", 30, "0111"),
			event("Somebody else's", "2026-03-05T15:00", 30, "1011"),
			event("Some day", "", 30, "1101"),
			event("Nothing", "2026-03-05T15:00", 30, "1110"),
			event("No time", "whenever", 30, "1111"),
		}, ",") + `]}`}})))
	got := f.read(c)
	if got.Category != chat.CategoryOther || got.Emoji != "🧠" || len(strings.Fields(got.Title)) != 10 {
		t.Errorf("%q %q %q", got.Title, got.Category, got.Emoji)
	}
	if len(got.Events) != 2 || !got.Events[0].Start.Equal(time.Date(2026, 3, 5, 15, 0, 0, 0, berlin)) || got.Events[0].Minutes != 30 || got.Events[1].Minutes != 180 {
		t.Errorf("events %+v", got.Events)
	}
}

func TestTitlesThatPeopleChoseStay(t *testing.T) {
	f := newFixture(t)
	c := f.record(chat.Conversation{Title: "My own", Named: true}, talk...)
	f.run(options(model(nil)))
	if got := f.read(c); got.Title != "My own" || got.Overview == "" {
		t.Errorf("conversation %+v", got)
	}
}

func TestFolders(t *testing.T) {
	f := newFixture(t)
	work := chat.Folder{ID: ident.New(), Name: "Work"}
	if err := f.store.SaveFolders(t.Context(), f.ana.ID, chat.Changes[chat.Folder]{Put: []chat.Folder{work}}); err != nil {
		t.Fatal(err)
	}
	for answer, want := range map[string]string{
		`{"folder":1,"confidence":0.9}`:  work.ID,
		`{"folder":1,"confidence":0.69}`: "",
		`{"folder":7,"confidence":1}`:    "",
	} {
		c := f.record(chat.Conversation{Fingerprint: answer}, talk...)
		f.run(options(model(map[string][]string{"folder": {answer}})))
		if got := f.read(c); got.FolderID != want {
			t.Errorf("%s: folder %q, want %q", answer, got.FolderID, want)
		}
	}
}

func TestAVeryLongConversation(t *testing.T) {
	f := newFixture(t)
	lines := make([]string, 2000)
	for i := range lines {
		lines[i] = fmt.Sprintf("Ana: This is the %d. sentence of a conversation that takes fifty words or so of a very long day in the office.", i)
	}
	c := f.record(chat.Conversation{}, lines...)
	m := model(nil)
	f.run(options(m))
	if got := f.read(c); got.Title != "Moving the Launch" || got.Status != chat.StatusCompleted {
		t.Errorf("conversation %+v", got)
	}
	if n := len(m.prompts("digest")); n < 4 {
		t.Errorf("%d digests", n)
	}
	for _, req := range m.asked {
		if n := len(req.Messages[0].Text); n > 49_000 {
			t.Errorf("a call of %d bytes", n)
		}
	}
}
