package extract

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"unicode/utf8"

	"confidant/internal/chat"
)

// How running text is divided, in characters.
const (
	// MostUndivided is how long a text without page breaks may be to stay one page.
	MostUndivided = 20_000
	// DividedPage is about how long the pages of a longer one are: a printed page.
	DividedPage = 3_000
	// mostRepeated is how long the header of a table may be to stand on every page
	// that the table goes on.
	mostRepeated = 600
)

// NoteEmpty is the note of a page, or of a whole document, in which nothing stands.
const NoteEmpty = "There is no text here."

// Pager makes the pages of what a format reads, block by block, and keeps no more
// than one of them in memory.
type Pager struct {
	ctx    context.Context
	limits Limits
	first  int
	yield  func(chat.FilePage, error) bool
	// whole pages end where the document says so, however long they are.
	whole bool

	number int // of the last page that ended
	label  string
	note   string
	// picture: something on the page is not text.
	picture bool
	// divided: the text since the last break is longer than MostUndivided.
	divided bool
	blocks  []block
	length  int // of all blocks, in characters
	// header is that of the table whose rows are being added, nil outside of one.
	header *string
	// kept is how many bytes of a whole page there are.
	kept int
}

// block is what is not divided further.
type block struct {
	text    string
	length  int    // in characters
	before  string // what divides it from the block before
	heading bool
	// header is that of the table to which a row belongs.
	header *string
}

// errStopped ends the reading when nobody wants more pages.
var errStopped = errors.New("no more pages are wanted")

// Flow yields the pages of running text, in which write puts block after block.
// Pages end at its breaks. What stands between two breaks is one page up to
// MostUndivided characters, so that a note or a web page is one; what is longer is
// divided before headings or between paragraphs into pages of about DividedPage
// characters, so that a reference to a page points somewhere.
func Flow(ctx context.Context, l Limits, first int, write func(*Pager) error) iter.Seq2[chat.FilePage, error] {
	return paginate(ctx, l, first, false, write)
}

// Sheets yields pages that end with write's breaks and nowhere else, such as
// slides. Of a longer one than Limits.PageBytes the end is left out.
func Sheets(ctx context.Context, l Limits, first int, write func(*Pager) error) iter.Seq2[chat.FilePage, error] {
	return paginate(ctx, l, first, true, write)
}

func paginate(ctx context.Context, l Limits, first int, whole bool, write func(*Pager) error) iter.Seq2[chat.FilePage, error] {
	return func(yield func(chat.FilePage, error) bool) {
		p := &Pager{ctx: ctx, limits: l, first: first, yield: yield, whole: whole}
		err := ctx.Err()
		if err == nil {
			err = write(p)
		}
		if err == nil {
			err = p.end()
		}
		if err != nil && !errors.Is(err, errStopped) {
			yield(chat.FilePage{}, err)
		}
	}
}

// Label names the page that is being made, and those after it.
func (p *Pager) Label(label string) { p.label = strings.Join(strings.Fields(Clean(label)), " ") }

// Note says what the page that is being made lacks.
func (p *Pager) Note(note string) { p.note = note }

// Picture says that there is a picture on the page, so that it is one without any text, too.
func (p *Pager) Picture() { p.picture = true }

// Full reports whether nothing that is added to this whole page is kept any more.
func (p *Pager) Full() bool { return p.whole && p.kept > p.limits.PageBytes }

// Block adds a paragraph, a list, or anything else that stands by itself.
func (p *Pager) Block(text string) error {
	p.header = nil
	return p.add(strings.Trim(Clean(text), "\n"), "\n\n", false)
}

// Line adds a line that belongs to the block before, such as the item of a list.
func (p *Pager) Line(text string) error {
	p.header = nil
	return p.add(strings.Trim(Clean(text), "\n"), "\n", false)
}

// More goes on with the block before, which was too long to be kept until its end.
func (p *Pager) More(text string) error { return p.add(Clean(text), "", false) }

// Heading adds a heading, the level of which is counted from 1.
func (p *Pager) Heading(level int, text string) error {
	text = strings.Join(strings.Fields(Clean(text)), " ")
	if text == "" {
		return nil
	}
	p.header = nil
	return p.add(strings.Repeat("#", min(max(level, 1), 6))+" "+text, "\n\n", true)
}

// Row adds a row to the table; the first one is its header, which is repeated where
// the table goes on on another page. EndTable, or anything that is no row, ends it.
func (p *Pager) Row(cells []string) error {
	row := MarkdownRow(cells)
	if p.header != nil {
		return p.add(row, "\n", false)
	}
	header := row + "\n" + MarkdownRule(len(cells))
	if err := p.add(header, "\n\n", false); err != nil {
		return err
	}
	if len(header) > mostRepeated {
		header = ""
	}
	p.header = &header
	return nil
}

// EndTable ends the table: the next row is the header of another.
func (p *Pager) EndTable() { p.header = nil }

// Break ends the page. In running text, a page on which there is nothing yet goes on:
// a break is often written twice, once as meant and once as it came to be.
func (p *Pager) Break() error {
	if !p.whole && len(p.blocks) == 0 && !p.picture && p.note == "" {
		return nil
	}
	for p.divided && p.length > DividedPage*4/3 {
		if err := p.divide(); err != nil {
			return err
		}
	}
	p.divided = false
	return p.emit(len(p.blocks))
}

// end ends the last page, and makes one where there was none.
func (p *Pager) end() error {
	if len(p.blocks) > 0 || (p.picture || p.note != "") && !p.whole || p.number == 0 {
		p.whole = p.whole || p.number == 0 && len(p.blocks) == 0
		return p.Break()
	}
	return nil
}

func (p *Pager) add(text, before string, heading bool) error {
	if err := p.ctx.Err(); err != nil {
		return err
	}
	if p.Full() {
		return nil
	}
	if text == "" || strings.TrimSpace(text) == "" && before != "" {
		return nil
	}
	p.kept += len(before) + len(text)
	for text != "" {
		piece := text
		if !p.whole {
			piece = text[:border(text, DividedPage)]
		}
		text = text[len(piece):]
		n := utf8.RuneCountInString(piece)
		p.blocks = append(p.blocks, block{piece, n, before, heading, p.header})
		p.length += n
		before, heading = "", false
	}
	if p.whole {
		return nil
	}
	p.divided = p.divided || p.length > MostUndivided
	for p.divided && p.length > 2*DividedPage {
		if err := p.divide(); err != nil {
			return err
		}
	}
	return nil
}

// border is where a text is cut that has more than most characters: after the last
// line, sentence or word that is complete, looking back over half of it.
func border(text string, most int) int {
	end, n := len(text), 0
	for i := range text {
		if n == most {
			end = i
			break
		}
		n++
	}
	if end == len(text) {
		return end
	}
	for _, mark := range []string{"\n", ". ", "。", " "} {
		if i := strings.LastIndex(text[end/2:end], mark); i >= 0 {
			return end/2 + i + len(mark)
		}
	}
	return end
}

// divide ends a page within a text that is too long for one.
func (p *Pager) divide() error {
	fits, length := 0, 0
	atHeading := 0 // the last heading that leaves at least half a page before it
	for i, b := range p.blocks {
		if b.heading && length >= DividedPage/2 {
			atHeading = i
		}
		if length += b.length; length > DividedPage && i > 0 {
			break
		}
		fits = i + 1
	}
	if atHeading > 0 && atHeading <= fits {
		return p.emit(atHeading)
	}
	fits = p.paragraphBefore(fits)
	// A heading is not left alone at the end of a page.
	for fits > 1 && p.blocks[fits-1].heading {
		fits--
	}
	return p.emit(fits)
}

// paragraphBefore is the last block up to fits that begins a paragraph, if that leaves
// at least half a page before it, and otherwise fits.
func (p *Pager) paragraphBefore(fits int) int {
	length := 0
	for _, b := range p.blocks[:fits] {
		length += b.length
	}
	for i := fits; i > 0 && i < len(p.blocks) && length >= DividedPage/2; i-- {
		if strings.HasPrefix(p.blocks[i].before, "\n\n") {
			return i
		}
		length -= p.blocks[i-1].length
	}
	return fits
}

// emit makes a page of the first n blocks.
func (p *Pager) emit(n int) error {
	if err := p.ctx.Err(); err != nil {
		return err
	}
	if p.number++; p.number > p.limits.Pages {
		return Broken(fmt.Sprintf("The document has more than %d pages, which is the limit.", p.limits.Pages), nil)
	}
	page := chat.FilePage{Number: p.number, Label: p.label, Note: p.note}
	if p.number >= p.first {
		page.Text = p.text(n)
	}
	if len(page.Text) > p.limits.PageBytes {
		page.Text = cut(page.Text, p.limits.PageBytes)
		page.Note = NoteCut
	}
	if page.Text == "" && page.Note == "" {
		page.Note = NoteEmpty
		if p.picture {
			page.Note = NotePicture
		}
	}
	for _, b := range p.blocks[:n] {
		p.length -= b.length
	}
	p.blocks = append(p.blocks[:0], p.blocks[n:]...)
	p.picture, p.note, p.kept = false, "", 0
	if p.number >= p.first && !p.yield(page, nil) {
		return errStopped
	}
	return nil
}

// text joins the first n blocks.
func (p *Pager) text(n int) string {
	var text strings.Builder
	for i, b := range p.blocks[:n] {
		switch {
		case i > 0:
			text.WriteString(b.before)
		case b.header != nil && *b.header != "":
			text.WriteString(*b.header + "\n")
		}
		text.WriteString(b.text)
	}
	return strings.TrimSpace(text.String())
}

// cut shortens text to at most n bytes, and keeps its last character whole.
func cut(text string, n int) string {
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return strings.TrimSpace(text[:n])
}
