package pdf

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// block is a paragraph, a heading, an item of a list, or a table.
type block struct {
	lines    []line
	edges    columns // up to which its lines could have gone on
	level    int     // of a heading, from 1; 0 for text
	item     bool    // of a list with bullets
	markdown string  // of a table
}

// blocks divides the lines of page n.
func (s style) blocks(n int, lines []line) []block {
	var blocks []block
	pitch := usualPitch(lines)
	for i := 0; i < len(lines); {
		if len(lines) <= mostLines {
			if text, rows := table(lines[i:]); rows > 0 {
				blocks = append(blocks, block{lines: lines[i : i+rows], markdown: text})
				i += rows
				continue
			}
		}
		l := lines[i]
		alone := apart(lines, i-1, pitch) && (apart(lines, i, pitch) || !lines[min(i+1, len(lines)-1)].bold)
		level := s.level(n, l, alone)
		if last := len(blocks) - 1; last >= 0 && blocks[last].goesOn(lines, i, level, pitch) {
			blocks[last].lines = append(blocks[last].lines, l)
		} else {
			blocks = append(blocks, block{lines: []line{l}, level: level, item: bulleted(l)})
		}
		i++
	}
	edges := columnEdges(lines)
	for i, b := range blocks {
		blocks[i].edges = edges
		// A paragraph that fills its own width is narrower than the column.
		const enough = 4 // lines
		if own := columnEdges(b.lines); len(b.lines) >= enough && (block{edges: own}).full(b.lines) {
			blocks[i].edges = own
		}
	}
	return blocks
}

// columns has for the places where lines begin, in steps of columnStep, how far those
// lines go at most: up to the right, or to the left for those that are read from there.
type columns struct{ right, left map[int]float64 }

// columnStep is how near to one another the lines of a column begin, in points.
const columnStep = 30

func columnEdges(lines []line) columns {
	c := columns{map[int]float64{}, map[int]float64{}}
	for _, l := range lines {
		for near := -1; near <= 1; near++ {
			k := int(l.x0/columnStep) + near
			c.right[k] = max(c.right[k], l.x1)
			k = int(l.x1/columnStep) + near
			if end, ok := c.left[k]; !ok || l.x0 < end {
				c.left[k] = l.x0
			}
		}
	}
	return c
}

// usualPitch is the distance between the lines of a paragraph, 0 when there is none.
func usualPitch(lines []line) float64 {
	var steps []float64
	for i := 1; i < len(lines); i++ {
		step := lines[i].y1 - lines[i-1].y1
		if size := lines[i].size; step > 0.8*size && step < 2.5*size {
			steps = append(steps, step)
		}
	}
	if len(steps) == 0 {
		return 0
	}
	slices.Sort(steps)
	return steps[(len(steps)-1)/2]
}

// apart reports whether there is more than the usual distance between line i and the next.
func apart(lines []line, i int, pitch float64) bool {
	if i < 0 || i+1 >= len(lines) {
		return true
	}
	step := lines[i+1].y1 - lines[i].y1
	return step < 0 || step > max(1.35*pitch, 1.3*lines[i+1].size)
}

// goesOn reports whether line i belongs to the block before it.
func (b block) goesOn(lines []line, i, level int, pitch float64) bool {
	last, l := b.lines[len(b.lines)-1], lines[i]
	if b.markdown != "" || b.level != level || bulleted(l) || numbered(l) && !last.divided {
		return false
	}
	if last.divided {
		return true
	}
	if larger, smaller := max(l.size, last.size), min(l.size, last.size); larger > 1.15*smaller {
		return false
	}
	step := l.y1 - last.y1
	if step < 0 { // in the next column
		r, _ := utf8.DecodeRuneInString(l.words[0].text)
		return level == 0 && !ends(last) && unicode.IsLower(r)
	}
	if level > 0 {
		return step < 1.6*l.size && last.bold == l.bold
	}
	if step > max(1.3*pitch, 1.15*l.size) || pitch == 0 && step > 1.6*l.size {
		return false
	}
	return !indented(lines, i)
}

// indented reports whether line i begins a paragraph by standing further in than the
// lines above and below it.
func indented(lines []line, i int) bool {
	l := lines[i]
	in := func(other line) bool {
		if l.rightToLeft {
			return other.x1-l.x1 > 0.8*l.size && other.x1-l.x1 < 5*l.size
		}
		return l.x0-other.x0 > 0.8*l.size && l.x0-other.x0 < 5*l.size
	}
	return in(lines[i-1]) && i+1 < len(lines) && in(lines[i+1]) && lines[i+1].y1 > l.y1 && !bulleted(lines[i-1]) && !numbered(lines[i-1])
}

// ends reports whether a line ends with the end of a sentence.
func ends(l line) bool {
	r, _ := utf8.DecodeLastRuneInString(strings.TrimRight(l.words[len(l.words)-1].text, `"')]”’»`))
	return strings.ContainsRune(".!?:;。！？؟।", r)
}

// bulleted reports whether a line begins an item of a list.
func bulleted(l line) bool {
	return len(l.words) > 1 && strings.Contains("•‣◦▪●■○□–*-·∙➢➤✓", l.words[0].text)
}

// numbered reports whether a line begins with a number, as 2. or (b).
func numbered(l line) bool {
	w := l.words[0].text
	if len(l.words) < 2 || len(w) < 2 || len(w) > 5 || !strings.ContainsAny(w[len(w)-1:], ".)]") {
		return false
	}
	inner := strings.Trim(w, "([.)]")
	if inner == "" {
		return false
	}
	if len(inner) == 1 && w[len(w)-1] != '.' {
		return inner[0] < utf8.RuneSelf
	}
	return strings.Trim(inner, "0123456789") == ""
}

// markdownOf renders the blocks of a page.
func markdownOf(blocks []block) string {
	spoken := hyphenated(blocks)
	var b strings.Builder
	for i, block := range blocks {
		if i > 0 {
			b.WriteString("\n")
			if !block.item || !blocks[i-1].item {
				b.WriteString("\n")
			}
		}
		b.WriteString(block.render(spoken))
	}
	return b.String()
}

func (b block) render(spoken map[string]bool) string {
	switch {
	case b.markdown != "":
		return b.markdown
	case b.level > 0:
		return strings.Repeat("#", b.level) + " " + b.flow(spoken)
	case b.item:
		b.lines = slices.Clone(b.lines)
		b.lines[0].words = b.lines[0].words[1:]
		return "- " + b.flow(spoken)
	}
	return b.flow(spoken)
}

// flow joins the lines. One that ends although the next word would have had room ends
// on purpose, as in verses, addresses and programs, and stays a line.
func (b block) flow(spoken map[string]bool) string {
	var text strings.Builder
	begins := b.level == 0
	for i, l := range b.lines {
		s := shield(l.text(), begins)
		begins = false
		if i+1 == len(b.lines) {
			text.WriteString(s)
			break
		}
		next := b.lines[i+1]
		switch {
		case l.divided:
			text.WriteString(undivided(s, next.words[0].text, spoken))
		case b.level == 0 && b.endsEarly(l, next):
			text.WriteString(s + "\n")
			begins = true
		case unspaced(s, next.words[0].text):
			text.WriteString(s)
		default:
			text.WriteString(s + " ")
		}
	}
	return text.String()
}

// full reports whether every line goes on as far as the next word lets it.
func (b block) full(lines []line) bool {
	for i := range len(lines) - 1 {
		if b.endsEarly(lines[i], lines[i+1]) {
			return false
		}
	}
	return true
}

// endsEarly reports whether the next line's first word would have had room in l.
func (b block) endsEarly(l, next line) bool {
	if next.y1 < l.y1 { // in another column
		return false
	}
	needed := next.words[0].width() + 0.8*l.size
	if l.rightToLeft {
		return l.x0-needed > b.edges.left[int(l.x1/columnStep)]
	}
	return l.x1+needed < b.edges.right[int(l.x0/columnStep)] || leader(cell{text: l.text()})
}

// shield keeps Markdown from taking the beginning of a line for its own.
func shield(s string, begins bool) string {
	if begins && (s[0] == '#' || s[0] == '>' || s[0] == '|' || strings.Trim(s, "-=_* ") == "") {
		return `\` + s
	}
	return s
}

// unspaced reports whether no space stands between two lines: Chinese and Japanese have none.
func unspaced(a, b string) bool {
	last, _ := utf8.DecodeLastRuneInString(a)
	first, _ := utf8.DecodeRuneInString(b)
	return eastAsian(last) && eastAsian(first)
}

func eastAsian(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) ||
		r >= 0x3000 && r <= 0x303f || r >= 0xff00 && r <= 0xff60
}

// hyphenated are the words of a page that have a hyphen within a line, and so keep it.
func hyphenated(blocks []block) map[string]bool {
	words := map[string]bool{}
	for _, b := range blocks {
		for _, l := range b.lines {
			for i, w := range l.words {
				last := i == len(l.words)-1
				if strings.Contains(w.text, "-") && (!last || !l.divided) {
					words[strings.ToLower(strings.Trim(w.text, ".,;:()"))] = true
				}
			}
		}
	}
	return words
}

// undivided is the end of a line whose last word goes on in the next, without its
// hyphen unless that belongs to the word.
func undivided(s, next string, spoken map[string]bool) string {
	stem := strings.TrimSuffix(s, "-")
	word := stem[strings.LastIndexByte(stem, ' ')+1:]
	r, _ := utf8.DecodeRuneInString(next)
	last, _ := utf8.DecodeLastRuneInString(stem)
	whole := strings.ToLower(strings.Trim(word+"-"+next, ".,;:()"))
	if !unicode.IsLower(r) || !unicode.IsLetter(last) || strings.Contains(word, "-") || spoken[whole] {
		return s
	}
	return stem
}
