package opendocument

import (
	"encoding/xml"
	"strconv"

	"confidant/internal/library/extract"
)

const (
	// mostStyles is how many styles of each kind are kept. A large text has thousands
	// that the program made by itself.
	mostStyles = 50_000
	mostLevels = 10
)

// styles are what styles say of pages, headings and lists.
type styles struct {
	paragraphs map[string]style
	lists      map[string]listStyle
}

type style struct {
	parent        string
	before, after string // "page", "auto", or "" when it does not say
	// newMaster: another master page begins a page.
	newMaster bool
}

// listStyle has the levels of a list that are numbered.
type listStyle [mostLevels]bool

func (s *styles) read(x *extract.XML, e xml.StartElement) error {
	kind := extract.Attr(e, "family")
	if kind != "paragraph" && kind != "table" || len(s.paragraphs) >= mostStyles {
		return x.Skip()
	}
	name := extract.Attr(e, "name")
	one := style{parent: extract.Attr(e, "parent-style-name"), newMaster: extract.Attr(e, "master-page-name") != ""}
	err := x.Children(func(e xml.StartElement) error {
		if e.Name.Local == "paragraph-properties" || e.Name.Local == "table-properties" {
			one.before, one.after = extract.Attr(e, "break-before"), extract.Attr(e, "break-after")
		}
		return nil
	})
	s.paragraphs[name] = one
	return err
}

func (s *styles) readList(x *extract.XML, e xml.StartElement) error {
	name := extract.Attr(e, "name")
	var one listStyle
	err := x.Children(func(e xml.StartElement) error {
		n, err := strconv.Atoi(extract.Attr(e, "level"))
		if err == nil && n >= 1 && n <= mostLevels && e.Name.Local == "list-level-style-number" {
			one[n-1] = extract.Attr(e, "num-format") != ""
		}
		return nil
	})
	if len(s.lists) < mostStyles {
		s.lists[name] = one
	}
	return err
}

// breaks reports whether a page ends before and behind what has the style.
func (s *styles) breaks(name string) (before, after bool) {
	var saidBefore, saidAfter bool
	for range 20 { // parents may go in a circle
		one, ok := s.paragraphs[name]
		if !ok {
			break
		}
		if !saidBefore && (one.before != "" || one.newMaster) {
			before, saidBefore = one.before == "page" || one.newMaster, true
		}
		if !saidAfter && one.after != "" {
			after, saidAfter = one.after == "page", true
		}
		name = one.parent
	}
	return before, after
}

// isTitle reports whether a style is that of the title of a text. Its name is English
// in every language.
func (s *styles) isTitle(name string) bool {
	for range 20 {
		if name == "Title" {
			return true
		}
		name = s.paragraphs[name].parent
	}
	return false
}
