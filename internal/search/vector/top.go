package vector

import (
	"cmp"
	"slices"
)

// Hit is one found vector. Score is the dot product with the query: the cosine,
// for vectors of unit length.
type Hit struct {
	ID    int64
	Score float32
}

// compareHits puts the better hit first: the higher score, then the lower id, so
// that equal searches have equal results.
func compareHits(a, b Hit) int {
	if a.Score != b.Score {
		return cmp.Compare(b.Score, a.Score)
	}
	return cmp.Compare(a.ID, b.ID)
}

// top keeps the best hits of those offered, in a heap with the worst at its root.
type top struct {
	limit int
	heap  []Hit
}

func newTop(limit int) *top { return &top{limit: limit} }

func (t *top) offer(h Hit) {
	if len(t.heap) < t.limit {
		t.heap = append(t.heap, h)
		t.up(len(t.heap) - 1)
		return
	}
	if compareHits(h, t.heap[0]) < 0 {
		t.heap[0] = h
		t.down(0)
	}
}

// sorted empties the heap, best first.
func (t *top) sorted() []Hit {
	hits := t.heap
	t.heap = nil
	slices.SortFunc(hits, compareHits)
	return hits
}

func (t *top) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if compareHits(t.heap[i], t.heap[parent]) <= 0 {
			return
		}
		t.heap[i], t.heap[parent] = t.heap[parent], t.heap[i]
		i = parent
	}
}

func (t *top) down(i int) {
	for {
		worst := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(t.heap); child++ {
			if compareHits(t.heap[child], t.heap[worst]) > 0 {
				worst = child
			}
		}
		if worst == i {
			return
		}
		t.heap[i], t.heap[worst] = t.heap[worst], t.heap[i]
		i = worst
	}
}
