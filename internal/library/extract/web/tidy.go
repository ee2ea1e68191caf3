package web

import (
	"strings"

	"golang.org/x/net/html"
)

// noise are elements that show no text of the page.
var noise = set("script style noscript template iframe object embed canvas audio video svg button select textarea input dialog head link meta annotation annotation-xml")

// furniture are elements around the content of a page.
var furniture = set("nav footer aside menu form")

func set(names string) map[string]bool {
	s := map[string]bool{}
	for _, name := range strings.Fields(names) {
		s[name] = true
	}
	return s
}

// tidy removes elements and what is hidden, and makes links and pictures what they say.
func tidy(doc *html.Node, removed ...map[string]bool) {
	var gone, opened []*html.Node
	for n := range doc.Descendants() {
		switch {
		case n.Type == html.CommentNode:
			gone = append(gone, n)
		case n.Type != html.ElementNode:
		case isRemoved(n, removed) || isHidden(n):
			gone = append(gone, n)
		case n.Data == "a", n.Data == "font", n.Data == "ruby" && n.FirstChild != nil, n.Data == "rb":
			opened = append(opened, n)
		case n.Data == "img":
			describe(n)
		case n.Data == "rt", n.Data == "rp":
			gone = append(gone, n)
		}
	}
	for _, n := range gone {
		n.Parent.RemoveChild(n)
	}
	for _, n := range opened {
		if n.Parent != nil {
			open(n)
		}
	}
}

// What the description of a picture has at least and at most, in bytes, to be more
// than its name and no more than that.
const (
	leastDescription = 8
	mostDescription  = 500
)

// describe puts in the place of a picture what its author says that it shows.
func describe(img *html.Node) {
	said := line(attr(img, "alt"))
	img.Type, img.Data, img.DataAtom, img.Attr = html.TextNode, "", 0, nil
	if len(said) >= leastDescription && len(said) <= mostDescription && strings.Contains(said, " ") {
		img.Data = "![" + said + "]()"
	}
}

func isRemoved(n *html.Node, removed []map[string]bool) bool {
	for _, names := range removed {
		if names[n.Data] {
			return true
		}
	}
	return false
}

func isHidden(n *html.Node) bool {
	if n.Data == "body" || n.Data == "html" {
		return false
	}
	for _, a := range n.Attr {
		switch a.Key {
		case "hidden":
			return true
		case "aria-hidden":
			return a.Val == "true"
		case "style":
			style := strings.ReplaceAll(strings.ToLower(a.Val), " ", "")
			if strings.Contains(style, "display:none") || strings.Contains(style, "visibility:hidden") {
				return true
			}
		}
	}
	return false
}

// open puts the children of an element in its place.
func open(n *html.Node) {
	for c := n.FirstChild; c != nil; c = n.FirstChild {
		n.RemoveChild(c)
		n.Parent.InsertBefore(c, n)
	}
	n.Parent.RemoveChild(n)
}
