package pdf_test

import (
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"confidant/internal/chat"
	"confidant/internal/library/extract"
	"confidant/internal/library/extract/extracttest"
	"confidant/internal/library/extract/pdf"
	"confidant/internal/library/pdftest"
)

const pdfType = "application/pdf"

func gunzip(t testing.TB, r io.Reader) []byte {
	t.Helper()
	z, err := gzip.NewReader(r)
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// report is a document with all that an ordinary one has.
func report() *builder {
	b := &builder{
		info:    "/Title (Annual report of the harbour) /ModDate (D:20240229101112+01'00')",
		catalog: "/PageLabels << /Nums [0 << /S /r >> 1 << /S /D /St 1 >>] >> /Outlines 25 0 R",
		more: []string{
			"<< /Type /Outlines /First 26 0 R /Last 26 0 R /Count 1 >>",
			"<< /Title (Fees) /Parent 25 0 R /Dest [31 0 R /Fit] >>",
		},
	}
	b.page().
		text(bold, 24, 72, 700, "Annual report").
		lines(sans, 11, 72, 650,
			"The harbour was open on three hundred and sixty days, and the ships that came were larger",
			"than in any year before. Nobody had expected this, as the new lock was finished only in au-",
			"tumn, and the old one takes nothing that is longer than ninety metres. It was well-known",
			"that the pilots were few. They worked by day and by night, and got a well-",
			"known sailor's thanks.").
		lines(sans, 11, 72, 560, "A second paragraph stands here, after an empty line, and it has no more than one other line", "to end with.")
	b.page().
		text(bold, 16, 72, 700, "Tonnage by month").
		text(sans, 11, 72, 670, "The table counts ships and their tons, as the office of the harbour has written them down.").
		row(bold, 640, "Month", "Ships", "Tons").
		row(sans, 626, "January", "12", "1,200").
		row(sans, 612, "February", "15", "1,420").
		row(sans, 598, "March of the year", "21", "2,090").
		lines(sans, 11, 72, 540, "\x95 first, what was built in the year", "\x95 second, what was repaired in it")
	b.page().
		text(sans, 11, 72, 700, "Fees").
		lines(sans, 11, 72, 680, "Fees rose by two per cent in the year, which is less than prices did in the same time,", "and less than had been asked for.")
	return b
}

func eastern() *builder {
	b := &builder{}
	b.page().lines(wide, 12, 72, 700, "港は三百六十日のあいだ開いていて、多くの船が来た。これは長い文で", "あり、次の行に続く。")
	b.page().
		text(slim, 12, 72, 700, visual("שלום עולם, זה טקסט (קצר) עם 45 מספרים.")).
		text(slim, 12, 72, 660, visual("مرحبا بالعالم"))
	return b
}

// visual is a text of right-to-left letters as a page shows it, from the left: all turned
// round, but for its numbers; brackets are mirrored.
func visual(s string) string {
	mirror := map[rune]rune{'(': ')', ')': '('}
	var out, digits []rune
	in := []rune(s)
	for i := len(in) - 1; i >= -1; i-- {
		if i >= 0 && in[i] >= '0' && in[i] <= '9' {
			digits = append([]rune{in[i]}, digits...)
			continue
		}
		out, digits = append(out, digits...), nil
		if i >= 0 {
			if m, ok := mirror[in[i]]; ok {
				in[i] = m
			}
			out = append(out, in[i])
		}
	}
	return string(out)
}

func turned() *builder {
	b := &builder{}
	p := b.page()
	p.entries = "/Rotate 90"
	// The page is turned clockwise when it is shown, so that its text runs upwards in it.
	for i, s := range []string{"This page is shown turned round by a right angle", "and has two lines."} {
		p.content.WriteString("BT /F1 12 Tf 0 1 -1 0 " + []string{"100", "116"}[i] + " 72 Tm (" + s + ") Tj ET\n")
	}
	return b
}

func TestFormat(t *testing.T) {
	owned := report()
	owned.owner, owned.info = "only the owner knows", ""
	extracttest.Run(t, pdftest.Open(t, extract.DefaultLimits, nil),
		extracttest.Case{Name: "report.pdf", Type: pdfType, Content: report().bytes(), Title: "Annual report of the harbour", Pages: [][]string{
			{"# Annual report\n\nThe harbour was open", "larger than in any year", "finished only in autumn, and", "well-known that", "a well-known sailor's thanks.\n\nA second paragraph", "line to end with."},
			{"## Tonnage by month\n\nThe table counts", "written them down.\n\n| Month | Ships | Tons |\n| --- | --- | --- |\n| January | 12 | 1,200 |\n| February | 15 | 1,420 |\n| March of the year | 21 | 2,090 |\n\n- first, what was built in the year\n- second, what"},
			{"# Fees\n\nFees rose by two per cent", "time, and less than had been asked for."},
		}},
		extracttest.Case{Name: "eastern.pdf", Type: pdfType, Content: eastern().bytes(), Pages: [][]string{
			{"これは長い文であり、次の行に続く。"},
			{"שלום עולם, זה טקסט (קצר) עם 45 מספרים.", "مرحبا بالعالم"},
		}},
		extracttest.Case{Name: "turned.pdf", Type: pdfType, Content: turned().bytes(), Pages: [][]string{
			{"This page is shown turned round by a right angle and has two lines."},
		}},
		extracttest.Case{Name: "owned.pdf", Type: pdfType, Content: owned.bytes(), Title: "Annual report", Pages: [][]string{
			{"The harbour was open"}, {"Tonnage by month"}, {"Fees rose"},
		}},
	)
}

func TestInfo(t *testing.T) {
	f := pdftest.Open(t, extract.DefaultLimits, nil)
	s := extracttest.Write(t, "report.pdf", pdfType, report().bytes())
	pages, info := extracttest.All(t, f, s, 1)
	if want := time.Date(2024, 2, 29, 9, 11, 12, 0, time.UTC); !info.Modified.Equal(want) || info.Pages != 3 {
		t.Errorf("modified %v with %d pages, want %v with 3", info.Modified, info.Pages, want)
	}
	for i, want := range []string{"i", "1", "2"} {
		if pages[i].Label != want {
			t.Errorf("page %d has the label %q, want %q", i+1, pages[i].Label, want)
		}
	}
}

func TestTitles(t *testing.T) {
	f := pdftest.Open(t, extract.DefaultLimits, nil)
	for _, c := range []struct{ info, heading, want string }{
		{"/Title (Tides)", "", "Tides"},
		{"/Title (Microsoft Word - Tides)", "", "Tides"},
		{"/Title (tides-final.doc)", "Of the tides", "Of the tides"},
		{"/Title (Untitled-1)", "", ""},
		{"/Title (paper.dvi)", "", ""},
		{"/Title <FEFF00C900740061006C006F006E>", "", "Étalon"},
		{"", "", ""},
	} {
		b := &builder{info: c.info}
		b.page().text(bold, 24, 72, 700, c.heading).
			lines(sans, 11, 72, 650, "Running text, which is longer than any heading, so that its size is the usual one.", "It has two lines.")
		d, err := f.Open(t.Context(), extracttest.Write(t, "t.pdf", pdfType, b.bytes()))
		if err != nil {
			t.Fatal(err)
		}
		if got := d.Info().Title; got != c.want {
			t.Errorf("%s with the heading %q: title %q, want %q", c.info, c.heading, got, c.want)
		}
		d.Close()
	}
}

func TestRefused(t *testing.T) {
	locked := report()
	locked.user, locked.owner, locked.info = "secret", "secret", ""
	limits := extract.DefaultLimits
	limits.Pages = 2
	f := pdftest.Open(t, limits, nil)
	for _, c := range []struct {
		name    string
		content []byte
		want    string
	}{
		{"empty", nil, "empty"},
		{"text", []byte("Dear diary, this is no document of any kind."), "not a PDF"},
		{"garbage", append([]byte("%PDF-1.7\n"), []byte(strings.Repeat("\x00\xff garbage", 500))...), "damaged"},
		{"no pages", (&builder{}).bytes(), "no pages"},
		{"locked", locked.bytes(), "password"},
		{"long", report().bytes(), "3 pages, and at most 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := f.Open(t.Context(), extracttest.Write(t, "f.pdf", pdfType, c.content))
			e, ok := errors.AsType[*chat.Error](err)
			if !ok || e.Code != chat.CodeUnsupported || !strings.Contains(e.Detail, c.want) {
				t.Errorf("error %v, want a sentence with %q", err, c.want)
			}
		})
	}
}

func TestWithoutPDFium(t *testing.T) {
	f := pdf.New(nil, "", extract.DefaultLimits, nil)
	_, err := f.Open(t.Context(), extracttest.Write(t, "f.pdf", pdfType, report().bytes()))
	if e, ok := errors.AsType[*chat.Error](err); !ok || !strings.Contains(e.Detail, "pdfium.wasm") {
		t.Errorf("error %v, want what is missing", err)
	}
}

func TestFileThatIsNotThere(t *testing.T) {
	_, err := pdftest.Open(t, extract.DefaultLimits, nil).Open(t.Context(), extract.Source{Path: filepath.Join(t.TempDir(), "none")})
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v, want os.ErrNotExist", err)
	}
}
