package measure

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"

	"confidant/internal/search/analysis"
)

// Probe is a question whose page is known.
type Probe struct {
	Document string // the file's name
	Page     int    // from 1
	Sentence string // as it stands there
	// Gist is what somebody may remember of it: every third word that says something
	// left out, the order kept, no punctuation.
	Gist string
}

// Probes draws so many sentences, each of which stands on one page of one document
// and nowhere else. The documents take turns until they have none left. The same
// documents and seed make the same probes.
func Probes(documents []Document, count int, seed uint64) ([]Probe, error) {
	var everywhere []string // all pages, as they are compared
	candidates := make([][]Probe, len(documents))
	for i, d := range documents {
		for _, page := range d.Pages {
			everywhere = append(everywhere, bare(page))
		}
		for page, list := range sentences(d.Pages) {
			for _, s := range list {
				candidates[i] = append(candidates[i], Probe{Document: d.Name(), Page: page + 1, Sentence: s, Gist: gist(s)})
			}
		}
		random := rand.New(rand.NewPCG(seed, uint64(i)))
		random.Shuffle(len(candidates[i]), func(a, b int) { candidates[i][a], candidates[i][b] = candidates[i][b], candidates[i][a] })
	}
	var probes []Probe
	for more := true; more && len(probes) < count; {
		more = false
		for i := range candidates {
			for len(candidates[i]) > 0 && len(probes) < count {
				p := candidates[i][0]
				candidates[i] = candidates[i][1:]
				if once(everywhere, bare(p.Sentence)) {
					probes, more = append(probes, p), true
					break
				}
			}
		}
	}
	if len(probes) < count {
		return nil, fmt.Errorf("the documents have %d sentences that stand on one page only, too few for %d probes", len(probes), count)
	}
	slices.SortStableFunc(probes, func(a, b Probe) int { return strings.Compare(a.Document, b.Document) })
	return probes, nil
}

// bare is a text as its letters and digits alone, so that neither the case nor
// where a line or a word was divided makes a difference.
func bare(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, text)
}

// once reports whether a text stands on exactly one page.
func once(pages []string, text string) bool {
	n := 0
	for _, page := range pages {
		if strings.Contains(page, text) {
			n++
		}
	}
	return n == 1
}

// left is the number among the words that say something of each that is left out.
const left = 3

func gist(sentence string) string {
	var kept []string
	saying := 0
	for word := range analysis.Words(sentence) {
		if !analysis.Common(analysis.Fold(word)) {
			if saying++; saying%left == 0 {
				continue
			}
		}
		kept = append(kept, word)
	}
	return strings.Join(kept, " ")
}
