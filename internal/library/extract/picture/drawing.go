package picture

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"

	"confidant/internal/chat"
	"confidant/internal/library/extract"
)

// Drawing reads the texts of SVG, which stand in it as text. Its title is that of the
// drawing. Entities, which drawing programs declare, are not expanded.
type Drawing struct{ Limits extract.Limits }

var _ extract.Format = Drawing{}

// Types implements extract.Format.
func (Drawing) Types() []string { return []string{extract.TypeSVG} }

// Open implements extract.Format.
func (f Drawing) Open(ctx context.Context, s extract.Source) (extract.Document, error) {
	file, err := extract.OpenFile(s)
	if err != nil {
		return nil, err
	}
	d := &drawing{file: file, limits: f.Limits}
	if err := d.begin(ctx); err != nil {
		file.Close()
		return nil, err
	}
	return d, nil
}

type drawing struct {
	file   *os.File
	limits extract.Limits
	info   extract.Info
}

// mostText is how many bytes of one text of a drawing are kept.
const mostText = 64 << 10

// begin reads the title, which stands first in the drawing (SVG 2 section 5.8).
func (d *drawing) begin(ctx context.Context) error {
	x := extract.NewXML(ctx, d.file).Lax()
	return first(x.Each(func(e xml.StartElement) error {
		switch {
		case x.Depth() == 1 && e.Name.Local != "svg":
			return extract.Broken("The file is no drawing that can be read.", nil)
		case x.Depth() == 2 && e.Name.Local == "title":
			text, err := x.Text(mostText)
			d.info.Title = strings.Join(strings.Fields(extract.Clean(text)), " ")
			if err == nil {
				err = errFound
			}
			return err
		case x.Depth() == 2 && e.Name.Local == "g":
			return errFound
		}
		return nil
	}))
}

// errFound ends a search.
var errFound = errors.New("found")

// first forgets that a search has ended early.
func first(err error) error {
	if errors.Is(err, errFound) {
		return nil
	}
	return err
}

// Info implements extract.Document.
func (d *drawing) Info() extract.Info { return d.info }

// Close implements extract.Document.
func (d *drawing) Close() error { return d.file.Close() }

// Pages implements extract.Document.
func (d *drawing) Pages(ctx context.Context, first int) iter.Seq2[chat.FilePage, error] {
	return extract.Flow(ctx, d.limits, first, func(p *extract.Pager) error {
		if _, err := d.file.Seek(0, io.SeekStart); err != nil {
			return fmt.Errorf("go back in a drawing: %w", err)
		}
		p.Picture()
		x := extract.NewXML(ctx, d.file).Lax()
		return x.Each(func(e xml.StartElement) error {
			switch e.Name.Local {
			case "style", "script", "metadata":
				return x.Skip()
			case "text", "title", "desc":
				text, err := x.Text(mostText)
				if err != nil {
					return err
				}
				return p.Line(strings.Join(strings.Fields(text), " "))
			case "foreignObject":
				text, err := x.Text(mostText)
				if err != nil {
					return err
				}
				return p.Block(strings.TrimSpace(text))
			}
			return nil
		})
	})
}
