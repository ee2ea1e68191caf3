package search_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"confidant/internal/chat"
	"confidant/internal/search"
)

// derive stores a passage of a kind that is made of what was said.
func (f *fixture) derive(kind chat.PassageKind, text string) {
	f.Helper()
	db, err := sql.Open("sqlite", filepath.Join(f.dir, "confidant.db"))
	if err != nil {
		f.Fatal(err)
	}
	defer db.Close()
	var id int64
	err = db.QueryRowContext(f.Context(), `INSERT INTO passages (user, kind, grp, ref, position, speaker, text, at)
		VALUES (1, ?, ?, ?, 0, '', ?, ?) RETURNING id`, kind, text, text, text, day.UnixMilli()).Scan(&id)
	if err == nil {
		_, err = db.ExecContext(f.Context(), "INSERT INTO derived_1 (rowid, title, speaker, text) VALUES (?, '', '', ?)", id, text)
	}
	if err != nil {
		f.Fatal(err)
	}
	if v := f.core.Vectors(); v != nil {
		if err := v.Drain(f.Context()); err != nil {
			f.Fatal(err)
		}
	}
}

func TestFactsAreFoundBesideWhatWasSaid(t *testing.T) {
	f := newFixture(t, topics{})
	var said []string
	for i := range 40 {
		said = append(said, fmt.Sprintf("boat %d of many boats", i))
	}
	f.record("sea", day, said...)
	f.derive(chat.PassageFact, "Ana owns a boat")
	f.derive(chat.PassageTask, "Sell the old boat")
	f.derive(chat.PassageFact, "Ben is afraid of spiders")
	texts := f.find(search.Query{Text: "boat", Limit: 5})
	for _, want := range []string{"Ana owns a boat", "Sell the old boat"} {
		if !slices.Contains(texts, want) {
			t.Errorf("%q is not among %q", want, texts)
		}
	}
	if slices.Contains(texts, "Ben is afraid of spiders") || len(texts) != 5 {
		t.Errorf("found %q", texts)
	}
	if got := f.find(search.Query{Text: "boat", Kinds: []chat.PassageKind{chat.PassageFact}}); !slices.Equal(got, []string{"Ana owns a boat"}) {
		t.Errorf("facts: %q", got)
	}
	if got := f.find(search.Query{Text: "boat", Kinds: []chat.PassageKind{chat.PassageSegment}, Limit: 50}); slices.Contains(got, "Ana owns a boat") {
		t.Errorf("what was said: %q", got)
	}
	if got := f.find(search.Query{Text: "spiders"}); !slices.Equal(got, []string{"Ben is afraid of spiders"}) {
		t.Errorf("only a fact has it: %q", got)
	}
}
