package extract

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean makes text valid UTF-8 without control characters, soft hyphens and marks
// of the byte order; lines end with \n.
func Clean(text string) string {
	if isClean(text) {
		return text
	}
	text = strings.ToValidUTF8(text, string(utf8.RuneError))
	text = strings.ReplaceAll(text, "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t':
			return r
		case r == '\r', r == '\u0085', r == '\u2028', r == '\u2029', r == '\v', r == '\f':
			return '\n'
		case unicode.IsControl(r), r == '\u00ad', r == '\ufeff', r == '\ufffe', r == '\uffff':
			return -1
		}
		return r
	}, text)
}

func isClean(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' && c != '\n' && c != '\t' || c >= 0x7f {
			return false
		}
	}
	return true
}

// MarkdownRow writes the row of a table in one line.
func MarkdownRow(cells []string) string {
	var row strings.Builder
	row.WriteByte('|')
	for _, cell := range cells {
		row.WriteByte(' ')
		row.WriteString(MarkdownCell(cell))
		row.WriteString(" |")
	}
	return row.String()
}

// MarkdownRule writes the line between the header of a table and its other rows.
func MarkdownRule(columns int) string { return "|" + strings.Repeat(" --- |", columns) }

// MarkdownCell writes a text as one cell: in one line, without a bar.
func MarkdownCell(text string) string {
	text = strings.TrimSpace(Clean(text))
	if strings.ContainsAny(text, "|\n\t") {
		text = strings.Join(strings.Fields(text), " ")
		text = strings.ReplaceAll(text, "|", `\|`)
	}
	return text
}
