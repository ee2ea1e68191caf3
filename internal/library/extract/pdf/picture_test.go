package pdf_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"image/png"
	"math"
	"strings"
	"testing"

	"confidant/internal/chat"
	"confidant/internal/library/extract"
	"confidant/internal/library/extract/extracttest"
	"confidant/internal/library/pdftest"
)

// reader is a recogniser that reads the same from every picture.
type reader struct {
	text     string
	err      error
	pictures []image.Config
}

func (r *reader) Recognize(_ context.Context, picture []byte) (string, error) {
	config, err := png.DecodeConfig(bytes.NewReader(picture))
	if err != nil {
		return "", err
	}
	r.pictures = append(r.pictures, config)
	return r.text, r.err
}

// scanned has a picture, a picture with a stamp, an empty page, and a font that does not
// say which characters it shows.
func scanned() *builder {
	b := &builder{}
	b.page().picture(0, 0, 612, 792)
	b.page().picture(0, 0, 612, 792).text(sans, 8, 72, 20, "Scanned by the office")
	b.page()
	b.page().text(mute, 12, 72, 700, "The letters of this line are not known to anybody.")
	return b
}

func TestPicturesAreRead(t *testing.T) {
	const letter = "Dear harbour master,\nthe ships are late."
	type page struct{ text, note string }
	for _, c := range []struct {
		name string
		ocr  *reader
		want []page
	}{
		{"read", &reader{text: " " + letter + "\x00\n\f"}, []page{{letter, ""}, {"Scanned by the office\n\n" + letter, ""}, {"", "This page is empty."}, {letter, ""}}},
		{"nothing found", &reader{}, []page{{"", extract.NotePicture}, {"Scanned by the office", extract.NotePicture}, {"", "This page is empty."}, {"?", extract.NoteNoCharacter}}},
		{"unreadable", &reader{err: chat.Fail(chat.CodeUnsupported, "The picture is damaged.")}, []page{{"", extract.NoteUnreadable}, {"Scanned by the office", extract.NoteUnreadable}, {"", "This page is empty."}, {"?", extract.NoteUnreadable}}},
		{"no recogniser", nil, []page{{"", extract.NoteNoOCR}, {"Scanned by the office", extract.NoteNoOCR}, {"", "This page is empty."}, {"?", extract.NoteNoCharacter}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var ocr extract.Recognizer
			if c.ocr != nil {
				ocr = c.ocr
			}
			pages, _ := extracttest.All(t, pdftest.Open(t, extract.DefaultLimits, ocr), extracttest.Write(t, "scan.pdf", pdfType, scanned().bytes()), 1)
			for i, want := range c.want {
				if got := pages[i]; got.Text != want.text && want.text != "?" || got.Note != want.note {
					t.Errorf("page %d: %q with the note %q, want %q with %q", i+1, got.Text, got.Note, want.text, want.note)
				}
			}
			if c.ocr == nil {
				return
			}
			if len(c.ocr.pictures) != 3 {
				t.Fatalf("%d pictures were read, want 3", len(c.ocr.pictures))
			}
			if p := c.ocr.pictures[0]; p.Width != 1700 || p.Height != 2200 || p.ColorModel != color.GrayModel {
				t.Errorf("the picture is %d × %d, want 200 dots an inch in grey", p.Width, p.Height)
			}
		})
	}
}

func TestRecogniserThatFails(t *testing.T) {
	broken := errors.New("no such program")
	d, err := pdftest.Open(t, extract.DefaultLimits, &reader{err: broken}).Open(t.Context(), extracttest.Write(t, "scan.pdf", pdfType, scanned().bytes()))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for _, err := range d.Pages(t.Context(), 1) {
		if _, refused := errors.AsType[*chat.Error](err); !errors.Is(err, broken) || refused {
			t.Errorf("error %v, want one that may pass", err)
		}
		break
	}
}

func TestPicture(t *testing.T) {
	f := pdftest.Open(t, extract.DefaultLimits, nil)
	b := &builder{}
	b.page().content.WriteString("1 0 0 rg 0 396 612 396 re f\n") // the upper half in red
	turned := b.page()
	turned.entries = "/Rotate 90"
	huge := b.page()
	huge.width, huge.height = 200, 14400
	s := extracttest.Write(t, "r.pdf", pdfType, b.bytes())
	for _, c := range []struct{ page, width, wantWidth, wantHeight int }{
		{1, 612, 612, 792},
		{1, 1, 200, 259},
		{1, 99999, 2000, 2588},
		{2, 792, 792, 612},
		{3, 2000, 58, 4200},
	} {
		picture, err := f.Picture(t.Context(), s, c.page, c.width)
		if err != nil {
			t.Fatal(err)
		}
		shot, err := png.Decode(bytes.NewReader(picture))
		if err != nil {
			t.Fatal(err)
		}
		if size := shot.Bounds().Size(); size != image.Pt(c.wantWidth, c.wantHeight) {
			t.Errorf("page %d, %d wide: %v, want %d × %d", c.page, c.width, size, c.wantWidth, c.wantHeight)
		}
		if c.page == 1 {
			x, y := c.wantWidth/2, c.wantHeight/4
			if r, g, b, _ := shot.At(x, y).RGBA(); r != 0xffff || g != 0 || b != 0 {
				t.Errorf("the upper half is %v", shot.At(x, y))
			}
			if r, g, b, _ := shot.At(x, 3*y).RGBA(); r != 0xffff || g != 0xffff || b != 0xffff {
				t.Errorf("the lower half is %v", shot.At(x, 3*y))
			}
		}
	}
	for _, n := range []int{-1, 0, 4} {
		if _, err := f.Picture(t.Context(), s, n, 500); !errors.Is(err, chat.ErrNotFound) {
			t.Errorf("page %d: %v, want chat.ErrNotFound", n, err)
		}
	}
}

func TestMarks(t *testing.T) {
	f := pdftest.Open(t, extract.DefaultLimits, nil)
	document := report()
	plain := extracttest.Write(t, "m.pdf", pdfType, document.bytes())
	right := extracttest.Write(t, "t.pdf", pdfType, turned().bytes())
	for _, c := range []struct {
		name    string
		source  extract.Source
		page    int
		passage string
		want    []extract.Mark // to a fiftieth of the page
	}{
		{"a line", plain, 1, "larger", []extract.Mark{{X: .81, Y: .165, Width: .05, Height: .02}}},
		{"Markdown, over a hyphen", plain, 1, "**finished** only in autumn, and the old one", []extract.Mark{{X: .69, Y: .18, Width: .15, Height: .02}, {X: .12, Y: .2, Width: .17, Height: .02}}},
		{"a sentence of two", plain, 1, "This sentence is not there at all. Nobody had expected this", []extract.Mark{{X: .33, Y: .18, Width: .2, Height: .02}}},
		{"not there", plain, 1, "Nothing of the kind is said", nil},
		{"on another page", plain, 2, "The harbour was open", nil},
		{"nothing", plain, 1, " — ", nil},
		{"turned", right, 1, "This page is shown", []extract.Mark{{X: .09, Y: .15, Width: .13, Height: .02}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := f.Marks(t.Context(), c.source, c.page, c.passage)
			if err != nil {
				t.Fatal(err)
			}
			if len(got) != len(c.want) {
				t.Fatalf("%+v, want %+v", got, c.want)
			}
			for i, want := range c.want {
				for _, d := range []float64{got[i].X - want.X, got[i].Y - want.Y, got[i].Width - want.Width, got[i].Height - want.Height} {
					if math.Abs(d) > 0.02 {
						t.Errorf("rectangle %d is %+v, want %+v", i, got[i], want)
						break
					}
				}
			}
		})
	}
}

// TestMarkedWordsAreDark looks whether the rectangle has ink, and the space beside none.
func TestMarkedWordsAreDark(t *testing.T) {
	f := pdftest.Open(t, extract.DefaultLimits, nil)
	b := &builder{}
	b.page().text(sans, 24, 300, 500, "harbour")
	s := extracttest.Write(t, "m.pdf", pdfType, b.bytes())
	rects, err := f.Marks(t.Context(), s, 1, "harbour")
	if err != nil || len(rects) != 1 {
		t.Fatalf("%+v, %v", rects, err)
	}
	picture, err := f.Picture(t.Context(), s, 1, 612)
	if err != nil {
		t.Fatal(err)
	}
	shot, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		t.Fatal(err)
	}
	inside, outside := 0, 0
	for y := range 792 {
		for x := range 612 {
			if r, _, _, _ := shot.At(x, y).RGBA(); r > 0x8000 {
				continue
			}
			fx, fy := (float64(x)+.5)/612, (float64(y)+.5)/792
			if m := rects[0]; fx >= m.X && fx <= m.X+m.Width && fy >= m.Y && fy <= m.Y+m.Height {
				inside++
			} else {
				outside++
			}
		}
	}
	if inside < 100 || outside > inside/50 {
		t.Errorf("%d dark points inside of the mark, %d outside", inside, outside)
	}
	if strings.Contains(string(picture[:8]), "PNG") == false {
		t.Error("the picture is no PNG")
	}
}
