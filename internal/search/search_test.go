package search_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"confidant/internal/chat"
	"confidant/internal/embed"
	"confidant/internal/memory"
	"confidant/internal/search"
	"confidant/internal/store/sqlite"
)

// topics embeds a text by which of a few words are in it, so that texts of the
// same topic are near each other although they share no word.
type topics struct{ fail error }

var topicWords = [][]string{{"boat", "sailing", "harbour"}, {"bread", "oven", "baking"}, {"tax", "invoice", "money"}}

func (topics) Model() string   { return "topics" }
func (topics) Dimensions() int { return len(topicWords) + 1 }
func (topics) MaxTokens() int  { return 128 }

func (e topics) Embed(_ context.Context, texts []string) ([][]float32, error) {
	if e.fail != nil {
		return nil, e.fail
	}
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		v := make([]float32, len(topicWords)+1)
		place := len(topicWords)
		for topic, words := range topicWords {
			for _, w := range words {
				if strings.Contains(strings.ToLower(text), w) {
					place = topic
				}
			}
		}
		v[place] = 1
		vectors[i] = v
	}
	return vectors, nil
}

var _ embed.Embedder = topics{}

type fixture struct {
	*testing.T
	store *sqlite.Store
	core  *search.Core
	mem   *memory.Memory
	user  chat.User
	dir   string
}

func newFixture(t *testing.T, embedder embed.Embedder) *fixture {
	t.Helper()
	dir := t.TempDir()
	store, err := sqlite.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	user, err := store.EnsureUser(t.Context(), "ana")
	if err != nil {
		t.Fatal(err)
	}
	core := search.New(store, store, embedder)
	var index memory.Index
	if v := core.Vectors(); v != nil {
		index = v
	}
	return &fixture{T: t, store: store, core: core, mem: memory.New(store, index), user: user, dir: dir}
}

// record stores a conversation and embeds it.
func (f *fixture) record(title string, at time.Time, texts ...string) chat.Conversation {
	f.Helper()
	segments := make([]chat.Segment, len(texts))
	for i, text := range texts {
		segments[i] = chat.Segment{ID: title + "." + string(rune('0'+i)), Position: i, Speaker: "Ben", Text: text, Start: float64(i)}
	}
	c, _, err := f.store.PutConversation(f.Context(), chat.Conversation{ID: title, UserID: f.user.ID, Title: title, StartedAt: at, Fingerprint: title}, segments, nil)
	if err != nil {
		f.Fatal(err)
	}
	if v := f.core.Vectors(); v != nil {
		if err := v.Drain(f.Context()); err != nil {
			f.Fatal(err)
		}
	}
	return c
}

func (f *fixture) find(q search.Query) []string {
	f.Helper()
	var texts []string
	for _, h := range f.search(q).Hits {
		texts = append(texts, h.Passage.Text)
	}
	return texts
}

func (f *fixture) search(q search.Query) search.Result {
	f.Helper()
	q.UserID = f.user.ID
	if q.Limit == 0 {
		q.Limit = 3
	}
	result, err := f.core.Search(f.Context(), q)
	if err != nil {
		f.Fatal(err)
	}
	return result
}

var day = time.Date(2026, 5, 4, 9, 0, 0, 0, time.UTC)

func TestWordsAndMeaning(t *testing.T) {
	f := newFixture(t, topics{})
	f.record("sea", day, "We took the boat out", "Lovely weather", "The invoice came late")
	f.record("kitchen", day.AddDate(0, 0, 7), "The oven was too hot", "Marmalade for Otto")
	for name, test := range map[string]struct {
		query search.Query
		best  string
	}{
		"a word":                  {search.Query{Text: "marmalade"}, "Marmalade for Otto"},
		"a meaning without words": {search.Query{Text: "sailing"}, "We took the boat out"},
		"both":                    {search.Query{Text: "baking in a hot oven"}, "The oven was too hot"},
		"in a window":             {search.Query{Text: "hot boat money", Until: day.Add(time.Hour)}, "We took the boat out"},
	} {
		got := f.find(test.query)
		if len(got) == 0 || test.best != "" && got[0] != test.best {
			t.Errorf("%s: %q, want %q first", name, got, test.best)
		}
		if name == "in a window" && slices.Contains(got, "The oven was too hot") {
			t.Errorf("%s: %q holds what was said later", name, got)
		}
	}
}

func TestNeighboursComeWithAHit(t *testing.T) {
	f := newFixture(t, nil)
	f.record("c", day, "one", "two", "zebra", "four", "five")
	hits := f.search(search.Query{Text: "zebra", Limit: 1, Around: 1}).Hits
	if len(hits) != 1 {
		t.Fatal(hits)
	}
	var around []string
	for _, p := range hits[0].Around {
		around = append(around, p.Text)
	}
	if !slices.Equal(around, []string{"two", "four"}) {
		t.Errorf("around: %q", around)
	}
}

func TestABrokenEmbedderLeavesTheWords(t *testing.T) {
	f := newFixture(t, topics{fail: errors.New("down")})
	_, _, err := f.store.PutConversation(t.Context(), chat.Conversation{ID: "c", UserID: f.user.ID, Fingerprint: "c"}, []chat.Segment{{ID: "s", Text: "zebra"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := f.find(search.Query{Text: "zebra"}); !slices.Equal(got, []string{"zebra"}) {
		t.Errorf("found %q", got)
	}
}

func TestDeletedIsNotFoundAnyMore(t *testing.T) {
	f := newFixture(t, topics{})
	c := f.record("sea", day, "We took the boat out")
	f.record("sea2", day, "Another boat, another day")
	f.find(search.Query{Text: "sailing"}) // loads the index
	if err := f.mem.DeleteConversation(t.Context(), f.user.ID, c.ID); err != nil {
		t.Fatal(err)
	}
	if got := f.find(search.Query{Text: "sailing boat"}); !slices.Equal(got, []string{"Another boat, another day"}) {
		t.Errorf("found %q", got)
	}
}

func TestNewPassagesAreFoundByMeaningAtOnce(t *testing.T) {
	f := newFixture(t, topics{})
	f.record("sea", day, "We took the boat out")
	f.find(search.Query{Text: "sailing"}) // the index is in memory from here on
	f.record("kitchen", day, "The oven was hot")
	if got := f.find(search.Query{Text: "baking"}); len(got) == 0 || got[0] != "The oven was hot" {
		t.Errorf("found %q", got)
	}
	if n, err := f.core.Vectors().Pending(t.Context()); err != nil || n != 0 {
		t.Errorf("%d pending, %v", n, err)
	}
}
