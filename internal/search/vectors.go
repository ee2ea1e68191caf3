package search

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/maypok86/otter/v2"

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

	// previous are searched until these are complete; then complete is called, once.
	previous atomic.Pointer[Vectors]
	complete func(context.Context)
	// questions are the vectors of those asked lately: a page of results that is asked
	// for again, or a question that a tool repeats, is not embedded twice.
	questions *otter.Cache[string, []float32]

	mu     sync.Mutex
	people map[string]*person
}

// maxQuestions is how many questions are remembered: 2 MB of vectors.
const maxQuestions = 1000

// person is one person's index. Its lock is held while it is read from the store.
type person struct {
	mu    sync.Mutex
	index *vector.Index // nil until loaded
	used  time.Time
}

func newVectors(store chat.Vectors, embedder embed.Embedder) *Vectors {
	return &Vectors{
		store: store, embedder: embedder, wake: make(chan struct{}, 1), people: map[string]*person{},
		questions: otter.Must(&otter.Options[string, []float32]{MaximumSize: maxQuestions}),
	}
}

// Replace searches the vectors of another embedder until those of this one are
// complete, so that after a change of the embedder answers stay as good as they
// were; nil when that embedder is not to be had any more. Then complete is called,
// once. It must be called before Run and the first search.
func (v *Vectors) Replace(e embed.Embedder, complete func(context.Context)) {
	if e != nil {
		v.previous.Store(newVectors(v.store, e))
	}
	v.complete = complete
}

// embedQuestion returns the vector of a question.
func (v *Vectors) embedQuestion(ctx context.Context, text string) ([]float32, error) {
	if vector, ok := v.questions.GetIfPresent(text); ok {
		return vector, nil
	}
	vectors, err := v.embedder.Embed(ctx, []string{text})
	if err != nil {
		return nil, err
	}
	v.questions.Set(text, vectors[0])
	return vectors[0], nil
}

// filter is what nearest looks at.
type filter struct {
	kinds       []chat.PassageKind
	from, until time.Time
	allowed     map[int64]bool // nil for all
}

// nearest returns the ids of the passages nearest in meaning, best first. The
// scores of the codes are off by less than .002, which no weight makes matter:
// scoring the best again from the stored vectors changed no recall, and took as
// long as the scan.
func (v *Vectors) nearest(ctx context.Context, userID string, query []float32, limit int, f filter) ([]int64, error) {
	index, err := v.index(ctx, userID)
	if err != nil {
		return nil, err
	}
	by := vector.Filter{From: millis(f.from), Until: millis(f.until)}
	for _, k := range f.kinds {
		by.Kinds |= vector.KindsOf(uint8(k))
	}
	if f.allowed != nil {
		by.Allow = func(id int64) bool { return f.allowed[id] }
	}
	hits, err := index.Search(query, limit, by, nil)
	if err != nil {
		return nil, err
	}
	ids := make([]int64, 0, len(hits))
	for _, h := range hits {
		if h.Score > 0 {
			ids = append(ids, h.ID)
		}
	}
	return ids, nil
}

// scores returns how near the passages are, 0 for one that is not embedded yet.
func (v *Vectors) scores(ctx context.Context, userID string, query []float32, ids []int64) ([]float32, error) {
	index, err := v.index(ctx, userID)
	if err != nil {
		return nil, err
	}
	return index.Scores(query, ids)
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
	if p := v.previous.Load(); p != nil {
		p.Forget(userID)
	}
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
