package pdf

import (
	"math"
	"regexp"
	"unicode"
)

// font is how a run of characters is set.
type font struct {
	size     float64 // of the em, in points, as shown
	bold     bool
	unmapped bool // it does not say which characters it shows
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
	f := font{size: math.Abs(size), unmapped: p.quick("FPDFText_HasUnicodeMapError", text, k) == 1}
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
