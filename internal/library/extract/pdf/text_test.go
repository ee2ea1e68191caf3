package pdf_test

import (
	"strings"
	"testing"

	"confidant/internal/library/extract"
	"confidant/internal/library/extract/extracttest"
	"confidant/internal/library/pdftest"
)

// body is enough running text to tell what its size is.
func body(p *pageBuilder) *pageBuilder {
	return p.lines(sans, 11, 72, 300,
		"Running text is what most of a document consists of, and so its size is the one to which that",
		"of headings is compared. It takes a few lines to be more than what else stands on the pages,",
		"even when one of those has a table, or the names of those who wrote it.")
}

func TestText(t *testing.T) {
	f := pdftest.Open(t, extract.DefaultLimits, nil)
	for _, c := range []struct {
		name string
		set  func(p *pageBuilder)
		want string // of what stands above the running text
	}{
		{"headings", func(p *pageBuilder) {
			p.text(bold, 22, 72, 700, "The first").text(bold, 16, 72, 660, "The second").text(sans, 13, 72, 630, "The third").text(bold, 11, 72, 600, "The fourth")
		}, "# The first\n\n## The second\n\n### The third\n\n#### The fourth"},
		{"a heading of two lines", func(p *pageBuilder) {
			p.lines(bold, 22, 72, 700, "On the tides of the northern", "and the southern seas")
		},
			"# On the tides of the northern and the southern seas"},
		{"a number is no heading", func(p *pageBuilder) { p.text(bold, 22, 72, 700, "17") }, "17"},
		{"a sentence is no heading", func(p *pageBuilder) { p.text(bold, 11, 72, 700, "It was late.") }, "It was late."},
		{"ligatures", func(p *pageBuilder) { p.text(slim, 12, 72, 700, "a ﬁnal aﬄuent oﬃce ﬂoor") }, "a final affluent office floor"},
		{"a soft hyphen within a line", func(p *pageBuilder) { p.text(slim, 12, 72, 700, "har\u00adbour") }, "harbour"},
		{"a soft hyphen at its end", func(p *pageBuilder) {
			p.lines(slim, 12, 72, 700, "all the words of this rather long line reach the har\u00ad", "bour in time")
		}, "all the words of this rather long line reach the harbour in time"},
		{"an accent before its letter", func(p *pageBuilder) {
			p.text(slim, 12, 72, 700, "M").text(slim, 12, 78, 700, "¨").text(slim, 12, 78, 700, "o").text(slim, 12, 84, 700, "ller")
		}, "Möller"},
		{"outside the first plane", func(p *pageBuilder) { p.text(slim, 12, 72, 700, "see 😀 and 𝒳") }, "see 😀 and 𝒳"},
		{"a bullet of an office program", func(p *pageBuilder) { p.text(slim, 12, 72, 700, "\uf0b7 one").text(slim, 12, 72, 686, "\uf0b7 two") }, "- one\n- two"},
		{"a verse", func(p *pageBuilder) { p.lines(sans, 11, 72, 700, "Tide and time", "wait for no man", "at all") }, "Tide and time\nwait for no man\nat all"},
		{"numbers of a list", func(p *pageBuilder) { p.lines(sans, 11, 72, 700, "1. cast off", "2. set sail") }, "1. cast off\n\n2. set sail"},
		{"Markdown of the document", func(p *pageBuilder) { p.text(sans, 11, 72, 700, "# include the header") }, `\# include the header`},
		{"an indented paragraph", func(p *pageBuilder) {
			p.lines(sans, 11, 72, 700, "The first paragraph is long enough to fill its line from the left edge to the right one of this", "page, and then ends.").
				text(sans, 11, 90, 673.6, "The second one is not set apart, but its first line stands further in than all of the others,").
				text(sans, 11, 72, 660.4, "as here.")
		}, "The first paragraph is long enough to fill its line from the left edge to the right one of this page, and then ends.\n\nThe second one is not set apart, but its first line stands further in than all of the others, as here."},
		{"an index and an exponent", func(p *pageBuilder) {
			p.text(sans, 11, 72, 700, "x").text(sans, 7, 77.5, 704, "2").text(sans, 11, 84, 700, "grows")
		}, "x2 grows"},
		{"a cell of two lines", func(p *pageBuilder) {
			p.row(sans, 700, "Ship", "Cargo", "Tons").row(sans, 686, "Anna", "wood and", "120").text(sans, 11, 192, 672, "iron").row(sans, 658, "Berta", "salt", "90").row(sans, 644, "Clara", "a | b", "7")
		}, "| Ship | Cargo | Tons |\n| --- | --- | --- |\n| Anna | wood and iron | 120 |\n| Berta | salt | 90 |\n| Clara | a \\| b | 7 |"},
		{"two rows are no table", func(p *pageBuilder) { p.row(sans, 700, "Anna", "120").row(sans, 686, "Berta", "90") }, "Anna 120\nBerta 90"},
		{"cells that do not stand below one another", func(p *pageBuilder) {
			p.text(sans, 11, 72, 700, "Anna").text(sans, 11, 190, 700, "one hundred and twenty")
			p.text(sans, 11, 72, 686, "Berta").text(sans, 11, 150, 686, "ninety tons of salt")
			p.text(sans, 11, 72, 672, "Clara and all of the others").text(sans, 11, 260, 672, "none")
		}, "Anna one hundred and twenty\nBerta ninety tons of salt\nClara and all of the others none"},
		{"brackets stored as they are meant", func(p *pageBuilder) {
			p.text(slim, 12, 72, 700, strings.NewReplacer("(", ")", ")", "(").Replace(visual("שלום (קצר) עולם")))
		}, "שלום (קצר) עולם"},
		{"English within Hebrew", func(p *pageBuilder) {
			p.text(slim, 12, 72, 700, visual("זה הסוף")+" English text "+visual("שלום עולם"))
		}, "שלום עולם English text זה הסוף"},
		{"Hebrew within English", func(p *pageBuilder) {
			p.text(slim, 12, 72, 700, "they say "+visual("שלום עולם")+" or hello, to each other")
		}, "they say שלום עולם or hello, to each other"},
		{"two columns", func(p *pageBuilder) {
			p.lines(sans, 11, 72, 700, "The left column is read before", "the right one and the last of", "its lines, which is the fourth", "on the page, is followed by the")
			p.lines(sans, 11, 320, 700, "right one, which goes on", "in the same sentence, as", "it is usual in journals, and", "some letters.")
		}, "The left column is read before the right one and the last of its lines, which is the fourth on the page, is followed by the right one, which goes on in the same sentence, as it is usual in journals, and some letters."},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := &builder{}
			p := b.page()
			c.set(p)
			body(p)
			body(b.page())
			pages, _ := extracttest.All(t, f, extracttest.Write(t, "t.pdf", pdfType, b.bytes()), 1)
			got, _, found := strings.Cut(pages[0].Text, "\n\nRunning text")
			if got != c.want || !found {
				t.Errorf("%s\n\nwant\n\n%s", pages[0].Text, c.want)
			}
		})
	}
}

func TestFormFieldsAreText(t *testing.T) {
	const appearance = "/Tx BMC BT /F1 12 Tf 2 5 Td (Anna Berg) Tj ET EMC"
	b := &builder{
		catalog: "/AcroForm << /Fields [26 0 R] /DA (/F1 12 Tf) >>",
		more: []string{
			"<< /Type /XObject /Subtype /Form /BBox [0 0 200 20] /Resources << /Font << /F1 4 0 R >> >> /Length 49 >>\nstream\n" + appearance + "\nendstream",
			"<< /Type /Annot /Subtype /Widget /FT /Tx /T (name) /V (Anna Berg) /F 4 /Rect [150 690 350 710] /AP << /N 25 0 R >> >>",
		},
	}
	p := b.page().text(sans, 12, 72, 695, "Your name:")
	p.entries = "/Annots [26 0 R]"
	pages, _ := extracttest.All(t, pdftest.Open(t, extract.DefaultLimits, nil), extracttest.Write(t, "form.pdf", pdfType, b.bytes()), 1)
	if want := "Your name: Anna Berg"; pages[0].Text != want {
		t.Errorf("%q, want %q", pages[0].Text, want)
	}
}
