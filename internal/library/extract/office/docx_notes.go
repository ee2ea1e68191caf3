package office

import (
	"context"
	"encoding/xml"
	"strings"

	"confidant/internal/library/extract"
)

// mostNotes is how many bytes of foot- and endnotes are kept, together.
const mostNotes = 8 << 20

// readNotes reads the footnotes or endnotes, which are kept until they are referred to.
func (b *body) readNotes(ctx context.Context, p *pack, t target) error {
	kind := strings.TrimSuffix(t.kind, "s")
	total := 0
	return p.each(ctx, t.part, func(x *extract.XML, e xml.StartElement) error {
		if e.Name.Local != kind {
			return nil
		}
		if extract.Attr(e, "type") != "" && extract.Attr(e, "type") != "normal" || total > mostNotes {
			return x.Skip() // the line above the notes
		}
		note := &body{ctx: ctx, x: x, pager: b.pager, styles: b.styles, notes: map[string]string{}, cell: &extract.Cell{}}
		err := note.blocks()
		text := strings.TrimSpace(note.cell.String())
		total += len(text)
		b.notes[kind+extract.Attr(e, "id")] = text
		return err
	})
}
