package pdf

import "unicode"

// accents reports whether an accent stands over, or under, the letter that comes after
// it: TeX sets it first.
func (g glyph) accents(next glyph) bool {
	centre := (g.x0 + g.x1) / 2
	return combining(g.r) != 0 && unicode.IsLetter(next.r) && g.width() > 0 && centre > next.x0 && centre < next.x1
}

// combining is an accent as Unicode puts it behind its letter, 0 when r is none.
func combining(r rune) rune {
	switch r {
	case '`':
		return '\u0300'
	case '´':
		return '\u0301'
	case 'ˆ':
		return '\u0302'
	case '˜':
		return '\u0303'
	case '¯':
		return '\u0304'
	case '˘':
		return '\u0306'
	case '˙':
		return '\u0307'
	case '¨':
		return '\u0308'
	case '˚':
		return '\u030a'
	case '˝':
		return '\u030b'
	case 'ˇ':
		return '\u030c'
	case '¸':
		return '\u0327'
	}
	if unicode.Is(unicode.Mn, r) {
		return r
	}
	return 0
}
