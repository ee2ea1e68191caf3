package pdf

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"strings"

	"confidant/internal/chat"
	"confidant/internal/library/extract"
)

// The pictures for text recognition: what engines are trained on, within bounds.
const (
	recognitionDPI = 200
	longestSide    = 4200 // pixels, of any picture
)

// recognizerError is an error of the recogniser, not of the document.
type recognizerError struct{ error }

// recognize reads the text of a page from its picture. Without a recogniser the page
// keeps the text that it has, and the note.
func (d *document) recognize(ctx context.Context, l *loaded, p *chat.FilePage, text, note string) error {
	p.Text = text
	if d.format.ocr == nil {
		p.Note = note
		return nil
	}
	scale := recognitionDPI / 72.0
	picture, err := l.draw(ctx, l.width*scale, true)
	if err != nil {
		return err
	}
	found, err := d.format.ocr.Recognize(ctx, picture)
	_, refused := errors.AsType[*chat.Error](err)
	if late := err != nil && errors.Is(context.Cause(ctx), errPageTime); refused || late {
		p.Note = extract.NoteUnreadable
		return nil
	}
	if err != nil {
		return &recognizerError{err}
	}
	found = strings.TrimSpace(strings.ReplaceAll(strings.ToValidUTF8(found, "\ufffd"), "\x00", ""))
	switch {
	case found == "" && note == extract.NoteNoOCR:
		p.Note = extract.NotePicture
	case found == "":
		p.Note = note
	case note == extract.NoteNoOCR && text != "": // a stamp on a picture
		p.Text = text + "\n\n" + found
	default:
		p.Text = found
	}
	if cut := shorten(p.Text, d.format.limits.PageBytes); len(cut) < len(p.Text) {
		p.Text, p.Note = cut, extract.NoteCut
	}
	return nil
}

// draw renders a page as PNG, width pixels wide unless its height forbids that.
func (p *loaded) draw(ctx context.Context, width float64, grey bool) ([]byte, error) {
	const (
		formatGrey, formatBGRX = 1, 3
		annotations, asGrey    = 0x01, 0x08
		white                  = 0xffffffff
	)
	if p.page == 0 || p.width <= 0 || p.height <= 0 {
		return nil, extract.Broken("This page of the PDF is damaged, and cannot be shown.", p.err)
	}
	scale := min(width/p.width, longestSide/p.width, longestSide/p.height)
	w, h := max(int(p.width*scale+0.5), 1), max(int(p.height*scale+0.5), 1)
	format, flags := uint64(formatBGRX), uint64(annotations)
	if grey {
		format, flags = formatGrey, annotations|asGrey
	}
	bitmap := p.quick("FPDFBitmap_CreateEx", uint64(w), uint64(h), format, 0, 0)
	if p.err == nil && bitmap == 0 {
		p.exhausted, p.err = true, errAborted
	}
	p.quick("FPDFBitmap_FillRect", bitmap, 0, 0, uint64(w), uint64(h), white)
	p.call(ctx, "FPDF_RenderPageBitmap", bitmap, p.page, 0, 0, uint64(w), uint64(h), 0, flags)
	stride := int(p.quick("FPDFBitmap_GetStride", bitmap))
	pixels := p.bytes(p.quick("FPDFBitmap_GetBuffer", bitmap), stride*h)
	if p.err != nil {
		return nil, p.err
	}
	if len(pixels) < stride*h {
		return nil, fmt.Errorf("draw page: %w", errAborted)
	}
	var shot image.Image
	if grey {
		shot = &image.Gray{Pix: pixels, Stride: stride, Rect: image.Rect(0, 0, w, h)}
	} else {
		shot = colours(pixels, stride, w, h)
	}
	var out bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := encoder.Encode(&out, shot); err != nil {
		return nil, fmt.Errorf("encode picture: %w", err)
	}
	p.quick("FPDFBitmap_Destroy", bitmap)
	return out.Bytes(), p.err
}

// colours turns PDFium's order of colours into Go's.
func colours(bgrx []byte, stride, w, h int) image.Image {
	shot := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		from, to := bgrx[y*stride:], shot.Pix[y*shot.Stride:]
		for k := 0; k < 4*w; k += 4 {
			to[k], to[k+1], to[k+2], to[k+3] = from[k+2], from[k+1], from[k], 0xff
		}
	}
	return shot
}

// The widths of pictures for readers, in pixels.
const (
	narrowest = 200
	widest    = 2000
)

// Picture draws page n, counted from 1, as PNG of the given width in pixels, which is
// brought between 200 and 2000. A page that is not there is chat.ErrNotFound.
func (f *Format) Picture(ctx context.Context, s extract.Source, n, width int) ([]byte, error) {
	var picture []byte
	err := f.onPage(ctx, s, n, func(ctx context.Context, l *loaded) error {
		var err error
		picture, err = l.draw(ctx, float64(min(max(width, narrowest), widest)), false)
		return err
	})
	return picture, err
}

// onPage does something with one page in a sandbox of its own.
func (f *Format) onPage(ctx context.Context, s extract.Source, n int, do func(context.Context, *loaded) error) error {
	select {
	case f.drawing <- struct{}{}:
		defer func() { <-f.drawing }()
	case <-ctx.Done():
		return fmt.Errorf("open PDF: %w", ctx.Err())
	}
	file, err := f.open(ctx, s.Path)
	if err != nil {
		return err
	}
	defer file.close()
	if n < 1 || n > file.pages {
		return chat.ErrNotFound.With(fmt.Errorf("page %d of %d", n, file.pages))
	}
	limited, cancel := f.pageTime(ctx)
	defer cancel()
	err = do(limited, file.load(limited, n))
	if file.err != nil {
		return f.failure(ctx, file.err, file.instance)
	}
	return err
}
