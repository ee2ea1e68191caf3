package pdf

import (
	"context"
	"strings"
	"unicode/utf8"

	"confidant/internal/library/extract"
)

// Marks returns where the words of a passage stand on page n, counted from 1: a
// rectangle for each line, or none when the passage is not found. Only letters and
// digits have to agree, so that Markdown, hyphens and line ends do no harm; what was cut
// off or changed in a place leaves the sentences around it.
func (f *Format) Marks(ctx context.Context, s extract.Source, n int, passage string) ([]extract.Mark, error) {
	var rects []extract.Mark
	err := f.onPage(ctx, s, n, func(ctx context.Context, l *loaded) error {
		sheet := l.read(ctx, f.limits.PageBytes)
		if l.err == nil {
			rects = sheet.marks(passage)
		}
		return nil
	})
	return rects, err
}

// place is where a word begins in the squeezed text of a page.
type place struct {
	at   int
	line int
	box
}

func (s *sheet) marks(passage string) []extract.Mark {
	var text strings.Builder
	var places []place
	for i, l := range s.lines() {
		for _, w := range l.words {
			if word := squeeze(w.text); word != "" {
				places = append(places, place{text.Len(), i, w.box})
				text.WriteString(word)
			}
		}
	}
	marked := make([]bool, len(places))
	page, from := text.String(), 0
	for _, part := range parts(page, passage) {
		at := strings.Index(page[from:], part)
		if at < 0 {
			continue
		}
		begin, end := from+at, from+at+len(part)
		for k, p := range places {
			stop := len(page)
			if k+1 < len(places) {
				stop = places[k+1].at
			}
			marked[k] = marked[k] || p.at < end && stop > begin
		}
		from = end
	}
	return s.rects(places, marked)
}

// parts are what is looked for: the whole passage, else each of its sentences and lines
// that is long enough to mean one place.
func parts(page, passage string) []string {
	const enough = 12 // letters and digits
	whole := squeeze(passage)
	if whole == "" {
		return nil
	}
	if strings.Contains(page, whole) {
		return []string{whole}
	}
	var list []string
	for _, part := range strings.FieldsFunc(passage, func(r rune) bool { return strings.ContainsRune("\n.!?;|。！？…", r) }) {
		if part = squeeze(part); utf8.RuneCountInString(part) >= enough {
			list = append(list, part)
		}
	}
	return list
}

// rects joins the marked words of a line that follow one another.
func (s *sheet) rects(places []place, marked []bool) []extract.Mark {
	var rects []extract.Mark
	var open box
	flush := func() {
		if open.width() > 0 && open.height() > 0 && s.width > 0 && s.height > 0 {
			x0, y0 := max(open.x0/s.width, 0), max(open.y0/s.height, 0)
			x1, y1 := min(open.x1/s.width, 1), min(open.y1/s.height, 1)
			if x1 > x0 && y1 > y0 {
				rects = append(rects, extract.Mark{X: x0, Y: y0, Width: x1 - x0, Height: y1 - y0})
			}
		}
		open = box{}
	}
	for k, p := range places {
		if !marked[k] || k > 0 && places[k-1].line != p.line {
			flush()
		}
		if marked[k] {
			open = open.with(p.box)
		}
	}
	flush()
	return rects
}
