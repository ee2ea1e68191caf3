package extract

import (
	"bytes"
	"path"
	"strings"

	"github.com/gabriel-vasile/mimetype"
)

// textEndings are the kinds of text that only their names tell apart. The endings
// of programs are those of plain text: their brackets are not those of a web page.
var textEndings = map[string]string{
	".md": TypeMarkdown, ".markdown": TypeMarkdown, ".mdown": TypeMarkdown, ".mkd": TypeMarkdown, ".mdx": TypeMarkdown, ".qmd": TypeMarkdown,
	".csv": TypeCSV, ".tsv": TypeTSV, ".tab": TypeTSV,
	".html": TypeHTML, ".htm": TypeHTML, ".xhtml": TypeHTML, ".xht": TypeHTML,
	".eml": TypeMail, ".svg": TypeSVG, ".json": TypeJSON, ".xml": TypeXML,
}

var plainEndings = strings.Fields(`.txt .text .log .rst .adoc .org .tex .bib .ini .cfg .conf .toml .yaml .yml .env .properties
	.go .py .rb .rs .c .h .cc .cpp .hpp .cs .java .kt .swift .m .js .mjs .cjs .jsx .ts .tsx .vue .svelte .astro .php .pl .lua .r .jl
	.sh .bash .zsh .fish .bat .ps1 .sql .css .scss .less .proto .graphql .tf .dockerfile .mk .patch .diff .srt .vtt .jsonl .ndjson`)

func init() {
	for _, ending := range plainEndings {
		textEndings[ending] = TypePlain
	}
}

// textType tells kinds of text apart.
func textType(found *mimetype.MIME, head []byte, name string) string {
	start := strings.ToLower(strings.TrimSpace(Decode(head, "")))
	named := textEndings[strings.ToLower(path.Ext(name))]
	switch {
	case startsPage(start):
		return TypeHTML
	case strings.HasPrefix(start, "<?xml") && strings.Contains(start, "<html"):
		return TypeHTML
	case found.Is(TypeSVG), named == TypeSVG && strings.Contains(start, "<svg"):
		return TypeSVG
	case strings.HasPrefix(start, `{\rtf`):
		return "text/rtf"
	case isMail(start) && (named == "" || named == TypeMail):
		return TypeMail
	case named == TypeMail, named == TypeSVG: // neither is what its name says
		return TypePlain
	case named != "":
		return named
	case found.Is(TypeHTML):
		return TypeHTML
	case found.Is(TypeJSON):
		return TypeJSON
	case strings.HasPrefix(start, "<?xml"):
		return TypeXML
	}
	return TypePlain
}

// startsPage reports whether a text begins as a whole web page does, behind
// comments; pieces of HTML are also in Markdown and in programs.
func startsPage(start string) bool {
	for strings.HasPrefix(start, "<!--") {
		_, rest, ok := strings.Cut(start, "-->")
		if !ok {
			return false
		}
		start = strings.TrimSpace(rest)
	}
	return strings.HasPrefix(start, "<!doctype html") || strings.HasPrefix(start, "<html")
}

// isMail reports whether a text begins with the header of a message (RFC 5322): at
// least three fields that messages have, who it is from among them.
func isMail(start string) bool {
	fields, from := 0, false
	lines := strings.Split(start, "\n")
	for i, line := range lines {
		line = strings.TrimRight(line, "\r")
		key, _, ok := strings.Cut(line, ":")
		switch {
		case line == "":
			return from && fields >= 3
		case line[0] == ' ' || line[0] == '\t' || i == 0 && strings.HasPrefix(line, "from "):
			continue
		case i == len(lines)-1: // it may be cut off
		case !ok || strings.ContainsAny(key, " \t"):
			return false
		}
		switch key {
		case "from":
			from = true
			fields++
		case "to", "cc", "subject", "date", "message-id", "received", "return-path", "delivered-to", "mime-version", "content-type", "reply-to", "x-mailer":
			fields++
		}
	}
	return from && fields >= 3
}

// zipMimetype is the name of the part in which OpenDocument and EPUB store what they are.
const zipMimetype = "mimetype"

// trimType makes a stored type comparable.
func trimType(b []byte) string {
	mime, _, _ := strings.Cut(string(bytes.ToLower(bytes.TrimSpace(b))), ";")
	return mime
}
