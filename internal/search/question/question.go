// Package question understands what a person asks as far as search needs it: the
// words worth looking for, phrases, names, and the time that is meant.
package question

import (
	"slices"
	"strings"
	"time"
	"unicode"

	"confidant/internal/search/analysis"
	"confidant/internal/when"
)

// Question is a question taken apart.
type Question struct {
	Text  string
	Terms []Term
	// Phrases stood in quotation marks; what is found has their words in their order.
	Phrases []string
	// Window is the time that the question names, nil for none.
	Window *when.Window
}

// Term is a word that is looked for, in all its forms.
type Term struct {
	Word string // folded, as it is looked up
	Stem string
	// Weight multiplies its part of a score; 1 for a word of the question itself.
	Weight float64
	// Name says that it was written as one: with a capital, not at the beginning.
	Name bool
	// Common words are looked for only when there is nothing else.
	Common bool
}

// Words are the terms as they are looked up, in their order.
func (q Question) Words() []string {
	words := make([]string, len(q.Terms))
	for i, t := range q.Terms {
		words[i] = t.Word
	}
	return words
}

const (
	// maxTerms bounds a query: a pasted page is searched by its first words.
	maxTerms = 32
	// fewTerms is when a question leans on those before it: "and the other one?"
	// has one term of its own.
	fewTerms = 2
	// earlierWeight is what a term of an earlier question counts for.
	earlierWeight = 0.4
	maxEarlier    = 6
	maxHistory    = 3
	maxPhrases    = 4
)

// Parse takes a question apart. History are the person's earlier messages, oldest
// first. Now is the moment in the person's zone.
func Parse(text string, history []string, now time.Time) Question {
	q := Question{Text: text, Phrases: phrases(text), Terms: terms(text)}
	if w, ok := when.Find(text, now); ok {
		q.Window = &w
	}
	if len(q.Terms) <= fewTerms || q.Terms[0].Common {
		q.lean(history)
	}
	return q
}

// lean adds what the last of the earlier questions were about. Beside that, common
// words count nothing.
func (q *Question) lean(history []string) {
	added := 0
	own := len(q.Terms)
	for i := len(history) - 1; i >= max(0, len(history)-maxHistory); i-- {
		for _, t := range terms(history[i]) {
			known := slices.ContainsFunc(q.Terms, func(o Term) bool { return o.Stem == t.Stem })
			if known || t.Common || added == maxEarlier {
				continue
			}
			t.Weight = earlierWeight
			q.Terms = append(q.Terms, t)
			added++
		}
	}
	if added > 0 && own > 0 && q.Terms[0].Common {
		q.Terms = q.Terms[own:]
	}
}

// WithoutTime leaves out the words that named the window: when the window is
// searched, what was said in it need not name it.
func (q Question) WithoutTime() Question {
	if q.Window == nil {
		return q
	}
	left := terms(strings.Replace(q.Text, q.Window.Words, " ", 1))
	kept := slices.DeleteFunc(slices.Clone(q.Terms), func(t Term) bool {
		return t.Weight == 1 && !slices.ContainsFunc(left, func(o Term) bool { return o.Stem == t.Stem })
	})
	if len(kept) > 0 {
		q.Terms = kept
	}
	return q
}

// terms are the words worth looking for, each once. When a text has nothing but
// common words, these are looked for after all.
func terms(text string) []Term {
	var list, common []Term
	seen := map[string]bool{}
	first := true
	for word := range analysis.Words(text) {
		folded := analysis.Fold(word)
		stem := analysis.Stem(folded)
		if folded == "" || seen[stem] {
			first = false
			continue
		}
		seen[stem] = true
		t := Term{Word: folded, Stem: stem, Weight: 1, Name: !first && startsWithCapital(word), Common: analysis.Common(folded)}
		first = false
		if t.Common {
			common = append(common, t)
			continue
		}
		if list = append(list, t); len(list) == maxTerms {
			break
		}
	}
	if len(list) == 0 {
		return common[:min(len(common), maxTerms)]
	}
	return list
}

func startsWithCapital(word string) bool {
	for _, r := range word {
		return unicode.IsUpper(r)
	}
	return false
}

// quotes are the pairs of quotation marks that stand around a phrase. The single
// ones are apostrophes far more often.
var quotes = []struct{ left, right string }{{`"`, `"`}, {"“", "”"}, {"„", "“"}, {"„", "”"}, {"«", "»"}, {"»", "«"}}

// phrases returns what stands in quotation marks, as far as it has words.
func phrases(text string) []string {
	var list []string
	for _, q := range quotes {
		rest := text
		for len(list) < maxPhrases {
			_, after, ok := strings.Cut(rest, q.left)
			if !ok {
				break
			}
			inside, next, ok := strings.Cut(after, q.right)
			if !ok {
				break
			}
			rest = next
			var words []string
			for w := range analysis.Words(inside) {
				if folded := analysis.Fold(w); folded != "" {
					words = append(words, folded)
				}
			}
			phrase := strings.Join(words, " ")
			if phrase != "" && len(words) <= maxTerms && !slices.Contains(list, phrase) {
				list = append(list, phrase)
			}
		}
	}
	return list
}
