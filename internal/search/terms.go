package search

import (
	"strings"
	"unicode"
)

// maxTerms bounds a query: a pasted page is searched by its first words.
const maxTerms = 32

// Terms are the words of a question that are worth looking for, each once. When
// it has nothing but common words, these are looked for after all.
func Terms(text string) []string {
	var terms, common []string
	seen := map[string]bool{}
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r)
	}) {
		lower := strings.ToLower(word)
		if seen[lower] || len(lower) > 100 {
			continue
		}
		seen[lower] = true
		if stopWords[lower] {
			common = append(common, lower)
		} else {
			terms = append(terms, lower)
		}
		if len(terms) == maxTerms {
			break
		}
	}
	if len(terms) == 0 {
		return common[:min(len(common), maxTerms)]
	}
	return terms
}

// stopWords are the words of questions that say nothing about their subject, in
// English and German. Very common words cost most of a search's time, too.
var stopWords = func() map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(`
		a about after again all also am an and any are aren as at be because been before being but by can could did didn do
		does doesn doing don down during each few for from had has have having he her hers him his how i if in into is isn it
		its itself just ll me might more most my myself no nor not now of off on once only or other our ours out over own re
		s same shall she should so some such t tell than that the their theirs them then there these they this those through
		to too up us ve very was wasn we were weren what when where which while who whom why will with would you your yours
		said say says
		aber alle als am an auch auf aus bei bin bis bist da das dass dein dem den der des die dies diese dieser dir doch du
		ein eine einem einen einer er es euch für hat hatte hatten ich ihm ihn ihr im in ist ja kann können man mein mich mir
		mit nach nicht noch nur ob oder sein seine sich sie sind so über um und uns unser vom von vor wann war waren warum was
		weil wenn wer werden wie wir wird wo zu zum zur`) {
		set[w] = true
	}
	return set
}()
