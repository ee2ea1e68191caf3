package search_test

import (
	"context"
	"slices"
	"testing"

	"confidant/internal/search"
)

// renamed is topics in a space of its own, in which topics are the other way round.
type renamed struct{ topics }

func (renamed) Model() string { return "renamed" }

func (r renamed) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors, err := r.topics.Embed(ctx, texts)
	for _, v := range vectors {
		slices.Reverse(v)
	}
	return vectors, err
}

// TestAnotherEmbedder: after a change of the embedder the old vectors answer until
// the new ones are complete, spaces are never mixed, and then the old ones go.
func TestAnotherEmbedder(t *testing.T) {
	f := newFixture(t, topics{})
	f.record("days", day, "We went sailing.", "The oven is hot.", "The invoice came.")

	core := search.New(f.store, f.store, renamed{})
	completed := 0
	core.Vectors().Replace(topics{}, func(ctx context.Context) {
		completed++
		for more := true; more; {
			var err error
			if more, err = f.store.DropVectors(ctx, "topics"); err != nil {
				t.Error(err)
			}
		}
	})
	byMeaning := func(when string) {
		t.Helper()
		r, err := core.Search(t.Context(), search.Query{UserID: f.user.ID, Text: "my boat", Limit: 1})
		if err != nil || len(r.Hits) != 1 || r.Hits[0].Passage.Text != "We went sailing." || r.Receipt.WordsOnly {
			t.Fatalf("%s: %+v, %v", when, r, err)
		}
	}
	byMeaning("before anything is embedded anew")
	if n, err := core.Vectors().Embed(t.Context()); n != 3 || err != nil {
		t.Fatalf("embedded %d, %v", n, err)
	}
	byMeaning("while the embedder works")
	if completed != 0 {
		t.Error("completed before its run found nothing left")
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- core.Vectors().Run(ctx) }()
	for {
		models, err := f.store.VectorModels(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if slices.Equal(models, []string{"renamed"}) {
			break
		}
	}
	stop()
	if err := <-done; err != nil || completed != 1 {
		t.Errorf("run ended with %v, completed %d times", err, completed)
	}
	byMeaning("with the new vectors")
}
