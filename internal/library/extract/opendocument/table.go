package opendocument

import (
	"encoding/xml"
	"strconv"
	"strings"

	"confidant/internal/library/extract"
)

// mostColumns is the number of columns that a sheet has at most.
const mostColumns = 1 << 14

// table reads a table of a text or a slide; within a cell it is the text of that cell.
func (b *body) table(e xml.StartElement) error {
	b.inList = false
	if before, _ := b.styles.breaks(extract.Attr(e, "style-name")); before {
		if err := b.pageEnds(); err != nil {
			return err
		}
	}
	err := b.x.Children(func(e xml.StartElement) error {
		switch e.Name.Local {
		case "soft-page-break":
			b.breakBefore = true
		case "table-row":
			var cells []string
			err := b.row(func(column int, text string) {
				for len(cells) <= column && len(cells) < extract.MostColumns {
					cells = append(cells, "")
				}
				if column < len(cells) {
					cells[column] = text
				}
			})
			if err != nil {
				return err
			}
			return b.putRow(cells)
		}
		return nil
	})
	if err != nil || b.cell != nil {
		return err
	}
	b.pager.EndTable()
	return b.writeNotes()
}

func (b *body) putRow(cells []string) error {
	if b.cell != nil {
		return b.put(strings.TrimSpace(strings.Join(cells, " ")))
	}
	if b.breakBefore {
		b.breakBefore = false
		if err := b.pager.Break(); err != nil {
			return err
		}
	}
	return b.pager.Row(cells)
}

// row calls cell for each cell of a row, from column 0 on. One that stands for many
// is called for each column, as far as columns are kept, or for none when it is empty.
func (b *body) row(cell func(column int, text string)) error {
	column := 0
	return b.x.Children(func(e xml.StartElement) error {
		if e.Name.Local != "table-cell" && e.Name.Local != "covered-table-cell" {
			return nil
		}
		text, err := b.inCell(b.blocks)
		if date := extract.Attr(e, "date-value"); date != "" {
			text = strings.Replace(date, "T", " ", 1)
		}
		text = strings.TrimSpace(text)
		n := repeated(e, "number-columns-repeated")
		if e.Name.Local == "covered-table-cell" {
			text = ""
		}
		if text == "" && n == 1 || text != "" {
			for i := range min(n, extract.MostColumns) {
				cell(column+i, text)
			}
		}
		column = min(column+n, mostColumns)
		return err
	})
}

func repeated(e xml.StartElement, name string) int {
	n, err := strconv.Atoi(extract.Attr(e, name))
	if err != nil || n < 1 {
		return 1
	}
	return min(n, 1<<20)
}

// spreadsheet reads sheets until the element that has just begun ends.
func (b *body) spreadsheet() error {
	return b.x.Children(func(e xml.StartElement) error {
		switch e.Name.Local {
		case "tracked-changes", "content-validations", "database-ranges":
			return b.x.Skip()
		case "table":
			b.pager.Label(extract.Attr(e, "name"))
			if err := b.sheet(); err != nil {
				return err
			}
			return b.pager.Break()
		}
		return nil
	})
}

func (b *body) sheet() error {
	g := extract.NewGrid(b.limits)
	err := b.x.Children(func(e xml.StartElement) error {
		switch e.Name.Local {
		case "shapes", "forms":
			return b.x.Skip()
		case "table-row":
			if g.Full() {
				return b.x.Skip()
			}
			var columns []int
			var texts []string
			err := b.row(func(column int, text string) {
				columns, texts = append(columns, column), append(texts, text)
			})
			for range repeated(e, "number-rows-repeated") {
				for i, column := range columns {
					g.Cell(column, texts[i])
				}
				g.EndRow()
				if g.Full() {
					break
				}
			}
			return err
		}
		return nil
	})
	if err != nil {
		return err
	}
	return g.Write(b.pager)
}
