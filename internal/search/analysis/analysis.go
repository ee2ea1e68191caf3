// Package analysis makes terms of text as the stores' full-text index does
// (unicode61 without diacritics, Porter's stemmer), so that what was found can be
// scored again from its text.
package analysis

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/go-porterstemmer"
	"golang.org/x/text/unicode/norm"
)

// maxWord is how many bytes of letters make a word; more is no word of any language.
const maxWord = 100

// Words yields the words of a text as they stand: letters, numbers and their marks.
func Words(text string) iter.Seq[string] { return strings.FieldsFuncSeq(text, separates) }

func separates(r rune) bool {
	if r < utf8.RuneSelf {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
	}
	return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r)
}

// Fold is a word in lower case and without diacritics, "" for one that is too long.
func Fold(word string) string {
	if len(word) > maxWord {
		return ""
	}
	lower := strings.ToLower(word)
	for i := range len(lower) {
		if lower[i] >= utf8.RuneSelf {
			return strings.Map(func(r rune) rune {
				if unicode.Is(unicode.Mn, r) {
					return -1
				}
				return r
			}, norm.NFD.String(lower))
		}
	}
	return lower
}

// Stem is Porter's stem of a folded word (FTS5 leaves alone what has less than
// three bytes or more than 64).
func Stem(word string) string {
	if len(word) < 3 || len(word) > 64 {
		return word
	}
	return porterstemmer.StemString(word)
}

// Common reports whether a folded word says nothing about the subject of a text.
func Common(word string) bool { return stopWords[word] }

// stopWords are the words of questions that say nothing about their subject, in
// English and German. Very common words cost most of a search's time, too.
var stopWords = func() map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(`
		a about after again all also am an and any are aren as at be because been before being but by can could did didn do
		does doesn doing don down during each few for from had has have having he her hers him his how i if in into is isn it
		its itself just ll me might more most my myself no nor not now of off on once one ones only or other our ours out over own re
		s same shall she should so some such t tell than that the their theirs them then there these they this those through
		to too up us ve very was wasn we were weren what when where which while who whom why will with would you your yours
		said say says talk talked talking discuss discussed discussing discussion mention mentioned summarize summarise describe explain
		aber alle als am an auch auf aus bei bin bis bist da das dass dein dem den der des die dies diese dieser dir doch du
		ein eine einem einen einer er es euch für hat hatte hatten ich ihm ihn ihr im in ist ja kann können man mein mich mir
		mit nach nicht noch nur ob oder sein seine sich sie sind so über um und uns unser vom von vor wann war waren warum was
		weil wenn wer werden wie wir wird wo zu zum zur gesagt sagte sagten erzähl erzählt erzählte`) {
		set[Fold(w)] = true
	}
	return set
}()
