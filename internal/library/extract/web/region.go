package web

import (
	"strings"

	"golang.org/x/net/html"
)

// region is the smallest part of a page in which nearly all text of its content
// stands. The page's own elements are kept, because who finds the content loses lists,
// tables and headings in it. It is nil where the content is not text of the page.
func region(page, content *html.Node) *html.Node {
	wanted := map[string]bool{}
	for n := range content.Descendants() {
		if n.Type == html.TextNode {
			if text := strings.Join(strings.Fields(n.Data), " "); len(text) >= leastTelling {
				wanted[text] = true
			}
		}
	}
	weight := map[*html.Node]int{}
	for n := range page.Descendants() {
		if n.Type != html.TextNode {
			continue
		}
		if text := strings.Join(strings.Fields(n.Data), " "); wanted[text] {
			for a := n.Parent; a != nil; a = a.Parent {
				weight[a] += len(text)
			}
		}
	}
	if weight[page] == 0 {
		return nil
	}
	least := int(regionShare * float64(weight[page]))
	at := page
	for {
		inner := at
		for c := range at.ChildNodes() {
			if weight[c] >= least && weight[c] > 0 {
				inner = c
			}
		}
		if inner == at {
			return at
		}
		at = inner
	}
}

// regionShare is the part of the text of the content that stands in its region.
const regionShare = 0.97

// leastTelling is how many bytes a text has at least to tell where it comes from.
const leastTelling = 20
