package process

import (
	"regexp"
	"strconv"
	"strings"

	"confidant/internal/chat"
	"confidant/internal/search/analysis"
)

var (
	// hedged and reported speech: a fact is said straight, and timeless.
	hedged = regexp.MustCompile(`(?i)\b(discussed|mentioned|talked about|spoke about|feels? (like|that)|seems?|appears? to|might|maybe|perhaps|probably|possibly|is (considering|thinking)|today|yesterday|tomorrow|this (morning|afternoon|evening|week)|tonight)\b`)
	// nobody is a speaker without a name.
	nobody = regexp.MustCompile(`(?i)\b(speaker|sprecher|person|spk)[\s_-]*\d+\b`)
	// mundane is what everybody does every day.
	mundane = regexp.MustCompile(`(?i)^(the user |user |he |she |they )?(is |was |were |has been |had |has |have )?(a |an |the |some )?(eating|ate|eats|sleeping|slept|sleeps|woke up|waking up|commuting|commuted|driving home|drove home|walking home|having (lunch|dinner|breakfast)|lunch|dinner|breakfast|tired|hungry|sleepy|got up|took a shower|showered)\b`)
)

// shareable is the part of the seed's test that rules can do: at most 15 words,
// no hedges, nobody without a name, nothing mundane.
func shareable(content string) bool {
	words := strings.Fields(content)
	return len(words) >= 2 && len(words) <= factWords &&
		!hedged.MatchString(content) && !nobody.MatchString(content) && !mundane.MatchString(content)
}

// alike is how many of the words of two texts they have in common, from 0 to 1:
// the Jaccard index of their words that say something.
func alike(a, b string) float64 {
	in := map[string]int{}
	for _, w := range words(a) {
		in[w] |= 1
	}
	for _, w := range words(b) {
		in[w] |= 2
	}
	both := 0
	for _, where := range in {
		if where == 3 {
			both++
		}
	}
	if len(in) == 0 {
		return 0
	}
	return float64(both) / float64(len(in))
}

// words are the stems of the words of a text that say something.
func words(text string) []string {
	var list []string
	for word := range analysis.Words(text) {
		if folded := analysis.Fold(word); folded != "" && !analysis.Common(folded) {
			list = append(list, analysis.Stem(folded))
		}
	}
	return list
}

func characters(segments []chat.Segment) int {
	n := 0
	for _, s := range segments {
		n += len([]rune(s.Text))
	}
	return n
}

func itoa(n int) string { return strconv.Itoa(n) }
