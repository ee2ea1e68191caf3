package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// linesOnPage and wordsOnLine make a full page of plain text.
const (
	linesOnPage = 42
	wordsOnLine = 12
)

// writePDF writes a PDF of so many pages of invented text, and returns its path.
func (c *corpus) writePDF(dir, name string, pages int) (string, error) {
	var b bytes.Buffer
	var offsets []int
	object := func(body string) {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", len(offsets), body)
	}
	var kids []string
	for i := range pages {
		kids = append(kids, fmt.Sprintf("%d 0 R", 4+2*i))
	}
	b.WriteString("%PDF-1.4\n")
	object("<< /Type /Catalog /Pages 2 0 R >>")
	object(fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count %d >>", strings.Join(kids, " "), pages))
	object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
	for i := range pages {
		object(fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F 3 0 R >> >> /Contents %d 0 R >>", 5+2*i))
		text := "BT /F 10 Tf 50 790 Td 17 TL\n" + strings.Join(c.pageLines(), "\n") + "\nET"
		object(fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(text), text))
	}
	table := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, at := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&b, "trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, table)
	path := filepath.Join(dir, name)
	return path, os.WriteFile(path, b.Bytes(), 0o600)
}

// pageLines are the lines of a page, as a PDF shows them.
func (c *corpus) pageLines() []string {
	var words []string
	for len(words) < linesOnPage*wordsOnLine {
		words = append(words, strings.Fields(c.sentence())...)
	}
	lines := make([]string, linesOnPage)
	for i := range lines {
		lines[i] = "(" + strings.Join(words[i*wordsOnLine:(i+1)*wordsOnLine], " ") + ") Tj T*"
	}
	return lines
}
