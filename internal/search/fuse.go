package search

import (
	"cmp"
	"math"
	"slices"

	"confidant/internal/chat"
)

// Weights say how the parts of a score are added. They were tuned on recorded
// conversations; `confidant bench retrieval` shows what they do on others.
type Weights struct {
	// Words and Meaning weigh the two sides, each normalised to its best candidate.
	Words, Meaning float64
	// Neighbour is the part of a candidate's score that those beside it lend.
	Neighbour float64
	// Session is the part that all candidates of its conversation lend together.
	Session float64
}

// DefaultWeights are the measured ones. Recall@10, after words alone and before
// they were tuned last: locomo-dev .749 (.707, .725), scifact-test .820 (.819,
// .701); qmsum-test's hit@10 .852 (.844, .873) and recall@10 .185 (.173, .182).
var DefaultWeights = Weights{Words: 0.8, Meaning: 0.2, Neighbour: 0.4, Session: 0.3}

// candidate is a passage on its way to becoming a hit.
type candidate struct {
	passage        chat.Passage
	words, meaning float64 // raw scores, 0 when that side did not find it
	score          float64
}

// fuse scores the candidates and sorts them, the best first.
func (w Weights) fuse(candidates []candidate) []candidate {
	own := w.own(candidates)
	position := make(map[place]float64, len(candidates))
	session := map[string]float64{}
	for i, c := range candidates {
		position[place{c.passage.GroupID, c.passage.Position}] = own[i]
		session[c.passage.GroupID] += own[i]
	}
	best := 0.0
	for _, s := range session {
		best = max(best, s)
	}
	top := 0.0
	for i := range candidates {
		p := candidates[i].passage
		beside := max(position[place{p.GroupID, p.Position - 1}], position[place{p.GroupID, p.Position + 1}])
		score := own[i] + w.Neighbour*beside
		if best > 0 {
			score += w.Session * session[p.GroupID] / best
		}
		candidates[i].score = score
		top = max(top, score)
	}
	if top > 0 {
		for i := range candidates {
			candidates[i].score /= top
		}
	}
	slices.SortFunc(candidates, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.passage.ID, b.passage.ID))
	})
	return candidates
}

type place struct {
	group    string
	position int
}

// own adds the two sides, each normalised over the candidates. All of the nearest
// vectors are about as near, so what counts of their scores is how far they stand
// above the farthest: without that, meaning outvoted words wherever words know
// best (scifact-test: .701 instead of .811).
func (w Weights) own(candidates []candidate) []float64 {
	var words, meaning float64
	floor := math.Inf(1)
	for _, c := range candidates {
		words, meaning = max(words, c.words), max(meaning, c.meaning)
		if c.meaning > 0 {
			floor = min(floor, c.meaning)
		}
	}
	own := make([]float64, len(candidates))
	for i, c := range candidates {
		if words > 0 {
			own[i] += w.Words * c.words / words
		}
		if meaning > floor && c.meaning > 0 {
			own[i] += w.Meaning * (c.meaning - floor) / (meaning - floor)
		}
	}
	return own
}
