package mail

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/emersion/go-message"

	"confidant/internal/library/extract"
)

const (
	// mostBody is how many bytes of one text of a message are read, and mostTexts of
	// all of them.
	mostBody  = 8 << 20
	mostTexts = 16 << 20
	// mostNested is how deep parts and forwarded messages are nested in each other.
	mostNested = 12
	// mostParts is how many parts are read.
	mostParts = 2000
)

// The notes of messages that could not be read whole.
const (
	noteSealed = "The message is encrypted; only its header could be read."
	noteEnd    = "The message is incomplete: its end is missing."
)

// reader reads the parts of a message.
type reader struct {
	ctx      context.Context
	html     func(ctx context.Context, content []byte, declared string) (string, error)
	attached []string // names
	parts    int
	texts    int // bytes read
	note     string
}

// text is what a part says, as Markdown.
type text struct {
	text string
	html bool // it was HTML
}

// entity reads a part and those within it.
func (r *reader) entity(e *message.Entity, depth int) (text, error) {
	if err := r.ctx.Err(); err != nil {
		return text{}, err
	}
	if r.parts++; depth > mostNested || r.parts > mostParts {
		return text{}, extract.Broken(fmt.Sprintf("The message has more than %d parts, or they are nested more than %d deep, which is the limit.", mostParts, mostNested), nil)
	}
	kind, params, err := e.Header.ContentType()
	if err != nil {
		kind = "text/plain" // RFC 2045 section 5.2
	}
	disposition, _, _ := e.Header.ContentDisposition()
	switch {
	case kind == "multipart/encrypted", kind == "application/pkcs7-mime" && params["smime-type"] != "signed-data":
		r.note = noteSealed
		return text{}, nil
	case strings.HasPrefix(kind, "multipart/"):
		return r.multipart(e, kind, depth)
	case kind == "message/rfc822" || kind == "message/global":
		return r.forwarded(e, depth)
	case disposition == "attachment" || kind != "text/plain" && kind != "text/html":
		if name := fileName(e.Header); name != "" {
			r.attached = append(r.attached, name)
		}
		return text{}, nil
	}
	if name := fileName(e.Header); name != "" {
		r.attached = append(r.attached, name)
	}
	return r.body(e, kind, params)
}

// multipart reads the parts of one that has some. What is damaged ends it.
func (r *reader) multipart(e *message.Entity, kind string, depth int) (text, error) {
	parts := e.MultipartReader()
	if parts == nil {
		return text{}, nil
	}
	var all []text
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil && !message.IsUnknownCharset(err) && !message.IsUnknownEncoding(err) {
			if err := r.ends(err); err != nil {
				return text{}, err
			}
			break
		}
		one, err := r.entity(part, depth+1)
		if err != nil {
			return text{}, err
		}
		if strings.TrimSpace(one.text) != "" {
			all = append(all, one)
		}
	}
	if kind == "multipart/alternative" {
		return choose(all), nil
	}
	var joined []string
	html := false
	for _, one := range all {
		joined = append(joined, strings.TrimSpace(one.text))
		html = html || one.html
	}
	return text{strings.Join(joined, "\n\n"), html}, nil
}

// ends makes what is wrong with the file its end, and passes on other errors.
func (r *reader) ends(err error) error {
	var disk *os.PathError
	if errors.As(err, &disk) {
		return fmt.Errorf("read a message: %w", err)
	}
	r.note = noteEnd
	return nil
}

// choose returns the plain one of several forms of a text, unless it is so short that
// it only says that there is another.
func choose(forms []text) text {
	var plain, html text
	for _, one := range forms {
		if one.html {
			html = one
		} else if plain.text == "" {
			plain = one
		}
	}
	if plain.text == "" || len(html.text) > 500 && len(plain.text) < len(html.text)/5 {
		return html
	}
	return plain
}

// forwarded reads a message within the message.
func (r *reader) forwarded(e *message.Entity, depth int) (text, error) {
	inner, err := readMessage(e.Body)
	if err != nil {
		return text{}, r.ends(err)
	}
	body, err := r.entity(inner, depth+1)
	if err != nil {
		return text{}, err
	}
	h := heading(inner.Header)
	subject := h.subject
	if subject == "" {
		subject = "Forwarded message"
	}
	return text{"## " + subject + "\n\n" + h.lines() + "\n\n" + body.text, body.html}, nil
}

// body reads the text of a part.
func (r *reader) body(e *message.Entity, kind string, params map[string]string) (text, error) {
	content, err := io.ReadAll(io.LimitReader(e.Body, mostBody))
	if err != nil {
		if err := r.ends(err); err != nil {
			return text{}, err
		}
	}
	if r.texts += len(content); r.texts > mostTexts {
		return text{}, extract.Broken(fmt.Sprintf("The texts of the message have more than %d MB, which is the limit.", mostTexts>>20), nil)
	}
	if kind == "text/html" {
		written, err := r.html(r.ctx, content, params["charset"])
		return text{written, true}, err
	}
	plain := strings.ReplaceAll(extract.Decode(content, params["charset"]), "\r\n", "\n")
	if strings.EqualFold(params["format"], "flowed") {
		plain = unflow(plain, strings.EqualFold(params["delsp"], "yes"))
	}
	return text{text: plain}, nil
}

// unflow joins the lines that end with a space (RFC 3676), the line before a
// signature excepted.
func unflow(plain string, withoutSpace bool) string {
	var b strings.Builder
	for line := range strings.Lines(plain) {
		text := strings.TrimSuffix(line, "\n")
		if !strings.HasSuffix(text, " ") || text == "-- " {
			b.WriteString(line)
			continue
		}
		if withoutSpace {
			text = text[:len(text)-1]
		}
		b.WriteString(text)
	}
	return b.String()
}
