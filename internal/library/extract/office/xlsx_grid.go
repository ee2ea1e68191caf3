package office

import (
	"encoding/xml"
	"io"
	"slices"
	"strconv"
	"strings"

	"confidant/internal/library/extract"
)

// mostKeptCells is how many cells of one sheet are kept, as long as their text
// is not more than is kept of a page.
const mostKeptCells = 200_000

// grid is what is kept of a sheet: the cells that have something in them.
type grid struct {
	limits   extract.Limits
	shared   sharedStrings
	formats  []numberFormat // by the style of the cell
	from1904 bool

	rows    [][]gridCell
	cells   int
	size    int // of all cells, in bytes
	columns map[int]bool
	cut     bool
}

type gridCell struct {
	column int // from 0
	text   string
}

// read reads the rows of a sheet (ISO/IEC 29500-1 section 18.3) as long as they are kept.
func (g *grid) read(x *extract.XML) error {
	g.columns = map[int]bool{}
	for !g.cut {
		token, err := x.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		switch e.Name.Local {
		case "row":
			if err := g.row(x); err != nil {
				return err
			}
		case "oddHeader", "oddFooter", "extLst":
			if err := x.Skip(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (g *grid) row(x *extract.XML) error {
	var row []gridCell
	next := 0
	err := children(x, func(e xml.StartElement) error {
		if e.Name.Local != "c" {
			return nil
		}
		if g.cut {
			return errCut
		}
		if n, ok := columnOf(extract.Attr(e, "r")); ok {
			next = n
		}
		text, err := g.cell(x, e)
		if text = strings.TrimSpace(text); text != "" {
			row = append(row, gridCell{next, text})
			g.columns[next] = true
			g.cells++
			g.size += len(text) + 3
			g.cut = g.cells >= mostKeptCells || g.size > g.limits.PageBytes
		}
		next++
		return err
	})
	if len(row) > 0 {
		g.rows = append(g.rows, row)
	}
	if err == errCut {
		return nil
	}
	return err
}

// cell reads a cell and returns what it shows; a formula without a result is shown itself.
func (g *grid) cell(x *extract.XML, e xml.StartElement) (string, error) {
	kind := extract.Attr(e, "t")
	styled, err := strconv.Atoi(extract.Attr(e, "s"))
	if err != nil || styled < 0 || styled >= len(g.formats) {
		styled = -1
	}
	var value, formula string
	var inline strings.Builder
	err = children(x, func(e xml.StartElement) (err error) {
		switch e.Name.Local {
		case "v":
			value, err = innerText(x, mostCell)
		case "f":
			formula, err = innerText(x, mostCell)
		case "rPh": // how the characters are spoken
			return x.Skip()
		case "t":
			var text string
			text, err = innerText(x, mostCell)
			inline.WriteString(text[:min(len(text), max(mostCell-inline.Len(), 0))])
		}
		return err
	})
	switch {
	case kind == "inlineStr":
		return inline.String(), err
	case value == "" && formula != "":
		return "=" + formula, err
	case kind == "s":
		n, _ := strconv.Atoi(value)
		return g.shared.at(n), err
	case kind == "b":
		return strings.ToUpper(strconv.FormatBool(value == "1")), err
	case kind == "" || kind == "n":
		if styled >= 0 {
			return g.formats[styled].show(value, g.from1904), err
		}
		return general(value), err
	}
	return value, err // "str", "d" (ISO 8601), "e" (an error such as #DIV/0!)
}

// write puts the table on its page, as far as it is kept.
func (g *grid) write(p *extract.Pager) error {
	columns := make([]int, 0, len(g.columns))
	for c := range g.columns {
		columns = append(columns, c)
	}
	slices.Sort(columns)
	if len(columns) > mostCells {
		columns, g.cut = columns[:mostCells], true
	}
	cells := make([]string, len(columns))
	for _, row := range g.rows {
		clear(cells)
		for _, c := range row {
			if i, ok := slices.BinarySearch(columns, c.column); ok {
				cells[i] = c.text
			}
		}
		if err := p.Row(cells); err != nil {
			return err
		}
		if p.Full() {
			break
		}
	}
	if g.cut {
		p.Note(extract.NoteCut)
	}
	return nil
}

// columnOf reads the column of a reference such as "AB12", from 0.
func columnOf(reference string) (int, bool) {
	n := 0
	for _, c := range reference {
		if c < 'A' || c > 'Z' {
			break
		}
		if n = 26*n + int(c-'A') + 1; n > 1<<14 { // XFD is the last one
			return 0, false
		}
	}
	return n - 1, n > 0
}
