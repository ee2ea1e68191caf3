package office_test

import (
	"archive/zip"
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"confidant/internal/chat"
	"confidant/internal/library/extract"
	"confidant/internal/library/extract/extracttest"
	"confidant/internal/library/extract/office"
)

// read reads all pages and returns the first error.
func read(t testing.TB, f extract.Format, s extract.Source) (pages []chat.FilePage, err error) {
	t.Helper()
	d, err := f.Open(t.Context(), s)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	for p, err := range d.Pages(t.Context(), 1) {
		if err != nil {
			return pages, err
		}
		pages = append(pages, p)
	}
	return pages, nil
}

// readAll: whatever a file has in it, its pages are text, or the error is the file's.
func readAll(t testing.TB, f extract.Format, mime string, content []byte) {
	t.Helper()
	pages, err := read(t, f, extracttest.Write(t, "x", mime, content))
	if err != nil {
		if _, ok := errors.AsType[*chat.Error](err); !ok {
			t.Errorf("%v is not the file's", err)
		}
	}
	for _, p := range pages {
		if !utf8.ValidString(p.Text) || strings.ContainsRune(p.Text, 0) {
			t.Errorf("page %d is no text: %q", p.Number, p.Text)
		}
	}
}

func TestFilesThatAreRefused(t *testing.T) {
	deep := strings.Repeat(`<w:tbl><w:tr><w:tc>`, 200)
	small := extract.DefaultLimits
	small.Expanded = 1 << 20
	old := append([]byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), make([]byte, 2000)...)
	encrypted := append([]byte{}, old...)
	for i, c := range "EncryptedPackage" {
		encrypted[1024+2*i] = byte(c)
	}
	for _, c := range []struct {
		name    string
		format  extract.Format
		content []byte
		want    string
	}{
		{"empty", office.DOCX{Limits: small}, nil, "The file is empty."},
		{"no zip", office.DOCX{Limits: small}, []byte("words"), "damaged"},
		{"nothing in it", office.DOCX{Limits: small}, pack(t), "part of it that has the text is missing"},
		{"main part missing", office.DOCX{Limits: small}, pack(t, rels("", "a", "officeDocument", "a.xml")), "missing"},
		{"outside", office.DOCX{Limits: small}, pack(t, rels("", "a", "officeDocument", "../../../../etc/passwd")), "missing"},
		{"entities", office.DOCX{Limits: small}, pack(t, rels("", "a", "officeDocument", "a.xml"), part{"a.xml", `<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><body>&b;</body>`}), "entities"},
		{"deep", office.DOCX{Limits: small}, docx(t, deep), "deeply"},
		{"bomb", office.DOCX{Limits: small}, docx(t, strings.Repeat(para("bomb"), 20_000)), "larger than 1 MB"},
		{"bomb of styles", office.DOCX{Limits: small}, docx(t, para("x"), part{"word/styles.xml", "<s>" + strings.Repeat("<x/>", 1<<19) + "</s>"}), "larger than 1 MB"},
		{"bomb of slides", office.PPTX{Limits: small}, pptx(t, strings.Repeat(shape("", "bomb"), 20_000)), "larger than 1 MB"},
		{"encrypted", office.DOCX{Limits: small}, encrypted, "without a password"},
		{"encrypted, by its type", office.Legacy{}, encrypted, "without a password"},
		{"old", office.Legacy{}, old, "old Office program"},
		{"no sheets", office.XLSX{Limits: small}, xlsx(t, ""), "no sheets"},
	} {
		_, err := read(t, c.format, extracttest.Write(t, "x", "", c.content))
		if failed, ok := errors.AsType[*chat.Error](err); !ok || failed.Code != chat.CodeUnsupported || !strings.Contains(failed.Detail, c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// large writes a package one part of which comes from a stream.
func large(t *testing.T, name string, write func(io.Writer), parts ...part) extract.Source {
	t.Helper()
	path := filepath.Join(t.TempDir(), "large")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	w := zip.NewWriter(file)
	for _, p := range parts {
		f, _ := w.Create(p.name)
		f.Write([]byte(p.content))
	}
	f, _ := w.Create(name)
	out := bufio.NewWriter(f)
	write(out)
	if err := errors.Join(out.Flush(), w.Close()); err != nil {
		t.Fatal(err)
	}
	return extract.Source{Path: path}
}

// peak is the most memory that the heap had while f ran, in MB.
func peak(f func()) uint64 {
	runtime.GC()
	var most atomic.Uint64
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for tick := time.Tick(5 * time.Millisecond); ; {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			most.Store(max(most.Load(), m.HeapAlloc))
			select {
			case <-done:
				return
			case <-tick:
			}
		}
	}()
	f()
	close(done)
	<-ended
	return most.Load() >> 20
}

func TestALargeDocumentTakesLittleMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("100 MB are read")
	}
	s := large(t, "word/document.xml", func(w io.Writer) {
		fmt.Fprintf(w, `<w:document%s><w:body>`, namespace)
		for i := range 10_000 / scale {
			io.WriteString(w, para(fmt.Sprint("Paragraph ", i, ". ", strings.Repeat("It has some words in it. ", 400))))
		}
		io.WriteString(w, `</w:body></w:document>`)
	}, rels("", "a", "officeDocument", "word/document.xml"))
	l := extract.DefaultLimits
	l.Pages = 1 << 20
	pages := 0
	mb := peak(func() {
		d, err := office.DOCX{Limits: l}.Open(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		for _, err := range d.Pages(t.Context(), 1) {
			if err != nil {
				t.Fatal(err)
			}
			pages++
		}
	})
	t.Logf("%d pages, %d MB", pages, mb)
	if mb > 60 || pages < 30_000/scale {
		t.Errorf("%d pages took %d MB", pages, mb)
	}
}

func TestTenMillionCells(t *testing.T) {
	s := large(t, "xl/t.xml", func(w io.Writer) {
		io.WriteString(w, `<worksheet><sheetData>`)
		row := "<row>" + strings.Repeat(`<c><v>1</v></c>`, 1000) + "</row>"
		for range 10_000 / scale {
			io.WriteString(w, row)
		}
		io.WriteString(w, `</sheetData></worksheet>`)
	}, rels("", "a", "officeDocument", "xl/w.xml"), part{"xl/w.xml", `<workbook` + namespace + `><sheet name="Big" r:id="t"/></workbook>`}, rels("xl/w.xml", "t", "worksheet", "t.xml"))
	var pages []chat.FilePage
	var err error
	mb := peak(func() { pages, err = read(t, office.XLSX{Limits: extract.DefaultLimits}, s) })
	t.Logf("%d MB", mb)
	if err != nil || len(pages) != 1 || pages[0].Note != extract.NoteCut || mb > 100 {
		t.Errorf("%d pages, %v, %d MB", len(pages), err, mb)
	}
}
