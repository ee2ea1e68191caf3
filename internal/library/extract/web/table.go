package web

import (
	"strconv"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"golang.org/x/net/html"

	"confidant/internal/library/extract"
)

// tableParts are the elements of which a table is made.
var tableParts = set("thead tbody tfoot tr td th caption colgroup col")

// unframe makes divisions of the tables that only arrange a page: those with tables,
// headings or many paragraphs in their cells, those of one column, and those that say so.
func unframe(doc *html.Node) {
	var tables []*html.Node
	for n := range doc.Descendants() {
		if n.Type == html.ElementNode && n.Data == "table" {
			tables = append(tables, n)
		}
	}
	for i := len(tables) - 1; i >= 0; i-- { // the inner ones first
		if t := tables[i]; isFrame(t) {
			for n := range t.Descendants() {
				if n.Type == html.ElementNode && tableParts[n.Data] && owner(n, t) == t {
					n.Data, n.DataAtom, n.Attr = "div", 0, nil
				}
			}
			t.Data, t.DataAtom, t.Attr = "div", 0, nil
		}
	}
}

func isFrame(t *html.Node) bool {
	if role := attr(t, "role"); role == "presentation" || role == "none" {
		return true
	}
	columns, cells, paragraphs := 0, 0, 0
	for n := range t.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		switch n.Data {
		case "table", "h1", "h2", "h3", "article", "section":
			return true
		case "tr":
			columns = max(columns, len(cellsOf(n)))
		case "td", "th":
			cells++
		case "p":
			paragraphs++
		}
	}
	return columns < 2 || paragraphs > 2*cells
}

// owner is the table that a part belongs to, of those within and including t.
func owner(n, t *html.Node) *html.Node {
	for n = n.Parent; n != nil; n = n.Parent {
		if n == t || n.Data == "table" {
			return n
		}
	}
	return nil
}

func cellsOf(row *html.Node) []*html.Node {
	var cells []*html.Node
	for c := row.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode && (c.Data == "td" || c.Data == "th") {
			cells = append(cells, c)
		}
	}
	return cells
}

// renderTable writes a table with its first row as the header.
func renderTable(_ converter.Context, w converter.Writer, t *html.Node) converter.RenderStatus {
	write := func(text string) { _, _ = w.WriteString(text) } // to memory
	write("\n\n")
	var below [extract.MostColumns]int // for how many more rows a cell from above takes the column
	first := true
	for n := range t.Descendants() {
		switch {
		case n.Type != html.ElementNode:
		case n.Data == "caption":
			write(line(textOf(n)) + "\n\n")
		case n.Data == "tr":
			if cells := spread(n, &below); strings.TrimSpace(strings.Join(cells, "")) != "" {
				write(extract.MarkdownRow(cells) + "\n")
				if first {
					write(extract.MarkdownRule(len(cells)) + "\n")
				}
				first = false
			}
		}
	}
	write("\n")
	return converter.RenderSuccess
}

// spread puts the cells of a row into their columns: a cell stands in the first one
// that it goes over, and the others are empty.
func spread(row *html.Node, below *[extract.MostColumns]int) []string {
	var cells []string
	taken := func() {
		for len(cells) < len(below) && below[len(cells)] > 0 {
			below[len(cells)]--
			cells = append(cells, "")
		}
	}
	for _, cell := range cellsOf(row) {
		taken()
		text := textOf(cell)
		wide, tall := span(cell, "colspan"), span(cell, "rowspan")
		for range min(wide, len(below)-len(cells)) {
			below[len(cells)] = tall - 1
			cells, text = append(cells, text), ""
		}
	}
	taken()
	return cells
}

func span(cell *html.Node, name string) int {
	n, err := strconv.Atoi(attr(cell, name))
	if err != nil || n < 1 {
		return 1
	}
	return min(n, 1000) // as browsers do
}
