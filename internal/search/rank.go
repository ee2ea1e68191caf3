package search

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"confidant/internal/chat"
	"confidant/internal/search/analysis"
	"confidant/internal/search/question"
)

// candidate is a passage on its way to becoming a hit.
type candidate struct {
	passage chat.Passage
	// words is BM25 over the passage and its context, alone what it would be
	// without context, cover which part of the question's words is there at all,
	// each counted by how rare it is.
	words, alone, cover float64
	// near is the cosine to the question, meaning the mean of that and its context's.
	near, meaning float64
	// own is the sum of both sides, normalised; session what its conversation lends.
	own, session float64
	score        float64
	// dropped says why it is not worth showing, "" when it is.
	dropped string
}

// text is a passage with its words counted.
type text struct {
	passage chat.Passage
	of      []float64 // how often it has each term, speaker and title weighted
	length  float64   // in words
	asks    bool
	near    float64
}

// ranking scores the passages of one side of an attempt.
type ranking struct {
	weights Weights
	texts   []*text // by group and position
	rarity  []float64
	common  []bool
	phrases [][]string
	average float64 // length of a text with its context
}

// newRanking counts the words of the passages. near is how near they are in
// meaning, nil when that is not known.
func newRanking(w Weights, q question.Question, f chat.Frequencies, passages []chat.Passage, near []float32) *ranking {
	r := &ranking{weights: w, average: f.Length}
	places := make(map[string]int, len(q.Terms))
	var first [256]bool // the bytes that terms begin with
	for i, t := range q.Terms {
		places[t.Stem] = i
		first[t.Stem[0]] = true
		n, all := float64(f.Of[i]), float64(f.Passages)
		r.rarity = append(r.rarity, t.Weight*math.Log(1+(all-n+0.5)/(n+0.5)))
		r.common = append(r.common, t.Common)
	}
	for _, p := range q.Phrases {
		r.phrases = append(r.phrases, stems(p))
	}
	count := func(of []float64, s string, weight float64) (length int) {
		for word := range analysis.Words(s) {
			length++
			if c := word[0] | 0x20; c < 0x80 && !first[c] && !first[word[0]] {
				continue
			}
			if folded := analysis.Fold(word); folded != "" {
				if i, ok := places[analysis.Stem(folded)]; ok {
					of[i] += weight
				}
			}
		}
		return length
	}
	r.texts = make([]*text, len(passages))
	speaks := make([]bool, len(q.Terms))
	for i, p := range passages {
		t := &text{passage: p, of: make([]float64, len(q.Terms)), asks: strings.ContainsAny(p.Text, "?？")}
		count(t.of, p.Speaker, w.Speaker)
		for term, n := range t.of {
			speaks[term] = speaks[term] || n > 0
		}
		count(t.of, p.Title, w.Title)
		t.length = float64(count(t.of, p.Text, 1))
		if near != nil {
			t.near = float64(near[i])
		}
		r.texts[i] = t
	}
	for i := range r.rarity {
		if speaks[i] {
			r.rarity[i] *= w.Name
		}
	}
	slices.SortFunc(r.texts, func(a, b *text) int {
		return cmp.Or(cmp.Compare(a.passage.GroupID, b.passage.GroupID), cmp.Compare(a.passage.Position, b.passage.Position), cmp.Compare(a.passage.ID, b.passage.ID))
	})
	return r
}

func stems(phrase string) []string {
	var list []string
	for w := range analysis.Words(phrase) {
		list = append(list, analysis.Stem(analysis.Fold(w)))
	}
	return list
}

// candidates scores the passages that are admitted, those beside a proposed one
// among them.
func (r *ranking) candidates(admits func(p chat.Passage, isBeside bool) bool, proposed map[int64]bool) []candidate {
	var list []candidate
	for i, t := range r.texts {
		isBeside := false
		for j := max(0, i-beside); j <= min(i+beside, len(r.texts)-1); j++ {
			o := r.texts[j].passage
			isBeside = isBeside || proposed[o.ID] && o.GroupID == t.passage.GroupID && abs(o.Position-t.passage.Position) <= beside
		}
		if !admits(t.passage, isBeside) || !r.hasPhrases(t.passage) {
			continue
		}
		list = append(list, r.score(i))
	}
	r.weights.normalise(list)
	return list
}

// score is BM25 with a segment's context as further fields of it (BM25F): what
// neighbours lend is added to how often it has a word, so that a word said twice
// in a stretch counts less than two words of the question.
func (r *ranking) score(i int) candidate {
	t, w := r.texts[i], r.weights
	c := candidate{passage: t.passage, near: t.near, meaning: t.near}
	length, average := t.length, r.average
	of := slices.Clone(t.of)
	average *= 1 + w.context()
	weights := 1.0
	w.lend(r.texts, i, func(j int, weight float64) {
		n := r.texts[j]
		length += weight * n.length
		weights += weight
		c.meaning += weight * n.near
		for term, f := range n.of {
			of[term] += weight * f
		}
	})
	// Words add up; meanings are averaged: a sum would favour the middle of a long
	// text over a short one.
	c.meaning /= weights
	all, rare := 0.0, false
	saturate := func(f, length, average float64) float64 {
		return f * (w.K1 + 1) / (f + w.K1*(1-w.B+w.B*length/max(average, 1)))
	}
	for term, rarity := range r.rarity {
		all += rarity
		if of[term] == 0 {
			continue
		}
		rare = rare || !r.common[term]
		c.cover += rarity
		c.words += rarity * saturate(of[term], length, average)
		if t.of[term] > 0 {
			c.alone += rarity * saturate(t.of[term], t.length, r.average)
		}
	}
	if all > 0 {
		c.cover /= all
	}
	if !rare && c.near < somewhatNear {
		c.dropped = "no rare word of the question, and far from its meaning"
	}
	return c
}

// hasPhrases reports whether the passage has all phrases of the question.
func (r *ranking) hasPhrases(p chat.Passage) bool {
	if len(r.phrases) == 0 {
		return true
	}
	said := stems(p.Speaker + " " + p.Text)
	for _, phrase := range r.phrases {
		found := false
		for i := 0; i+len(phrase) <= len(said) && !found; i++ {
			found = slices.Equal(said[i:i+len(phrase)], phrase)
		}
		if !found {
			return false
		}
	}
	return true
}

// normalise makes the scores of candidates of one kind: both sides over their
// best, and a share of what their conversation has.
func (w Weights) normalise(list []candidate) {
	for _, kind := range byKind(list) {
		var words, meaning float64
		for _, c := range kind {
			words, meaning = max(words, c.words), max(meaning, c.meaning)
		}
		share := meaningShare
		if meaning == 0 {
			share = 0
		}
		best := 0.0
		sessions := map[string]float64{}
		for _, c := range kind {
			if words > 0 {
				c.own = (1 - share) * c.words / words
			}
			if floor := meaningFloor * meaning; c.meaning > floor {
				c.own += share * (c.meaning - floor) / (meaning - floor)
			}
			sessions[c.passage.GroupID] += c.own * c.own
			best = max(best, sessions[c.passage.GroupID])
		}
		top := 0.0
		for _, c := range kind {
			if best > 0 {
				c.session = w.Session * sessions[c.passage.GroupID] / best
			}
			c.score = c.own + c.session
			top = max(top, c.score)
		}
		for _, c := range kind {
			if top > 0 {
				c.score /= top
			}
		}
	}
}

// byKind are the candidates of each kind.
func byKind(list []candidate) map[chat.PassageKind][]*candidate {
	kinds := map[chat.PassageKind][]*candidate{}
	for i := range list {
		c := &list[i]
		kinds[c.kind()] = append(kinds[c.kind()], c)
	}
	return kinds
}

// kind is what the candidate is compared with: chunks of all types with one another.
func (c candidate) kind() chat.PassageKind {
	if c.passage.Kind.Shelf() == chat.ShelfWritten {
		return chat.PassageOther
	}
	return c.passage.Kind
}

// silence drops the kinds of which even the best has too little to do with the
// question, and reports whether anything is left.
func silence(list []candidate) (left bool) {
	for _, kind := range byKind(list) {
		var cover, near float64
		for _, c := range kind {
			cover, near = max(cover, c.cover), max(near, c.near)
		}
		least := leastCover
		if near == 0 {
			least = leastWords
		}
		for _, c := range kind {
			if cover < least && near < leastMeaning {
				c.dropped = "too few words of the question, and far from its meaning"
			}
			left = left || c.dropped == ""
		}
	}
	return left
}
