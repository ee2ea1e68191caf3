package vector

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
)

// maxKinds is how many kinds a Kinds can tell apart.
const maxKinds = 64

// Kinds is a set of kinds, bit k standing for kind k. The empty set lets every
// kind through.
type Kinds uint64

// KindsOf returns the set of the kinds, each below 64.
func KindsOf(kinds ...uint8) Kinds {
	var set Kinds
	for _, kind := range kinds {
		set |= 1 << kind
	}
	return set
}

// Filter says which vectors are looked at; its zero value says all. What it
// refuses costs no multiplication.
type Filter struct {
	Kinds Kinds
	From  int64 // Unix milliseconds, inclusive; 0 is open
	Until int64 // Unix milliseconds, exclusive; 0 is open
	// Allow is asked last, from several goroutines at once. It must not call the
	// index, which is locked meanwhile.
	Allow func(id int64) bool
}

func (f *Filter) open() bool {
	return f.Kinds == 0 && f.From == 0 && f.Until == 0 && f.Allow == nil
}

// admits reports whether a row of a block is to be looked at.
func (f *Filter) admits(b *block, row int) bool {
	switch {
	case f.Kinds != 0 && f.Kinds>>b.kinds[row]&1 == 0,
		f.From != 0 && b.at[row] < f.From,
		f.Until != 0 && b.at[row] >= f.Until:
		return false
	}
	return f.Allow == nil || f.Allow(b.ids[row])
}

// Exact returns the stored vectors of the ids, in order; nil stands for one that
// was deleted meanwhile.
type Exact func(ids []int64) ([][]float32, error)

// Search returns the k vectors nearest to q, best first. Without exact the scores
// are those of the codes, off by about 0.001. With it, the best max(40, 4k) of
// the scan are fetched and scored again in float32; the index is not locked then.
// The error wraps ErrDimensions, or what exact returned.
func (x *Index) Search(q []float32, k int, f Filter, exact Exact) ([]Hit, error) {
	if err := x.check(q); err != nil {
		return nil, fmt.Errorf("search vectors: %w", err)
	}
	if k <= 0 {
		return nil, nil
	}
	if exact == nil {
		return x.candidates(q, k, f), nil
	}
	hits, err := rescore(q, x.candidates(q, max(40, 4*k), f), exact)
	if err != nil {
		return nil, fmt.Errorf("search vectors: %w", err)
	}
	return hits[:min(k, len(hits))], nil
}

// Scores returns how near the vectors of the ids are to q, by their codes, in
// order; 0 for an id that has none. The error wraps ErrDimensions.
func (x *Index) Scores(q []float32, ids []int64) ([]float32, error) {
	if err := x.check(q); err != nil {
		return nil, fmt.Errorf("score vectors: %w", err)
	}
	x.mu.RLock()
	defer x.mu.RUnlock()
	query := newQuery(encode(q, x.stride))
	scores := make([]float32, len(ids))
	var dots [1]int32
	for i, id := range ids {
		row, ok := x.rows[id]
		if !ok {
			continue
		}
		b, r := x.blocks[row/blockRows], row%blockRows
		scan.dots(dots[:], b.codes[r*b.stride:], query)
		scores[i] = float32(inner(dots[0], query.sum, b.sums[r], x.dims)) * query.scale * b.scales[r]
	}
	return scores, nil
}

// rescore replaces the scores by exact ones and drops what is gone.
func rescore(q []float32, candidates []Hit, exact Exact) ([]Hit, error) {
	ids := make([]int64, len(candidates))
	for i, hit := range candidates {
		ids[i] = hit.ID
	}
	vectors, err := exact(ids)
	if err != nil {
		return nil, err
	}
	if len(vectors) != len(ids) {
		return nil, fmt.Errorf("%d stored vectors of %d ids", len(vectors), len(ids))
	}
	best := newTop(len(ids))
	for i, v := range vectors {
		if v == nil {
			continue
		}
		if len(v) != len(q) {
			return nil, fmt.Errorf("stored vector %d: %w: %d, want %d", ids[i], ErrDimensions, len(v), len(q))
		}
		best.offer(Hit{ids[i], dot(q, v)})
	}
	return best.sorted(), nil
}

func dot(a, b []float32) float32 {
	var sum float64
	for i, x := range a {
		sum += float64(x) * float64(b[i])
	}
	return float32(sum)
}

// candidates scans the codes. Blocks are handed out one by one to as many
// goroutines as there are processors.
func (x *Index) candidates(q []float32, limit int, f Filter) []Hit {
	x.mu.RLock()
	defer x.mu.RUnlock()
	query := newQuery(encode(q, x.stride))
	workers := min(runtime.GOMAXPROCS(0), len(x.blocks))
	found := make([]*top, max(workers, 1))
	var next atomic.Int64
	var group sync.WaitGroup
	work := func(worker int) {
		s := &scanner{query: query, dims: x.dims, filter: f, best: newTop(limit)}
		for i := next.Add(1) - 1; i < int64(len(x.blocks)); i = next.Add(1) - 1 {
			s.scan(x.blocks[i])
		}
		found[worker] = s.best
	}
	for worker := 1; worker < workers; worker++ {
		group.Go(func() { work(worker) })
	}
	work(0)
	group.Wait()
	best := found[0]
	for _, other := range found[1:] {
		for _, hit := range other.heap {
			best.offer(hit)
		}
	}
	return best.sorted()
}

// scanner is one goroutine's part of a search.
type scanner struct {
	query  *query
	dims   int
	filter Filter
	best   *top
	dots   [256]int32
}

// scan offers the admitted rows of a block, a run of neighbours at a time.
func (s *scanner) scan(b *block) {
	if s.filter.open() {
		s.score(b, 0, b.len())
		return
	}
	for row := 0; row < b.len(); row++ {
		first := row
		for row < b.len() && s.filter.admits(b, row) {
			row++
		}
		s.score(b, first, row)
	}
}

// score offers the rows from first to before end.
func (s *scanner) score(b *block, first, end int) {
	for ; first < end; first += len(s.dots) {
		dots := s.dots[:min(len(s.dots), end-first)]
		scan.dots(dots, b.codes[first*b.stride:], s.query)
		for i, dot := range dots {
			row := first + i
			steps := inner(dot, s.query.sum, b.sums[row], s.dims)
			s.best.offer(Hit{b.ids[row], float32(steps) * s.query.scale * b.scales[row]})
		}
	}
}
