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

// PPTX reads presentations: a slide is a page, with its title as the heading, its
// texts and tables in their order, and the speaker's notes at the end.
type PPTX struct{ Limits extract.Limits }

var _ extract.Format = PPTX{}

// Types implements extract.Format.
func (PPTX) Types() []string {
	return []string{
		"application/vnd.openxmlformats-officedocument.presentationml.presentation",
		"application/vnd.openxmlformats-officedocument.presentationml.slideshow",
		"application/vnd.openxmlformats-officedocument.presentationml.template",
		"application/vnd.ms-powerpoint.presentation.macroenabled.12",
		"application/vnd.ms-powerpoint.slideshow.macroenabled.12",
		"application/vnd.ms-powerpoint.template.macroenabled.12",
	}
}

// Open implements extract.Format.
func (f PPTX) Open(ctx context.Context, s extract.Source) (extract.Document, error) {
	p, err := openPack(ctx, s, f.Limits)
	if err != nil {
		return nil, err
	}
	d := &pptx{pack: p}
	if err := d.list(ctx); err != nil {
		p.Close()
		return nil, err
	}
	d.info.Pages = len(d.slides)
	return d, nil
}

type pptx struct {
	*pack
	slides []string // their parts, in the order of the presentation
}

// list reads the order of the slides (ISO/IEC 29500-1 section 19.2.1.34).
func (d *pptx) list(ctx context.Context) error {
	targets, err := d.targets(ctx, d.main)
	if err != nil {
		return err
	}
	return d.each(ctx, d.main, func(x *extract.XML, e xml.StartElement) error {
		if e.Name.Local == "sldId" {
			if t, ok := targets[relationID(e)]; ok && t.kind == "slide" {
				d.slides = append(d.slides, t.part)
			}
		}
		if len(d.slides) > d.limits.Pages {
			return tooManyPages(d.limits.Pages)
		}
		return nil
	})
}

// relationID returns the r:id of an element, which may have an id of its own, too.
func relationID(e xml.StartElement) string {
	for _, a := range e.Attr {
		if a.Name.Local == "id" && a.Name.Space != "" {
			return a.Value
		}
	}
	return ""
}

// Pages implements extract.Document.
func (d *pptx) Pages(ctx context.Context, first int) iter.Seq2[chat.FilePage, error] {
	return extract.Sheets(ctx, d.limits, first, func(p *extract.Pager) error {
		d.Again()
		for i, part := range d.slides {
			if i+1 >= first {
				if err := d.slide(ctx, p, part); err != nil {
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

func (d *pptx) slide(ctx context.Context, p *extract.Pager, part string) error {
	s := slide{pager: p}
	if err := d.read(ctx, part, &s); err != nil {
		return err
	}
	if err := s.write(); err != nil {
		return err
	}
	targets, err := d.targets(ctx, part)
	if err != nil {
		return err
	}
	for _, t := range targets {
		if t.kind != "notesSlide" {
			continue
		}
		notes := slide{pager: p, notes: true}
		if err := d.read(ctx, t.part, &notes); err != nil {
			return err
		}
		return notes.write()
	}
	return nil
}

// read reads the shapes of one slide. One that is not there is empty.
func (d *pptx) read(ctx context.Context, part string, s *slide) error {
	r, err := d.Open(part)
	if errors.Is(err, fs.ErrNotExist) {
		s.pager.Note(extract.NoteUnreadable)
		return nil
	}
	if err != nil {
		return err
	}
	defer r.Close()
	s.x = extract.NewXML(ctx, r)
	return s.x.Each(func(e xml.StartElement) error {
		if e.Name.Local == "spTree" {
			return s.shapes()
		}
		return nil
	})
}
