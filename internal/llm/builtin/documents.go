package builtin

import (
	"encoding/json"
	"fmt"
	"strings"
)

// page is one result of a search in the documents.
type page struct {
	Reference string `json:"urlString"`
	Content   string `json:"content"`
}

func pages(content string) []page {
	var list []page
	if json.Unmarshal([]byte(content), &list) != nil {
		return nil
	}
	return list
}

// quotePages lists the passages of documents, each with the reference to its page.
func quotePages(content string) string {
	list := pages(content)
	if len(list) == 0 {
		return "I found nothing about that in your documents."
	}
	var b strings.Builder
	b.WriteString("This is what your documents say:\n")
	for _, p := range list[:min(len(list), maxQuotes)] {
		fmt.Fprintf(&b, "\n> %s%s\n", plain(p.Content), p.Reference)
	}
	return strings.TrimRight(b.String(), "\n")
}

// plain is a passage as one line of prose: a quotation of a heading or a table
// would break the list of quotations.
func plain(markdown string) string {
	var lines []string
	for line := range strings.Lines(markdown) {
		line = strings.TrimSpace(strings.Trim(strings.TrimSpace(line), "#|>"))
		if strings.Trim(line, "-:| ") == "" {
			continue
		}
		lines = append(lines, strings.ReplaceAll(line, " | ", " · "))
	}
	return oneLine(strings.Join(lines, " "))
}
