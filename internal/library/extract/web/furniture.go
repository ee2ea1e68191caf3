package web

import (
	"strings"

	"golang.org/x/net/html"
)

// furnitureWords are those in the names of classes that pages give to what stands
// around their content.
var furnitureWords = set("breadcrumb breadcrumbs cookie cookies sidebar share sharing social related newsletter " +
	"advertisement navbar navigation nav menu footer popup modal comments pagination subscribe consent banner toolbar skip")

// mostFurniture is the part of the text of a page that one piece of furniture has at
// most. What has more is the page, whatever it is called.
const mostFurniture = 0.3

// clearOut removes what its class calls furniture.
func clearOut(doc *html.Node) {
	length := map[*html.Node]int{}
	for n := range doc.Descendants() {
		if n.Type == html.TextNode {
			for a := n.Parent; a != nil; a = a.Parent {
				length[a] += len(strings.TrimSpace(n.Data))
			}
		}
	}
	most := int(mostFurniture * float64(length[doc]))
	var gone []*html.Node
	for n := range doc.Descendants() {
		if n.Type == html.ElementNode && length[n] <= most && isNamed(n) {
			gone = append(gone, n)
		}
	}
	for _, n := range gone {
		n.Parent.RemoveChild(n)
	}
}

func isNamed(n *html.Node) bool {
	if n.Data == "body" || n.Data == "html" || n.Data == "main" || n.Data == "article" || n.Data == "table" {
		return false
	}
	switch attr(n, "role") {
	case "navigation", "complementary", "contentinfo", "banner", "search", "menu", "dialog":
		return true
	}
	names := strings.FieldsFunc(strings.ToLower(attr(n, "class")+" "+attr(n, "id")), func(r rune) bool { return r == ' ' || r == '-' || r == '_' })
	for _, name := range names {
		if furnitureWords[name] {
			return true
		}
	}
	return false
}
