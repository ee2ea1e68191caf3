package pdf

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// FuzzLayout makes text of any characters at any places: what comes out of the sandbox
// is as hostile as what went in.
func FuzzLayout(f *testing.F) {
	f.Add([]byte("The words of a line"))
	f.Add([]byte("| # - 1. \x00\x01\x02\x03\x04\x05\x06\x07\x08\x09"))
	f.Add([]byte(strings.Repeat("a\x90 b\xa0\x03c\xc1\x04", 50)))
	alphabet := []rune("aZ5-.,#|•()[]΅שم港\ufffdﬁ \u200d")
	f.Fuzz(func(t *testing.T, data []byte) {
		s := &sheet{width: 612, height: 792, fonts: []font{{size: 10}, {size: 12, bold: true}, {size: 24}, {}}}
		x, y := 72.0, 72.0
		for _, b := range data {
			g := glyph{r: alphabet[int(b)%len(alphabet)], font: int(b>>2) % len(s.fonts)}
			switch {
			case b < 4:
				g.kind, x, y = lineEnd, 72, y+12
			case b < 7:
				g.kind = divided
			case b < 9:
				x, y = x-300, y-200
			case g.r == ' ':
				g.kind, x = gap, x+float64(b)
			default:
				g.box = box{x, y, x + 6, y + 10}
				x += 6
			}
			s.add(g)
		}
		for _, body := range []float64{0, 10} {
			text := style{body: body, outline: map[int][]entry{1: {{"a", 2}}}}.text(1, s)
			if !utf8.ValidString(text) {
				t.Errorf("%q is not valid", text)
			}
		}
		s.marks(string(data))
	})
}

// TestLayoutOfManyPieces takes shapes of a page that would cost the square of their size.
func TestLayoutOfManyPieces(t *testing.T) {
	const pieces = 100_000
	for name, place := range map[string]func(i int) box{
		"one line":         func(i int) box { return box{float64(7 * i), 0, float64(7*i + 6), 10} },
		"one column":       func(i int) box { return box{0, float64(12 * i), 6, float64(12*i + 10)} },
		"rows of a table":  func(i int) box { y := float64(i / 2 * 12); x := float64(i % 2 * 300); return box{x, y, x + 6, y + 10} },
		"all in one place": func(int) box { return box{0, 0, 6, 10} },
	} {
		t.Run(name, func(t *testing.T) {
			s := &sheet{fonts: []font{{size: 10}}}
			for i := range pieces {
				s.add(glyph{r: 'x', box: place(i)})
				s.add(glyph{kind: lineEnd})
			}
			start := time.Now()
			if text := (style{body: 10}).text(1, s); len(text) < pieces {
				t.Errorf("%d characters, want %d at least", len(text), pieces)
			}
			if took := time.Since(start); took > 10*time.Second {
				t.Errorf("took %v", took)
			}
		})
	}
}

func TestDates(t *testing.T) {
	day := time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC)
	for s, want := range map[string]time.Time{
		"D:20240229101112+01'00'": time.Date(2024, 2, 29, 9, 11, 12, 0, time.UTC),
		"D:20240229101112-0730":   time.Date(2024, 2, 29, 17, 41, 12, 0, time.UTC),
		"D:20240229101112Z":       time.Date(2024, 2, 29, 10, 11, 12, 0, time.UTC),
		"20240229":                day,
		"D:2024022900":            day,
		"D:2024":                  time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC),
		"D:20240230":              {},
		"yesterday":               {},
		"D:202":                   {},
		"":                        {},
	} {
		if got := date(s); !got.Equal(want) {
			t.Errorf("%q is %v, want %v", s, got, want)
		}
	}
}

func TestSampledPages(t *testing.T) {
	for pages, want := range map[int]int{1: 1, 2: 2, 3: 3, 4: 3, 8: 7, 10_000: 7} {
		list := sampled(pages)
		if len(list) != want {
			t.Errorf("of %d pages %v are looked at, want %d", pages, list, want)
		}
		for i, n := range list {
			if n < 1 || n > pages || i > 0 && n <= list[i-1] {
				t.Errorf("of %d pages %v are looked at", pages, list)
			}
		}
	}
}
