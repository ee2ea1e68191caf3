// Package chunk cuts the pages of a file into the stretches that are found and
// cited, and says of what type each is.
package chunk

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"confidant/internal/chat"
)

// Counter counts the tokens of a text as the embedder in use does.
type Counter func(text string) int

// Estimate is a Counter for embedders that do not say how they count: four
// bytes of Latin script are about a token, and a character of a script without
// spaces is one.
func Estimate(text string) int {
	narrow, wide := 0, 0
	for _, r := range text {
		if r < 0x2e80 {
			narrow += utf8.RuneLen(r)
		} else {
			wide++
		}
	}
	return (narrow+3)/4 + wide
}

// The sizes of chunks, in tokens.
const (
	// Most is what one chunk has at most. The built-in embedder reads 128.
	Most = 120
	// overlap is about how much of the end of a chunk the next one repeats: a
	// statement that needs the one before it is found with it.
	overlap = 24
)

// Cutter cuts the pages of one file, which come in their order. A chunk never
// spans two pages: a reference names one.
type Cutter struct {
	count    Counter
	position int
	headings []heading // that the text stands under, the outermost first
	margins  margins
}

type heading struct {
	level int
	text  string
}

// NewCutter returns a cutter for a file. An embedder that does not know a script
// counts a whole stretch of it as one token, so a chunk is also bounded by twice
// the estimate.
func NewCutter(count Counter) *Cutter {
	return &Cutter{count: func(text string) int { return max(count(text), Estimate(text)/2) }}
}

// Page takes the next page, and returns the chunks of the one before whose margins
// are known by now, if there is one. Each has its text exactly as it stands in its
// page between Start and End.
func (c *Cutter) Page(p chat.FilePage) []chat.Chunk { return c.cut(c.margins.next(p)) }

// End returns the chunks of the pages that are left.
func (c *Cutter) End() []chat.Chunk { return c.cut(c.margins.rest()) }

func (c *Cutter) cut(pages []body) (chunks []chat.Chunk) {
	for _, p := range pages {
		for _, s := range sections(p.page.Text, p.span) {
			path := c.under(s)
			for _, span := range c.pack(p.page.Text, c.units(p.page.Text, s.start, s.end)) {
				text := p.page.Text[span.start:span.end]
				chunks = append(chunks, chat.Chunk{
					Position: c.position, Page: p.page.Number, Start: span.start, End: span.end, Headings: path, Text: text, Type: Classify(text),
				})
				c.position++
			}
		}
	}
	return chunks
}

// under is the path of headings that a section stands under, its own the last.
func (c *Cutter) under(s section) (path []string) {
	if s.level > 0 {
		for len(c.headings) > 0 && c.headings[len(c.headings)-1].level >= s.level {
			c.headings = c.headings[:len(c.headings)-1]
		}
		c.headings = append(c.headings, heading{s.level, s.title})
	}
	for _, h := range c.headings {
		path = append(path, h.text)
	}
	return path
}

// span is a part of a page, in bytes.
type span struct{ start, end int }

// section is a heading with what follows it, up to the next.
type section struct {
	span
	level int // of its heading, 0 for none
	title string
}

var headingLine = regexp.MustCompile(`(?m)^(#{1,6})[ \t]+(.*?)[ \t#]*$`)

// longTitle is how many bytes of a heading are kept in the path of headings.
const longTitle = 120

func sections(text string, body span) []section {
	var list []section
	last := section{span: span{start: body.start}}
	for _, m := range headingLine.FindAllStringSubmatchIndex(text, -1) {
		if m[0] < body.start || m[0] >= body.end {
			continue
		}
		last.end = m[0]
		if last.end > last.start {
			list = append(list, last)
		}
		title := text[m[4]:m[5]]
		if len(title) > longTitle {
			title = strings.ToValidUTF8(title[:longTitle], "") + "…"
		}
		last = section{span: span{start: m[0]}, level: m[3] - m[2], title: title}
	}
	last.end = body.end
	return append(list, last)
}

// units are the pieces of a section that are not cut any more: sentences and
// lines, and what is too long of those in parts, none with spaces at its ends.
func (c *Cutter) units(text string, start, end int) []span {
	var list []span
	for start < end {
		n := sentence(text[start:end])
		if u := trim(text, span{start, start + n}); u.start < u.end {
			list = append(list, c.divide(text, u)...)
		}
		start += n
	}
	return list
}

// sentence is how many bytes the first sentence or line of a text has.
func sentence(text string) int {
	before := ' '
	for i, r := range text {
		switch {
		case r == '\n':
			return i + 1
		case strings.ContainsRune("。！？", r):
			return i + utf8.RuneLen(r)
		case unicode.IsSpace(r) && strings.ContainsRune(".!?…", before):
			return i
		}
		if !strings.ContainsRune(`"'”’)]`, r) {
			before = r
		}
	}
	return len(text)
}

// divide cuts what has too many tokens at spaces, else between characters.
func (c *Cutter) divide(text string, u span) []span {
	if c.count(text[u.start:u.end]) <= Most {
		return []span{u}
	}
	middle := (u.start + u.end) / 2
	at := -1
	for i := 0; i < (u.end-u.start)/2 && at < 0; i++ {
		if isSpace(text[middle-i]) {
			at = middle - i
		} else if isSpace(text[middle+i]) {
			at = middle + i
		}
	}
	if at <= u.start || at >= u.end {
		for at = middle; at > u.start && !utf8.RuneStart(text[at]); at-- {
		}
		if at == u.start {
			return []span{u} // one character
		}
	}
	var list []span
	for _, half := range []span{{u.start, at}, {at, u.end}} {
		if half = trim(text, half); half.start < half.end {
			list = append(list, c.divide(text, half)...)
		}
	}
	return list
}

func isSpace(b byte) bool { return b == ' ' || b == '\t' || b == '\n' }

func trim(text string, s span) span {
	for s.start < s.end && isSpace(text[s.start]) {
		s.start++
	}
	for s.end > s.start && isSpace(text[s.end-1]) {
		s.end--
	}
	return s
}

// pack puts units together, as many as fit. The next chunk begins with the last
// units of the one before, as far as they are short.
func (c *Cutter) pack(text string, units []span) []span {
	var list []span
	fits := func(from, to int) bool { return c.count(text[units[from].start:units[to].end]) <= Most }
	for first, last := 0, 0; first < len(units); {
		for last+1 < len(units) && fits(first, last+1) {
			last++
		}
		list = append(list, span{units[first].start, units[last].end})
		next := last + 1
		if next == len(units) {
			break
		}
		from := next
		for from-1 > first && c.count(text[units[from-1].start:units[last].end]) <= overlap && fits(from-1, next) {
			from--
		}
		first, last = from, next
	}
	return list
}
