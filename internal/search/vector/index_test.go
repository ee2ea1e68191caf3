package vector

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
)

func TestAddReplaces(t *testing.T) {
	index := New(2)
	mustAdd(t, index, 1, []float32{1, 0})
	mustAdd(t, index, 1, []float32{0, 1})
	if index.Len() != 1 {
		t.Fatalf("Len = %d, want 1", index.Len())
	}
	hits := mustSearch(t, index, []float32{0, 1}, 5, Filter{})
	if len(hits) != 1 || math.Abs(float64(hits[0].Score)-1) > 1e-3 {
		t.Errorf("hits %v, want id 1 with score 1", hits)
	}
}

func TestWhatCannotBeScoredIsRefused(t *testing.T) {
	index := New(2)
	if err := index.Add(1, 0, 0, []float32{1, 0, 0}); !errors.Is(err, ErrDimensions) {
		t.Errorf("three numbers: %v", err)
	}
	if err := index.Add(1, 0, 0, []float32{float32(math.NaN()), 0}); err == nil {
		t.Error("NaN was taken")
	}
	if err := index.Add(1, 0, 0, []float32{float32(math.Inf(1)), 0}); err == nil {
		t.Error("infinity was taken")
	}
	if err := index.Add(1, 0, maxKinds, []float32{1, 0}); err == nil {
		t.Error("kind 64 was taken")
	}
	if _, err := index.Search([]float32{1}, 1, Filter{}, nil); !errors.Is(err, ErrDimensions) {
		t.Errorf("query of one number: %v", err)
	}
	if index.Len() != 0 {
		t.Errorf("Len = %d, want 0", index.Len())
	}
}

func TestSearchOfNothing(t *testing.T) {
	index := New(2)
	if hits := mustSearch(t, index, []float32{1, 0}, 3, Filter{}); len(hits) != 0 {
		t.Errorf("an empty index found %v", hits)
	}
	mustAdd(t, index, 1, []float32{1, 0})
	for _, k := range []int{0, -1} {
		if hits := mustSearch(t, index, []float32{1, 0}, k, Filter{}); len(hits) != 0 {
			t.Errorf("k = %d found %v", k, hits)
		}
	}
}

// TestAgainstAMap does the same at random to an index and to a map of vectors.
// The index has to find them all, and no others, in the right order of scores.
func TestAgainstAMap(t *testing.T) {
	const dims, ids, steps = 24, 6000, 30_000 // more ids than a block has rows
	random := rand.New(rand.NewPCG(11, 12))
	index, model := New(dims), map[int64][]float32{}
	for range steps {
		id := int64(random.IntN(ids))
		if random.IntN(3) == 0 {
			_, want := model[id]
			if got := index.Remove(id); got != want {
				t.Fatalf("Remove(%d) = %v, want %v", id, got, want)
			}
			delete(model, id)
			continue
		}
		v := unit(random, make([]float32, dims), 1)
		mustAdd(t, index, id, v)
		model[id] = v
	}
	if index.Len() != len(model) {
		t.Fatalf("Len = %d, want %d", index.Len(), len(model))
	}
	q := unit(random, make([]float32, dims), 1)
	hits := mustSearch(t, index, q, ids, Filter{})
	if len(hits) != len(model) || !slices.IsSortedFunc(hits, compareHits) {
		t.Fatalf("%d hits of %d, in order: %v", len(hits), len(model), slices.IsSortedFunc(hits, compareHits))
	}
	for _, hit := range hits {
		v, ok := model[hit.ID]
		if !ok {
			t.Fatalf("%d was removed and is found", hit.ID)
		}
		if math.Abs(float64(hit.Score-dot(q, v))) > 0.05 {
			t.Fatalf("%d has another vector's score: %v, want %v", hit.ID, hit.Score, dot(q, v))
		}
	}
}

// TestRemoveLeavesNothing looks at the memory behind the rows in use.
func TestRemoveLeavesNothing(t *testing.T) {
	random := rand.New(rand.NewPCG(13, 14))
	vectors := isotropic(random, blockRows+10, 16)
	index := filled(t, vectors)
	secret := slices.Clone(index.blocks[0].row(5))
	first := index.blocks[0]
	index.Remove(5)
	for _, b := range index.blocks {
		if bytes.Contains(b.codes[:cap(b.codes)], secret) {
			t.Error("the removed vector is still in memory")
		}
	}
	if len(index.blocks) != 2 {
		t.Fatalf("%d blocks, want 2", len(index.blocks))
	}
	for id := range vectors {
		index.Remove(int64(id))
	}
	if index.Len() != 0 || len(index.blocks) != 0 || index.Bytes() != 0 {
		t.Errorf("Len %d, %d blocks, %d bytes; want nothing", index.Len(), len(index.blocks), index.Bytes())
	}
	unused := first.codes[:cap(first.codes)]
	if !bytes.Equal(unused, make([]byte, len(unused))) {
		t.Error("an emptied block still holds codes")
	}
	if rest := first.ids[:blockRows]; slices.ContainsFunc(rest, func(id int64) bool { return id != 0 }) {
		t.Error("an emptied block still holds ids")
	}
}

func TestBytesFollowTheVectors(t *testing.T) {
	const count, dims = 1000, 512
	index := filled(t, isotropic(rand.New(rand.NewPCG(15, 16)), count, dims))
	if got := index.Bytes(); got < count*dims || got > 2*count*dims {
		t.Errorf("Bytes = %d for %d codes of %d", got, count, dims)
	}
}

// TestManyReadersAndAWriter is for the race detector.
func TestManyReadersAndAWriter(t *testing.T) {
	random := rand.New(rand.NewPCG(17, 18))
	vectors := isotropic(random, 500, 32)
	index := filled(t, vectors)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for i := range 50 {
				hits, err := index.Search(vectors[i], 3, Filter{}, stored(vectors))
				if err != nil || len(hits) != 3 {
					t.Errorf("%d hits, %v", len(hits), err)
				}
				index.Len()
				index.Bytes()
			}
		})
	}
	for i := range 400 {
		index.Remove(int64(i))
		mustAdd(t, index, int64(i), vectors[i])
	}
	group.Wait()
}

func TestExactIsCheckedAndMayMiss(t *testing.T) {
	index := New(2)
	mustAdd(t, index, 1, []float32{1, 0})
	mustAdd(t, index, 2, []float32{0.6, 0.8})
	q, broken := []float32{1, 0}, errors.New("the disk is gone")
	for name, c := range map[string]struct {
		vectors [][]float32
		err     error
		want    string
	}{
		"the store fails":        {nil, broken, "search vectors: the disk is gone"},
		"too few vectors":        {[][]float32{{1, 0}}, nil, "search vectors: 1 stored vectors of 2 ids"},
		"of another length":      {[][]float32{{1, 0}, {1}}, nil, "search vectors: stored vector 2: vector of other dimensions: 1, want 2"},
		"one is gone":            {[][]float32{nil, {0, 1}}, nil, ""},
		"its scores count alone": {[][]float32{{0, 1}, {1, 0}}, nil, ""},
	} {
		hits, err := index.Search(q, 2, Filter{}, func([]int64) ([][]float32, error) { return c.vectors, c.err })
		if got := fmt.Sprint(err); err != nil && got != c.want || err == nil && c.want != "" {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
		if name == "one is gone" && !slices.Equal(hits, []Hit{{2, 0}}) {
			t.Errorf("%s: %v", name, hits)
		}
		if name == "its scores count alone" && !slices.Equal(hits, []Hit{{2, 1}, {1, 0}}) {
			t.Errorf("%s: %v", name, hits)
		}
	}
}

func mustAdd(tb testing.TB, index *Index, id int64, v []float32) {
	tb.Helper()
	if err := index.Add(id, 0, 0, v); err != nil {
		tb.Fatal(err)
	}
}

func mustSearch(tb testing.TB, index *Index, q []float32, k int, f Filter) []Hit {
	tb.Helper()
	hits, err := index.Search(q, k, f, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return hits
}
