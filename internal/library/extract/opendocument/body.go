package opendocument

import (
	"encoding/xml"
	"strconv"
	"strings"

	"confidant/internal/library/extract"
)

// mostSpaces is how many spaces one element stands for.
const mostSpaces = 100

// body reads the content of a document.
type body struct {
	x      *extract.XML
	pager  *extract.Pager
	limits extract.Limits
	styles styles

	// lists are those that are open, the innermost last.
	lists []openList
	// item is the mark of the item that has begun, until its first paragraph has it.
	item   string
	inList bool
	// cell, when it is not nil, takes the text in instead of the page.
	cell *extract.Cell
	// breakBefore: the page ends before the row that is being read.
	breakBefore bool
	noted       int
	pending     []string // notes to be written behind the paragraph or table
}

type openList struct {
	style string
	count int
}

// blocks reads paragraphs, lists and tables until the element that has just begun ends.
func (b *body) blocks() error { return b.x.Children(b.block) }

func (b *body) block(e xml.StartElement) error {
	switch e.Name.Local {
	case "h", "p":
		return b.paragraph(e)
	case "list":
		return b.list(e)
	case "table":
		return b.table(e)
	case "soft-page-break":
		return b.pageEnds()
	case "image":
		b.pager.Picture()
	case "frame", "custom-shape":
		return b.shape(e)
	case "tracked-changes", "annotation", "forms", "title", "desc":
		return b.x.Skip()
	}
	return nil
}

func (b *body) pageEnds() error {
	if b.cell != nil {
		b.breakBefore = true
		return nil
	}
	b.inList = false
	return b.pager.Break()
}

// list reads a list; what is in its items are blocks, and lists again.
func (b *body) list(e xml.StartElement) error {
	name := extract.Attr(e, "style-name")
	if n := len(b.lists); name == "" && n > 0 {
		name = b.lists[n-1].style
	}
	b.lists = append(b.lists, openList{style: name})
	if len(b.lists) == 1 {
		b.inList = false
	}
	err := b.x.Children(func(e xml.StartElement) error {
		if e.Name.Local == "list-item" {
			b.item = b.mark()
			return b.blocks()
		}
		return b.block(e)
	})
	b.lists = b.lists[:len(b.lists)-1]
	b.item = ""
	if len(b.lists) == 0 {
		b.inList = false
	}
	return err
}

// mark is what stands before the next item of the innermost list.
func (b *body) mark() string {
	level := len(b.lists) - 1
	l := &b.lists[level]
	l.count++
	indent := strings.Repeat("  ", min(level, mostLevels-1))
	if style := b.styles.lists[l.style]; style[min(level, mostLevels-1)] {
		return indent + strconv.Itoa(l.count) + ". "
	}
	return indent + "- "
}

// paragraph is one that is being read.
type paragraph struct {
	text    strings.Builder
	heading int // its level, 0 for none
	begun   bool
	boxes   []string
}

func (b *body) paragraph(e xml.StartElement) error {
	par := &paragraph{}
	name := extract.Attr(e, "style-name")
	if e.Name.Local == "h" {
		par.heading, _ = strconv.Atoi(extract.Attr(e, "outline-level"))
		par.heading = max(par.heading, 1)
	} else if b.styles.isTitle(name) {
		par.heading = 1
	}
	before, after := b.styles.breaks(name)
	if before {
		if err := b.pageEnds(); err != nil {
			return err
		}
	}
	if err := b.inline(par); err != nil {
		return err
	}
	if err := b.piece(par); err != nil {
		return err
	}
	for _, text := range par.boxes {
		if err := b.put(text); err != nil {
			return err
		}
	}
	if b.cell != nil {
		return nil
	}
	if err := b.writeNotes(); err != nil {
		return err
	}
	if after {
		return b.pageEnds()
	}
	return nil
}

// inline reads what is in a paragraph until the element that has just begun ends.
func (b *body) inline(par *paragraph) error {
	return b.x.Content(func(e xml.StartElement) error {
		switch e.Name.Local {
		case "s":
			n, err := strconv.Atoi(extract.Attr(e, "c"))
			if err != nil {
				n = 1
			}
			par.text.WriteString(strings.Repeat(" ", min(max(n, 0), mostSpaces)))
		case "tab":
			par.text.WriteByte('\t')
		case "line-break":
			par.text.WriteByte('\n')
		case "soft-page-break":
			if err := b.piece(par); err != nil {
				return err
			}
			par.begun = par.begun && b.cell != nil
			return b.pageEnds()
		case "note":
			return b.note(par)
		case "frame", "custom-shape", "text-box", "rect":
			return b.box(par)
		case "annotation", "annotation-end", "ruby-text", "title", "desc", "forms":
			return b.x.Skip()
		}
		if par.text.Len() > extract.MostKept {
			return b.piece(par)
		}
		return nil
	}, func(text []byte) { collapse(&par.text, text, !par.begun) })
}

// collapse adds text as its white space counts (ISO/IEC 26300-1 section 6.1.2): a run
// of it is one space, and none where the paragraph begins.
func collapse(to *strings.Builder, text []byte, begins bool) {
	space := begins && to.Len() == 0 || strings.HasSuffix(to.String(), " ")
	for _, c := range text {
		if c == ' ' || c == '\n' || c == '\t' || c == '\r' {
			if !space {
				to.WriteByte(' ')
			}
			space = true
			continue
		}
		to.WriteByte(c)
		space = false
	}
}

// inCell reads blocks as one text.
func (b *body) inCell(read func() error) (string, error) {
	outer, lists, item := b.cell, b.lists, b.item
	b.cell, b.lists, b.item = &extract.Cell{}, nil, ""
	err := read()
	text := b.cell.String()
	b.cell, b.lists, b.item = outer, lists, item
	return text, err
}

// box reads a text box or a picture, which stands behind the paragraph that it is fixed to.
func (b *body) box(par *paragraph) error {
	text, err := b.inCell(b.blocks)
	par.boxes = append(par.boxes, text)
	return err
}

// note reads a foot- or endnote, and keeps it until the paragraph ends.
func (b *body) note(par *paragraph) error {
	var text string
	err := b.x.Children(func(e xml.StartElement) (err error) {
		switch e.Name.Local {
		case "note-citation":
			return b.x.Skip()
		case "note-body":
			text, err = b.inCell(b.blocks)
		}
		return err
	})
	b.noted++
	mark := "[^" + strconv.Itoa(b.noted) + "]"
	par.text.WriteString(mark)
	b.pending = append(b.pending, mark+": "+strings.TrimSpace(text))
	return err
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

// piece puts a paragraph on its page as far as it has been read.
func (b *body) piece(par *paragraph) error {
	text := par.text.String()
	if strings.TrimSpace(text) == "" {
		return nil
	}
	par.text.Reset()
	if par.begun && b.cell == nil {
		return b.pager.More(text)
	}
	par.begun = true
	if par.heading > 0 && b.cell == nil {
		b.inList = false
		return b.pager.Heading(par.heading, text)
	}
	if b.item == "" {
		return b.put(text)
	}
	text, b.item = b.item+strings.TrimSpace(text), ""
	if b.cell == nil && b.inList {
		return b.pager.Line(text)
	}
	err := b.put(text)
	b.inList = b.cell == nil
	return err
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
