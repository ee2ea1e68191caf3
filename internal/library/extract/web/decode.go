package web

import (
	"regexp"

	"golang.org/x/net/html/charset"

	"confidant/internal/library/extract"
)

// prolog is the declaration of the encoding that XHTML begins with.
var prolog = regexp.MustCompile(`^\s*<\?xml[^>]*encoding\s*=\s*["']([A-Za-z0-9._-]+)["']`)

// decode makes a page UTF-8, as its mark of the byte order, its elements or its first
// line say, and else as it looks.
func decode(content []byte) string {
	head := content[:min(len(content), 1024)]
	declared := ""
	if m := prolog.FindSubmatch(head); m != nil {
		declared = string(m[1])
	} else if _, name, certain := charset.DetermineEncoding(head, ""); certain {
		declared = name
	}
	return extract.Decode(content, declared)
}
