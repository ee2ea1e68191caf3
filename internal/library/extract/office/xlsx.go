package office

import (
	"context"
	"encoding/xml"
	"errors"
	"io/fs"
	"iter"

	"confidant/internal/chat"
	"confidant/internal/library/extract"
)

// XLSX reads workbooks: a sheet is a page, with its cells as one table. Dates are
// written as ISO 8601, and columns without any cell are left out. Of a large sheet
// the first rows are kept, up to Limits.PageBytes, and no more of it is read.
type XLSX struct{ Limits extract.Limits }

var _ extract.Format = XLSX{}

// Types implements extract.Format.
func (XLSX) Types() []string {
	return []string{
		"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
		"application/vnd.openxmlformats-officedocument.spreadsheetml.template",
		"application/vnd.ms-excel.sheet.macroenabled.12",
		"application/vnd.ms-excel.template.macroenabled.12",
	}
}

// Open implements extract.Format.
func (f XLSX) Open(ctx context.Context, s extract.Source) (extract.Document, error) {
	p, err := openPack(ctx, s, f.Limits)
	if err != nil {
		return nil, err
	}
	d := &xlsx{pack: p}
	if err := d.list(ctx); err != nil {
		p.Close()
		return nil, err
	}
	d.info.Pages = len(d.sheets)
	return d, nil
}

type xlsx struct {
	*pack
	sheets   []sheet
	from1904 bool // days are counted from 1904, as on old Macs

	strings, styles string // parts
}

type sheet struct{ name, part string }

// list reads the names of the sheets in their order.
func (d *xlsx) list(ctx context.Context) error {
	targets, err := d.targets(ctx, d.main)
	if err != nil {
		return err
	}
	for _, t := range targets {
		switch t.kind {
		case "sharedStrings":
			d.strings = t.part
		case "styles":
			d.styles = t.part
		}
	}
	err = d.each(ctx, d.main, func(x *extract.XML, e xml.StartElement) error {
		switch e.Name.Local {
		case "workbookPr":
			value := extract.Attr(e, "date1904")
			d.from1904 = value != "" && isOn(value)
		case "sheet":
			// Charts are sheets, too, and have no cells.
			if t, ok := targets[relationID(e)]; ok && t.kind == "worksheet" {
				d.sheets = append(d.sheets, sheet{extract.Attr(e, "name"), t.part})
			}
		}
		if len(d.sheets) > d.limits.Pages {
			return tooManyPages(d.limits.Pages)
		}
		return nil
	})
	if err == nil && len(d.sheets) == 0 {
		err = extract.Broken("The workbook has no sheets with cells.", nil)
	}
	return err
}

// Pages implements extract.Document.
func (d *xlsx) Pages(ctx context.Context, first int) iter.Seq2[chat.FilePage, error] {
	return extract.Sheets(ctx, d.limits, first, func(p *extract.Pager) error {
		d.Again()
		shared, err := d.sharedStrings(ctx)
		if err != nil {
			return err
		}
		formats, err := d.formats(ctx)
		if err != nil {
			return err
		}
		for i, s := range d.sheets {
			p.Label(s.name)
			if i+1 >= first {
				g := grid{Grid: extract.NewGrid(d.limits), shared: shared, formats: formats, from1904: d.from1904}
				if err := d.sheet(ctx, p, s, &g); err != nil {
					return err
				}
			}
			if err := p.Break(); err != nil {
				return err
			}
		}
		return nil
	})
}

func (d *xlsx) sheet(ctx context.Context, p *extract.Pager, s sheet, g *grid) error {
	r, err := d.Archive.Open(s.part)
	if errors.Is(err, fs.ErrNotExist) {
		p.Note(extract.NoteUnreadable)
		return nil
	}
	if err != nil {
		return err
	}
	defer r.Close()
	if err := g.read(extract.NewXML(ctx, r)); err != nil {
		return err
	}
	return g.Write(p)
}
