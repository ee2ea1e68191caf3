package vector

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestFilters compares each filter with its definition, over two blocks whose
// rows have mixed kinds and times.
func TestFilters(t *testing.T) {
	const count = blockRows + 700
	random := rand.New(rand.NewPCG(19, 20))
	index := New(8)
	vectors := isotropic(random, count, 8)
	kind := func(id int64) uint8 { return uint8(id * 7 % 5) }
	at := func(id int64) int64 { return 1000 + id*13%997 }
	for id, v := range vectors {
		if err := index.Add(int64(id), at(int64(id)), kind(int64(id)), v); err != nil {
			t.Fatal(err)
		}
	}
	third := func(id int64) bool { return id%3 == 0 }
	for _, c := range []struct {
		name   string
		filter Filter
		admits func(id int64) bool
	}{
		{"open", Filter{}, func(int64) bool { return true }},
		{"kinds", Filter{Kinds: KindsOf(1, 4)}, func(id int64) bool { return kind(id) == 1 || kind(id) == 4 }},
		{"from", Filter{From: 1500}, func(id int64) bool { return at(id) >= 1500 }},
		{"until", Filter{Until: 1500}, func(id int64) bool { return at(id) < 1500 }},
		{"window", Filter{From: 1200, Until: 1201}, func(id int64) bool { return at(id) == 1200 }},
		{"allow", Filter{Allow: third}, third},
		{"all of them", Filter{KindsOf(0, 2), 1100, 1900, third}, func(id int64) bool {
			return third(id) && at(id) >= 1100 && at(id) < 1900 && (kind(id) == 0 || kind(id) == 2)
		}},
		{"nothing", Filter{Kinds: KindsOf(63)}, func(int64) bool { return false }},
	} {
		var want []int64
		for id := range int64(count) {
			if c.admits(id) {
				want = append(want, id)
			}
		}
		var got []int64
		for _, hit := range mustSearch(t, index, vectors[0], count, c.filter) {
			got = append(got, hit.ID)
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %d found, want %d", c.name, len(got), len(want))
		}
	}
}

// TestAllowIsAskedLast: it may be dear, so the columns refuse first.
func TestAllowIsAskedLast(t *testing.T) {
	index := New(2)
	for id := range int64(10) {
		if err := index.Add(id, id+1, uint8(id%2), []float32{1, 0}); err != nil {
			t.Fatal(err)
		}
	}
	var asked []int64
	mustSearch(t, index, []float32{1, 0}, 10, Filter{
		Kinds: KindsOf(1), From: 4, Until: 9,
		Allow: func(id int64) bool { asked = append(asked, id); return true },
	})
	if !slices.Equal(asked, []int64{3, 5, 7}) {
		t.Errorf("asked for %v", asked)
	}
}

func TestEqualScoresComeInOrderOfID(t *testing.T) {
	index := New(2)
	for _, id := range []int64{9, 3, 7, 1} {
		mustAdd(t, index, id, []float32{1, 0})
	}
	hits := mustSearch(t, index, []float32{1, 0}, 3, Filter{})
	if len(hits) != 3 || hits[0].ID != 1 || hits[1].ID != 3 || hits[2].ID != 7 {
		t.Errorf("hits %v, want 1, 3, 7", hits)
	}
}
