package pdf_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"confidant/internal/chat"
	"confidant/internal/library/extract"
	"confidant/internal/library/extract/extracttest"
	"confidant/internal/library/extract/pdf"
	"confidant/internal/library/pdftest"
)

// endless is a document whose second page takes as long as somebody lets it: a form that
// draws another one ten times, which draws another one.
func endless() *builder {
	const depth = 12
	b := &builder{}
	for i := range depth {
		call := strings.Repeat("/X Do ", 10)
		if i == depth-1 {
			call = "0 0 10 10 re f"
		}
		b.more = append(b.more, fmt.Sprintf("<< /Type /XObject /Subtype /Form /BBox [0 0 600 600] /Resources << /XObject << /X %d 0 R >> >> /Length %d >>\nstream\n%s\nendstream",
			firstMore+i+1, len(call), call))
	}
	b.page().text(sans, 12, 72, 700, "Before the endless page.")
	p := b.page()
	p.entries = fmt.Sprintf("/Resources << /XObject << /X %d 0 R >> >>", firstMore)
	p.content.WriteString(strings.Repeat("/X Do ", 10))
	b.page().text(sans, 12, 72, 700, "After the endless page.")
	return b
}

func TestOnePageCannotTakeForever(t *testing.T) {
	limits := extract.DefaultLimits
	limits.PageTime = 300 * time.Millisecond
	ocr := &reader{text: "never asked"}
	f := pdftest.Open(t, limits, ocr)
	warm(t, f)
	s := extracttest.Write(t, "endless.pdf", pdfType, endless().bytes())
	start := time.Now()
	pages, _ := extracttest.All(t, f, s, 1)
	if took := time.Since(start); took > 15*time.Second {
		t.Errorf("three pages took %v with %v for each", took, limits.PageTime)
	}
	if len(pages) != 3 || !strings.Contains(pages[0].Text, "Before") || !strings.Contains(pages[2].Text, "After") {
		t.Fatalf("pages: %+v", pages)
	}
	if pages[1].Note != extract.NoteUnreadable {
		t.Errorf("the endless page has the note %q", pages[1].Note)
	}
}

func TestMemoryOfADocumentEnds(t *testing.T) {
	limits := extract.DefaultLimits
	limits.PageTime = time.Minute
	f := pdftest.Open(t, limits, nil)
	pdf.LimitMemory(f, 24)
	d, err := f.Open(t.Context(), extracttest.Write(t, "endless.pdf", pdfType, endless().bytes()))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	read := 0
	for p, err := range d.Pages(t.Context(), 1) {
		if err == nil {
			read = p.Number
			continue
		}
		if e, ok := errors.AsType[*chat.Error](err); !ok || !strings.Contains(e.Detail, "more memory than a document may have (24 MiB)") {
			t.Errorf("error %v, want a sentence about the memory", err)
		}
	}
	if read != 1 {
		t.Errorf("the pages up to %d were read, want only the one before the endless one", read)
	}
	warm(t, f) // the other documents go on
}

func TestContextEndsWithinAPage(t *testing.T) {
	f := pdftest.Open(t, extract.DefaultLimits, &reader{})
	warm(t, f)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	d, err := f.Open(ctx, extracttest.Write(t, "endless.pdf", pdfType, endless().bytes()))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	time.AfterFunc(200*time.Millisecond, cancel)
	start := time.Now()
	for _, err := range d.Pages(ctx, 2) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want context.Canceled", err)
		}
		break
	}
	if took := time.Since(start); took > 8*time.Second {
		t.Errorf("the page went on for %v", took)
	}
}

// warm compiles PDFium, so that a test measures what comes after.
func warm(t testing.TB, f extract.Format) {
	t.Helper()
	extracttest.All(t, f, extracttest.Write(t, "warm.pdf", pdfType, report().bytes()), 1)
}

func TestDocumentsAtTheSameTime(t *testing.T) {
	f := pdftest.Open(t, extract.DefaultLimits, nil)
	broken := report().bytes()
	broken = broken[:len(broken)/2]
	var readers sync.WaitGroup
	for i := range 8 {
		b := &builder{}
		for n := range 20 {
			b.page().text(sans, 12, 72, 700, fmt.Sprintf("Document %d has the page %d of its own.", i, n+1))
		}
		good := extracttest.Write(t, "good.pdf", pdfType, b.bytes())
		bad := extracttest.Write(t, "bad.pdf", pdfType, broken)
		readers.Go(func() {
			pages, _ := extracttest.All(t, f, good, 1)
			for n, p := range pages {
				if want := fmt.Sprintf("Document %d has the page %d of its own.", i, n+1); p.Text != want {
					t.Errorf("page %d of document %d says %q", n+1, i, p.Text)
				}
			}
		})
		readers.Go(func() {
			if d, err := f.Open(t.Context(), bad); err == nil {
				for range d.Pages(t.Context(), 1) {
				}
				d.Close()
			}
		})
	}
	readers.Wait()
}

func TestAPageHasABound(t *testing.T) {
	limits := extract.DefaultLimits
	limits.PageBytes = 100
	b := &builder{}
	b.page().lines(wide, 12, 72, 700, strings.Repeat("港", 40), strings.Repeat("湾", 400))
	pages, _ := extracttest.All(t, pdftest.Open(t, limits, nil), extracttest.Write(t, "b.pdf", pdfType, b.bytes()), 1)
	if got := pages[0]; len(got.Text) > 100 || len(got.Text) < 90 || got.Note != extract.NoteCut {
		t.Errorf("%d bytes with the note %q", len(got.Text), got.Note)
	}
}

// TestMemoryStaysBounded reads long documents and adds up Go's heap and the sandbox's
// memory after every fiftieth page.
func TestMemoryStaysBounded(t *testing.T) {
	const most = 300 << 20
	for pages, lines := range map[int]int{1000: 30, 5000: 4} {
		t.Run(fmt.Sprint(pages), func(t *testing.T) {
			f := pdftest.Open(t, extract.DefaultLimits, nil)
			d, err := f.Open(t.Context(), extracttest.Write(t, "long.pdf", pdfType, long(pages, lines).bytes()))
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			heap, sandbox, count, start := 0, 0, 0, time.Now()
			for p, err := range d.Pages(t.Context(), 1) {
				if err != nil {
					t.Fatal(err)
				}
				if count++; !strings.Contains(p.Text, fmt.Sprintf("This is page %d.", count)) {
					t.Fatalf("page %d says %q", count, p.Text)
				}
				if count%50 == 0 {
					var m runtime.MemStats
					runtime.ReadMemStats(&m)
					heap, sandbox = max(heap, int(m.HeapInuse)), max(sandbox, pdf.SandboxMemory(d))
				}
			}
			if count != pages {
				t.Errorf("%d pages, want %d", count, pages)
			}
			if sandbox == 0 || heap+sandbox > most {
				t.Errorf("heap %d MB and sandbox %d MB, want less than %d together", heap>>20, sandbox>>20, most>>20)
			}
			took := time.Since(start)
			t.Logf("%d pages in %v, %.0f a second; heap %d MB and sandbox %d MB at most", pages, took.Round(time.Millisecond), float64(pages)/took.Seconds(), heap>>20, sandbox>>20)
		})
	}
}

// TestGrownSandboxIsExchanged draws a large picture, after which PDFium keeps what it
// needed; a hundred pages later that is given back.
func TestGrownSandboxIsExchanged(t *testing.T) {
	const side = 6500 // pixels
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	if _, err := z.Write(make([]byte, side*side)); err != nil {
		t.Fatal(err)
	}
	z.Close()
	b := long(110, 1)
	b.more = []string{fmt.Sprintf("<< /Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /FlateDecode /Length %d >>\nstream\n%s\nendstream",
		side, side, packed.Len(), packed.String())}
	large := &pageBuilder{width: 600, height: 600, entries: fmt.Sprintf("/Resources << /XObject << /I %d 0 R >> >>", firstMore)}
	large.picture(0, 0, 600, 600)
	b.pages = append([]*pageBuilder{large}, b.pages...)
	d, err := pdftest.Open(t, extract.DefaultLimits, &reader{text: "large"}).Open(t.Context(), extracttest.Write(t, "l.pdf", pdfType, b.bytes()))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	before := pdf.SandboxMemory(d)
	grown, count := 0, 0
	for p, err := range d.Pages(t.Context(), 1) {
		if err != nil {
			t.Fatal(err)
		}
		if count++; count == 1 {
			grown = pdf.SandboxMemory(d)
		} else if !strings.Contains(p.Text, fmt.Sprintf("This is page %d.", count-1)) {
			t.Fatalf("page %d says %q", count, p.Text)
		}
	}
	if after := pdf.SandboxMemory(d); grown < 2*before || after > grown/2 {
		t.Errorf("the sandbox had %d MB, then %d MB, and at last %d MB", before>>20, grown>>20, after>>20)
	}
}

// long is a document of many pages.
func long(pages, lines int) *builder {
	b := &builder{}
	for n := range pages {
		p := b.page().text(bold, 16, 72, 720, fmt.Sprintf("Chapter %d", n+1)).text(sans, 10, 72, 700, fmt.Sprintf("This is page %d.", n+1))
		for i := range lines {
			p.text(sans, 10, 72, 680-float64(i)*12, fmt.Sprintf("Line %d of page %d goes on as long as lines in books do, with words and the number %d.", i, n+1, n*i))
		}
	}
	return b
}

func BenchmarkPages(b *testing.B) {
	f := pdftest.Open(b, extract.DefaultLimits, nil)
	d, err := f.Open(b.Context(), extracttest.Write(b, "long.pdf", pdfType, long(100, 45).bytes()))
	if err != nil {
		b.Fatal(err)
	}
	defer d.Close()
	pages := 0
	for b.Loop() {
		for _, err := range d.Pages(b.Context(), 1) {
			if err != nil {
				b.Fatal(err)
			}
			pages++
		}
	}
	b.ReportMetric(float64(pages)/b.Elapsed().Seconds(), "pages/s")
}

func BenchmarkPicture(b *testing.B) {
	f := pdftest.Open(b, extract.DefaultLimits, nil)
	s := extracttest.Write(b, "long.pdf", pdfType, long(100, 45).bytes())
	warm(b, f)
	for b.Loop() {
		if _, err := f.Picture(b.Context(), s, 50, 1000); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkMarks(b *testing.B) {
	f := pdftest.Open(b, extract.DefaultLimits, nil)
	s := extracttest.Write(b, "long.pdf", pdfType, long(100, 45).bytes())
	warm(b, f)
	for b.Loop() {
		if rects, err := f.Marks(b.Context(), s, 50, "as long as lines in books do"); err != nil || len(rects) == 0 {
			b.Fatal(rects, err)
		}
	}
}

func FuzzPDF(f *testing.F) {
	for _, b := range []*builder{report(), turned(), scanned(), {}} {
		b.plain = true
		seed := b.bytes()
		f.Add(seed)
		f.Add(seed[:len(seed)/2])
	}
	limits := extract.DefaultLimits
	limits.PageTime, limits.Pages = 200*time.Millisecond, 50
	reads := pdftest.Open(f, limits, nil)
	warm(f, reads)
	f.Fuzz(func(t *testing.T, content []byte) {
		s := extracttest.Write(t, "f.pdf", pdfType, content)
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		d, err := reads.Open(ctx, s)
		if err == nil {
			for _, err = range d.Pages(ctx, 1) {
				if err != nil {
					break
				}
			}
			d.Close()
		}
		if _, ok := errors.AsType[*chat.Error](err); err != nil && !ok {
			t.Errorf("error %v, want a sentence for a person", err)
		}
	})
}
