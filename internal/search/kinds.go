package search

import (
	"cmp"
	"slices"

	"confidant/internal/chat"
)

const (
	// kindShare is the part of the places that one kind of what was derived may
	// take beside others.
	kindShare = 4
	// kindLeast is how good the best of a kind must be, of the best of all, to get
	// a place for sure.
	kindLeast = 0.5
)

// merge brings the kinds together, the best first. Within a kind scores say
// which passage is better; between kinds it counts how much of the question the
// best of each answers, because a fact is short and a summary long. No kind that
// was derived takes more than its share, and each good one has a place.
func merge(all []candidate, limit int) []candidate {
	list := slices.DeleteFunc(slices.Clone(all), func(c candidate) bool { return c.dropped != "" })
	quality := map[chat.PassageKind]float64{}
	best := 0.0
	for _, c := range list {
		q := (1-meaningShare)*c.cover + meaningShare*max(c.near, 0)
		quality[c.kind()] = max(quality[c.kind()], q)
		best = max(best, q)
	}
	for i := range list {
		if best > 0 {
			list[i].score *= quality[list[i].kind()] / best
		}
	}
	slices.SortFunc(list, byScore)
	if len(quality) < 2 || limit <= 0 {
		return list[:min(max(limit, 0), len(list))]
	}
	return share(list, limit)
}

func byScore(a, b candidate) int {
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.passage.ID, b.passage.ID))
}

// share gives the places away.
func share(list []candidate, limit int) []candidate {
	most := max(1, limit/kindShare)
	taken := map[chat.PassageKind]int{}
	var chosen, waiting []candidate
	for _, c := range list {
		kind := c.kind()
		if len(chosen) < limit && (!kind.Derived() || taken[kind] < most) {
			taken[kind]++
			chosen = append(chosen, c)
			continue
		}
		waiting = append(waiting, c)
	}
	for _, c := range waiting {
		kind := c.kind()
		switch {
		case len(chosen) < limit: // nobody else wants the place
			chosen = append(chosen, c)
		case taken[kind] == 0 && c.score >= kindLeast*list[0].score:
			// The last place of a kind that has several.
			for i := len(chosen) - 1; i > 0; i-- {
				if taken[chosen[i].kind()] > 1 {
					taken[chosen[i].kind()]--
					taken[kind]++
					chosen[i] = c
					break
				}
			}
		}
	}
	slices.SortFunc(chosen, byScore)
	return chosen
}
