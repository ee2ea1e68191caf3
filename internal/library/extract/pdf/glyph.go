package pdf

import (
	"context"
	"math"
	"regexp"
	"unicode"
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

// font is how a run of characters is set.
type font struct {
	size float64 // of the em, in points, as shown
	bold bool
}

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

// loaded is a page that is open in PDFium.
type loaded struct {
	*opened
	page          uint64
	width, height float64    // in points, as shown
	matrix        [6]float64 // from the page's own coordinates to those of box
}

// load opens page n, counted from 1.
func (o *opened) load(ctx context.Context, n int) *loaded {
	p := &loaded{opened: o, page: o.call(ctx, "FPDF_LoadPage", o.document, uint64(n-1))}
	if p.page == 0 {
		return p
	}
	at := o.space()
	if o.quick("FPDF_GetPageSizeByIndexF", o.document, uint64(n-1), at) != 0 {
		var size [2]float64
		o.floats(at, size[:])
		p.width, p.height = size[0], size[1]
	}
	p.matrix = p.project()
	return p
}

// project finds the matrix by asking where three points are shown.
func (p *loaded) project() [6]float64 {
	const grid, span = 1 << 24, 1000.0
	point := func(x, y float64) (float64, float64) {
		at := p.space()
		p.quick("FPDF_PageToDevice", p.page, 0, 0, grid, grid, 0, math.Float64bits(x), math.Float64bits(y), at, at+4)
		var d [2]int
		p.ints(at, d[:])
		return float64(d[0]) * p.width / grid, float64(d[1]) * p.height / grid
	}
	x, y := point(0, 0)
	ax, ay := point(span, 0)
	bx, by := point(0, span)
	return [6]float64{(ax - x) / span, (ay - y) / span, (bx - x) / span, (by - y) / span, x, y}
}

func (p *loaded) shown(left, bottom, right, top float64) box {
	m := p.matrix
	x0, y0 := m[0]*left+m[2]*bottom+m[4], m[1]*left+m[3]*bottom+m[5]
	x1, y1 := m[0]*right+m[2]*top+m[4], m[1]*right+m[3]*top+m[5]
	return box{min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)}
}

func (p *loaded) close(ctx context.Context) {
	if p.page != 0 {
		p.call(ctx, "FPDF_ClosePage", p.page)
	}
}

// read reads the characters of a page, at most limit. Its errors are the instance's.
func (p *loaded) read(ctx context.Context, limit int) *sheet {
	s := &sheet{width: p.width, height: p.height}
	if p.page == 0 {
		return s
	}
	text := p.call(ctx, "FPDFText_LoadPage", p.page)
	count := int(int32(p.quick("FPDFText_CountChars", text)))
	if count > limit {
		count, s.cut = limit, true
	}
	fonts := map[uint64]int{}
	for k := 0; k < count && p.err == nil; k++ {
		if k%4096 == 0 && ctx.Err() != nil {
			p.err = context.Cause(ctx)
			break
		}
		s.add(p.glyph(text, uint64(k), s, fonts))
	}
	p.call(ctx, "FPDFText_ClosePage", text)
	s.look(ctx, p)
	return s
}

func (p *loaded) glyph(text, k uint64, s *sheet, fonts map[uint64]int) glyph {
	g := glyph{r: rune(p.quick("FPDFText_GetUnicode", text, k))}
	made := p.quick("FPDFText_IsGenerated", text, k) == 1
	switch {
	case g.r == '\r' || g.r == '\n':
		g.kind = lineEnd
		return g
	case made && g.r == ' ':
		g.kind = gap
		return g
	case p.quick("FPDFText_IsHyphen", text, k) == 1:
		g.r, g.kind = '-', divided
	case unicode.IsSpace(g.r):
		g.kind = gap
	default:
		g.r = known(g.r)
		if g.r == unicode.ReplacementChar || p.quick("FPDFText_HasUnicodeMapError", text, k) == 1 {
			s.unmapped++
		}
	}
	at := p.space()
	if p.quick("FPDFText_GetLooseCharBox", text, k, at) != 0 {
		var r [4]float64 // left, top, right, bottom
		p.floats(at, r[:])
		g.box = p.shown(r[0], r[3], r[2], r[1])
	}
	object := p.quick("FPDFText_GetTextObject", text, k)
	n, ok := fonts[object]
	if !ok {
		n = len(s.fonts)
		s.fonts = append(s.fonts, p.font(text, k, object))
		fonts[object] = n
	}
	g.font = n
	return g
}

// add appends a glyph, unless it is a soft hyphen, a mark of direction, or nothing at all.
func (s *sheet) add(g glyph) {
	const nonJoiner, joiner = '\u200c', '\u200d' // parts of words in Persian, and of emoji
	hidden := g.r < ' ' || unicode.In(g.r, unicode.Cf, unicode.Cs) && g.r != nonJoiner && g.r != joiner
	if g.kind == shown && hidden {
		return
	}
	s.glyphs = append(s.glyphs, g)
}

// known replaces the private characters by which the symbol fonts of office programs
// draw bullets; every other private character says nothing.
func known(r rune) rune {
	switch r {
	case '\uf0b7', '\uf0a7', '\uf076', '\uf0d8', '\uf06e':
		return '•'
	case '\uf0fc':
		return '✓'
	case '\uf0e0', '\uf0e8':
		return '→'
	}
	if unicode.Is(unicode.Co, r) || r == 0 || r == 0xfffe || r == 0xffff {
		return unicode.ReplacementChar
	}
	return r
}

// boldName matches names of bold fonts that do not give their weight; TeX calls them
// bold extended.
var boldName = regexp.MustCompile(`(?i)bold|black|heavy|demi|(^|\+)(cm|sf|ec|lm|rm)\w*b(x|sr)`)

func (p *loaded) font(text, k, object uint64) font {
	const forceBold, nameSize = 1 << 18, 256
	at := p.space()
	size := finite(math.Float64frombits(p.quick("FPDFText_GetFontSize", text, k)))
	var m [6]float64
	if p.quick("FPDFText_GetMatrix", text, k, at) != 0 {
		p.floats(at, m[:])
		// Many producers set the size 1 and let the matrix do the rest.
		if scale := math.Hypot(m[2], m[3]); scale > 0 {
			size *= scale
		}
	}
	f := font{size: math.Abs(size)}
	handle := p.quick("FPDFTextObj_GetFont", object)
	if handle == 0 {
		return f
	}
	n := p.quick("FPDFFont_GetBaseFontName", handle, at, nameSize)
	name := string(p.bytes(at, int(min(n, nameSize))))
	flags := int32(p.quick("FPDFFont_GetFlags", handle))
	f.bold = flags > 0 && flags&forceBold != 0 || boldName.MatchString(name)
	return f
}

// look tells whether anything is drawn on the page, and whether a picture covers it.
func (s *sheet) look(ctx context.Context, p *loaded) {
	const imageObject, most = 3, 1000
	count := int(int32(p.quick("FPDFPage_CountObjects", p.page)))
	annotations := int(int32(p.quick("FPDFPage_GetAnnotCount", p.page)))
	s.empty = count == 0 && annotations == 0
	for k := 0; k < min(count, most) && !s.picture && ctx.Err() == nil; k++ {
		object := p.quick("FPDFPage_GetObject", p.page, uint64(k))
		if p.quick("FPDFPageObj_GetType", object) != imageObject {
			continue
		}
		at := p.space()
		if p.quick("FPDFPageObj_GetBounds", object, at, at+4, at+8, at+12) == 0 {
			continue
		}
		var r [4]float64 // left, bottom, right, top
		p.floats(at, r[:])
		b := p.shown(r[0], r[1], r[2], r[3])
		s.picture = b.width()*b.height() > 0.6*p.width*p.height
	}
}
