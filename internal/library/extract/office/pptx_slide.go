package office

import (
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"

	"confidant/internal/library/extract"
)

// slide reads the shapes of a slide (ISO/IEC 29500-1 section 19.3), or of the page
// with its notes.
type slide struct {
	x     *extract.XML
	pager *extract.Pager
	notes bool

	title  string
	blocks []shapeBlock
	size   int // of all blocks, in bytes
}

// shapeBlock is a text, or the rows of a table.
type shapeBlock struct {
	text string
	rows [][]string
}

// shapes reads shapes until the element that has just begun ends; groups of them too.
func (s *slide) shapes() error {
	return s.x.Children(func(e xml.StartElement) error {
		switch e.Name.Local {
		case "sp":
			return s.shape()
		case "tbl":
			return s.table()
		case "blip":
			s.pager.Picture()
		case "Fallback":
			return s.x.Skip()
		}
		return nil
	})
}

func (s *slide) shape() error {
	kind, text := "", ""
	err := s.x.Children(func(e xml.StartElement) (err error) {
		switch e.Name.Local {
		case "ph":
			if kind = extract.Attr(e, "type"); kind == "" {
				kind = "obj"
			}
		case "txBody":
			text, err = s.text(!s.notes && (kind == "body" || kind == "obj"))
		case "blip":
			s.pager.Picture()
		case "Fallback":
			return s.x.Skip()
		}
		return err
	})
	text = strings.Trim(text, "\n")
	switch {
	case err != nil || strings.TrimSpace(text) == "":
	case kind == "sldNum", kind == "dt", kind == "ftr", kind == "hdr":
	case s.notes && kind != "body":
	case kind == "title" || kind == "ctrTitle":
		s.title = strings.TrimSpace(s.title + " " + text)
	default:
		s.add(shapeBlock{text: text}, len(text))
	}
	return err
}

// add keeps a block, as long as the slide is of a size that can be kept.
func (s *slide) add(b shapeBlock, size int) {
	if s.size += size; s.size <= mostText {
		s.blocks = append(s.blocks, b)
	}
}

// text reads the paragraphs of a text body. Those that have bullets, as in a listed
// body all have that do not say otherwise, are items of a list.
func (s *slide) text(listed bool) (string, error) {
	var text strings.Builder
	wasItem := false
	err := s.x.Children(func(e xml.StartElement) error {
		if e.Name.Local != "p" {
			return nil
		}
		line, item, err := s.line(listed)
		if strings.TrimSpace(line) != "" && text.Len() <= mostText {
			if text.Len() > 0 {
				text.WriteByte('\n')
				if !item || !wasItem {
					text.WriteByte('\n')
				}
			}
			text.WriteString(line)
			wasItem = item
		}
		return err
	})
	return text.String(), err
}

// line reads a paragraph, and reports whether it is an item of a list.
func (s *slide) line(listed bool) (line string, item bool, err error) {
	var text strings.Builder
	level := 0
	item = listed
	err = s.x.Children(func(e xml.StartElement) error {
		switch e.Name.Local {
		case "pPr":
			level, _ = strconv.Atoi(extract.Attr(e, "lvl"))
		case "buChar", "buAutoNum", "buBlip":
			item = true
		case "buNone":
			item = false
		case "t":
			t, err := s.x.Text(mostText - text.Len())
			text.WriteString(t)
			return err
		case "br":
			text.WriteByte('\n')
		case "rPr", "endParaRPr", "Fallback":
			return s.x.Skip()
		}
		return nil
	})
	line = text.String()
	if item && strings.TrimSpace(line) != "" {
		line = strings.Repeat("  ", min(max(level, 0), listLevels-1)) + bullet + " " + strings.TrimSpace(line)
	}
	return line, item, err
}

func (s *slide) table() error {
	var rows [][]string
	size := 0
	err := s.x.Children(func(e xml.StartElement) error {
		if e.Name.Local != "tr" {
			return nil
		}
		var cells []string
		err := s.x.Children(func(e xml.StartElement) error {
			if e.Name.Local != "tc" {
				return nil
			}
			// A cell that goes over others is followed by them, and they are empty.
			text, err := s.text(false)
			if len(cells) < extract.MostColumns {
				cells = append(cells, text)
				size += len(text) + 4
			}
			return err
		})
		if size <= mostText {
			rows = append(rows, cells)
		}
		return err
	})
	s.add(shapeBlock{rows: rows}, size)
	return err
}

// write puts the slide on its page.
func (s *slide) write() error {
	if s.notes && len(s.blocks) > 0 {
		if err := s.pager.Heading(2, "Notes"); err != nil {
			return err
		}
	}
	if err := s.pager.Heading(1, s.title); err != nil {
		return err
	}
	for _, b := range s.blocks {
		if b.rows == nil {
			if err := s.pager.Block(b.text); err != nil {
				return err
			}
		}
		for _, row := range b.rows {
			if err := s.pager.Row(row); err != nil {
				return err
			}
		}
		s.pager.EndTable()
	}
	return nil
}

func tooManyPages(limit int) error {
	return extract.Broken(fmt.Sprintf("The document has more than %d pages, which is the limit.", limit), nil)
}
