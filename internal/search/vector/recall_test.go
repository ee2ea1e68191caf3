package vector

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestRecallIsComplete: with exact scores, a search over codes finds the very ten
// that a scan of all float32 vectors finds.
func TestRecallIsComplete(t *testing.T) {
	const count, dims, queries, k = 20_000, 512, 25, 10
	random := rand.New(rand.NewPCG(7, 8))
	for name, vectors := range map[string][][]float32{
		"isotropic": isotropic(random, count, dims),
		"clustered": clustered(random, count, dims, 200),
	} {
		t.Run(name, func(t *testing.T) {
			index := filled(t, vectors)
			for range queries {
				q := unit(random, vectors[random.IntN(count)], 1)
				got, err := index.Search(q, k, Filter{}, stored(vectors))
				if err != nil {
					t.Fatal(err)
				}
				want := bruteForce(vectors, q, k)
				if recall := shared(got, want); recall != k {
					t.Errorf("%d of the nearest %d found\n got %v\nwant %v", recall, k, got, want)
				}
				for i := range got {
					if math.Abs(float64(got[i].Score-want[i].Score)) > 1e-6 {
						t.Errorf("hit %d: score %v, want %v", i, got[i].Score, want[i].Score)
					}
				}
			}
		})
	}
}

// TestScoresWithoutRescoringAreClose: what the doc comment of Search promises.
func TestScoresWithoutRescoringAreClose(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	vectors := clustered(random, 2000, 512, 20)
	q := vectors[0]
	hits, err := filled(t, vectors).Search(q, len(vectors), Filter{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var squares float64
	for _, hit := range hits {
		difference := float64(hit.Score - dot(q, vectors[hit.ID]))
		squares += difference * difference
	}
	if deviation := math.Sqrt(squares / float64(len(hits))); deviation > 0.002 {
		t.Errorf("scores deviate by %.4f", deviation)
	}
}

// filled returns an index of the vectors, under their places as ids.
func filled(tb testing.TB, vectors [][]float32) *Index {
	tb.Helper()
	index := New(len(vectors[0]))
	for id, v := range vectors {
		if err := index.Add(int64(id), 0, 0, v); err != nil {
			tb.Fatal(err)
		}
	}
	return index
}

// stored plays the store that keeps the float32 vectors.
func stored(vectors [][]float32) Exact {
	return func(ids []int64) ([][]float32, error) {
		found := make([][]float32, len(ids))
		for i, id := range ids {
			found[i] = vectors[id]
		}
		return found, nil
	}
}

// shared counts the ids that stand in both lists.
func shared(a, b []Hit) int {
	ids := make(map[int64]bool)
	for _, hit := range a {
		ids[hit.ID] = true
	}
	count := 0
	for _, hit := range b {
		if ids[hit.ID] {
			count++
		}
	}
	return count
}
