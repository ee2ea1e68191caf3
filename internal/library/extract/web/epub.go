package web

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"strings"

	"golang.org/x/net/html"

	"confidant/internal/chat"
	"confidant/internal/library/extract"
)

// Book reads books (EPUB 2 and 3) chapter by chapter, in the order of their spine. A
// chapter begins a page, which has the chapter's name as its label; a long one is
// divided as extract.Flow says.
type Book struct{ Limits extract.Limits }

var _ extract.Format = Book{}

// Types implements extract.Format.
func (Book) Types() []string { return []string{"application/epub+zip"} }

// Open implements extract.Format.
func (f Book) Open(ctx context.Context, s extract.Source) (extract.Document, error) {
	archive, err := extract.OpenArchive(s, f.Limits)
	if err != nil {
		return nil, err
	}
	b := &book{Archive: archive, limits: f.Limits, names: map[string]string{}}
	if err := b.begin(ctx); err != nil {
		archive.Close()
		return nil, err
	}
	return b, nil
}

type book struct {
	*extract.Archive
	limits extract.Limits
	info   extract.Info
	spine  []string          // the parts with the chapters
	names  map[string]string // of chapters, by their parts
}

// Info implements extract.Document.
func (b *book) Info() extract.Info { return b.info }

// Pages implements extract.Document.
func (b *book) Pages(ctx context.Context, first int) iter.Seq2[chat.FilePage, error] {
	return extract.Flow(ctx, b.limits, first, func(p *extract.Pager) error {
		b.Again()
		for _, part := range b.spine {
			if err := b.chapter(ctx, p, part); err != nil {
				return err
			}
			if err := p.Break(); err != nil {
				return err
			}
		}
		return nil
	})
}

func (b *book) chapter(ctx context.Context, p *extract.Pager, part string) error {
	p.Label(b.names[part])
	content, err := b.Read(part, mostHTML)
	if errors.Is(err, fs.ErrNotExist) {
		p.Note(extract.NoteUnreadable)
		return nil
	}
	if err != nil {
		return err
	}
	doc, err := parse(content)
	if err != nil {
		p.Note(extract.NoteUnreadable)
		return nil //nolint:nilerr // one chapter is no reason to refuse the book
	}
	if find(doc, func(n *html.Node) bool { return n.Data == "img" || n.Data == "image" }) != nil {
		p.Picture()
	}
	tidy(doc, noise)
	if b.names[part] == "" {
		if h := find(doc, func(n *html.Node) bool { return n.Data == "h1" || n.Data == "h2" || n.Data == "h3" }); h != nil {
			p.Label(line(textOf(h)))
		}
	}
	text, err := markdown(ctx, doc)
	if err != nil {
		return fmt.Errorf("chapter of a book: %w", err)
	}
	return p.Markdown(strings.NewReader(text))
}
