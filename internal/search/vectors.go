package search

import (
	"context"
	"fmt"
	"sync"
	"time"

	"confidant/internal/chat"
	"confidant/internal/embed"
	"confidant/internal/search/vector"
)

// maxIndexBytes is how much memory the indexes of all people may take together.
// The one used longest ago is dropped first; it is read back when it is needed.
const maxIndexBytes = 2 << 30

// Vectors is the meaning side: it embeds passages in the background and keeps
// the index of everybody who searched lately in memory.
type Vectors struct {
	store    chat.Vectors
	embedder embed.Embedder
	wake     chan struct{}

	mu     sync.Mutex
	people map[string]*person
}

// person is one person's index. Its lock is held while it is read from the store.
type person struct {
	mu    sync.Mutex
	index *vector.Index // nil until loaded
	used  time.Time
}

func newVectors(store chat.Vectors, embedder embed.Embedder) *Vectors {
	return &Vectors{store: store, embedder: embedder, wake: make(chan struct{}, 1), people: map[string]*person{}}
}

func (v *Vectors) search(ctx context.Context, q Query, limit int) ([]chat.Scored, error) {
	embedded, err := v.embedder.Embed(ctx, []string{q.Text})
	if err != nil {
		return nil, fmt.Errorf("embed query: %w", err)
	}
	index, err := v.index(ctx, q.UserID)
	if err != nil {
		return nil, err
	}
	filter := vector.Filter{From: millis(q.From), Until: millis(q.Until)}
	for _, k := range q.Kinds {
		filter.Kinds |= vector.KindsOf(uint8(k))
	}
	hits, err := index.Search(embedded[0], limit, filter, nil)
	if err != nil {
		return nil, err
	}
	if err := v.rescore(ctx, embedded[0], hits[:min(rescored, len(hits))]); err != nil {
		return nil, err
	}
	scored := make([]chat.Scored, 0, len(hits))
	for _, h := range hits {
		if h.Score > 0 {
			scored = append(scored, chat.Scored{ID: h.ID, Score: float64(h.Score)})
		}
	}
	return scored, nil
}

// rescored is how many of the nearest get their exact score. The codes' own are
// off by less than .002, which cannot matter further down: scoring all candidates
// again changed no recall by more than .001 and took twice as long as all the
// rest of a search.
const rescored = 40

// rescore replaces the scores of the codes by those of the stored vectors. What
// was deleted meanwhile gets none.
func (v *Vectors) rescore(ctx context.Context, query []float32, hits []vector.Hit) error {
	ids := make([]int64, len(hits))
	for i, h := range hits {
		ids[i] = h.ID
	}
	exact, err := v.store.ExactVectors(ctx, v.embedder.Model(), ids)
	if err != nil {
		return fmt.Errorf("read vectors: %w", err)
	}
	for i, stored := range exact {
		hits[i].Score = 0
		for d, x := range stored {
			hits[i].Score += x * query[d]
		}
	}
	return nil
}

// index returns the person's index, read from the store when it is not in memory.
func (v *Vectors) index(ctx context.Context, userID string) (*vector.Index, error) {
	v.mu.Lock()
	p := v.people[userID]
	if p == nil {
		p = &person{}
		v.people[userID] = p
	}
	p.used = time.Now()
	v.mu.Unlock()

	p.mu.Lock()
	defer p.mu.Unlock()
	if p.index != nil {
		return p.index, nil
	}
	index := vector.New(v.embedder.Dimensions())
	for vec, err := range v.store.LoadVectors(ctx, v.embedder.Model(), userID) {
		if err == nil {
			err = index.Add(vec.ID, millis(vec.At), uint8(vec.Kind), vec.Data)
		}
		if err != nil {
			return nil, fmt.Errorf("load vectors: %w", err)
		}
	}
	p.index = index
	v.evict(userID)
	return index, nil
}

// evict drops the indexes used longest ago until the rest fits, but never keep.
func (v *Vectors) evict(keep string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for {
		var total int64
		oldest := ""
		for id, p := range v.people {
			if id == keep || !p.mu.TryLock() { // being loaded: not now
				continue
			}
			if p.index != nil {
				total += p.index.Bytes()
				if oldest == "" || p.used.Before(v.people[oldest].used) {
					oldest = id
				}
			}
			p.mu.Unlock()
		}
		if total <= maxIndexBytes || oldest == "" {
			return
		}
		delete(v.people, oldest)
	}
}

// Forget drops a person's index, after something of theirs was deleted: the next
// search reads it anew, without what is gone.
func (v *Vectors) Forget(userID string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.people, userID)
}

// Wake says that there is something to embed.
func (v *Vectors) Wake() {
	select {
	case v.wake <- struct{}{}:
	default:
	}
}

// Pending counts the passages that cannot be found by meaning yet.
func (v *Vectors) Pending(ctx context.Context) (int, error) {
	return v.store.Pending(ctx, v.embedder.Model())
}

func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}
