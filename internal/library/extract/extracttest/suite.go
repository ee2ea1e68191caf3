// Package extracttest is the conformance suite of extract.Format.
package extracttest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"confidant/internal/chat"
	"confidant/internal/library/extract"
)

// Case is a file, and what its pages must say.
type Case struct {
	Name    string // of the file, with its ending
	Type    string
	Content []byte
	Title   string
	// Pages has for each page phrases that its text has, in their order.
	Pages [][]string
}

// Run runs the suite over the cases.
func Run(t *testing.T, f extract.Format, cases ...Case) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			s := Write(t, c.Name, c.Type, c.Content)
			pages, info := All(t, f, s, 1)
			if info.Title != c.Title {
				t.Errorf("title %q, want %q", info.Title, c.Title)
			}
			if len(pages) != len(c.Pages) {
				t.Fatalf("%d pages, want %d: %+v", len(pages), len(c.Pages), pages)
			}
			for i, phrases := range c.Pages {
				rest := pages[i].Text
				for _, phrase := range phrases {
					_, after, ok := strings.Cut(rest, phrase)
					if !ok {
						t.Errorf("page %d has no %q after what came before:\n%s", i+1, phrase, pages[i].Text)
					}
					rest = after
				}
			}
			goesOn(t, f, s, pages)
			ends(t, f, s)
			truncated(t, f, c)
		})
	}
}

// Write stores content where a format can open it.
func Write(t testing.TB, name, mime string, content []byte) extract.Source {
	t.Helper()
	path := filepath.Join(t.TempDir(), "content")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return extract.Source{Path: path, Size: int64(len(content)), Name: name, Type: mime}
}

// All reads all pages from first on, and checks what holds for every document.
func All(t testing.TB, f extract.Format, s extract.Source, first int) ([]chat.FilePage, extract.Info) {
	t.Helper()
	d, err := f.Open(t.Context(), s)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	defer func() {
		if err := d.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	}()
	var pages []chat.FilePage
	for p, err := range d.Pages(t.Context(), first) {
		if err != nil {
			t.Fatalf("page after %d: %v", len(pages), err)
		}
		if p.Number != first+len(pages) {
			t.Errorf("page %d has the number %d", first+len(pages), p.Number)
		}
		if !utf8.ValidString(p.Text) || strings.ContainsRune(p.Text, 0) {
			t.Errorf("the text of page %d is not valid UTF-8, or has a zero", p.Number)
		}
		if strings.TrimSpace(p.Text) == "" && p.Note == "" {
			t.Errorf("page %d is empty and does not say why", p.Number)
		}
		pages = append(pages, p)
	}
	if n := d.Info().Pages; n != 0 && first == 1 && n != len(pages) {
		t.Errorf("%d pages, but the document says %d", len(pages), n)
	}
	return pages, d.Info()
}

// goesOn: reading from the last page on yields the same page.
func goesOn(t *testing.T, f extract.Format, s extract.Source, pages []chat.FilePage) {
	t.Helper()
	if len(pages) == 0 {
		return
	}
	last, _ := All(t, f, s, len(pages))
	if len(last) != 1 || last[0] != pages[len(pages)-1] {
		t.Errorf("read from page %d on: %+v", len(pages), last)
	}
}

// ends: a context that has ended ends the reading.
func ends(t *testing.T, f extract.Format, s extract.Source) {
	t.Helper()
	d, err := f.Open(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range d.Pages(ctx, 1) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("with a context that has ended: %v", err)
		}
		return
	}
	t.Error("with a context that has ended there was no error")
}

// truncated: half a file is read as far as it goes, or fails with a sentence for a
// person; it never panics or hangs.
func truncated(t *testing.T, f extract.Format, c Case) {
	t.Helper()
	for _, n := range []int{0, 1, len(c.Content) / 3, len(c.Content) / 2, len(c.Content) - 1} {
		s := Write(t, c.Name, c.Type, c.Content[:max(n, 0)])
		d, err := f.Open(t.Context(), s)
		if err != nil {
			fault(t, n, err)
			continue
		}
		for _, err := range d.Pages(t.Context(), 1) {
			if err != nil {
				fault(t, n, err)
			}
		}
		if err := d.Close(); err != nil {
			t.Errorf("close after %d bytes: %v", n, err)
		}
	}
}

func fault(t *testing.T, n int, err error) {
	t.Helper()
	if _, ok := errors.AsType[*chat.Error](err); !ok {
		t.Errorf("the first %d bytes: %v, want a *chat.Error", n, err)
	}
}
