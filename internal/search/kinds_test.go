package search

import (
	"fmt"
	"testing"

	"confidant/internal/chat"
)

func of(kind chat.PassageKind, n int, cover float64) []candidate {
	var list []candidate
	for i := range n {
		list = append(list, candidate{passage: chat.Passage{ID: int64(100*int(kind) + i), Kind: kind, GroupID: fmt.Sprint(kind, i)}, words: float64(n - i), cover: cover * float64(n-i) / float64(n)})
	}
	return list
}

func TestKindsDoNotCrowdEachOtherOut(t *testing.T) {
	segments, facts, tasks := of(chat.PassageSegment, 200, 0.9), of(chat.PassageFact, 50, 0.8), of(chat.PassageTask, 1, 0.6)
	count := func(limit int, lists ...[]candidate) map[chat.PassageKind]int {
		t.Helper()
		var all []candidate
		for _, l := range lists {
			all = append(all, l...)
		}
		weightsOf[chat.ShelfSaid].normalise(all)
		kinds := map[chat.PassageKind]int{}
		merged := merge(all, limit)
		for i, c := range merged {
			kinds[c.passage.Kind]++
			if i > 0 && c.score > merged[i-1].score {
				t.Error("not in order")
			}
		}
		return kinds
	}
	for name, test := range map[string]struct {
		lists [][]candidate
		want  map[chat.PassageKind]int
	}{
		"many segments":            {[][]candidate{segments, of(chat.PassageFact, 2, 0.8)}, map[chat.PassageKind]int{chat.PassageSegment: 9, chat.PassageFact: 1}},
		"many facts":               {[][]candidate{of(chat.PassageSegment, 20, 0.5), facts}, map[chat.PassageKind]int{chat.PassageSegment: 8, chat.PassageFact: 2}},
		"a good task has a place":  {[][]candidate{segments, facts, tasks}, map[chat.PassageKind]int{chat.PassageTask: 1}},
		"a bad one has none":       {[][]candidate{segments, of(chat.PassageTask, 1, 0.1)}, map[chat.PassageKind]int{chat.PassageSegment: 10}},
		"places that nobody wants": {[][]candidate{of(chat.PassageSegment, 1, 0.9), facts}, map[chat.PassageKind]int{chat.PassageSegment: 1, chat.PassageFact: 9}},
		"facts alone":              {[][]candidate{facts}, map[chat.PassageKind]int{chat.PassageFact: 10}},
	} {
		got := count(10, test.lists...)
		for kind, n := range test.want {
			if got[kind] != n {
				t.Errorf("%s: %v, want %v", name, got, test.want)
			}
		}
	}
	if got := count(0, segments, facts); len(got) != 0 {
		t.Errorf("no places: %v", got)
	}
}

func TestEveryKindHasANameInReceipts(t *testing.T) {
	for _, shelf := range chat.Shelves {
		for _, kind := range kindsOf[shelf] {
			if kindName(kind) == "" {
				t.Errorf("kind %d has none", kind)
			}
		}
	}
}
