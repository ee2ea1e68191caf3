package mail

import (
	"io"
	"mime"
	"net/mail"
	"strings"
	"time"

	"github.com/emersion/go-message"
	"golang.org/x/net/html/charset"

	"confidant/internal/library/extract"
)

// mostField is how many bytes of a field are kept; a list of recipients can be long.
const mostField = 8 << 10

// head is what the header of a message says.
type head struct {
	subject, from, to, cc string
	date                  time.Time
}

func heading(h message.Header) head {
	read := head{subject: field(h, "Subject"), from: field(h, "From"), to: field(h, "To"), cc: field(h, "Cc")}
	if at, err := mail.ParseDate(h.Get("Date")); err == nil {
		read.date = at
	}
	return read
}

// lines writes the header for a person.
func (h head) lines() string {
	var b strings.Builder
	add := func(name, value string) {
		if value != "" {
			b.WriteString(name + ": " + value + "\n")
		}
	}
	add("From", h.from)
	add("To", h.to)
	add("Cc", h.cc)
	if !h.date.IsZero() {
		add("Date", h.date.Format("2006-01-02 15:04 -0700"))
	}
	return strings.TrimSpace(b.String())
}

// words decodes the words of a header that are encoded (RFC 2047), whatever alphabet
// they are in.
var words = mime.WordDecoder{CharsetReader: func(label string, r io.Reader) (io.Reader, error) { return charset.NewReaderLabel(label, r) }}

// field returns a field as one line.
func field(h message.Header, name string) string { return decodeWords(h.Get(name)) }

func decodeWords(raw string) string {
	raw = raw[:min(len(raw), mostField)]
	text, err := words.DecodeHeader(raw)
	if err != nil {
		text = raw
	}
	return strings.Join(strings.Fields(extract.Clean(extract.Decode([]byte(text), ""))), " ")
}

// fileName is the name of an attachment, "" for what has none.
func fileName(h message.Header) string {
	if _, params, err := h.ContentDisposition(); err == nil && params["filename"] != "" {
		return decodeWords(params["filename"])
	}
	if _, params, err := h.ContentType(); err == nil {
		return decodeWords(params["name"])
	}
	return ""
}
