// Package digest says what a text is about without a language model: it quotes the
// sentences that have most of what the text speaks of (H. P. Luhn, "The Automatic
// Creation of Literature Abstracts", 1958).
package digest

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"confidant/internal/chat"
	"confidant/internal/search/analysis"
)

const (
	// most is how many sentences are considered: the beginning of a document says
	// what it is.
	most = 400
	// quoted is how many sentences a summary has, longest how many bytes.
	quoted  = 2
	longest = 320
	// A sentence of fewer words is a heading or a scrap, one of more a table.
	fewest, manyest = 8, 45
)

// Digest gathers sentences. The zero value is ready.
type Digest struct {
	sentences []sentence
	often     map[string]int
}

type sentence struct {
	text  string
	words []string
}

// Add reads a page of the text, as Markdown.
func (d *Digest) Add(page string) {
	if d.often == nil {
		d.often = map[string]int{}
	}
	for paragraph := range strings.SplitSeq(page, "\n\n") {
		if strings.HasPrefix(paragraph, "#") || strings.HasPrefix(paragraph, "|") || strings.HasPrefix(paragraph, "```") {
			continue
		}
		for _, text := range chat.Sentences(strings.Join(strings.Fields(paragraph), " ")) {
			if len(d.sentences) == most {
				return
			}
			text = strings.TrimSpace(text)
			n := len(strings.Fields(text))
			if n < fewest || n > manyest || len(text) > longest || !strings.ContainsAny(text[len(text)-1:], ".!?") || strings.Contains(text, "....") {
				continue
			}
			s := sentence{text: text}
			for word := range analysis.Words(text) {
				if folded := analysis.Fold(word); len(folded) > 3 {
					s.words = append(s.words, analysis.Stem(folded))
				}
			}
			for _, w := range s.words {
				d.often[w]++
			}
			d.sentences = append(d.sentences, s)
		}
	}
}

// Summary returns the sentences that say most, in their order; empty when there
// are none.
func (d *Digest) Summary() string {
	type scored struct {
		at    int
		score float64
	}
	var list []scored
	for i, s := range d.sentences {
		seen := map[string]bool{}
		sum := 0.0
		for _, w := range s.words {
			if n := d.often[w]; n > 1 && !seen[w] {
				seen[w] = true
				sum += math.Log(1 + float64(n))
			}
		}
		// Long sentences have more of everything; early ones say what the text is.
		score := sum / math.Sqrt(float64(len(s.words)+1)) / (1 + 0.02*float64(i))
		list = append(list, scored{i, score})
	}
	slices.SortStableFunc(list, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	list = list[:min(quoted, len(list))]
	slices.SortFunc(list, func(a, b scored) int { return cmp.Compare(a.at, b.at) })
	var texts []string
	for _, s := range list {
		texts = append(texts, d.sentences[s.at].text)
	}
	return strings.Join(texts, " ")
}
