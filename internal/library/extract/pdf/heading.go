package pdf

import (
	"context"
	"math"
	"strings"
	"unicode"
)

// style is what is known of a document before its pages are read: every page is read
// alike, whichever is the first.
type style struct {
	body    float64 // size of running text in points, 0 when unknown
	outline map[int][]entry
}

// entry is a title of the outline, on its page.
type entry struct {
	title string // squeezed
	level int    // from 1
}

// deepest is the deepest heading; the outline's deeper ones are as deep.
const deepest = 4

// The least and the most that makes a heading of a line.
const (
	larger       = 1.15 // than running text
	headingWords = 20
	boldWords    = 12 // of a heading in the size of running text
)

// level is that of a heading, 0 for anything else. alone tells that the line stands
// apart from what is above and below it.
func (s style) level(n int, l line, alone bool) int {
	text := l.text()
	letters := 0
	for _, r := range text {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	if letters < 2 || len(l.words) > headingWords || leader(cell{text: text}) {
		return 0
	}
	squeezed := squeeze(text)
	for _, e := range s.outline[n] {
		if e.title == squeezed {
			return e.level
		}
	}
	if s.body == 0 {
		return 0
	}
	switch ratio := l.size / s.body; {
	case ratio >= 1.65:
		return 1
	case ratio >= 1.35:
		return 2
	case ratio >= larger:
		return 3
	case l.bold && alone && ratio > 0.95 && len(l.words) <= boldWords && !strings.ContainsAny(text[len(text)-1:], ".,;:"):
		return deepest
	}
	return 0
}

// squeeze keeps letters and digits, in lower case: what remains the same however a
// title is numbered off, divided, or spaced.
func squeeze(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, normal(s))
}

// The most that is read of an outline, which can refer to itself.
const (
	mostTitles  = 5000
	deepestRead = 8
)

// readOutline reads the outline's titles by page.
func (o *opened) readOutline(ctx context.Context) map[int][]entry {
	titles := map[int][]entry{}
	count := 0
	var read func(parent uint64, level int)
	read = func(parent uint64, level int) {
		mark := o.call(ctx, "FPDFBookmark_GetFirstChild", o.document, parent)
		for ; mark != 0 && count < mostTitles && o.err == nil; mark = o.call(ctx, "FPDFBookmark_GetNextSibling", o.document, mark) {
			count++
			title := squeeze(o.text("FPDFBookmark_GetTitle", mark))
			page := 0
			if dest := o.quick("FPDFBookmark_GetDest", o.document, mark); dest != 0 {
				page = int(int32(o.quick("FPDFDest_GetDestPageIndex", o.document, dest))) + 1
			}
			if title != "" && page > 0 {
				titles[page] = append(titles[page], entry{title, min(level, deepest)})
			}
			if level < deepestRead {
				read(mark, level+1)
			}
		}
	}
	read(0, 1)
	return titles
}

// sampled are the pages whose sizes tell that of running text: the first ones, and some
// spread over the rest.
func sampled(pages int) []int {
	const first, spread = 3, 4
	var list []int
	for n := 1; n <= min(first, pages); n++ {
		list = append(list, n)
	}
	for k := 1; k <= spread; k++ {
		if n := first + k*(pages-first)/(spread+1); n > list[len(list)-1] && n <= pages {
			list = append(list, n)
		}
	}
	return list
}

// bodySize is the size in which most characters of some pages are set, to a half point.
func bodySize(sheets []*sheet) float64 {
	sizes := map[float64]int{}
	for _, s := range sheets {
		for _, g := range s.glyphs {
			if g.kind == shown {
				sizes[math.Round(2*s.fonts[g.font].size)/2]++
			}
		}
	}
	best, most := 0.0, 0
	for size, n := range sizes {
		if n > most || n == most && size < best {
			best, most = size, n
		}
	}
	return best
}
