package pdf

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/bidi"
)

func rightToLeft(r rune) bool {
	p, _ := bidi.LookupRune(r)
	return p.Class() == bidi.R || p.Class() == bidi.AL
}

// leftToRight holds for digits too: they are written from left to right everywhere.
func leftToRight(r rune) bool {
	p, _ := bidi.LookupRune(r)
	switch p.Class() {
	case bidi.L, bidi.EN, bidi.AN:
		return true
	}
	return false
}

// directions tells whether a line has letters that are written from right to left, and
// whether most are.
func directions(glyphs []glyph) (some, most bool) {
	n := 0
	for _, g := range glyphs {
		switch {
		case rightToLeft(g.r):
			some = true
			n++
		case unicode.IsLetter(g.r):
			n--
		}
	}
	return some, n > 0
}

// logical puts the words of a line that has letters from right to left into the order in
// which they are read. PDFium takes every such line to be read from the right, and
// mixes up what is between; their places on the page tell more.
func logical(words [][]glyph, fromTheRight bool) [][]glyph {
	for i, w := range words {
		words[i] = logicalWord(w)
	}
	left := func(w []glyph) bool { return wordIs(w, leftToRight) && !wordIs(w, rightToLeft) }
	right := func(w []glyph) bool { return wordIs(w, rightToLeft) }
	neutral := func(w []glyph) bool { return !left(w) && !right(w) }
	slices.SortStableFunc(words, func(a, b []glyph) int { return fromRight(extent(a), extent(b)) })
	if fromTheRight {
		turnRuns(words, left, neutral)
	} else {
		slices.Reverse(words)
		turnRuns(words, right, neutral)
	}
	if closing(words, 1) > closing(words, -1) {
		for _, w := range words {
			for i := range w {
				w[i].r = mirrored(w[i].r)
			}
		}
	}
	return words
}

// Brackets that open, and those that close them.
const opening, closed = "([{«", ")]}»"

// closing counts the brackets that close nothing, or those that open nothing when side
// is -1. Some producers store a bracket as it is seen and others as it is meant, and
// PDFium takes all to be seen.
func closing(words [][]glyph, side int) int {
	open, alone := 0, 0
	for _, w := range words {
		for _, g := range w {
			switch {
			case strings.ContainsRune(opening, g.r):
				open += side
			case strings.ContainsRune(closed, g.r):
				open -= side
			}
			if open < 0 {
				open, alone = 0, alone+1
			}
		}
	}
	return alone
}

func mirrored(r rune) rune {
	for _, pair := range [][2]string{{opening, closed}, {closed, opening}} {
		if i := strings.IndexRune(pair[0], r); i >= 0 {
			return []rune(pair[1])[utf8.RuneCountInString(pair[0][:i])]
		}
	}
	return r
}

// logicalWord puts the glyphs of a word into their order; accents stay behind the
// letter that they belong to.
func logicalWord(w []glyph) []glyph {
	if !wordIs(w, rightToLeft) {
		return w
	}
	var clusters [][]glyph
	for _, g := range w {
		if n := len(clusters); n > 0 && unicode.Is(unicode.Mn, g.r) {
			clusters[n-1] = append(clusters[n-1], g)
			continue
		}
		clusters = append(clusters, []glyph{g})
	}
	slices.SortStableFunc(clusters, func(a, b []glyph) int { return fromRight(a[0].box, b[0].box) })
	turnRuns(clusters,
		func(c []glyph) bool { return leftToRight(c[0].r) },
		func(c []glyph) bool { return !rightToLeft(c[0].r) && !leftToRight(c[0].r) })
	return slices.Concat(clusters...)
}

// fromRight orders boxes by their centres, the rightmost first. Boxes that were not
// told stay where they are.
func fromRight(a, b box) int {
	if a == (box{}) || b == (box{}) {
		return 0
	}
	switch x, y := a.x0+a.x1, b.x0+b.x1; {
	case x > y:
		return -1
	case x < y:
		return 1
	}
	return 0
}

// turnRuns turns round every run that goes from left to right: it begins and ends with
// what is sure to, and may have what is neutral within.
func turnRuns[T any](items []T, sure, neutral func(T) bool) {
	for i := 0; i < len(items); i++ {
		if !sure(items[i]) {
			continue
		}
		end := i
		for j := i + 1; j < len(items) && (sure(items[j]) || neutral(items[j])); j++ {
			if sure(items[j]) {
				end = j
			}
		}
		slices.Reverse(items[i : end+1])
		i = end
	}
}

func wordIs(w []glyph, is func(rune) bool) bool {
	return slices.ContainsFunc(w, func(g glyph) bool { return is(g.r) })
}

func extent(w []glyph) box {
	var b box
	for _, g := range w {
		b = b.with(g.box)
	}
	return b
}
