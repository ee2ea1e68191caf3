package chunk

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"confidant/internal/chat"
)

const (
	// beside is how far from a page its head and foot are looked for: two pages, for
	// those on the left and on the right often differ.
	beside = 2
	// longestEdge is how many bytes a head or foot has at most, edges how many of
	// each there may be: a title, and a number beside it.
	longestEdge = 160
	edges       = 2
	// leastBody is how many bytes a page needs besides: the title that a slide shares
	// with the next one is what both are about.
	leastBody = 1000
)

// body is a page, and the part of it that is neither head nor foot.
type body struct {
	page chat.FilePage
	span
}

// margins finds the running heads and feet of pages: short paragraphs at the edge
// that a page nearby has, too, whatever the numbers in them. They say nothing of
// their page, and stand in the middle of sentences that go on overleaf.
type margins struct {
	leaves []leaf // at most beside that have left, the next to leave, and beside more
	left   int    // how many of them have left
}

// leaf is a page with what may be head and foot, from the edge inwards.
type leaf struct {
	page        chat.FilePage
	heads, feet []edge
}

// edge is a paragraph, and its text as it is compared.
type edge struct {
	span
	text string
}

// next takes a page, and returns the one of which all neighbours are known now.
func (m *margins) next(p chat.FilePage) []body {
	l := leaf{page: p}
	list := paragraphs(p.Text)
	for i := range min(edges, len(list)-1) { // one is the body
		l.heads = append(l.heads, edgeOf(p.Text, list[i]))
		l.feet = append(l.feet, edgeOf(p.Text, list[len(list)-1-i]))
	}
	m.leaves = append(m.leaves, l)
	if len(m.leaves)-m.left <= beside {
		return nil
	}
	return []body{m.leave()}
}

// rest returns the pages that are left.
func (m *margins) rest() (list []body) {
	for m.left < len(m.leaves) {
		list = append(list, m.leave())
	}
	return list
}

func (m *margins) leave() body {
	l := m.leaves[m.left]
	b := body{l.page, span{0, len(l.page.Text)}}
	for _, e := range l.heads {
		if !m.runs(e, func(l leaf) []edge { return l.heads }) {
			break
		}
		b.start = e.end
	}
	for _, e := range l.feet {
		if !m.runs(e, func(l leaf) []edge { return l.feet }) {
			break
		}
		b.end = e.start
	}
	if b.end-b.start < leastBody {
		b.span = span{0, len(l.page.Text)}
	}
	if m.left++; m.left > beside {
		m.leaves, m.left = m.leaves[1:], beside
	}
	return b
}

// runs reports whether a page beside the next to leave has the edge, too.
func (m *margins) runs(e edge, of func(leaf) []edge) bool {
	return e.text != "" && slices.ContainsFunc(m.leaves[:min(len(m.leaves), m.left+beside+1)], func(l leaf) bool {
		return l.page.Number != m.leaves[m.left].page.Number && slices.ContainsFunc(of(l), func(o edge) bool { return o.text == e.text })
	})
}

var paragraph = regexp.MustCompile(`(?s)\S.*?(?:\n[ \t]*\n|$)`)

// paragraphs are what blank lines divide.
func paragraphs(text string) (list []span) {
	for _, m := range paragraph.FindAllStringIndex(text, -1) {
		list = append(list, trim(text, span{m[0], m[1]}))
	}
	return list
}

var (
	number = regexp.MustCompile(`[0-9]+`)
	roman  = regexp.MustCompile(`^[ivxlc]+$`)
)

// edgeOf is a paragraph to compare: its letters, and a 0 for every number. The text
// is empty when it is too long for a head or foot.
func edgeOf(text string, s span) edge {
	e := edge{span: s}
	if s.end-s.start > longestEdge {
		return e
	}
	e.text = strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, text[s.start:s.end])
	e.text = roman.ReplaceAllString(number.ReplaceAllString(e.text, "0"), "0")
	return e
}
