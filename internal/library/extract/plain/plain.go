// Package plain reads files that are text: notes, Markdown, tables of values,
// programs. Whatever their encoding is, they end as UTF-8.
package plain

import (
	"context"
	"fmt"
	"io"
	"iter"
	"os"

	"confidant/internal/chat"
	"confidant/internal/library/extract"
)

// Text reads text as it is. Form feeds divide its pages, and extract.Flow what is long.
type Text struct{ Limits extract.Limits }

var _ extract.Format = Text{}

// Types implements extract.Format.
func (Text) Types() []string {
	return []string{extract.TypePlain, extract.TypeJSON, extract.TypeXML}
}

// Open implements extract.Format.
func (f Text) Open(_ context.Context, s extract.Source) (extract.Document, error) {
	return open(s, f.Limits, (*extract.Pager).Plain)
}

// document is a text that is read from its beginning for each reading of its pages.
type document struct {
	file   *os.File
	limits extract.Limits
	info   extract.Info
	write  func(*extract.Pager, io.Reader) error
}

func open(s extract.Source, l extract.Limits, write func(*extract.Pager, io.Reader) error) (*document, error) {
	file, err := extract.OpenFile(s)
	if err != nil {
		return nil, err
	}
	return &document{file: file, limits: l, write: write}, nil
}

// Info implements extract.Document.
func (d *document) Info() extract.Info { return d.info }

// Close implements extract.Document.
func (d *document) Close() error { return d.file.Close() }

// Pages implements extract.Document.
func (d *document) Pages(ctx context.Context, first int) iter.Seq2[chat.FilePage, error] {
	return extract.Flow(ctx, d.limits, first, func(p *extract.Pager) error {
		text, err := d.text()
		if err != nil {
			return err
		}
		return d.write(p, text)
	})
}

// text reads the file from its beginning.
func (d *document) text() (io.Reader, error) {
	if _, err := d.file.Seek(0, io.SeekStart); err != nil {
		return nil, fmt.Errorf("go back in a text: %w", err)
	}
	return extract.Text(d.file)
}
