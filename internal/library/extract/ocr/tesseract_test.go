package ocr_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"

	"confidant/internal/chat"
	"confidant/internal/library/extract/ocr"
)

// drawn is a picture of lines of text, turned clockwise by so many quarters.
func drawn(t testing.TB, quarters int, lines ...string) []byte {
	t.Helper()
	f, err := opentype.Parse(goregular.TTF)
	if err != nil {
		t.Fatal(err)
	}
	face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: 32, DPI: 72})
	if err != nil {
		t.Fatal(err)
	}
	m := image.NewGray(image.Rect(0, 0, 1000, 60+50*len(lines)))
	draw.Draw(m, m.Bounds(), image.White, image.Point{}, draw.Src)
	for i, line := range lines {
		d := font.Drawer{Dst: m, Src: image.Black, Face: face, Dot: fixed.P(30, 60+50*i)}
		d.DrawString(line)
	}
	for range quarters {
		m = turned(m)
	}
	var out bytes.Buffer
	if err := png.Encode(&out, m); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func turned(m *image.Gray) *image.Gray {
	b := m.Bounds()
	to := image.NewGray(image.Rect(0, 0, b.Dy(), b.Dx()))
	for y := range b.Dy() {
		for x := range b.Dx() {
			to.SetGray(b.Dy()-1-y, x, m.At(x, y).(color.Gray))
		}
	}
	return to
}

func TestTextIsRecognised(t *testing.T) {
	tesseract := ocr.Find(t.Context())
	if tesseract == nil {
		if os.Getenv("CI") != "" {
			t.Fatal("tesseract is not installed (Debian: tesseract-ocr)")
		}
		t.Skip("tesseract is not installed; the other tests run a command of their own")
	}
	lines := []string{"The quick brown fox jumps over the lazy dog.", "Invoice number 4711 of 12 May 2024", "Total amount: 1,234.56 EUR", "Please pay within fourteen days to the account", "that is named at the end of this letter."}
	for _, c := range []struct {
		name    string
		picture []byte
		want    []string
	}{
		{"upright", drawn(t, 0, lines...), lines},
		{"on its side", drawn(t, 1, lines...), []string{"quick brown fox", "Invoice number 4711"}},
		{"nothing", drawn(t, 0), nil},
	} {
		text, err := tesseract.Recognize(t.Context(), c.picture)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		for _, phrase := range c.want {
			if !strings.Contains(text, phrase) {
				t.Errorf("%s: no %q in %q", c.name, phrase, text)
			}
		}
		if c.want == nil && text != "" {
			t.Errorf("%s: %q", c.name, text)
		}
	}
	if _, err := tesseract.Recognize(t.Context(), []byte("no picture")); !isBroken(err) {
		t.Errorf("no picture: %v", err)
	}
}

func isBroken(err error) bool {
	_, ok := errors.AsType[*chat.Error](err)
	return ok
}

// command puts a script in the place of tesseract.
func command(t *testing.T, script string) {
	t.Helper()
	dir := t.TempDir()
	list := "#!/bin/sh\nif [ \"$1\" = --list-langs ]; then printf 'List of available languages in \"/x\" (6):\\nafr\\ndeu\\neng\\nequ\\nfra\\nita\\nosd\\n'; exit; fi\n"
	if err := os.WriteFile(filepath.Join(dir, "tesseract"), []byte(list+script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

func TestLanguages(t *testing.T) {
	command(t, `echo "$@ $OMP_THREAD_LIMIT"; cat`)
	for _, c := range []struct{ wanted, want []string }{
		{nil, []string{"eng", "afr", "deu", "fra"}},
		{[]string{"ita", "jpn", "osd"}, []string{"ita"}},
	} {
		if got := ocr.Find(t.Context(), c.wanted...).Languages(); !slices.Equal(got, c.want) {
			t.Errorf("of %q: %q, want %q", c.wanted, got, c.want)
		}
	}
	if ocr.Find(t.Context(), "jpn") != nil {
		t.Error("a language that is not installed is recognised")
	}
	text, err := ocr.Find(t.Context(), "deu", "eng").Recognize(t.Context(), []byte("the picture"))
	if err != nil || text != "stdin stdout -l deu+eng --psm 1 1\nthe picture" {
		t.Errorf("%q, %v", text, err)
	}
}

func TestWithoutTesseract(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if ocr.Find(t.Context()) != nil {
		t.Error("what is not installed was found")
	}
}

func TestFailures(t *testing.T) {
	command(t, `exit 1`)
	if _, err := ocr.Find(t.Context()).Recognize(t.Context(), nil); !isBroken(err) {
		t.Errorf("a refused picture: %v", err)
	}
	command(t, `sleep 60`)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	begun := time.Now()
	if _, err := ocr.Find(t.Context()).Recognize(ctx, nil); !errors.Is(err, context.DeadlineExceeded) || time.Since(begun) > 10*time.Second {
		t.Errorf("after %v: %v", time.Since(begun), err)
	}
	command(t, `head -c 9000000 /dev/zero | tr '\0' x`)
	text, err := ocr.Find(t.Context()).Recognize(t.Context(), nil)
	if err != nil || len(text) != 4<<20 {
		t.Errorf("%d bytes, %v", len(text), err)
	}
}

func TestNoMoreAtOnceThanProcessors(t *testing.T) {
	dir := t.TempDir()
	command(t, `mkdir `+dir+`/$$; ls `+dir+` | wc -l; sleep 0.05; rmdir `+dir+`/$$`)
	tesseract := ocr.Find(t.Context())
	var group sync.WaitGroup
	for range 12 {
		group.Go(func() {
			text, err := tesseract.Recognize(t.Context(), nil)
			if err != nil || len(text) != 1 || int(text[0]-'0') > runtime.NumCPU() {
				t.Errorf("%q at once, %v", text, err)
			}
		})
	}
	group.Wait()
}
