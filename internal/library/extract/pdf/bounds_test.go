package pdf_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"confidant/internal/chat"
	"confidant/internal/library/extract"
	"confidant/internal/library/extract/extracttest"
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
	f := format(t, limits, ocr)
	warm(t, f)
	s := extracttest.Write(t, "endless.pdf", pdfType, endless().bytes())
	start := time.Now()
	pages, _ := extracttest.All(t, f, s, 1)
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("three pages took %v with %v for each", took, limits.PageTime)
	}
	if len(pages) != 3 || !strings.Contains(pages[0].Text, "Before") || !strings.Contains(pages[2].Text, "After") {
		t.Fatalf("pages: %+v", pages)
	}
	if pages[1].Note != extract.NoteUnreadable {
		t.Errorf("the endless page has the note %q", pages[1].Note)
	}
}

func TestContextEndsWithinAPage(t *testing.T) {
	f := format(t, extract.DefaultLimits, &reader{})
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
	if took := time.Since(start); took > 2*time.Second {
		t.Errorf("the page went on for %v", took)
	}
}

// warm compiles PDFium, so that a test measures what comes after.
func warm(t testing.TB, f extract.Format) {
	t.Helper()
	extracttest.All(t, f, extracttest.Write(t, "warm.pdf", pdfType, report().bytes()), 1)
}

func TestDocumentsAtTheSameTime(t *testing.T) {
	f := format(t, extract.DefaultLimits, nil)
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
	pages, _ := extracttest.All(t, format(t, limits, nil), extracttest.Write(t, "b.pdf", pdfType, b.bytes()), 1)
	if got := pages[0]; len(got.Text) > 100 || len(got.Text) < 90 || got.Note != extract.NoteCut {
		t.Errorf("%d bytes with the note %q", len(got.Text), got.Note)
	}
}

// TestMemoryStaysBounded reads long documents and looks at the whole process after
// every fiftieth page: the heap, the sandbox, and PDFium's compiled code of 16 MB. Where
// the system does not tell, it is the heap alone.
func TestMemoryStaysBounded(t *testing.T) {
	const most = 300 << 20
	for n, lines := range map[int]int{1000: 45, 5000: 10} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			f := format(t, extract.DefaultLimits, nil)
			s := extracttest.Write(t, "long.pdf", pdfType, long(n, lines).bytes())
			debug.FreeOSMemory()
			d, err := f.Open(t.Context(), s)
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			peak := 0
			count, start := 0, time.Now()
			for p, err := range d.Pages(t.Context(), 1) {
				if err != nil {
					t.Fatal(err)
				}
				if count++; !strings.Contains(p.Text, fmt.Sprintf("This is page %d.", count)) {
					t.Fatalf("page %d says %q", count, p.Text)
				}
				if count%50 == 0 {
					peak = max(peak, memory())
				}
			}
			if count != n {
				t.Errorf("%d pages, want %d", count, n)
			}
			if peak > most {
				t.Errorf("the process grew to %d MB, want less than %d", peak>>20, most>>20)
			}
			took := time.Since(start)
			t.Logf("%d pages in %v, %.0f a second, %d MB at most", n, took.Round(time.Millisecond), float64(n)/took.Seconds(), peak>>20)
		})
	}
}

// memory is what the process has in memory now, in bytes.
func memory() int {
	if statm, err := os.ReadFile("/proc/self/statm"); err == nil {
		var total, resident int
		if _, err := fmt.Sscan(string(statm), &total, &resident); err == nil {
			return resident * os.Getpagesize()
		}
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapInuse)
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
	f := format(b, extract.DefaultLimits, nil)
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

func BenchmarkRender(b *testing.B) {
	f := format(b, extract.DefaultLimits, nil)
	s := extracttest.Write(b, "long.pdf", pdfType, long(100, 45).bytes())
	warm(b, f)
	for b.Loop() {
		if _, err := f.Picture(b.Context(), s, 50, 1000); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkMarks(b *testing.B) {
	f := format(b, extract.DefaultLimits, nil)
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
	reads := format(f, limits, nil)
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
