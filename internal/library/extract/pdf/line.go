package pdf

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// word is what stands between spaces.
type word struct {
	text string
	box
}

// line is what stands side by side.
type line struct {
	words []word
	box
	size float64 // of most of its characters, in points
	bold bool    // most of its characters are
	// rightToLeft tells that it is read from right to left, as most of its letters are.
	rightToLeft bool
	// divided tells that its last word goes on in the next line, after a hyphen.
	divided bool
}

// text is the line as one string; its words are divided by one space each.
func (l line) text() string {
	texts := make([]string, len(l.words))
	for i, w := range l.words {
		texts[i] = w.text
	}
	return strings.Join(texts, " ")
}

// lines puts the glyphs of a page into lines. PDFium ends a line wherever the baseline
// or the distance changes, within formulas and table rows too; such pieces are joined.
func (s *sheet) lines() []line {
	var lines []line
	start := 0
	for i := 0; i <= len(s.glyphs); i++ {
		ends := i == len(s.glyphs) || s.glyphs[i].kind == lineEnd
		if !ends && s.glyphs[i].kind != divided {
			continue
		}
		piece := s.line(s.glyphs[start:min(i+1, len(s.glyphs))])
		start = i + 1
		switch last := len(lines) - 1; {
		case len(piece.words) == 0:
		case last >= 0 && lines[last].continues(piece):
			lines[last] = lines[last].joined(piece)
		default:
			lines = append(lines, piece)
		}
	}
	return lines
}

// line makes a line of glyphs.
func (s *sheet) line(glyphs []glyph) line {
	var l line
	mixed, fromTheRight := directions(glyphs)
	l.rightToLeft = fromTheRight
	sizes := map[float64]int{}
	bold, letters := 0, 0
	var pieces [][]glyph
	open := false
	for _, g := range glyphs {
		if g.kind == gap || g.kind == lineEnd {
			open = false
			continue
		}
		if !open {
			pieces, open = append(pieces, nil), true
		}
		pieces[len(pieces)-1] = append(pieces[len(pieces)-1], g)
		l.divided = g.kind == divided
		f := s.fonts[g.font]
		sizes[f.size]++
		letters++
		if f.bold {
			bold++
		}
	}
	if mixed {
		pieces = logical(pieces, fromTheRight)
	}
	for _, piece := range pieces {
		w := word{}
		var b strings.Builder
		for _, g := range piece {
			b.WriteRune(g.r)
			w.box = w.box.with(g.box)
		}
		w.text = normal(b.String())
		if w.text == "" {
			continue
		}
		l.words = append(l.words, w)
		l.box = l.box.with(w.box)
	}
	for size, n := range sizes {
		if n > sizes[l.size] || n == sizes[l.size] && size > l.size {
			l.size = size
		}
	}
	l.bold = bold*10 >= letters*9
	return l
}

// normal replaces ligatures by their letters, and puts accents onto theirs.
func normal(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return r >= 0x300 }) < 0 {
		return s
	}
	s = strings.Map(func(r rune) rune {
		if r == 0 || r == unicode.ReplacementChar {
			return unicode.ReplacementChar
		}
		return r
	}, s)
	var b strings.Builder
	for _, r := range s {
		// The presentation forms of Latin, Hebrew and Arabic letters.
		if r >= 0xfb00 && r <= 0xfdff || r >= 0xfe70 && r <= 0xfefc {
			b.WriteString(norm.NFKC.String(string(r)))
			continue
		}
		b.WriteRune(r)
	}
	return norm.NFC.String(b.String())
}

// continues reports whether piece stands beside the line, rather than below it.
func (l line) continues(piece line) bool {
	if l.divided {
		return false
	}
	overlap := min(l.y1, piece.y1) - max(l.y0, piece.y0)
	low := min(l.height(), piece.height())
	if low <= 0 || overlap < 0.45*low || max(l.height(), piece.height()) > 4*low {
		return false
	}
	em := max(l.size, piece.size)
	if l.rightToLeft || piece.rightToLeft {
		return piece.x1 <= l.x0+0.3*em
	}
	return piece.x0 >= l.x1-0.3*em
}

// joined is the line with a piece that continues it.
func (l line) joined(piece line) line {
	distance := max(piece.x0-l.x1, l.x0-piece.x1)
	first := piece.words[0]
	last := &l.words[len(l.words)-1]
	const longest = 4096 // bytes of a word; a hostile page can have a million pieces
	if distance < 0.15*min(l.size, piece.size) && !l.rightToLeft && len(last.text) < longest {
		last.text, last.box = last.text+first.text, last.box.with(first.box)
		piece.words = piece.words[1:]
	}
	if piece.box.width() > l.width() {
		l.size, l.bold = piece.size, piece.bold
	}
	l.words = append(l.words, piece.words...)
	l.box = l.box.with(piece.box)
	l.divided = piece.divided
	return l
}
