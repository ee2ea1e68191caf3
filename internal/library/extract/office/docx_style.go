package office

import (
	"context"
	"encoding/xml"
	"strconv"
	"strings"

	"confidant/internal/library/extract"
)

// bodyText is the outline level of what is no heading (ISO/IEC 29500-1 section 17.3.1.20).
const bodyText = 9

// mostStyles is how many styles are kept. Word comes with 376.
const mostStyles = 10_000

// properties are those of a paragraph that matter here. What is not said is inherited.
type properties struct {
	style       string
	outline     int
	hasOutline  bool
	list        string // id of the numbering, "0" for none
	level       int    // in the list, from 0
	hasLevel    bool
	breakBefore bool
	// sectionEnds with this paragraph, and so does its page.
	sectionEnds bool
}

// style is a named set of properties.
type style struct {
	name  string
	based string
	properties
}

// readProperties reads a pPr that has just begun.
func (b *body) readProperties() (properties, error) { return readProperties(b.x) }

func readProperties(x *extract.XML) (properties, error) {
	p := properties{outline: bodyText}
	err := x.Children(func(e xml.StartElement) error {
		value := extract.Attr(e, "val")
		switch e.Name.Local {
		case "pStyle":
			p.style = value
		case "outlineLvl":
			if n, err := strconv.Atoi(value); err == nil && n >= 0 {
				p.outline, p.hasOutline = min(n, bodyText), true
			}
		case "numId":
			p.list = value
		case "ilvl":
			if n, err := strconv.Atoi(value); err == nil && n >= 0 && n < listLevels {
				p.level, p.hasLevel = n, true
			}
		case "pageBreakBefore":
			p.breakBefore = isOn(value)
		case "sectPr":
			p.sectionEnds = true
		case "type":
			// The type of a section is how it begins; one that goes on within a page
			// mostly ends within one, too.
			if value == "continuous" {
				p.sectionEnds = false
			}
		case "rPr", "pPrChange":
			return x.Skip()
		}
		return nil
	})
	return p, err
}

// readStyles reads the styles of paragraphs.
func (b *body) readStyles(ctx context.Context, p *pack, part string) error {
	return p.each(ctx, part, func(x *extract.XML, e xml.StartElement) error {
		if e.Name.Local != "style" || extract.Attr(e, "type") != "paragraph" && extract.Attr(e, "type") != "" || len(b.styles) >= mostStyles {
			return nil
		}
		id := extract.Attr(e, "styleId")
		s := style{properties: properties{outline: bodyText}}
		err := x.Children(func(e xml.StartElement) (err error) {
			switch e.Name.Local {
			case "name":
				s.name = strings.ToLower(extract.Attr(e, "val"))
			case "basedOn":
				s.based = extract.Attr(e, "val")
			case "pPr":
				s.properties, err = readProperties(x)
			case "rPr", "tblPr":
				return x.Skip()
			}
			return err
		})
		b.styles[id] = s
		return err
	})
}

// resolve adds to the properties of a paragraph what its style says.
func (b *body) resolve(p properties) properties {
	id := p.style
	for range 20 { // styles may be based on each other in a circle
		s, ok := b.styles[id]
		if !ok {
			s.name = strings.ToLower(id) // "Heading1" without any styles
		}
		if !p.hasOutline {
			p.outline, p.hasOutline = s.outline, s.hasOutline
			if level, ok := headingLevel(s.name); ok && !p.hasOutline {
				p.outline, p.hasOutline = level, true
			} else if !p.hasOutline {
				p.outline = bodyText
			}
		}
		if p.list == "" {
			p.list = s.list
		}
		if !p.hasLevel {
			p.level, p.hasLevel = s.level, s.hasLevel
		}
		p.breakBefore = p.breakBefore || s.breakBefore
		if id = s.based; id == "" {
			break
		}
	}
	return p
}

// headingLevel reads the outline level off the name of a style that comes with Word:
// stored names are English in every language.
func headingLevel(name string) (int, bool) {
	if name == "title" {
		return 0, true
	}
	rest, ok := strings.CutPrefix(name, "heading")
	if !ok {
		return 0, false
	}
	n, err := strconv.Atoi(strings.TrimSpace(rest))
	return n - 1, err == nil && n >= 1 && n <= bodyText
}
