package pdf

import (
	"context"
	"encoding/binary"
	"unicode"
	"unicode/utf16"
)

// box is a rectangle in points; the origin is the page's top left corner as it is
// shown, and y grows downwards.
type box struct{ x0, y0, x1, y1 float64 }

func (b box) width() float64  { return b.x1 - b.x0 }
func (b box) height() float64 { return b.y1 - b.y0 }

// with is the smallest box around both. A box without an extent counts for nothing.
func (b box) with(o box) box {
	switch {
	case o == box{}:
		return b
	case b == box{}:
		return o
	}
	return box{min(b.x0, o.x0), min(b.y0, o.y0), max(b.x1, o.x1), max(b.y1, o.y1)}
}

// glyph is one character of a page, in the order in which PDFium reads it.
type glyph struct {
	r rune
	box
	font int // in sheet.fonts
	kind glyphKind
}

type glyphKind uint8

const (
	shown   glyphKind = iota
	gap               // a space, of the text or found by PDFium
	lineEnd           // found by PDFium
	divided           // a hyphen at the end of a line whose word goes on
)

// sheet is what was read of a page.
type sheet struct {
	width, height float64 // in points, as shown
	glyphs        []glyph
	fonts         []font
	unmapped      int  // glyphs of which the font does not say what they mean
	cut           bool // there were more glyphs than are kept
	empty         bool // nothing is drawn on it
	picture       bool // most of it is covered by one picture
}

// read reads the characters of a page, at most limit unless that is 0. Its errors are the instance's.
//
// A call into the sandbox costs a microsecond, so that of most words only the two ends
// are looked at: that tells where the word stands, and one font is enough for it.
func (p *loaded) read(ctx context.Context, limit int) *sheet {
	s := &sheet{width: p.width, height: p.height}
	if p.page == 0 {
		return s
	}
	text := p.call(ctx, "FPDFText_LoadPage", p.page)
	count := int(int32(p.quick("FPDFText_CountChars", text)))
	if limit > 0 && count > limit {
		count, s.cut = limit, true
	}
	runes := p.runes(ctx, text, count)
	fonts := map[uint64]int{}
	current, inWord := 0, false
	for k, r := range runes {
		if k%1024 == 0 && ctx.Err() != nil {
			p.err = context.Cause(ctx)
		}
		if p.err != nil {
			break
		}
		g := classify(r)
		if divides(runes, k) {
			g = glyph{r: '-', kind: divided}
		}
		if g.kind == shown || g.kind == divided {
			if !inWord {
				current = p.fontAt(text, uint64(k), s, fonts)
			}
			atEnd := k+1 == len(runes) || classify(runes[k+1]).kind != shown
			if !inWord || atEnd || rightToLeft(r) || combining(r) != 0 || combining(runes[k-1]) != 0 {
				g.box = p.place(text, uint64(k))
			}
			g.font = current
			if g.r == unicode.ReplacementChar || s.fonts[current].unmapped {
				s.unmapped++
			}
		}
		inWord = g.kind == shown
		s.add(g)
	}
	p.call(ctx, "FPDFText_ClosePage", text)
	s.look(ctx, p)
	return s
}

// runes are the characters of a page as PDFium numbers them.
func (p *loaded) runes(ctx context.Context, text uint64, count int) []rune {
	if count <= 0 || p.err != nil {
		return nil
	}
	const unit, perRune = 2, 2
	at := p.quick("malloc", uint64((count*perRune+1)*unit))
	defer p.quick("free", at)
	n := int(int32(p.call(ctx, "FPDFText_GetText", text, 0, uint64(count), at)))
	b := p.bytes(at, max(n-1, 0)*unit)
	units := make([]uint16, len(b)/unit)
	for k := range units {
		units[k] = binary.LittleEndian.Uint16(b[unit*k:])
	}
	runes := utf16.Decode(units)
	// Characters that say nothing are not in the text, so that it has other numbers.
	same := len(runes) == count
	if !same {
		runes = make([]rune, count)
	}
	for k := range runes {
		if k%1024 == 0 && ctx.Err() != nil {
			p.err = context.Cause(ctx)
		}
		if !same || runes[k] == unicode.ReplacementChar {
			runes[k] = rune(p.quick("FPDFText_GetUnicode", text, uint64(k)))
		}
		// A character outside the first plane is two, which the text cannot have.
		if k > 0 && utf16.IsSurrogate(runes[k]) {
			if r := utf16.DecodeRune(runes[k-1], runes[k]); r != unicode.ReplacementChar {
				runes[k-1], runes[k] = r, nothing
			}
		}
	}
	return runes
}

// nothing is a character that is left out: the space without a width.
const nothing = '\u200b'

// classify tells what a character of PDFium's text is.
func classify(r rune) glyph {
	// PDFium writes these for the hyphen at the end of a line whose word goes on.
	const hyphen, hyphenInText = 0x2, 0xfffe
	switch {
	case r == '\r' || r == '\n':
		return glyph{r: r, kind: lineEnd}
	case r == hyphen || r == hyphenInText:
		return glyph{r: '-', kind: divided}
	case unicode.IsSpace(r):
		return glyph{r: ' ', kind: gap}
	}
	return glyph{r: known(r)}
}

// divides reports whether character k is a hyphen that divides a word at the end of a
// line, of those that PDFium does not tell apart.
func divides(runes []rune, k int) bool {
	const softHyphen, hyphen = '\u00ad', '\u2010'
	if k == 0 || k+3 >= len(runes) || runes[k] != '-' && runes[k] != hyphen && runes[k] != softHyphen {
		return false
	}
	next := runes[k+1:]
	return unicode.IsLetter(runes[k-1]) && next[0] == '\r' && next[1] == '\n' && unicode.IsLower(next[2])
}

// place is where a character is shown, from the font's ascent to its descent.
func (p *loaded) place(text, k uint64) box {
	at := p.space()
	if p.quick("FPDFText_GetLooseCharBox", text, k, at) == 0 {
		return box{}
	}
	var r [4]float64 // left, top, right, bottom
	p.floats(at, r[:])
	return p.shown(r[0], r[3], r[2], r[1])
}

// fontAt is the number of a character's font in the sheet.
func (p *loaded) fontAt(text, k uint64, s *sheet, fonts map[uint64]int) int {
	object := p.quick("FPDFText_GetTextObject", text, k)
	n, ok := fonts[object]
	if !ok {
		n = len(s.fonts)
		s.fonts = append(s.fonts, p.font(text, k, object))
		fonts[object] = n
	}
	return n
}

// add appends a glyph, unless it is a soft hyphen, a mark of direction, or nothing at all.
func (s *sheet) add(g glyph) {
	const nonJoiner, joiner = '\u200c', '\u200d' // parts of words in Persian, and of emoji
	hidden := g.r < ' ' || unicode.In(g.r, unicode.Cf, unicode.Cs) && g.r != nonJoiner && g.r != joiner
	if g.kind == shown && hidden {
		return
	}
	if last := len(s.glyphs) - 1; last >= 0 && s.glyphs[last].accents(g) {
		accent := s.glyphs[last]
		accent.r = combining(accent.r)
		s.glyphs = append(s.glyphs[:last], g, accent)
		return
	}
	s.glyphs = append(s.glyphs, g)
}
