package pdf

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode"

	"confidant/internal/library/extract"
)

// opened is a PDF file in a sandbox of its own.
type opened struct {
	*instance
	document uint64
	pages    int
	disk     *os.File
}

// The reasons of PDFium for not opening a document, from its public/fpdfview.h.
const (
	errorPassword = 4
	errorSecurity = 5
)

// errPageTime ends a sandbox in which one page took too long.
var errPageTime = errors.New("the time of a page is over")

// The sentences about files that cannot be read.
const (
	sentenceEmpty    = "The file is empty."
	sentenceNoPDF    = "This is not a PDF file, or its beginning is missing."
	sentencePassword = "The PDF is protected with a password. Save it without one, and add it again."
	sentenceCipher   = "The PDF is protected in a way that cannot be opened. Save it without protection, and add it again."
	sentenceDamaged  = "The PDF is damaged or incomplete, and cannot be read."
	sentenceNoPages  = "The PDF has no pages that can be read; it may be damaged or incomplete."
	sentenceMemory   = "The PDF needs more memory than a document may have (%d MiB)."
	sentenceTime     = "The PDF takes too long to read: more than %s a page."
)

// open loads a file that must be a PDF without a password. What PDFium reads before it
// knows the pages has the time of one page.
func (f *Format) open(ctx context.Context, path string) (_ *opened, err error) {
	if len(f.engine.wasm) == 0 {
		return nil, errMissing
	}
	disk, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open PDF: %w", err)
	}
	defer func() {
		if err != nil {
			_ = disk.Close()
		}
	}()
	size, err := beginning(disk)
	if err != nil {
		return nil, err
	}
	i, err := f.engine.instance(ctx, &hostFile{ReaderAt: disk, size: size})
	if err != nil {
		return nil, f.failure(ctx, err, i)
	}
	o := &opened{instance: i, disk: disk}
	defer func() {
		if err != nil {
			i.close()
		}
	}()
	limited, cancel := f.pageTime(ctx)
	defer cancel()
	o.document = o.call(limited, "FPDF_LoadDocument", o.key(guestPath), 0)
	if o.err == nil && o.document == 0 {
		reason := o.quick("FPDF_GetLastError")
		switch {
		case i.file.err != nil:
			return nil, fmt.Errorf("read PDF: %w", i.file.err)
		case reason == errorPassword:
			return nil, extract.Broken(sentencePassword, nil)
		case reason == errorSecurity:
			return nil, extract.Broken(sentenceCipher, nil)
		}
		return nil, extract.Broken(sentenceDamaged, fmt.Errorf("PDFium's reason is %d", reason))
	}
	o.pages = int(int32(o.call(limited, "FPDF_GetPageCount", o.document)))
	if o.err != nil {
		return nil, f.failure(ctx, o.err, i)
	}
	if o.pages < 1 {
		return nil, extract.Broken(sentenceNoPages, nil)
	}
	if limit := f.limits.Pages; limit > 0 && o.pages > limit {
		return nil, extract.Broken(fmt.Sprintf("The PDF has %d pages, and at most %d are read.", o.pages, limit), nil)
	}
	return o, nil
}

// beginning checks that a file starts like a PDF, within its first kilobyte as other
// readers do, and returns its size.
func beginning(f *os.File) (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, fmt.Errorf("open PDF: %w", err)
	}
	head := make([]byte, 1024)
	n, err := f.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, fmt.Errorf("read PDF: %w", err)
	}
	if n == 0 {
		return 0, extract.Broken(sentenceEmpty, nil)
	}
	if !bytes.Contains(head[:n], []byte("%PDF-")) {
		return 0, extract.Broken(sentenceNoPDF, nil)
	}
	return info.Size(), nil
}

// pageTime bounds what one page may take.
func (f *Format) pageTime(ctx context.Context) (context.Context, context.CancelFunc) {
	if f.limits.PageTime <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, f.limits.PageTime, errPageTime)
}

// failure says what ended a sandbox: the caller's context, the disk, or the document.
func (f *Format) failure(ctx context.Context, err error, i *instance) error {
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("read PDF: %w", ctx.Err())
	case i == nil:
		return err
	case i.file.err != nil:
		return fmt.Errorf("read PDF: %w", i.file.err)
	case i.exhausted:
		return extract.Broken(fmt.Sprintf(sentenceMemory, f.engine.memory>>4), err)
	case errors.Is(err, errPageTime):
		return extract.Broken(fmt.Sprintf(sentenceTime, f.limits.PageTime), err)
	}
	return extract.Broken(sentenceDamaged, err)
}

func (o *opened) close() {
	o.instance.close()
	_ = o.disk.Close()
}

// meta returns an entry of the document's information, such as "Title".
func (o *opened) meta(key string) string {
	return o.text("FPDF_GetMetaText", o.document, o.key(key))
}

// label is what the document calls a page, "" when that is its number.
func (o *opened) label(n int) string {
	label := strings.TrimSpace(strings.Map(printable, o.text("FPDF_GetPageLabel", o.document, uint64(n-1))))
	if len(label) > 64 || label == fmt.Sprint(n) {
		return ""
	}
	return label
}

func printable(r rune) rune {
	if !unicode.IsPrint(r) {
		return -1
	}
	return r
}

// title is the document's own, "" when a program wrote it without asking anybody.
func (o *opened) title() string {
	title := strings.Join(strings.Fields(o.meta("Title")), " ")
	title = strings.TrimPrefix(strings.Map(printable, title), "Microsoft Word - ")
	lower := strings.ToLower(title)
	if strings.HasPrefix(lower, "untitled") || len(title) > 300 || strings.IndexFunc(title, unicode.IsLetter) < 0 {
		return ""
	}
	for _, ending := range []string{".dvi", ".doc", ".docx", ".tex", ".ps", ".pdf", ".rtf", ".odt", ".indd", ".qxd", ".ppt", ".pptx", ".xls", ".xlsx", ".pages", ".md", ".html", ".htm", ".txt"} {
		if strings.HasSuffix(lower, ending) {
			return ""
		}
	}
	if strings.HasPrefix(lower, "file:") || strings.HasPrefix(lower, "about:") || lower == "powerpoint presentation" {
		return ""
	}
	return title
}

// modified is when the document was last written, in UTC, or zero.
func (o *opened) modified() time.Time {
	for _, key := range []string{"ModDate", "CreationDate"} {
		if t := date(o.meta(key)); !t.IsZero() {
			return t
		}
	}
	return time.Time{}
}

// date reads a date as PDF writes it (ISO 32000-1, 7.9.4): D:YYYYMMDDHHmmSSOHH'mm',
// of which everything after the year may be missing.
func date(s string) time.Time {
	s = strings.ReplaceAll(strings.TrimPrefix(strings.TrimSpace(s), "D:"), "'", "")
	digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
	stamp, zone := s[:min(digits, 14)], s[digits:]
	const layout = "20060102150405"
	if len(stamp) < 4 || len(stamp)%2 != 0 {
		return time.Time{}
	}
	t, err := time.Parse(layout[:len(stamp)], stamp)
	if err != nil {
		return time.Time{}
	}
	for _, offset := range []string{"-0700", "-07"} {
		if z, err := time.Parse(offset, zone); err == nil {
			_, seconds := z.Zone()
			return t.Add(-time.Duration(seconds) * time.Second)
		}
	}
	return t
}
