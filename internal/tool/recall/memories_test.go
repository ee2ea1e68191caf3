package recall

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"confidant/internal/chat"
	"confidant/internal/search"
	"confidant/internal/tool/argument"
)

// drawer is a store of facts, newest first.
type drawer struct {
	chat.Facts
	list []chat.Fact
}

type facts struct{ *drawer }

func (d facts) Facts(_ context.Context, _ string, q chat.FactQuery) ([]chat.Fact, error) {
	var found []chat.Fact
	for _, f := range d.list {
		if (q.From.IsZero() || !f.CreatedAt.Before(q.From)) && (q.Until.IsZero() || f.CreatedAt.Before(q.Until)) {
			found = append(found, f)
		}
	}
	found = found[min(q.Offset, len(found)):]
	return found[:min(q.Limit, len(found))], nil
}

func (d facts) Fact(_ context.Context, _, id string) (chat.Fact, error) {
	for _, f := range d.list {
		if f.ID == id {
			return f, nil
		}
	}
	return chat.Fact{}, chat.ErrNotFound
}

// open is a shelf whose conversations can be read one by one.
type open struct{ shelf }

func (o open) Conversation(_ context.Context, _, id string) (chat.Conversation, error) {
	for _, c := range o.list {
		if c.ID == id {
			return c, nil
		}
	}
	return chat.Conversation{}, chat.ErrNotFound
}

func newDrawer(n int, text string) facts {
	d := facts{&drawer{}}
	for i := range n {
		d.list = append(d.list, chat.Fact{ID: fmt.Sprint("f", i), Content: fmt.Sprint(text, i), Category: chat.FactSystem, CreatedAt: day.AddDate(0, 0, -i)})
	}
	return d
}

func TestGetMemories(t *testing.T) {
	get := GetMemories{Facts: newDrawer(400, "fact "), Conversations: open{newShelf(1, 5)}}
	for name, test := range map[string]struct {
		arguments, first, note string
		count                  int
	}{
		"defaults":       {`{}`, "f0", "offset 50", 50},
		"paged":          {`{"limit":10,"offset":50}`, "f50", "offset 60", 10},
		"the end":        {`{"offset":390}`, "f390", "", 10},
		"over the limit": {`{"limit":5000}`, "f0", "cut to 300", 300},
		"a window":       {`{"start_date":"2026-02-26T00:00:00Z","end_date":"2026-02-28T00:00:00Z"}`, "f2", "", 2},
		"nothing":        {`{"start_date":"2030-01-01T00:00:00Z"}`, "", "no memories", 0},
	} {
		m, _, err := run(t, get, test.arguments)
		if err != nil || len(m.Memories) != test.count || !strings.Contains(m.Note, test.note) || test.count > 0 && m.Memories[0].ID != test.first {
			t.Errorf("%s: %d memories, note %q, %v; want %d from %s, %q", name, len(m.Memories), m.Note, err, test.count, test.first, test.note)
		}
	}
	for arguments, want := range map[string]string{
		`{"start_date":"2024-01-19"}`: "no time zone", `{"limit":0}`: "/limit", `{"limit":5001}`: "/limit", `{"offset":-1}`: "/offset", `{"query":"x"}`: "query",
	} {
		if _, _, err := run(t, get, arguments); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q in it", arguments, err, want)
		}
	}
	long := GetMemories{Facts: newDrawer(300, strings.Repeat("x", 900)), Conversations: open{}}
	m, _, err := run(t, long, `{"limit":300}`)
	if data, _ := json.Marshal(m); err != nil || len(data) > argument.MaxCharacters+10_000 || !strings.Contains(m.Note, fmt.Sprintf("with offset %d.", len(m.Memories))) {
		t.Errorf("%d bytes, %d memories, note %q, %v", len(data), len(m.Memories), m.Note, err)
	}
}

func TestMemoriesAreCitedThroughTheirSources(t *testing.T) {
	shelf := newShelf(3, 5)
	shelf.list[0].Emoji, shelf.list[1].Locked = "⛵", true
	d := facts{&drawer{list: []chat.Fact{
		{ID: "a", Content: "Owns a boat", ConversationID: "c0", SegmentIDs: []string{"c0.3", "c0.4"}, CreatedAt: day, ValidFrom: day.AddDate(-1, 0, 0)},
		{ID: "b", Content: "Told in a locked talk", ConversationID: "c1", SegmentIDs: []string{"c1.0"}, CreatedAt: day},
		{ID: "c", Content: "Its talk is gone", ConversationID: "c9", SegmentIDs: []string{"c9.0"}, CreatedAt: day},
		{ID: "d", Content: "Its segment is gone", ConversationID: "c2", SegmentIDs: []string{"c2.99"}, CreatedAt: day},
		{ID: "e", Content: "Written by hand", Category: chat.FactManual, CreatedAt: day},
		{ID: "f", Content: "Locked", Locked: true, ConversationID: "c0", SegmentIDs: []string{"c0.1"}, CreatedAt: day},
	}}}
	m, cites, err := run(t, GetMemories{Facts: d, Conversations: open{shelf}}, `{}`)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, item := range m.Memories {
		got = append(got, fmt.Sprint(item.ID, item.Cite))
	}
	if strings.Join(got, " ") != "a1 b0 c0 d0 e0" || m.Memories[0].Since != "2025-03-01T09:00:00+09:00" {
		t.Errorf("memories %v, since %s", got, m.Memories[0].Since)
	}
	if len(cites) != 1 || cites[0].SegmentID != "c0.3" || cites[0].Kind != "conversation" || cites[0].Title != "Talk 0" || cites[0].Emoji != "⛵" {
		t.Errorf("cited %+v", cites)
	}
}

func TestSearchMemories(t *testing.T) {
	d := newDrawer(30, "fact ")
	d.list[2].ValidTo, d.list[3].Review = day, chat.Rejected
	s := &searcher{}
	for _, id := range []string{"f1", "gone", "f2", "f3", "f0"} {
		s.hits = append(s.hits, search.Hit{Passage: chat.Passage{Kind: chat.PassageFact, GroupID: id, Ref: id}})
	}
	tl := SearchMemories{Facts: d, Conversations: open{newShelf(1, 5)}, Searcher: s}
	m, _, err := run(t, tl, `{"query":"boats"}`)
	if err != nil || len(m.Memories) != 2 || m.Memories[0].ID != "f1" || m.Memories[1].ID != "f0" {
		t.Errorf("found %+v, %v", m, err)
	}
	if s.query.Limit != 5 || len(s.query.Kinds) != 1 || s.query.Kinds[0] != chat.PassageFact || s.query.UserID != "ana" || s.query.Text != "boats" {
		t.Errorf("searched %+v", s.query)
	}
	if m, _, err := run(t, tl, `{"query":"boats","limit":99}`); err != nil || s.query.Limit != 20 || !strings.Contains(m.Note, "cut to 20") {
		t.Errorf("limit %d, note %q, %v", s.query.Limit, m.Note, err)
	}
	s.hits = nil
	if m, _, err := run(t, tl, `{"query":"boats"}`); err != nil || !strings.Contains(m.Note, "Nothing was found") {
		t.Errorf("%+v, %v", m, err)
	}
	if _, _, err := run(t, tl, `{"query":""}`); err == nil {
		t.Error("an empty query was taken")
	}
}
