package extract

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/gabriel-vasile/mimetype"
)

// The types of text that have a format of their own.
const (
	TypePlain    = "text/plain"
	TypeMarkdown = "text/markdown"
	TypeCSV      = "text/csv"
	TypeTSV      = "text/tab-separated-values"
	TypeHTML     = "text/html"
	TypeMail     = "message/rfc822"
	TypeSVG      = "image/svg+xml"
	TypeXML      = "text/xml"
	TypeJSON     = "application/json"
	// TypeUnknown is that of bytes of which nobody knows what they are.
	TypeUnknown = "application/octet-stream"
)

// detectSize is how much of the beginning of a file is looked at.
const detectSize = 16 << 10

// Detect returns the MIME type of the file at path, without parameters. It is what
// the content is, whatever the name claims: a web page that is called .pdf is a web
// page, and a document is told by what is in its archive. Only between kinds of text
// does the ending of name decide, because their content cannot. An empty file is of
// the type that its name says, or else text/plain. An error is one of the disk.
func Detect(path, name string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("detect the type of a file: %w", err)
	}
	defer file.Close()
	head := make([]byte, detectSize)
	n, err := io.ReadFull(file, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return "", fmt.Errorf("detect the type of a file: %w", err)
	}
	head = head[:n]
	if kind := compoundKind(file); kind >= 0 {
		return compoundKinds[kind].mime, nil
	}
	if bytes.HasPrefix(head, []byte("PK\x03\x04")) {
		if mime := zipType(file); mime != "" {
			return mime, nil
		}
	}
	found := mimetype.Detect(head)
	text := looksLikeText(head)
	// The mark of a PDF may stand behind something else (ISO 32000-2 annex I), and in a
	// text about PDF.
	if found.Is("application/pdf") && (!text || bytes.HasPrefix(head, []byte("%PDF-"))) {
		return "application/pdf", nil
	}
	if isText(found) || wide(head) != nil || text && (found.Is(TypeUnknown) || found.Is("application/pdf")) {
		return textType(found, head, name), nil
	}
	mime, _, _ := strings.Cut(found.String(), ";")
	return mime, nil
}

func isText(m *mimetype.MIME) bool {
	for ; m != nil; m = m.Parent() {
		if m.Is(TypePlain) {
			return true
		}
	}
	return false
}

// looksLikeText: text has no control characters but those of lines, pages and escapes.
func looksLikeText(head []byte) bool {
	for _, c := range head {
		if c < '\t' || c > '\r' && c < ' ' && c != 0x1b && c != 0x1a {
			return false
		}
	}
	return true
}
