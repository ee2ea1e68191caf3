package opendocument

import (
	"encoding/xml"
	"strings"

	"confidant/internal/library/extract"
)

// drawing reads the pages of a presentation or a drawing until the element that has
// just begun ends.
func (b *body) drawing() error {
	return b.x.Children(func(e xml.StartElement) error {
		switch e.Name.Local {
		case "page":
			if err := b.slide(); err != nil {
				return err
			}
			return b.pager.Break()
		case "settings":
			return b.x.Skip()
		}
		return nil
	})
}

func (b *body) slide() error {
	return b.x.Children(func(e xml.StartElement) error {
		if e.Name.Local == "notes" {
			return b.notes()
		}
		return b.block(e)
	})
}

// shape reads a shape with text, a picture or a table; the title of a slide is its heading.
func (b *body) shape(e xml.StartElement) error {
	switch extract.Attr(e, "class") {
	case "title":
		text, err := b.inCell(b.blocks)
		if err != nil || b.cell != nil {
			return err
		}
		return b.pager.Heading(1, text)
	case "header", "footer", "date-time", "page-number":
		return b.x.Skip()
	}
	return b.blocks()
}

// notes reads what the speaker has to say.
func (b *body) notes() error {
	text, err := b.inCell(func() error {
		return b.x.Children(func(e xml.StartElement) error {
			if e.Name.Local == "frame" && extract.Attr(e, "class") == "notes" {
				return b.blocks()
			}
			if e.Name.Local == "frame" || e.Name.Local == "page-thumbnail" {
				return b.x.Skip()
			}
			return nil
		})
	})
	if err != nil || strings.TrimSpace(text) == "" {
		return err
	}
	if err := b.pager.Heading(2, "Notes"); err != nil {
		return err
	}
	return b.pager.Block(text)
}
