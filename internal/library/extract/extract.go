// Package extract reads files page by page, as Markdown. Formats are folders below
// it; each opens what it knows. Files come from strangers: a format bounds what it
// reads into memory, ends with its context, and never trusts a length or a name.
package extract

import (
	"context"
	"iter"
	"time"

	"confidant/internal/chat"
)

// Source is a file to read, on the local disk.
type Source struct {
	Path string
	Size int64 // in bytes
	// Name is what the person calls the file: it may be its title, and its ending may
	// tell apart what the content cannot. It is never a path.
	Name string
	// Type is the MIME type that the content has; see Detect.
	Type string
}

// Info is what a document says of itself.
type Info struct {
	Title string
	// Pages is how many there are, 0 when that is known only at the end.
	Pages int
	// Modified is when it was last written, zero when it does not say.
	Modified time.Time
}

// Document is a file that was opened.
type Document interface {
	Info() Info
	// Pages yields the pages from number first on, in order: numbers ascend from 1
	// and no page is left out; one without text says why in its Note. Text is
	// Markdown: headings, lists and tables as such, paragraphs divided by an empty
	// line. An error is the last thing that is yielded.
	//
	// An error that the file itself causes is a *chat.Error with a sentence for a
	// person; trying again will not help. Any other may pass.
	Pages(ctx context.Context, first int) iter.Seq2[chat.FilePage, error]
	Close() error
}

// Format opens files of one family of types.
type Format interface {
	// Types are the MIME types that it reads.
	Types() []string
	// Open fails as Pages does.
	Open(ctx context.Context, s Source) (Document, error)
}

// Picturer is a Format whose pages can be looked at.
type Picturer interface {
	// Picture returns a PNG of a page, so many pixels wide.
	Picture(ctx context.Context, s Source, page, width int) ([]byte, error)
	// Marks returns where a passage stands on the page, as far as it is found there.
	Marks(ctx context.Context, s Source, page int, passage string) ([]Mark, error)
}

// Mark is a rectangle on the picture of a page, in shares of its width and height
// from the top left.
type Mark struct {
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

// Recognizer reads the text of a picture.
type Recognizer interface {
	// Recognize returns the text of a PNG or JPEG picture, which may be empty.
	Recognize(ctx context.Context, picture []byte) (string, error)
}

// Limits bound what a file may take, whatever it claims.
type Limits struct {
	// Pages is how many pages are read; a document that has more is refused.
	Pages int
	// PageBytes is how much text of one page is kept; the rest is left out, and the page says so.
	PageBytes int
	// Expanded is how many bytes the parts of an archive may have when unpacked, together.
	Expanded int64
	// PageTime is how long one page may take.
	PageTime time.Duration
}

// DefaultLimits are those of the configuration.
var DefaultLimits = Limits{Pages: 10_000, PageBytes: 1 << 20, Expanded: 512 << 20, PageTime: 30 * time.Second}

// Broken is the error of a file that cannot be read for a reason of its own.
func Broken(sentence string, cause error) error {
	return chat.Fail(chat.CodeUnsupported, sentence).With(cause)
}

// The notes of pages that could not be read whole.
const (
	NotePicture     = "This page is a picture without text."
	NoteNoOCR       = "This page is a picture. Reading pictures needs tesseract, which is not installed on the server."
	NoteCut         = "This page has more text than is kept; its end was left out."
	NoteUnreadable  = "The text of this page could not be read."
	NoteNoCharacter = "The fonts of this page do not say which characters they show; its text is incomplete."
)
