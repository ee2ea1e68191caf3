package storetest

import (
	"slices"
	"testing"

	"confidant/internal/chat"
)

func testFrequencies(t *testing.T, f *fixture) {
	none, err := f.Frequencies(f.ctx, f.ana.ID, chat.ShelfSaid, []string{"tea"})
	f.ok(err)
	if none.Passages != 0 || !slices.Equal(none.Of, []int{0}) {
		t.Errorf("nothing is stored: %+v", none)
	}
	f.conversation(f.ana, "counted", start, "tea and more tea", "coffee", "no", "teas")
	gone := f.conversation(f.ana, "gone", start, "tea")
	f.conversation(f.bob, "bob's", start, "tea")
	f.ok(f.DeleteConversation(f.ctx, f.ana.ID, gone.ID))
	got, err := f.Frequencies(f.ctx, f.ana.ID, chat.ShelfSaid, []string{"tea", "zebra", "coffee"})
	f.ok(err)
	// A store may count what was deleted among all passages, never among those that
	// have a term.
	if got.Passages < 4 || got.Passages > 5 || got.Length < 1.5 || got.Length > 2 || !slices.Equal(got.Of, []int{2, 0, 1}) {
		t.Errorf("%+v, want 4 passages of 1.75 words, with tea in 2 and coffee in 1", got)
	}
	// A search that is told the counts finds the same.
	for _, counts := range [][]int{nil, got.Of} {
		q := chat.LexicalQuery{UserID: f.ana.ID, Terms: []string{"tea", "zebra", "coffee"}, Passages: counts}
		if found := f.found(q); len(found) != 3 {
			t.Errorf("with counts %v: %q", counts, found)
		}
	}
}

func testPhrases(t *testing.T, f *fixture) {
	f.conversation(f.ana, "phrases", start, "the boat race was fun", "a race of boats", "boats race on the river Thames", "the race")
	for name, test := range map[string]struct {
		query chat.LexicalQuery
		want  []string
	}{
		"alone":         {chat.LexicalQuery{Phrases: []string{"boat race"}}, []string{"boats race on the river Thames", "the boat race was fun"}},
		"ranked":        {chat.LexicalQuery{Phrases: []string{"boat race"}, Terms: []string{"river"}, Limit: 1}, []string{"boats race on the river Thames"}},
		"all of them":   {chat.LexicalQuery{Phrases: []string{"boat race", "was fun"}}, []string{"the boat race was fun"}},
		"no operator":   {chat.LexicalQuery{Phrases: []string{`race" OR "the`}}, nil},
		"in what group": {chat.LexicalQuery{Phrases: []string{"boat race"}, GroupIDs: []string{"another"}}, nil},
	} {
		q := test.query
		q.UserID = f.ana.ID
		got := f.found(q)
		slices.Sort(got)
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

func testNeighbourhood(t *testing.T, f *fixture) {
	c := f.conversation(f.ana, "long", start, "a", "b", "c", "d", "e", "f", "zebra")
	other := f.conversation(f.ana, "other", start, "zebra too")
	ids, err := f.Members(f.ctx, f.ana.ID, []string{c.ID})
	f.ok(err)
	slices.Sort(ids)
	if len(ids) != 7 {
		t.Fatalf("%d members, want 7", len(ids))
	}
	around, err := f.Neighbourhood(f.ctx, f.ana.ID, []int64{ids[1], ids[2], ids[6]}, 1)
	f.ok(err)
	var texts []string
	for _, p := range around {
		texts = append(texts, p.Text)
	}
	slices.Sort(texts)
	if !slices.Equal(texts, []string{"a", "b", "c", "d", "f", "zebra"}) {
		t.Errorf("around the second, the third and the last: %q", texts)
	}
	for _, foreign := range []func() (int, error){
		func() (int, error) { p, err := f.Neighbourhood(f.ctx, f.bob.ID, ids, 1); return len(p), err },
		func() (int, error) {
			m, err := f.Members(f.ctx, f.bob.ID, []string{c.ID, other.ID})
			return len(m), err
		},
	} {
		if n, err := foreign(); n != 0 || err != nil {
			t.Errorf("another person reads %d passages, %v", n, err)
		}
	}
}
