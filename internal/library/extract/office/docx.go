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

// DOCX reads text documents: what stands in the body, in its order. Pages end where
// the program that wrote the document last had them end, and at breaks that were
// set; a document that has neither is divided as extract.Flow says. Headings are
// paragraphs with an outline level, whatever language the names of the styles are in.
// Deleted text, headers, footers and comments are left out.
type DOCX struct{ Limits extract.Limits }

var _ extract.Format = DOCX{}

// Types implements extract.Format.
func (DOCX) Types() []string {
	return []string{
		"application/vnd.openxmlformats-officedocument.wordprocessingml.document",
		"application/vnd.openxmlformats-officedocument.wordprocessingml.template",
		"application/vnd.ms-word.document.macroenabled.12",
		"application/vnd.ms-word.template.macroenabledtemplate.12",
	}
}

// Open implements extract.Format.
func (f DOCX) Open(ctx context.Context, s extract.Source) (extract.Document, error) {
	p, err := openPack(ctx, s, f.Limits)
	if err != nil {
		return nil, err
	}
	return &docx{pack: p}, nil
}

type docx struct{ *pack }

// Pages implements extract.Document.
func (d *docx) Pages(ctx context.Context, first int) iter.Seq2[chat.FilePage, error] {
	return extract.Flow(ctx, d.limits, first, func(p *extract.Pager) error {
		d.Again()
		b := &body{ctx: ctx, pager: p, styles: map[string]style{}, notes: map[string]string{}}
		targets, err := d.targets(ctx, d.main)
		if err != nil {
			return err
		}
		for _, t := range targets {
			if err := d.side(ctx, b, t); err != nil {
				return err
			}
		}
		r, x, err := d.open(ctx, d.main)
		if err != nil {
			return err
		}
		defer r.Close()
		b.x = x
		return x.Each(func(e xml.StartElement) error {
			if e.Name.Local == "body" {
				return b.blocks()
			}
			return nil
		})
	})
}

// side reads one of the parts that the body refers to.
func (d *docx) side(ctx context.Context, b *body, t target) error {
	var err error
	switch t.kind {
	case "styles":
		err = b.readStyles(ctx, d.pack, t.part)
	case "numbering":
		err = b.readNumbering(ctx, d.pack, t.part)
	case "footnotes", "endnotes":
		err = b.readNotes(ctx, d.pack, t)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
