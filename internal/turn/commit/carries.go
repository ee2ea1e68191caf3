package commit

import (
	"strings"
	"unicode"

	"confidant/internal/chat"
)

// share is how much of a statement's own words its source must hold. Models
// rephrase, so it is low; a citation put under an unrelated statement has none.
const share = 0.2

// carries reports whether the source's span can support the statement. A
// statement without words of its own, such as "Yes", is carried by anything.
func carries(source chat.Citation, statement string) bool {
	have := map[string]bool{}
	for _, w := range stems(source.Quote + " " + source.Speaker + " " + source.Title + " " + source.At.Format("2006 January 2 Monday")) {
		have[w] = true
	}
	want, found := 0, 0
	for _, w := range stems(statement) {
		want++
		if have[w] {
			found++
		}
	}
	return want == 0 || float64(found) >= share*float64(want)
}

// stems are the words of a text that carry meaning, cut to their beginnings, so
// that "moved" meets "moving" in most languages. Scripts without spaces are
// compared character by character.
func stems(text string) []string {
	var list []string
	for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }) {
		runes := []rune(word)
		if unicode.In(runes[0], unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai) {
			for _, r := range runes {
				list = append(list, string(r))
			}
			continue
		}
		if functionWords[word] {
			continue
		}
		if len(runes) > 5 {
			word = string(runes[:5])
		}
		list = append(list, word)
	}
	return list
}

// functionWords are English words that any two statements share.
var functionWords = func() map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(`a an and are as at be been but by can could did do does for from had has have he her him his
		i in is it its me my no not of on or our she so that the their them then there they this to up us was we were what
		when where which who will with would yes you your about also said says`) {
		set[w] = true
	}
	return set
}()
