package pdf

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"
	"unicode/utf8"

	"confidant/internal/chat"
	"confidant/internal/library/extract"
)

// noteEmpty is the note of a page on which nothing is drawn.
const noteEmpty = "This page is empty."

// document implements extract.Document. A sandbox that grew, or in which a page took
// too long, is exchanged for a new one that opens the same file.
type document struct {
	format *Format
	path   string
	info   extract.Info
	style  style
	file   *opened // nil when the next page has to open it
	read   int     // pages, by this sandbox
	slow   int     // pages that took too long
}

// The bounds of one sandbox. PDFium keeps what it has read of a document, so that a
// long one needs more with every page.
const (
	renewAbove = 40 << 20 // bytes
	renewAfter = 100      // pages at least, as a large page makes a new sandbox large too
	mostSlow   = 3        // pages that take too long; a document with more is given up
)

func (d *document) Info() extract.Info { return d.info }

// Close ends the sandbox.
func (d *document) Close() error {
	d.drop()
	return nil
}

func (d *document) drop() {
	if d.file != nil {
		d.file.close()
		d.file = nil
	}
}

// Pages implements extract.Document.
func (d *document) Pages(ctx context.Context, first int) iter.Seq2[chat.FilePage, error] {
	return func(yield func(chat.FilePage, error) bool) {
		for n := max(first, 1); n <= d.info.Pages; n++ {
			page, err := d.page(ctx, n)
			if err != nil {
				yield(chat.FilePage{}, err)
				return
			}
			if !yield(page, nil) {
				return
			}
		}
	}
}

// page reads one page. What takes too long is noted and costs the sandbox.
func (d *document) page(ctx context.Context, n int) (chat.FilePage, error) {
	if err := ctx.Err(); err != nil {
		return chat.FilePage{}, fmt.Errorf("read PDF: %w", err)
	}
	if err := d.renew(ctx); err != nil {
		return chat.FilePage{}, err
	}
	limited, cancel := d.format.pageTime(ctx)
	defer cancel()
	p := chat.FilePage{Number: n}
	file := d.file
	err := d.readPage(limited, &p)
	if err == nil {
		err = file.err
	}
	d.read++
	if err == nil {
		return p, nil
	}
	d.drop()
	if slow := limited.Err() != nil && ctx.Err() == nil; slow && d.slow < mostSlow {
		d.slow++
		return chat.FilePage{Number: n, Note: extract.NoteUnreadable}, nil
	} else if slow {
		err = errPageTime
	}
	if broken, ok := errors.AsType[*recognizerError](err); ok && ctx.Err() == nil {
		return chat.FilePage{}, fmt.Errorf("read the picture of page %d: %w", n, broken.error)
	}
	return chat.FilePage{}, d.format.failure(ctx, err, file.instance)
}

// renew opens the file when there is no sandbox, or the one there is has grown.
func (d *document) renew(ctx context.Context) error {
	if d.file != nil && d.file.memory() > renewAbove && d.read >= renewAfter {
		d.drop()
	}
	if d.file != nil {
		return nil
	}
	file, err := d.format.open(ctx, d.path)
	if err != nil {
		return err
	}
	d.file, d.read = file, 0
	return nil
}

// readPage fills in what the page says.
func (d *document) readPage(ctx context.Context, p *chat.FilePage) error {
	loaded := d.file.load(ctx, p.Number)
	defer loaded.close()
	p.Label = d.file.label(p.Number)
	if loaded.page == 0 {
		p.Note = extract.NoteUnreadable
		return nil
	}
	limit := d.format.limits.PageBytes
	sheet := loaded.read(ctx, limit)
	if d.file.err != nil {
		return d.file.err
	}
	text := d.style.text(p.Number, sheet)
	switch {
	case sheet.empty:
		p.Note = noteEmpty
	case sheet.wordless(text):
		return d.recognize(ctx, loaded, p, text, extract.NoteNoOCR)
	case sheet.mute():
		return d.recognize(ctx, loaded, p, text, extract.NoteNoCharacter)
	default:
		p.Text = text
	}
	if cut := shorten(p.Text, limit); sheet.cut || len(cut) < len(p.Text) {
		p.Text, p.Note = cut, extract.NoteCut
	}
	return nil
}

// text is the Markdown of a page.
func (s style) text(n int, sheet *sheet) string { return markdownOf(s.blocks(n, sheet.lines())) }

// wordless reports whether a page is a picture, with a stamp at most.
func (s *sheet) wordless(text string) bool {
	const stamp = 12 // words
	return strings.TrimSpace(text) == "" || s.picture && len(strings.Fields(text)) <= stamp
}

// mute reports whether the fonts do not say what many of the characters are.
func (s *sheet) mute() bool { return s.unmapped > 3 && 4*s.unmapped > len(s.glyphs) }

// shorten cuts a text to at most n bytes, at a character; 0 is no limit.
func shorten(s string, n int) string {
	if n <= 0 || len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// sampleTime is what the pages may take that tell the size of running text.
const sampleTime = 2 * time.Second

// prepare learns what the reading of every page needs. A page that ends the sandbox is
// met again when it is its turn; those before it can be read.
func (d *document) prepare(ctx context.Context) error {
	f := d.file
	limited, cancel := context.WithTimeoutCause(ctx, sampleTime, errPageTime)
	defer cancel()
	d.info = extract.Info{Title: f.title(), Pages: f.pages, Modified: f.modified()}
	d.style.outline = f.readOutline(limited)
	var sheets []*sheet
	for _, n := range sampled(f.pages) {
		p := f.load(limited, n)
		if s := p.read(limited, d.format.limits.PageBytes); f.err == nil {
			sheets = append(sheets, s)
		}
		p.close()
	}
	if f.err != nil {
		if ctx.Err() != nil || f.file.err != nil {
			return d.format.failure(ctx, f.err, f.instance)
		}
		d.drop()
	}
	d.style.body = bodySize(sheets)
	if d.info.Title == "" && len(sheets) > 0 {
		d.info.Title = d.style.firstHeading(sheets[0])
	}
	return nil
}

// firstHeading is that of the first page, "" when it has none.
func (s style) firstHeading(first *sheet) string {
	for _, b := range s.blocks(1, first.lines()) {
		if b.level > 0 {
			title := strings.TrimLeft(b.render(nil), "# ")
			if utf8.RuneCountInString(title) <= 200 {
				return title
			}
		}
	}
	return ""
}
