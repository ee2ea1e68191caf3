// Package search is the one retrieval core: words and meaning, in the context of
// what was said around them, within one person's own passages.
package search

import (
	"context"
	"fmt"
	"slices"
	"time"

	"confidant/internal/chat"
	"confidant/internal/embed"
	"confidant/internal/search/question"
)

// Query is what to look for and where.
type Query struct {
	UserID string
	Text   string
	// History are the person's earlier messages, oldest first: a question of few
	// words, such as "and the other one?", is about what they were about.
	History []string
	// Kinds limits what is found; none means all.
	Kinds []chat.PassageKind
	// From and Until bound the passage's time, from ≤ t < until; zero means open.
	// When both are, the time words of the text bound it.
	From, Until time.Time
	// Timeless queries are not bounded by the time words of their text.
	Timeless bool
	Filters  Filters
	// Now is when the question is asked and Zone where; zero means now and UTC.
	Now   time.Time
	Zone  *time.Location
	Limit int
	// Around is how many passages before and after each hit come with it.
	Around int
}

// Hit is a passage with its score between 0 and 1, and what stands around it in
// its conversation, in order, without itself.
type Hit struct {
	Passage chat.Passage
	Score   float64
	// Near is the cosine of its meaning to the question's, 0 when that is not known;
	// Cover which part of the question's words it has with what stands around it,
	// rare words counting more.
	Near, Cover float64
	Around      []chat.Passage
}

// Result is what was found, best first, and how.
type Result struct {
	Hits    []Hit
	Receipt Receipt
}

// Store is where passages are.
type Store interface {
	chat.Words
	chat.Passages
}

// Mentions knows what conversations speak of.
type Mentions interface {
	// Mentioning returns the person's conversations that mention any of the values:
	// people, topics, entities, or dates (YYYY-MM-DD), as the field says.
	Mentioning(ctx context.Context, userID string, field MentionField, values []string) ([]string, error)
}

// Core searches. It is safe for concurrent use.
type Core struct {
	store    Store
	vectors  *Vectors // nil: words only
	mentions Mentions // nil: filters on mentions match nothing
}

// New returns a core over a store. A nil embedder means that only words are searched.
func New(store Store, vectors chat.Vectors, embedder embed.Embedder) *Core {
	c := &Core{store: store}
	if embedder != nil {
		c.vectors = newVectors(vectors, embedder)
	}
	return c
}

// UseMentions sets where filters on people, topics, entities and dates look.
// It must be called before the first search.
func (c *Core) UseMentions(m Mentions) { c.mentions = m }

// searched are the vectors that are searched now, nil for none.
func (c *Core) searched() *Vectors {
	if c.vectors == nil {
		return nil
	}
	if p := c.vectors.previous.Load(); p != nil {
		return p
	}
	return c.vectors
}

// Vectors returns the vector side, nil when there is no embedder.
func (c *Core) Vectors() *Vectors { return c.vectors }

// Search returns the best passages, best first, and none rather than ones that
// have nothing to do with the question. When nothing is found with all filters,
// they are dropped one by one, the widest last; the receipt says which. That the
// meaning cannot be searched, because the embedder fails, does not fail the search.
func (c *Core) Search(ctx context.Context, q Query) (Result, error) {
	if q.Now.IsZero() {
		q.Now = time.Now()
	}
	if q.Zone == nil {
		q.Zone = time.UTC
	}
	asked := question.Parse(q.Text, q.History, q.Now.In(q.Zone))
	if q.Timeless {
		asked.Window = nil
	}
	receipt := newReceipt(q, asked)
	meaning := c.embed(ctx, q.Text)
	var found []candidate
	for _, s := range scopes(q, asked) {
		groups, ok, err := c.groups(ctx, q.UserID, s)
		if err != nil {
			return Result{}, err
		}
		var a attempt
		found = nil
		if ok {
			a = attempt{core: c, query: q, asked: s.asked(asked), scope: s, groups: groups, meaning: meaning}
			if found, err = a.run(ctx); err != nil {
				return Result{}, err
			}
		}
		receipt.tried(s, a)
		if silence(found) {
			break
		}
	}
	ranked := merge(found, q.Limit)
	receipt.rank(found, ranked)
	hits, err := c.withAround(ctx, q, ranked)
	return Result{Hits: hits, Receipt: receipt}, err
}

func (c *Core) withAround(ctx context.Context, q Query, ranked []candidate) ([]Hit, error) {
	hits := make([]Hit, len(ranked))
	for i, r := range ranked {
		hits[i] = Hit{Passage: r.passage, Score: r.score, Near: r.near, Cover: r.cover}
		p := r.passage
		if q.Around == 0 || p.Kind.Derived() {
			continue
		}
		around, err := c.store.Around(ctx, q.UserID, p.GroupID, p.Position-q.Around, p.Position+q.Around)
		if err != nil {
			return nil, fmt.Errorf("read neighbours: %w", err)
		}
		hits[i].Around = slices.DeleteFunc(around, func(n chat.Passage) bool { return n.ID == p.ID })
	}
	return hits, nil
}
