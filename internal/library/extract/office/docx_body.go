package office

import (
	"context"
	"encoding/xml"
	"strconv"
	"strings"

	"confidant/internal/library/extract"
)

// mostText is how many bytes one piece of text may have without a tag in it.
const mostText = 8 << 20

// body reads the body of a text document (ISO/IEC 29500-1 section 17).
type body struct {
	ctx   context.Context
	x     *extract.XML
	pager *extract.Pager

	styles  map[string]style
	lists   numbering
	notes   map[string]string // the text of foot- and endnotes, by kind and id
	noted   int               // how many have been referred to
	pending []string          // notes to be written behind the paragraph or table

	inList bool
	listID string // of the list that the items of the first level belong to
	// cell, when it is not nil, takes the text in instead of the page.
	cell *extract.Cell
	// breakBefore: the page ends before the row that is being read.
	breakBefore bool
}

// paragraph is one that is being read.
type paragraph struct {
	text strings.Builder
	properties
	begun bool // a piece of it is on its page
	boxes []string
}

// blocks reads paragraphs and tables until the element that has just begun ends.
func (b *body) blocks() error {
	return b.x.Children(func(e xml.StartElement) error {
		switch e.Name.Local {
		case "p":
			return b.paragraph()
		case "tbl":
			return b.table()
		case "del", "moveFrom", "Fallback", "sdtPr", "sdtEndPr", "sectPr", "tblPr", "tcPr":
			return b.x.Skip()
		}
		return nil
	})
}

func (b *body) paragraph() error {
	par := &paragraph{properties: properties{outline: bodyText}}
	if err := b.inline(par); err != nil {
		return err
	}
	if err := b.finish(par); err != nil {
		return err
	}
	for _, text := range par.boxes {
		if err := b.put(text); err != nil {
			return err
		}
	}
	if b.cell == nil {
		if err := b.writeNotes(); err != nil {
			return err
		}
		if par.sectionEnds {
			return b.pager.Break()
		}
	}
	return nil
}

// inline reads what is in a paragraph until the element that has just begun ends.
func (b *body) inline(par *paragraph) error {
	return b.x.Children(func(e xml.StartElement) error {
		switch e.Name.Local {
		case "pPr":
			return b.begin(par)
		case "rPr", "del", "moveFrom", "Fallback", "sdtPr", "sdtEndPr":
			return b.x.Skip()
		case "t":
			text, err := b.x.Text(mostText)
			par.text.WriteString(text)
			if err == nil && par.text.Len() > extract.MostKept {
				err = b.piece(par)
			}
			return err
		case "tab":
			par.text.WriteByte('\t')
		case "br":
			if extract.Attr(e, "type") == "page" {
				return b.pageEnds(par)
			}
			par.text.WriteByte('\n')
		case "cr":
			par.text.WriteByte('\n')
		case "noBreakHyphen":
			par.text.WriteByte('-')
		case "lastRenderedPageBreak":
			return b.pageEnds(par)
		case "blip", "imagedata":
			b.pager.Picture()
		case "footnoteReference", "endnoteReference":
			b.refer(par, strings.TrimSuffix(e.Name.Local, "Reference")+extract.Attr(e, "id"))
		case "txbxContent":
			return b.box(par)
		}
		return nil
	})
}

// begin takes the properties of a paragraph in, which come before its text.
func (b *body) begin(par *paragraph) error {
	p, err := b.readProperties()
	if err != nil {
		return err
	}
	par.properties = b.resolve(p)
	if par.breakBefore {
		return b.pageEnds(par)
	}
	return nil
}

// pageEnds ends the page within a paragraph; in a table, before the row.
func (b *body) pageEnds(par *paragraph) error {
	if b.cell != nil {
		b.breakBefore = true
		return nil
	}
	if strings.TrimSpace(par.text.String()) != "" {
		if err := b.piece(par); err != nil {
			return err
		}
		par.begun = false
		par.properties = properties{outline: bodyText, sectionEnds: par.sectionEnds}
	}
	b.inList = false
	return b.pager.Break()
}

// box reads a text box, which stands behind the paragraph that it is fixed to.
func (b *body) box(par *paragraph) error {
	outer := b.cell
	b.cell = &extract.Cell{}
	err := b.blocks()
	par.boxes = append(par.boxes, b.cell.String())
	b.cell = outer
	return err
}

// finish puts what there still is of a paragraph on its page.
func (b *body) finish(par *paragraph) error {
	if strings.TrimSpace(par.text.String()) == "" {
		return nil
	}
	return b.piece(par)
}

// piece puts a paragraph on its page as far as it has been read.
func (b *body) piece(par *paragraph) error {
	text := par.text.String()
	par.text.Reset()
	if b.cell != nil {
		return b.put(text)
	}
	if par.begun {
		return b.pager.More(text)
	}
	par.begun = true
	text = strings.TrimLeft(text, " \t\n")
	label := b.lists.label(par.list, par.level)
	if par.outline != bodyText {
		b.inList = false
		if label == bullet {
			label = ""
		}
		return b.pager.Heading(par.outline+1, label+" "+text)
	}
	if label == "" {
		b.inList = false
		return b.pager.Block(text)
	}
	line := strings.Repeat("  ", par.level) + label + " " + text
	goesOn := b.inList && (par.level > 0 || par.list == b.listID)
	b.inList = true
	if par.level == 0 {
		b.listID = par.list
	}
	if goesOn {
		return b.pager.Line(line)
	}
	return b.pager.Block(line)
}

// put writes a text that stands by itself, in a cell or on the page.
func (b *body) put(text string) error {
	if b.cell == nil {
		b.inList = false
		return b.pager.Block(text)
	}
	b.cell.Put(text)
	return nil
}

// refer numbers a note where it is referred to, and keeps it until the paragraph ends.
func (b *body) refer(par *paragraph, id string) {
	text, ok := b.notes[id]
	if !ok {
		return
	}
	b.noted++
	mark := "[^" + strconv.Itoa(b.noted) + "]"
	par.text.WriteString(mark)
	b.pending = append(b.pending, mark+": "+text)
}

func (b *body) writeNotes() error {
	for _, note := range b.pending {
		b.inList = false
		if err := b.pager.Block(note); err != nil {
			return err
		}
	}
	b.pending = b.pending[:0]
	return nil
}
