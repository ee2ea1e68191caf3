package picture_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"
	"time"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"

	"confidant/internal/chat"
	"confidant/internal/library/extract"
	"confidant/internal/library/extract/extracttest"
	"confidant/internal/library/extract/picture"
)

// widths recognises how wide a picture is, in words.
type widths struct{}

func (widths) Recognize(ctx context.Context, content []byte) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	m, kind, err := image.Decode(bytes.NewReader(content))
	if err != nil {
		return "", extract.Broken("damaged", err)
	}
	return kind + " " + strings.Repeat("wide ", m.Bounds().Dx()), nil
}

type recognize func(context.Context) (string, error)

func (f recognize) Recognize(ctx context.Context, _ []byte) (string, error) { return f(ctx) }

func drawn(width int) *image.Gray {
	m := image.NewGray(image.Rect(0, 0, width, 4))
	for x := range width {
		m.SetGray(x, 1, color.Gray{Y: uint8(40 * x)})
	}
	return m
}

func encoded(t testing.TB, encode func(*bytes.Buffer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := encode(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// scan joins TIFFs to one with as many pages: the directories follow each other.
func scan(t testing.TB, widths ...int) []byte {
	t.Helper()
	whole := []byte("II*\x00\x00\x00\x00\x00")
	last := 4
	for _, w := range widths {
		one := encoded(t, func(b *bytes.Buffer) error { return tiff.Encode(b, drawn(w), nil) })
		base := uint32(len(whole))
		directory := binary.LittleEndian.Uint32(one[4:])
		n := int(binary.LittleEndian.Uint16(one[directory:]))
		for i := range n {
			entry := one[int(directory)+2+12*i:]
			tag, kind, count := binary.LittleEndian.Uint16(entry), binary.LittleEndian.Uint16(entry[2:]), binary.LittleEndian.Uint32(entry[4:])
			if size := map[uint16]uint32{3: 2, 4: 4, 5: 8}[kind] * count; size > 4 || tag == 273 { // an offset, or that of the strip
				binary.LittleEndian.PutUint32(entry[8:], binary.LittleEndian.Uint32(entry[8:])+base)
			}
		}
		binary.LittleEndian.PutUint32(whole[last:], base+directory)
		whole = append(whole, one...)
		last = int(base+directory) + 2 + 12*n
	}
	return whole
}

func TestPicturesAreRecognised(t *testing.T) {
	f := picture.Raster{Limits: extract.DefaultLimits, Recognizer: widths{}}
	m := drawn(3)
	extracttest.Run(t, f,
		extracttest.Case{Name: "a.png", Type: "image/png", Content: encoded(t, func(b *bytes.Buffer) error { return png.Encode(b, m) }), Pages: [][]string{{"png wide wide wide"}}},
		extracttest.Case{Name: "a.jpg", Type: "image/jpeg", Content: encoded(t, func(b *bytes.Buffer) error { return jpeg.Encode(b, m, nil) }), Pages: [][]string{{"jpeg wide wide wide"}}},
		extracttest.Case{Name: "a.gif", Type: "image/gif", Content: encoded(t, func(b *bytes.Buffer) error { return gif.Encode(b, m, nil) }), Pages: [][]string{{"png wide wide wide"}}},
		extracttest.Case{Name: "a.bmp", Type: "image/bmp", Content: encoded(t, func(b *bytes.Buffer) error { return bmp.Encode(b, m) }), Pages: [][]string{{"png wide wide wide"}}},
		extracttest.Case{Name: "a.tiff", Type: "image/tiff", Content: encoded(t, func(b *bytes.Buffer) error { return tiff.Encode(b, m, nil) }), Pages: [][]string{{"png wide wide wide"}}},
		extracttest.Case{Name: "scan.tiff", Type: "image/tiff", Content: scan(t, 1, 2, 3), Pages: [][]string{{"png wide"}, {"png wide wide"}, {"png wide wide wide"}}},
	)
}

func TestPagesThatHaveNoText(t *testing.T) {
	content := encoded(t, func(b *bytes.Buffer) error { return png.Encode(b, drawn(3)) })
	quick := extract.DefaultLimits
	quick.PageTime = 20 * time.Millisecond
	for _, c := range []struct {
		name string
		by   extract.Recognizer
		want string
	}{
		{"nobody", nil, extract.NoteNoOCR},
		{"nothing found", recognize(func(context.Context) (string, error) { return " ", nil }), extract.NotePicture},
		{"refused", recognize(func(context.Context) (string, error) { return "", extract.Broken("x", nil) }), extract.NoteUnreadable},
		{"too slow", recognize(func(ctx context.Context) (string, error) { <-ctx.Done(); return "", ctx.Err() }), extract.NoteUnreadable},
	} {
		pages, _ := extracttest.All(t, picture.Raster{Limits: quick, Recognizer: c.by}, extracttest.Write(t, "a.png", "image/png", content), 1)
		if len(pages) != 1 || pages[0].Note != c.want || pages[0].Text != "" {
			t.Errorf("%s: %+v, want %q", c.name, pages, c.want)
		}
	}
	failed := errors.New("the command is gone")
	err := read(t, picture.Raster{Limits: quick, Recognizer: recognize(func(context.Context) (string, error) { return "", failed })}, content)
	if !errors.Is(err, failed) {
		t.Errorf("what may pass: %v", err)
	}
}

// claims is a PNG that says how large it is.
func claims(width, height uint32) []byte {
	b := []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR")
	b = binary.BigEndian.AppendUint32(b, width)
	b = binary.BigEndian.AppendUint32(b, height)
	b = append(b, 8, 6, 0, 0, 0)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[12:]))
}

func TestPicturesThatAreRefused(t *testing.T) {
	circle := scan(t, 1, 2)
	for _, c := range []struct {
		name, want string
		content    []byte
	}{
		{"empty", "The file is empty.", nil},
		{"no picture", "damaged", []byte("words")},
		{"too many pixels", "50 million pixels", claims(100_000, 100_000)},
		{"too large", "larger than 64 MB", make([]byte, 65<<20)},
		{"nothing but a header", "damaged", circle[:8]},
	} {
		err := read(t, picture.Raster{Limits: extract.DefaultLimits, Recognizer: widths{}}, c.content)
		if failed, ok := errors.AsType[*chat.Error](err); !ok || !strings.Contains(failed.Detail, c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

func TestDrawings(t *testing.T) {
	f := picture.Drawing{Limits: extract.DefaultLimits}
	extracttest.Run(t, f,
		extracttest.Case{Name: "a.svg", Type: extract.TypeSVG, Title: "Plan of the house", Pages: [][]string{{"Plan of the house\nKitchen 12 m²\nשלום"}},
			Content: []byte(`<?xml version="1.0"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "x.dtd" [<!ENTITY ns_svg "http://www.w3.org/2000/svg">]><svg xmlns="&ns_svg;"><title>Plan of
the house</title><style>text { fill: red }</style><g><text x="1">Kitchen <tspan>12 m²</tspan></text><path d="M0 0"/><text>שלום</text></g></svg>`)},
		extracttest.Case{Name: "lines.svg", Type: extract.TypeSVG, Content: []byte(`<svg><path d="M0 0"/></svg>`), Pages: [][]string{{}}},
	)
	for _, c := range []struct{ content, want string }{
		{"", "The file is empty."},
		{"<html/>", "no drawing"},
		{"<svg>" + strings.Repeat("<a>", 300), "deeply"},
	} {
		if err := read(t, f, []byte(c.content)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.20q: %v, want %q", c.content, err, c.want)
		}
	}
}

func read(t testing.TB, f extract.Format, content []byte) error {
	d, err := f.Open(t.Context(), extracttest.Write(t, "x", "", content))
	if err != nil {
		return err
	}
	defer d.Close()
	for _, err := range d.Pages(t.Context(), 1) {
		if err != nil {
			return err
		}
	}
	return nil
}

func FuzzPicture(f *testing.F) {
	f.Add(encoded(f, func(b *bytes.Buffer) error { return png.Encode(b, drawn(2)) }))
	f.Add(encoded(f, func(b *bytes.Buffer) error { return gif.Encode(b, drawn(2), nil) }))
	f.Add(scan(f, 1, 2))
	f.Add([]byte(`<svg><text>x</text></svg>`))
	f.Fuzz(func(t *testing.T, content []byte) {
		for _, format := range []extract.Format{picture.Raster{Limits: extract.DefaultLimits, Recognizer: widths{}}, picture.Drawing{Limits: extract.DefaultLimits}} {
			if err := read(t, format, content); err != nil {
				if _, ok := errors.AsType[*chat.Error](err); !ok {
					t.Errorf("%v is not the file's", err)
				}
			}
		}
	})
}
