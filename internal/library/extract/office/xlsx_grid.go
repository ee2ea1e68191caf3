package office

import (
	"encoding/xml"
	"errors"
	"io"
	"strconv"
	"strings"

	"confidant/internal/library/extract"
)

// grid reads the cells of a sheet.
type grid struct {
	*extract.Grid
	shared   sharedStrings
	formats  []numberFormat // by the style of the cell
	from1904 bool
}

// read reads the rows of a sheet (ISO/IEC 29500-1 section 18.3) as long as they are kept.
func (g *grid) read(x *extract.XML) error {
	for !g.Full() {
		token, err := x.Next()
		if errors.Is(err, io.EOF) {
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
	next := 0
	err := x.Children(func(e xml.StartElement) error {
		if e.Name.Local != "c" {
			return nil
		}
		if g.Full() {
			return errCut
		}
		if n, ok := columnOf(extract.Attr(e, "r")); ok {
			next = n
		}
		text, err := g.cell(x, e)
		g.Cell(next, strings.TrimSpace(text))
		next++
		return err
	})
	g.EndRow()
	if errors.Is(err, errCut) {
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
	err = x.Children(func(e xml.StartElement) (err error) {
		switch e.Name.Local {
		case "v":
			value, err = x.Text(mostCell)
		case "f":
			formula, err = x.Text(mostCell)
		case "rPh": // how the characters are spoken
			return x.Skip()
		case "t":
			var text string
			text, err = x.Text(mostCell)
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
