package office

import (
	"encoding/xml"
	"strconv"
	"strings"

	"confidant/internal/library/extract"
)

// table reads a table, row by row. One of a single column is a frame around text.
// A table within a cell is the text of that cell.
func (b *body) table() error {
	columns := 0
	b.inList = false
	err := b.x.Children(func(e xml.StartElement) error {
		switch e.Name.Local {
		case "gridCol":
			columns++
		case "tblPr", "del", "moveFrom":
			return b.x.Skip()
		case "tr":
			if columns == 1 && b.cell == nil {
				return b.blocks()
			}
			return b.row()
		}
		return nil
	})
	if err != nil || b.cell != nil {
		return err
	}
	b.pager.EndTable()
	return b.writeNotes()
}

func (b *body) row() error {
	var cells []string
	deleted := false
	err := b.x.Children(func(e xml.StartElement) error {
		switch e.Name.Local {
		case "trPr":
			return b.x.Children(func(e xml.StartElement) error {
				switch e.Name.Local {
				case "gridBefore":
					cells = span(cells, extract.Attr(e, "val"), 0)
				case "del":
					deleted = true
				}
				return nil
			})
		case "tc":
			text, width, err := b.readCell()
			if len(cells) < extract.MostColumns {
				cells = append(cells, text)
			}
			cells = span(cells, width, 1)
			return err
		}
		return nil
	})
	if err != nil || deleted {
		return err
	}
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

// span adds the columns over which a cell goes beyond the first.
func span(cells []string, width string, already int) []string {
	n, _ := strconv.Atoi(width)
	for range min(n-already, extract.MostColumns-len(cells)) {
		cells = append(cells, "")
	}
	return cells
}

// readCell returns the text of a cell and over how many columns it goes.
func (b *body) readCell() (text, width string, err error) {
	outer := b.cell
	b.cell = &extract.Cell{}
	defer func() { b.cell = outer }()
	err = b.x.Children(func(e xml.StartElement) error {
		switch e.Name.Local {
		case "gridSpan":
			width = extract.Attr(e, "val")
		case "p":
			return b.paragraph()
		case "tbl":
			return b.table()
		case "del", "moveFrom", "Fallback", "sdtPr":
			return b.x.Skip()
		}
		return nil
	})
	return b.cell.String(), width, err
}
