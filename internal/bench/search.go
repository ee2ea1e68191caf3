package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"confidant/assets"
	"confidant/internal/chat"
	"confidant/internal/embed"
	"confidant/internal/embed/uselite"
	"confidant/internal/search"
	"confidant/internal/store/sqlite"
)

const (
	searchSmall  = 10_000
	searchLarge  = 100_000
	searchOthers = 200_000
	searchTimes  = 200
)

// measureSearch searches what one person said by keyword and meaning: 10,000
// segments, then 100,000, then the same beside 200,000 of other people.
func measureSearch(ctx context.Context, b *bench) ([]figure, error) {
	store, err := sqlite.Open(ctx, filepath.Join(b.dir, "search"))
	if err != nil {
		return nil, err
	}
	defer store.Close()
	s := &searches{store: store, corpus: newCorpus(7)}
	for range searchTimes {
		s.questions = append(s.questions, s.corpus.question())
	}
	small, err := s.of(ctx, "small", searchSmall)
	if err != nil {
		return nil, err
	}
	large, err := s.of(ctx, "large", searchLarge)
	if err != nil {
		return nil, err
	}
	alone, err := s.measure(ctx, large)
	if err != nil {
		return nil, err
	}
	for i := range 4 {
		if _, err := s.of(ctx, fmt.Sprint("other-", i), searchOthers/4); err != nil {
			return nil, err
		}
	}
	// Again, one after the other, so that all three are measured under the same load.
	least, err := s.measure(ctx, small)
	if err != nil {
		return nil, err
	}
	among, err := s.measure(ctx, large)
	if err != nil {
		return nil, err
	}
	figures := []figure{
		{Name: "search: 100,000 segments, keyword + meaning, median", Value: ms(median(among.both)),
			Baseline: ms(median(least.both)), BaselineName: "10,000 segments", Unit: "ms", Target: 20},
		{Name: "search: the same, p95", Value: ms(quantile(among.both, 0.95)), Baseline: ms(quantile(least.both, 0.95)),
			BaselineName: "10,000 segments", Unit: "ms"},
		{Name: "search: the keywords alone, median", Value: ms(median(among.words)), Baseline: ms(median(among.both)),
			BaselineName: "keyword + meaning", Unit: "ms"},
		{Name: "search: beside 200,000 segments of others, median", Value: ms(median(among.both)),
			Baseline: ms(median(alone.both)), BaselineName: "without them", Unit: "ms", Target: 1.3 * ms(median(alone.both))},
	}
	embedding, err := embeddingTime(ctx, s.questions)
	if errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintln(os.Stderr, "the embedder's weights are not built in (make assets): its time is left out")
		return figures, nil
	}
	return append(figures, figure{Name: "search: embedding the question, in addition, median", Value: ms(median(embedding)),
		Baseline: ms(median(among.both)), BaselineName: "keyword + meaning", Unit: "ms"}), err
}

type searches struct {
	store     *sqlite.Store
	corpus    *corpus
	questions []string
}

// of makes a person with so many segments.
func (s *searches) of(ctx context.Context, name string, segments int) (chat.User, error) {
	user, err := s.store.EnsureUser(ctx, name)
	if err != nil {
		return user, err
	}
	return user, s.corpus.fill(ctx, s.store, user.ID, segments)
}

// sample is what the questions took, once each.
type sample struct{ both, words []time.Duration }

func (s *searches) measure(ctx context.Context, user chat.User) (sample, error) {
	both := search.New(s.store, s.store, &prepared{corpus: s.corpus})
	words := search.New(s.store, s.store, nil)
	find := func(core *search.Core) func(int) error {
		return func(i int) error {
			found, err := core.Search(ctx, search.Query{UserID: user.ID, Text: s.questions[i], Limit: 10, Around: 1})
			if err == nil && len(found.Hits) == 0 {
				err = fmt.Errorf("nothing was found for %q", s.questions[i])
			}
			return err
		}
	}
	if _, err := repeat(20, find(both)); err != nil { // reads the index, warms the caches
		return sample{}, err
	}
	var got sample
	var err error
	if got.both, err = repeat(searchTimes, find(both)); err != nil {
		return got, err
	}
	got.words, err = repeat(searchTimes, find(words))
	return got, err
}

// prepared is an embedder that takes no time: its cost is measured by itself.
type prepared struct{ corpus *corpus }

var _ embed.Embedder = (*prepared)(nil)

// Model implements embed.Embedder.
func (*prepared) Model() string { return modelName }

// Dimensions implements embed.Embedder.
func (*prepared) Dimensions() int { return dimensions }

// MaxTokens implements embed.Embedder.
func (*prepared) MaxTokens() int { return 128 }

// Embed implements embed.Embedder.
func (p *prepared) Embed(_ context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	for i := range vectors {
		vectors[i] = p.corpus.vector()
	}
	return vectors, nil
}

// embeddingTime is what the built-in embedder takes for a question.
func embeddingTime(ctx context.Context, questions []string) ([]time.Duration, error) {
	encoder, err := uselite.Load(assets.FS(), uselite.Int8File)
	if err != nil {
		return nil, err
	}
	return repeat(50, func(i int) error {
		_, err := encoder.Embed(ctx, questions[i:i+1])
		return err
	})
}
