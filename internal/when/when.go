// Package when reads the time words of a question: "yesterday", "last week", "the
// week before Easter", "am Dienstag", "vor drei Tagen". English and German.
//
// A question is about what has happened unless it says otherwise, so that
// "on Monday" is the last one and "in March" the one that began last.
package when

import (
	"regexp"
	"strings"
	"time"
	"unicode"
)

// Window is a half-open range of times, From ≤ t < Until. One end may be zero,
// which is open: "since March", "before Easter".
type Window struct {
	From, Until time.Time
	// Words are those of the text that named it.
	Words string
}

// Contains reports whether a time lies in the window.
func (w Window) Contains(t time.Time) bool {
	return (w.From.IsZero() || !t.Before(w.From)) && (w.Until.IsZero() || t.Before(w.Until))
}

// maxText is how many bytes of a text are looked at: time words of a pasted page
// are not those of a question.
const maxText = 2000

// Find returns the window that a text names, in the zone of now, false without
// time words. Of several it takes the one said most exactly.
func Find(text string, now time.Time) (Window, bool) {
	text = text[:min(len(text), maxText)]
	lower := strings.ToLower(text)
	if len(lower) != len(text) { // a letter whose lower case is longer, such as İ
		text = lower
	}
	c := calendar{now: now}
	s, ok := c.find(lower)
	if !ok {
		return Window{}, false
	}
	return Window{From: s.from, Until: s.until, Words: text[s.start:s.end]}, true
}

// span is a window with its place in the text.
type span struct {
	from, until time.Time
	start, end  int
}

// rule reads one way of naming a time. build gets the submatches, and fails when
// they make no time.
type rule struct {
	pattern *regexp.Regexp
	build   func(c calendar, m []string) (from, until time.Time, ok bool)
}

// find tries the ways that refer to another time first, then the plain ones.
func (c calendar) find(text string) (span, bool) {
	for _, r := range references {
		if s, ok := c.reference(r, text); ok {
			return s, true
		}
	}
	return c.plain(text)
}

// plain reads what refers to no other time.
func (c calendar) plain(text string) (span, bool) { return c.first(rules, text, anywhere) }

// first reads the text by the first of some rules that fits at an admitted place.
func (c calendar) first(list []rule, text string, admits func(before string) bool) (span, bool) {
	for _, r := range list {
		for _, at := range r.pattern.FindAllStringSubmatchIndex(text, 4) {
			from, until, ok := r.build(c, submatches(text, at))
			if !ok || !from.Before(until) {
				continue
			}
			start, end := trim(text, at[0], at[1])
			if !admits(text[:start]) {
				continue
			}
			return c.partOfDay(text, span{from, until, start, end}), true
		}
	}
	return span{}, false
}

func anywhere(string) bool { return true }

// trim leaves out the borders that a pattern took in.
func trim(text string, start, end int) (int, int) {
	inner := strings.TrimLeftFunc(text[start:end], border)
	return end - len(inner), end - len(inner) + len(strings.TrimRightFunc(inner, border))
}

func border(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }

// reference reads "the week before" and the like, with the time that follows.
func (c calendar) reference(r reference, text string) (span, bool) {
	for _, at := range r.pattern.FindAllStringSubmatchIndex(text, 4) {
		rest := text[at[1]:]
		anchor, ok := c.anchor(rest)
		if !ok {
			continue
		}
		start, _ := trim(text, at[0], at[1])
		end := at[1] + anchor.end
		if last, length, ok := c.rangeTo(anchor, text[end:]); ok {
			return span{anchor.from, last.until, start, end + length}, true
		}
		from, until := r.build(c, submatches(text, at), anchor)
		if from.IsZero() && until.IsZero() {
			continue
		}
		return span{from, until, start, end}, true
	}
	return span{}, false
}

// leads reports whether nothing stands between a reference and its time.
func leads(between string) bool {
	for word := range strings.FieldsSeq(between) {
		switch word {
		case "the", "my", "our", "her", "his", "dem", "der", "den", "das", "on", "am", "im", "in":
		default:
			return false
		}
	}
	return true
}

func submatches(text string, at []int) []string {
	m := make([]string, len(at)/2)
	for i := range m {
		if at[2*i] >= 0 {
			m[i] = text[at[2*i]:at[2*i+1]]
		}
	}
	return m
}

var dayPart = regexp.MustCompile(`^\s*(?:,?\s*(?:in the|at|am|in der)\s+)?(morning|afternoon|evening|night|früh|morgen|vormittag|mittag|nachmittag|abend|nacht)\b`)

// partOfDay narrows a day by the part of it that the text names next.
func (c calendar) partOfDay(text string, s span) span {
	if s.from.IsZero() || !s.until.Equal(c.next(s.from, 0, 0, 1)) {
		return s
	}
	at := dayPart.FindStringSubmatchIndex(text[s.end:])
	if at == nil {
		return s
	}
	hours := dayParts[text[s.end+at[2]:s.end+at[3]]]
	s.from, s.until = c.hour(s.from, hours[0]), c.hour(s.from, hours[1])
	s.end += at[1]
	return s
}

// dayParts are hours of a day; a night ends on the next one.
var dayParts = map[string][2]int{
	"morning": {0, 12}, "afternoon": {12, 18}, "evening": {17, 24}, "night": {18, 30},
	"früh": {0, 12}, "morgen": {0, 12}, "vormittag": {6, 12}, "mittag": {11, 14}, "nachmittag": {12, 18}, "abend": {17, 24}, "nacht": {18, 30},
}
