// Package search is the one retrieval core: words and meaning, fused, with
// neighbours, within one person's own passages.
package search

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"confidant/internal/chat"
	"confidant/internal/embed"
)

// Query is what to look for and where.
type Query struct {
	UserID string
	Text   string
	// Kinds limits what is found; none means all.
	Kinds []chat.PassageKind
	// From and Until bound the passage's time, from ≤ t < until; zero means open.
	From, Until time.Time
	Limit       int
	// Around is how many passages before and after each hit come with it.
	Around int
}

// Hit is a passage with its score between 0 and 1, and what stands around it in
// its conversation, in order, without itself.
type Hit struct {
	Passage chat.Passage
	Score   float64
	Around  []chat.Passage
}

// Core searches. It is safe for concurrent use.
type Core struct {
	passages chat.Passages
	vectors  *Vectors // nil: words only
	weights  Weights
}

// New returns a core over a store. A nil embedder means that only words are searched.
func New(passages chat.Passages, store chat.Vectors, embedder embed.Embedder) *Core {
	c := &Core{passages: passages, weights: DefaultWeights}
	if embedder != nil {
		c.vectors = newVectors(store, embedder)
	}
	return c
}

// Vectors returns the vector side, nil when there is no embedder.
func (c *Core) Vectors() *Vectors { return c.vectors }

// pool is how many candidates each side brings to the fusion. With 100, recall@10
// was .008 lower on locomo-dev; more cost time and brought nothing.
const pool = 150

// Search returns the best passages, best first. That the meaning cannot be
// searched, because the embedder fails, does not fail the search.
func (c *Core) Search(ctx context.Context, q Query) ([]Hit, error) {
	words, err := c.passages.Lexical(ctx, chat.LexicalQuery{
		UserID: q.UserID, Terms: Terms(q.Text), Kinds: q.Kinds, From: q.From, Until: q.Until, Limit: max(pool, q.Limit),
	})
	if err != nil {
		return nil, fmt.Errorf("search words: %w", err)
	}
	var meaning []chat.Scored
	if c.vectors != nil {
		if meaning, err = c.vectors.search(ctx, q, max(pool, q.Limit)); err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			slog.WarnContext(ctx, "searching words only", "error", err)
		}
	}
	candidates, err := c.read(ctx, q.UserID, words, meaning)
	if err != nil {
		return nil, err
	}
	ranked := c.weights.fuse(candidates)
	ranked = ranked[:min(q.Limit, len(ranked))]
	return c.withAround(ctx, q, ranked)
}

// read joins both sides' candidates with their passages.
func (c *Core) read(ctx context.Context, userID string, words, meaning []chat.Scored) ([]candidate, error) {
	byID := map[int64]*candidate{}
	var ids []int64
	at := func(id int64) *candidate {
		if byID[id] == nil {
			byID[id] = &candidate{}
			ids = append(ids, id)
		}
		return byID[id]
	}
	for _, s := range words {
		at(s.ID).words = s.Score
	}
	for _, s := range meaning {
		at(s.ID).meaning = s.Score
	}
	if len(ids) == 0 {
		return nil, nil
	}
	passages, err := c.passages.Passages(ctx, userID, ids)
	if err != nil {
		return nil, fmt.Errorf("read passages: %w", err)
	}
	candidates := make([]candidate, len(passages))
	for i, p := range passages {
		candidates[i] = *byID[p.ID]
		candidates[i].passage = p
	}
	return candidates, nil
}

func (c *Core) withAround(ctx context.Context, q Query, ranked []candidate) ([]Hit, error) {
	hits := make([]Hit, len(ranked))
	for i, r := range ranked {
		hits[i] = Hit{Passage: r.passage, Score: r.score}
		if q.Around == 0 {
			continue
		}
		p := r.passage
		around, err := c.passages.Around(ctx, q.UserID, p.GroupID, p.Position-q.Around, p.Position+q.Around)
		if err != nil {
			return nil, fmt.Errorf("read neighbours: %w", err)
		}
		hits[i].Around = slices.DeleteFunc(around, func(n chat.Passage) bool { return n.ID == p.ID })
	}
	return hits, nil
}
