package office

import (
	"context"
	"encoding/xml"
	"strconv"
	"strings"

	"confidant/internal/library/extract"
)

const (
	listLevels = 9
	bullet     = "-"
	// mostLists is how many lists are kept. Word stores one for each that was begun.
	mostLists = 50_000
)

// numbering counts the items of the lists of a document (ISO/IEC 29500-1 section 17.9).
type numbering struct {
	kinds map[string]*listKind // by the id of their definition
	lists map[string]*list     // by the id that paragraphs name
}

// listKind is the definition of a list. Lists of one kind go on counting.
type listKind struct {
	levels [listLevels]listLevel
	counts [listLevels]int
	begun  [listLevels]bool
}

type listLevel struct {
	start  int
	format string
	text   string // "%1.%2" stands for the counts of the levels
}

type list struct {
	kind string
	// restart has the levels that this list begins anew, and where.
	restart map[int]int
	begun   bool
}

func (b *body) readNumbering(ctx context.Context, p *pack, part string) error {
	b.lists = numbering{kinds: map[string]*listKind{}, lists: map[string]*list{}}
	var kind *listKind
	var current *list
	level := 0
	setLevel := func(value string) {
		level = -1
		if n, err := strconv.Atoi(value); err == nil && n >= 0 && n < listLevels {
			level = n
		}
	}
	return p.each(ctx, part, func(x *extract.XML, e xml.StartElement) error {
		value := extract.Attr(e, "val")
		switch e.Name.Local {
		case "abstractNum":
			kind, current, level = &listKind{}, nil, -1
			if len(b.lists.kinds) < mostLists {
				b.lists.kinds[extract.Attr(e, "abstractNumId")] = kind
			}
		case "num":
			kind, current, level = nil, &list{restart: map[int]int{}}, -1
			if len(b.lists.lists) < mostLists {
				b.lists.lists[extract.Attr(e, "numId")] = current
			}
		case "abstractNumId":
			if current != nil {
				current.kind = value
			}
		case "lvl", "lvlOverride":
			setLevel(extract.Attr(e, "ilvl"))
		case "startOverride":
			if n, err := strconv.Atoi(value); err == nil && current != nil && level >= 0 {
				current.restart[level] = n
			}
		case "start":
			if n, err := strconv.Atoi(value); err == nil && kind != nil && level >= 0 {
				kind.levels[level].start = n
			}
		case "numFmt":
			if kind != nil && level >= 0 {
				kind.levels[level].format = value
			}
		case "lvlText":
			if kind != nil && level >= 0 {
				kind.levels[level].text = value
			}
		}
		return nil
	})
}

// label counts an item and returns what stands before it: a bullet, "3.", "2.1", or
// nothing for what is in no list.
func (n *numbering) label(id string, level int) string {
	l := n.lists[id]
	if l == nil || id == "0" {
		return ""
	}
	kind := n.kinds[l.kind]
	if kind == nil {
		return bullet
	}
	if !l.begun {
		l.begun = true
		for i, start := range l.restart {
			kind.counts[i], kind.begun[i] = start-1, true
		}
	}
	if !kind.begun[level] {
		kind.counts[level], kind.begun[level] = kind.levels[level].start-1, true
	}
	kind.counts[level]++
	for i := level + 1; i < listLevels; i++ {
		kind.begun[i] = false
	}
	switch at := kind.levels[level]; at.format {
	case "bullet", "":
		return bullet
	case "none":
		return ""
	default:
		return kind.fill(at.text)
	}
}

// fill writes the counts into the text of a level.
func (k *listKind) fill(text string) string {
	for i := range listLevels {
		mark := "%" + strconv.Itoa(i+1)
		if strings.Contains(text, mark) {
			count := k.counts[i]
			if !k.begun[i] {
				count = k.levels[i].start
			}
			text = strings.ReplaceAll(text, mark, counted(count, k.levels[i].format))
		}
	}
	return strings.TrimSpace(text)
}

// counted writes a number in a format (ISO/IEC 29500-1 section 17.18.59); in those of
// other scripts, in digits.
func counted(n int, format string) string {
	switch {
	case n < 1 || n > 3999:
	case strings.HasSuffix(format, "Roman"):
		return cased(roman(n), format)
	case strings.HasSuffix(format, "Letter") && n <= 26*20:
		return cased(strings.Repeat(string(rune('A'+(n-1)%26)), (n-1)/26+1), format)
	}
	return strconv.Itoa(n)
}

func cased(text, format string) string {
	if strings.HasPrefix(format, "lower") {
		return strings.ToLower(text)
	}
	return text
}

func roman(n int) string {
	var b strings.Builder
	for _, d := range []struct {
		value int
		text  string
	}{{1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"}, {90, "XC"}, {50, "L"}, {40, "XL"}, {10, "X"}, {9, "IX"}, {5, "V"}, {4, "IV"}, {1, "I"}} {
		for ; n >= d.value; n -= d.value {
			b.WriteString(d.text)
		}
	}
	return b.String()
}
