package measure

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// How many words a probe has: with fewer it may be anybody's, with more it is no
// question any more.
const (
	fewestWords = 8
	mostWords   = 30
)

// sentences are the whole sentences of each page.
func sentences(pages []string) [][]string {
	heads := runningHeads(pages)
	list := make([][]string, len(pages))
	for i, page := range pages {
		for _, paragraph := range paragraphs(page, heads) {
			for _, s := range split(paragraph) {
				if asks(s) {
					list[i] = append(list[i], s)
				}
			}
		}
	}
	return list
}

// margin is how many lines at a page's top and bottom may be a running head.
const margin = 2

// runningHeads are the lines that three pages or more have in their margins,
// numbers apart.
func runningHeads(pages []string) map[string]bool {
	count := map[string]int{}
	for _, page := range pages {
		lines := filled(page)
		seen := map[string]bool{}
		for i, line := range lines {
			if head := unnumbered(line); (i < margin || i >= len(lines)-margin) && !seen[head] {
				seen[head] = true
				count[head]++
			}
		}
	}
	heads := map[string]bool{}
	for head, n := range count {
		if n >= 3 {
			heads[head] = true
		}
	}
	return heads
}

func filled(page string) (lines []string) {
	for line := range strings.Lines(page) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// unnumbered is a line without its digits.
func unnumbered(line string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return -1
		}
		return r
	}, strings.TrimSpace(line))
}

// paragraphs are the stretches between empty lines and running heads.
func paragraphs(page string, heads map[string]bool) (list []string) {
	var words []string
	end := func() {
		if len(words) > 0 {
			list = append(list, strings.Join(words, " "))
		}
		words = nil
	}
	for line := range strings.Lines(page) {
		fields := strings.Fields(line)
		if len(fields) == 0 || heads[unnumbered(line)] {
			end()
			continue
		}
		words = append(words, fields...)
	}
	end()
	return list
}

// split divides a paragraph after each mark that ends a sentence and is followed
// by a capital.
func split(paragraph string) (list []string) {
	words := strings.Fields(paragraph)
	begin := 0
	for i, w := range words {
		last := i == len(words)-1
		if last || ends(w) && capital(words[i+1]) {
			list = append(list, strings.Join(words[begin:i+1], " "))
			begin = i + 1
		}
	}
	return list
}

func ends(word string) bool {
	return strings.HasSuffix(word, ".") && word != "e.g." && word != "i.e." || strings.HasSuffix(word, "?") || strings.HasSuffix(word, "!")
}

func capital(word string) bool {
	r, _ := utf8.DecodeRuneInString(word)
	return unicode.IsUpper(r)
}

// asks reports whether somebody might ask with this: a whole sentence, not too
// short or long, of words, and no line of a table of contents.
func asks(s string) bool {
	words := strings.Fields(s)
	if len(words) < fewestWords || len(words) > mostWords || !capital(s) || !ends(s) {
		return false
	}
	if strings.Contains(s, ". .") || strings.Contains(s, "....") {
		return false
	}
	spoken := 0
	for _, w := range words {
		if w = strings.TrimFunc(w, unicode.IsPunct); w != "" && strings.IndexFunc(w, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '’' && r != '-' }) < 0 {
			spoken++
		}
	}
	return 5*spoken >= 4*len(words)
}
