package web

import (
	"strings"
	"time"

	"golang.org/x/net/html"

	"confidant/internal/library/extract"
)

// mostTitle is how many bytes of a title are kept.
const mostTitle = 1000

// info reads the title and the time of a page out of its head.
func info(doc *html.Node) extract.Info {
	var i extract.Info
	meta := map[string]string{}
	find(doc, func(n *html.Node) bool {
		if n.Data == "meta" {
			name := strings.ToLower(attr(n, "property") + attr(n, "name"))
			if meta[name] == "" {
				meta[name] = attr(n, "content")
			}
		}
		return false
	})
	i.Title = line(meta["og:title"])
	for _, name := range []string{"title", "h1"} {
		if n := find(doc, func(n *html.Node) bool { return n.Data == name && n.Namespace == "" }); i.Title == "" && n != nil {
			i.Title = line(textOf(n))
		}
	}
	for _, name := range []string{"article:modified_time", "dcterms.modified", "last-modified", "article:published_time", "dcterms.date", "dc.date", "date"} {
		for _, form := range []string{time.RFC3339, "2006-01-02T15:04:05-0700", "2006-01-02T15:04:05", time.DateTime, time.DateOnly} {
			if at, err := time.Parse(form, strings.TrimSpace(meta[name])); err == nil {
				i.Modified = at.UTC()
				return i
			}
		}
	}
	return i
}

// line makes a text one line that is no longer than a title.
func line(text string) string {
	text = strings.Join(strings.Fields(extract.Clean(text)), " ")
	if len(text) > mostTitle {
		text = strings.ToValidUTF8(text[:mostTitle], "")
	}
	return text
}

// find returns the first element, in the order of the page, for which match holds.
func find(n *html.Node, match func(*html.Node) bool) *html.Node {
	for d := range n.Descendants() {
		if d.Type == html.ElementNode && match(d) {
			return d
		}
	}
	return nil
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// textOf is all text within an element, up to what is kept of a cell.
func textOf(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		switch {
		case b.Len() > mostCell:
			return b.String()
		case d.Type == html.TextNode:
			b.WriteString(d.Data)
		case d.Type == html.ElementNode && separates[d.Data]:
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// mostCell is how many bytes of one cell of a table are kept.
const mostCell = 64 << 10

// separates has the elements whose text is not one word with what stands before.
var separates = map[string]bool{"br": true, "p": true, "div": true, "li": true, "td": true, "th": true, "tr": true, "h1": true, "h2": true, "h3": true, "h4": true, "h5": true, "h6": true}
