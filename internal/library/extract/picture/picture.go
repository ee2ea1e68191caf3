// Package picture reads the text of pictures: of drawings, which have it, and of
// photographs and scans, in which somebody else recognises it.
package picture

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	_ "image/gif" // decoded here, as those below
	_ "image/jpeg"
	"image/png"
	"io"
	"iter"

	_ "golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
	_ "golang.org/x/image/webp"

	"confidant/internal/chat"
	"confidant/internal/library/extract"
)

const (
	// mostBytes is how large the file of a picture may be.
	mostBytes = 64 << 20
	// mostPixels is how many pixels one picture may have; decoded, each takes 4 bytes.
	mostPixels = 50_000_000
)

// Raster reads pictures made of pixels. Each picture of a file is a page. Without a
// Recognizer, its note says so.
type Raster struct {
	Limits     extract.Limits
	Recognizer extract.Recognizer // nil when there is none
}

var _ extract.Format = Raster{}

// Types implements extract.Format.
func (Raster) Types() []string {
	return []string{"image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp", "image/tiff"}
}

// Open implements extract.Format.
func (f Raster) Open(_ context.Context, s extract.Source) (extract.Document, error) {
	file, err := extract.OpenFile(s)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, mostBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read a picture: %w", err)
	}
	if len(content) > mostBytes {
		return nil, extract.Broken(fmt.Sprintf("The picture is larger than %d MB, which is the limit.", mostBytes>>20), nil)
	}
	r := &raster{Raster: f, content: content, pages: []io.ReaderAt{bytes.NewReader(content)}}
	if isTIFF(content) {
		r.pages = tiffPages(content, f.Limits.Pages)
	}
	if _, _, err := r.config(0); err != nil {
		return nil, err
	}
	return r, nil
}

type raster struct {
	Raster
	content []byte
	pages   []io.ReaderAt
}

// Info implements extract.Document.
func (r *raster) Info() extract.Info { return extract.Info{Pages: len(r.pages)} }

// Close implements extract.Document.
func (r *raster) Close() error { return nil }

// Pages implements extract.Document.
func (r *raster) Pages(ctx context.Context, first int) iter.Seq2[chat.FilePage, error] {
	return extract.Sheets(ctx, r.Limits, first, func(p *extract.Pager) error {
		for i := range r.pages {
			if i+1 >= first {
				if err := r.page(ctx, p, i); err != nil {
					return err
				}
			}
			if err := p.Break(); err != nil {
				return err
			}
		}
		return nil
	})
}

func (r *raster) page(ctx context.Context, p *extract.Pager, i int) error {
	p.Picture()
	if r.Recognizer == nil {
		p.Note(extract.NoteNoOCR)
		return nil
	}
	picture, err := r.encoded(i)
	if err != nil {
		p.Note(extract.NoteUnreadable)
		return nil //nolint:nilerr // the other pages of the file may be readable
	}
	within, cancel := context.WithTimeout(ctx, r.Limits.PageTime)
	defer cancel()
	text, err := r.Recognizer.Recognize(within, picture)
	var broken *chat.Error
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case within.Err() != nil, errors.As(err, &broken):
		p.Note(extract.NoteUnreadable)
		return nil
	case err != nil:
		return fmt.Errorf("recognise the text of a picture: %w", err)
	}
	return p.Block(text)
}

// config returns the kind of a picture, and refuses one that cannot be decoded or is
// too large for that.
func (r *raster) config(i int) (kind string, c image.Config, err error) {
	c, kind, err = image.DecodeConfig(io.NewSectionReader(r.pages[i], 0, int64(len(r.content))))
	if err != nil {
		return "", c, extract.Broken("The picture is damaged, or of a kind that is not read.", err)
	}
	if c.Width <= 0 || c.Height <= 0 || c.Width > mostPixels/c.Height {
		return "", c, extract.Broken(fmt.Sprintf("The picture has more than %d million pixels, which is the limit.", mostPixels/1_000_000), nil)
	}
	return kind, c, nil
}

// encoded returns a picture as PNG or JPEG, which it may be already.
func (r *raster) encoded(i int) ([]byte, error) {
	kind, _, err := r.config(i)
	if err != nil {
		return nil, err
	}
	if kind == "png" || kind == "jpeg" {
		return r.content, nil
	}
	in := io.NewSectionReader(r.pages[i], 0, int64(len(r.content)))
	var picture image.Image
	if kind == "tiff" {
		picture, err = tiff.Decode(in)
	} else {
		picture, _, err = image.Decode(in)
	}
	if err != nil {
		return nil, fmt.Errorf("decode a picture: %w", err)
	}
	var out bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&out, picture); err != nil {
		return nil, fmt.Errorf("encode a picture: %w", err)
	}
	return out.Bytes(), nil
}
