// Package web reads web pages, and books that are made of them.
package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"golang.org/x/net/html"

	"confidant/internal/chat"
	"confidant/internal/library/extract"
)

// mostHTML is how many bytes one web page, or one chapter of a book, may have: its
// elements are all in memory, and take ten times as much.
const mostHTML = 16 << 20

// Page reads web pages as Markdown: the main content, with its headings, lists and
// tables; menus and the like are left out. Links are their texts. A page is one page
// up to extract.MostUndivided characters and is divided above that.
type Page struct{ Limits extract.Limits }

var _ extract.Format = Page{}

// Types implements extract.Format.
func (Page) Types() []string { return []string{extract.TypeHTML, "application/xhtml+xml"} }

// Open implements extract.Format.
func (f Page) Open(ctx context.Context, s extract.Source) (extract.Document, error) {
	file, err := extract.OpenFile(s)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, mostHTML+1))
	if err != nil {
		return nil, fmt.Errorf("read a web page: %w", err)
	}
	if len(content) > mostHTML {
		return nil, extract.Broken(fmt.Sprintf("The web page is larger than %d MB, which is the limit.", mostHTML>>20), nil)
	}
	doc, err := parse(content)
	if err != nil {
		return nil, err
	}
	return &page{limits: f.Limits, doc: doc, info: info(doc)}, nil
}

// parse reads HTML in the encoding that it declares, or is in.
func parse(content []byte) (*html.Node, error) {
	doc, err := html.Parse(strings.NewReader(extract.Clean(decode(content))))
	if err != nil {
		return nil, extract.Broken("The web page is nested too deeply to be read.", err)
	}
	return doc, nil
}

type page struct {
	limits extract.Limits
	doc    *html.Node
	info   extract.Info
}

// Info implements extract.Document.
func (p *page) Info() extract.Info { return p.info }

// Close implements extract.Document.
func (p *page) Close() error { return nil }

// Pages implements extract.Document.
func (p *page) Pages(ctx context.Context, first int) iter.Seq2[chat.FilePage, error] {
	return extract.Flow(ctx, p.limits, first, func(pager *extract.Pager) error {
		text, err := mainText(ctx, p.doc)
		if err != nil {
			return err
		}
		if find(p.doc, func(n *html.Node) bool { return n.Data == "img" || n.Data == "svg" }) != nil {
			pager.Picture()
		}
		return pager.Markdown(strings.NewReader(text))
	})
}

// Markdown writes all that a piece of HTML says as Markdown, menus included. Declared
// is the encoding that came with it, and may be empty.
func Markdown(ctx context.Context, content []byte, declared string) (string, error) {
	if len(content) > mostHTML {
		return "", extract.Broken(fmt.Sprintf("There is a web page in the file that is larger than %d MB, which is the limit.", mostHTML>>20), nil)
	}
	if declared != "" {
		content = []byte(extract.Decode(content, declared))
	}
	doc, err := parse(bytes.ToValidUTF8(content, []byte("\ufffd")))
	if err != nil {
		return "", err
	}
	tidy(doc, noise)
	return markdown(ctx, doc)
}

// errNothing: no main content was found.
var errNothing = errors.New("no main content")
