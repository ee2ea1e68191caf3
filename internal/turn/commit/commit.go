// Package commit is the fifth stage of a turn: it checks the citations of an
// answer against the spans they point to.
package commit

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"confidant/internal/chat"
)

// marker is one citation with the spaces before it, which do not belong there: a
// number that a tool gave out, [3], or a page of a file, [5](FILE_ID)
// (facts/o3chat.md section 3).
var marker = regexp.MustCompile(`[ \t]*\[(\d{1,6})\](?:\(([^()\s]*)\))?`)

// elsewhere is the target of an ordinary link, which is no reference.
var elsewhere = regexp.MustCompile(`^(?:[A-Za-z][A-Za-z+.-]*:|[/#.?])`)

// Check returns the text with only those citations left whose span carries the
// statement before them, and these in the order of their first mention. A number
// that no tool gave out is removed, and so is a page that was never retrieved; so
// are the spaces before a marker. A number in brackets inside code is none of its
// business.
func Check(text string, sources map[int]chat.Citation) (string, []chat.Citation) {
	citations := []chat.Citation{}
	if !strings.Contains(text, "[") {
		return text, citations
	}
	seen := map[int]bool{}
	var out strings.Builder
	for _, part := range splitCode(text) {
		if part.code {
			out.WriteString(part.text)
			continue
		}
		for _, sentence := range chat.Sentences(part.text) {
			if !strings.Contains(sentence, "[") {
				out.WriteString(sentence)
				continue
			}
			statement := marker.ReplaceAllString(sentence, "")
			out.WriteString(marker.ReplaceAllStringFunc(sentence, func(m string) string {
				page, target := parts(m)
				if elsewhere.MatchString(target) {
					return m
				}
				source, ok := find(sources, page, target, statement)
				if !ok {
					return ""
				}
				if !seen[source.N] {
					seen[source.N] = true
					citations = append(citations, source)
				}
				return strings.TrimLeft(m, " \t")
			}))
		}
	}
	return out.String(), citations
}

// parts are a marker's number and, of a reference to a page, its file.
func parts(mark string) (n int, file string) {
	groups := marker.FindStringSubmatch(mark)
	n, _ = strconv.Atoi(groups[1]) // six digits at most
	return n, groups[2]
}

// find returns the source that a marker means, if it carries the statement. A page
// has several: the first that does.
func find(sources map[int]chat.Citation, n int, file, statement string) (chat.Citation, bool) {
	if file == "" {
		source, ok := sources[n]
		return source, ok && carries(source, statement)
	}
	for _, number := range slices.Sorted(maps.Keys(sources)) {
		if s := sources[number]; s.Kind == chat.CitesPage && s.FileID == file && s.Page == n && carries(s, statement) {
			return s, true
		}
	}
	return chat.Citation{}, false
}

type part struct {
	text string
	code bool
}

// splitCode separates Markdown code from prose.
func splitCode(text string) []part {
	var parts []part
	for {
		start := strings.IndexByte(text, '`')
		if start < 0 {
			return append(parts, part{text: text})
		}
		fence := text[start : start+len(text[start:])-len(strings.TrimLeft(text[start:], "`"))]
		end := strings.Index(text[start+len(fence):], fence)
		if end < 0 && len(fence) >= 3 { // a block that is still open
			return append(parts, part{text: text[:start]}, part{text: text[start:], code: true})
		}
		if end < 0 {
			return append(parts, part{text: text})
		}
		stop := start + len(fence) + end + len(fence)
		parts = append(parts, part{text: text[:start]}, part{text: text[start:stop], code: true})
		text = text[stop:]
	}
}
