package web

import (
	"context"
	"fmt"
	"strings"

	"github.com/markusmobius/go-trafilatura"
	"golang.org/x/net/html"
)

const (
	// mostJudged is how many bytes of text a page may have for its main content to be
	// looked for. What has more is a book or a table, all of which is wanted.
	mostJudged = 1 << 20
	// leastShare is the part of the text of a page that its main content has at
	// least. If less is found, the page is no article, and all of it is kept but the
	// furniture: to lose half a page is worse than to keep a menu.
	leastShare = 0.25
)

// mainText writes the main content of a page as Markdown.
func mainText(ctx context.Context, doc *html.Node) (string, error) {
	whole := clone(doc)
	tidy(whole, noise, furniture)
	all, err := markdown(ctx, whole)
	if err != nil || len(all) > mostJudged {
		return all, err
	}
	if content, err := mainContent(doc); err == nil {
		if r := region(whole, content); r != nil {
			text, err := markdown(ctx, clone(r))
			if err != nil || float64(len(text)) >= leastShare*float64(len(all)) {
				return withTitle(text, doc), err
			}
		}
	}
	clearOut(whole)
	return markdown(ctx, whole)
}

// mainContent asks which part of the page is the one that it is about. Pages from
// anywhere meet rules made for articles, so that a panic is an answer, too.
func mainContent(doc *html.Node) (content *html.Node, err error) {
	defer func() {
		if p := recover(); p != nil {
			content, err = nil, fmt.Errorf("look for the main content: %v", p)
		}
	}()
	result, err := trafilatura.ExtractDocument(clone(doc), trafilatura.Options{
		EnableFallback:  true,
		Focus:           trafilatura.FavorRecall,
		ExcludeComments: true,
		HtmlDateMode:    trafilatura.Disabled,
	})
	if err != nil {
		return nil, err
	}
	if result.ContentNode == nil {
		return nil, errNothing
	}
	root := &html.Node{Type: html.DocumentNode}
	if parent := result.ContentNode.Parent; parent != nil {
		parent.RemoveChild(result.ContentNode)
	}
	root.AppendChild(result.ContentNode)
	return root, nil
}

// withTitle puts the heading of the page before its content, which may stand outside it.
func withTitle(text string, doc *html.Node) string {
	h1 := find(doc, func(n *html.Node) bool { return n.Data == "h1" })
	if h1 == nil {
		return text
	}
	title := line(textOf(h1))
	if title == "" || strings.Contains(text[:min(len(text), 2000)], title) {
		return text
	}
	return "# " + title + "\n\n" + text
}

// clone copies a document, without recursion.
func clone(n *html.Node) *html.Node {
	copies := map[*html.Node]*html.Node{n: shallow(n)}
	for d := range n.Descendants() {
		c := shallow(d)
		copies[d] = c
		copies[d.Parent].AppendChild(c)
	}
	return copies[n]
}

func shallow(n *html.Node) *html.Node {
	return &html.Node{Type: n.Type, Data: n.Data, DataAtom: n.DataAtom, Namespace: n.Namespace, Attr: append([]html.Attribute(nil), n.Attr...)}
}
