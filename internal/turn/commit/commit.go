// Package commit is the fifth stage of a turn: it checks the citations of an
// answer against the spans they point to.
package commit

import (
	"regexp"
	"strconv"
	"strings"

	"confidant/internal/chat"
)

// marker is one citation with the spaces before it, which do not belong there.
var marker = regexp.MustCompile(`[ \t]*\[(\d{1,4})\]`)

// Check returns the text with only those citations left whose span carries the
// statement before them, and these in the order of their first mention. A number
// that no tool gave out is removed; so are the spaces before a marker. A number
// in brackets inside code is none of its business.
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
				n, _ := strconv.Atoi(strings.Trim(m, " \t[]"))
				source, ok := sources[n]
				if !ok || !carries(source, statement) {
					return ""
				}
				if !seen[n] {
					seen[n] = true
					citations = append(citations, source)
				}
				return "[" + strconv.Itoa(n) + "]"
			}))
		}
	}
	return out.String(), citations
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
