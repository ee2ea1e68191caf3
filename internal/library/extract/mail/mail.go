// Package mail reads messages as they are stored in .eml files (RFC 5322, MIME).
package mail

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"
	"time"

	"github.com/emersion/go-message"

	"confidant/internal/chat"
	"confidant/internal/library/extract"
)

// mostHeader is how many bytes the header of a message, or of a part, may have.
const mostHeader = 1 << 20

// Format reads messages: who wrote to whom, when and about what, the text, and the
// names of what is attached; attachments themselves are files of their own. Of a text
// that comes in two forms the plain one is taken, unless it only says that there is
// another. Forwarded messages are read as well.
type Format struct {
	Limits extract.Limits
	// HTML writes the text of a message in HTML as Markdown. Declared is the name of
	// its encoding, and may be empty.
	HTML func(ctx context.Context, content []byte, declared string) (string, error)
}

var _ extract.Format = Format{}

// Types implements extract.Format.
func (Format) Types() []string { return []string{extract.TypeMail} }

// Open implements extract.Format.
func (f Format) Open(_ context.Context, s extract.Source) (extract.Document, error) {
	file, err := extract.OpenFile(s)
	if err != nil {
		return nil, err
	}
	d := &document{Format: f, file: file}
	m, err := d.message()
	if err != nil {
		file.Close()
		return nil, err
	}
	h := heading(m.Header)
	d.info = extract.Info{Title: h.subject, Modified: h.date.UTC()}
	if h.date.IsZero() {
		d.info.Modified = time.Time{}
	}
	return d, nil
}

type document struct {
	Format
	file *os.File
	info extract.Info
}

// Info implements extract.Document.
func (d *document) Info() extract.Info { return d.info }

// Close implements extract.Document.
func (d *document) Close() error { return d.file.Close() }

// Pages implements extract.Document.
func (d *document) Pages(ctx context.Context, first int) iter.Seq2[chat.FilePage, error] {
	return extract.Flow(ctx, d.Limits, first, func(p *extract.Pager) error {
		m, err := d.message()
		if err != nil {
			return err
		}
		r := &reader{ctx: ctx, html: d.HTML}
		body, err := r.entity(m, 0)
		if err != nil {
			return err
		}
		if r.note != "" {
			p.Note(r.note)
		}
		h := heading(m.Header)
		if err := p.Heading(1, h.subject); err != nil {
			return err
		}
		if err := p.Block(h.lines()); err != nil {
			return err
		}
		if err := p.Markdown(strings.NewReader("\n" + body.text)); err != nil {
			return err
		}
		if len(r.attached) == 0 {
			return nil
		}
		return p.Block("Attachments: " + strings.Join(r.attached, ", "))
	})
}

// message reads the header of the message, from the beginning of the file.
func (d *document) message() (*message.Entity, error) {
	if _, err := d.file.Seek(0, io.SeekStart); err != nil {
		return nil, fmt.Errorf("go back in a message: %w", err)
	}
	return readMessage(d.file)
}

func readMessage(r io.Reader) (*message.Entity, error) {
	in := bufio.NewReader(r)
	if err := skipEnvelope(in); err != nil {
		return nil, err
	}
	m, err := message.ReadWithOptions(in, &message.ReadOptions{MaxHeaderBytes: mostHeader})
	if err == nil || message.IsUnknownCharset(err) || message.IsUnknownEncoding(err) {
		return m, nil // encodings are seen to where the text is
	}
	var disk *os.PathError
	if errors.As(err, &disk) {
		return nil, fmt.Errorf("read a message: %w", err)
	}
	return nil, extract.Broken("The message is damaged: its header cannot be read.", err)
}

// skipEnvelope goes on behind empty lines and the line with which mailboxes begin
// their messages ("From somebody Mon May 1…", RFC 4155).
func skipEnvelope(in *bufio.Reader) error {
	for {
		head, err := in.Peek(5)
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("read a message: %w", err)
		}
		if !bytes.Equal(head, []byte("From ")) && !bytes.HasPrefix(head, []byte("\n")) && !bytes.HasPrefix(head, []byte("\r\n")) {
			return nil
		}
		for {
			if _, err = in.ReadSlice('\n'); !errors.Is(err, bufio.ErrBufferFull) {
				break
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read a message: %w", err)
		}
	}
}
