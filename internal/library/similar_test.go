package library_test

import (
	"slices"
	"strings"
	"testing"

	"confidant/internal/chat"
	"confidant/internal/library"
)

// TestSimilar: each filter has a case that fails when it is switched off.
func TestSimilar(t *testing.T) {
	f := newFixture(t)
	sea, _ := f.add("sea.txt", "A tide is the rise of the sea.\fQuestion: what is a tide of the sea?\fAnswer: a tide is the rise of the sea, twice a day.\fThe sea was calm on the third day of our voyage to the islands in the south.")
	paper, _ := f.add("paper.txt", "A tide of paper came over the office.")
	bobs, _, err := f.Add(f.ctx, f.bob.ID, library.Arrival{Path: f.arrival("A tide is what Bob keeps secret about the sea."), Name: "bob.txt"})
	f.ok(err)
	f.ready(sea.ID)
	f.ready(paper.ID)
	for {
		if b, err := f.store.File(f.ctx, f.bob.ID, bobs.ID); err != nil || b.State == chat.FileSuccess {
			f.ok(err)
			break
		}
	}
	ask := library.SimilarQuery{UserID: f.ana.ID, Text: "a tide of the sea"}
	all := f.similar(ask)
	if len(all) != 5 && len(all) != 4 || slices.ContainsFunc(all, func(s string) bool { return strings.Contains(s, "Bob") }) {
		t.Errorf("of the person: %q", all)
	}
	for want, q := range map[string]library.SimilarQuery{
		"Question: what is a tide of the sea?":           {UserID: f.ana.ID, Text: ask.Text, Types: []chat.ChunkType{chat.ChunkQuestion}},
		"A tide of paper came over the office.":          {UserID: f.ana.ID, Text: ask.Text, FileIDs: []string{paper.ID}},
		"A tide is what Bob keeps secret about the sea.": {UserID: f.bob.ID, Text: ask.Text},
	} {
		if got := f.similar(q); len(got) != 1 || got[0] != want {
			t.Errorf("%+v found %q, want %q", q, got, want)
		}
	}
	if got := f.similar(library.SimilarQuery{UserID: f.ana.ID, Text: ask.Text, FileIDs: []string{bobs.ID}}); len(got) != 0 {
		t.Errorf("in somebody else's file: %q", got)
	}
	if got := f.similar(library.SimilarQuery{UserID: f.ana.ID, Text: ask.Text, Limit: 2}); len(got) != 2 {
		t.Errorf("with a limit: %q", got)
	}
}

// TestThreshold: what is found and not similar enough is left out, exactly at the
// threshold too.
func TestThreshold(t *testing.T) {
	f := newFixture(t)
	file, _ := f.add("sea.txt", "The tide rises over the warm sand of the beach.\fPaper, glue and string.")
	f.ready(file.ID)
	finder := func(threshold float64) []library.Similar {
		found, _, err := library.Finder{Searcher: f.core, Pages: f.store, Threshold: threshold}.Similar(f.ctx,
			library.SimilarQuery{UserID: f.ana.ID, Text: "the tide on the beach with paper boats and a lantern"})
		f.ok(err)
		return found
	}
	all := finder(0)
	if len(all) != 2 {
		t.Fatalf("without a threshold: %+v", all)
	}
	least := min(all[0].Similarity, all[1].Similarity)
	if got := finder(least); len(got) != 1 || got[0].Similarity <= least {
		t.Errorf("over %g: %+v", least, got)
	}
	if got := finder(0.99); len(got) != 0 {
		t.Errorf("over .99: %+v", got)
	}
	// The embedder's own scale counts.
	scaled := library.Finder{Searcher: f.core, Pages: f.store, Calibrate: func(float64) float64 { return 1 }}
	found, _, err := scaled.Similar(f.ctx, library.SimilarQuery{UserID: f.ana.ID, Text: "the tide"})
	f.ok(err)
	if len(found) == 0 || found[0].Similarity != 1 {
		t.Errorf("calibrated: %+v", found)
	}
}
