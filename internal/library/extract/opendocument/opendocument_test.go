package opendocument_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"confidant/internal/chat"
	"confidant/internal/library/extract"
	"confidant/internal/library/extract/extracttest"
	"confidant/internal/library/extract/opendocument"
)

const (
	typeODT    = "application/vnd.oasis.opendocument.text"
	typeODS    = "application/vnd.oasis.opendocument.spreadsheet"
	typeODP    = "application/vnd.oasis.opendocument.presentation"
	namespaces = ` xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"` +
		` xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"` +
		` xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0"` +
		` xmlns:number="urn:oasis:names:tc:opendocument:xmlns:datastyle:1.0" xmlns:presentation="urn:oasis:names:tc:opendocument:xmlns:presentation:1.0"`
	automatic = `<number:date-style><number:text>.</number:text></number:date-style>
<style:style style:name="P1" style:family="paragraph" style:parent-style-name="Before"/>
<style:style style:name="P2" style:family="paragraph"><style:paragraph-properties fo:break-after="page"/></style:style>
<style:style style:name="P3" style:family="paragraph" style:parent-style-name="Title"/>
<style:style style:name="P4" style:family="paragraph" style:parent-style-name="P5"/><style:style style:name="P5" style:family="paragraph" style:parent-style-name="P4"/>
<text:list-style style:name="L1"><text:list-level-style-bullet text:level="1"/><text:list-level-style-number text:level="2" style:num-format="a"/></text:list-style>
<text:list-style style:name="L2"><text:list-level-style-number text:level="1" style:num-format="1"/></text:list-style>`
)

// packed is a document with this body, and other parts: name and content, in turn.
func packed(t testing.TB, body string, parts ...string) []byte {
	t.Helper()
	parts = append(parts,
		"meta.xml", `<m xmlns:dc="d"><dc:title>The title</dc:title><dc:date>2024-05-01T10:00:00.5</dc:date></m>`,
		"styles.xml", `<office:document-styles`+namespaces+`><style:style style:name="Before" style:family="paragraph"><style:paragraph-properties fo:break-before="page"/></style:style><office:master-styles><text:p>footer</text:p></office:master-styles></office:document-styles>`,
		"content.xml", `<office:document-content`+namespaces+`><office:automatic-styles>`+automatic+`</office:automatic-styles><office:body>`+body+`</office:body></office:document-content>`)
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(parts); i += 2 {
		f, err := w.Create(parts[i])
		if err != nil {
			t.Fatal(err)
		}
		f.Write([]byte(parts[i+1]))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func text(body string) string { return "<office:text>" + body + "</office:text>" }

func p(text string) string { return "<text:p>" + text + "</text:p>" }

func TestTexts(t *testing.T) {
	cell := func(body string) string { return `<table:table-cell>` + body + `</table:table-cell>` }
	extracttest.Run(t, opendocument.Format{Limits: extract.DefaultLimits},
		extracttest.Case{Name: "structure.odt", Type: typeODT, Title: "The title", Content: packed(t, text(
			`<text:tracked-changes>`+p("deleted")+`</text:tracked-changes><text:p text:style-name="P3">Name</text:p><text:h text:outline-level="2">A <text:span>heading</text:span></text:h>`+
				"<text:p text:style-name=\"P4\">\n  one  two<text:s text:c=\"3\"/>x<text:tab/>y<text:line-break/>z<office:annotation>"+p("comment")+"</office:annotation><text:note><text:note-citation>1</text:note-citation><text:note-body>"+p("What the note says.")+"</text:note-body></text:note></text:p>"+
				`<text:list text:style-name="L1"><text:list-item>`+p("first")+`<text:list><text:list-item>`+p("below")+`</text:list-item></text:list></text:list-item><text:list-item>`+p("second")+`</text:list-item></text:list>`+
				`<text:list text:style-name="L2"><text:list-item>`+p("one")+`</text:list-item><text:list-item>`+p("two")+p("more")+`</text:list-item></text:list>`+
				p(`Beside<draw:frame><draw:text-box>`+p("a box")+`</draw:text-box></draw:frame> it`)),
			"../../etc/passwd", "root"),
			Pages: [][]string{{"# Name\n\n## A heading\n\none two   x\ty\nz[^1]\n\n[^1]: What the note says.\n\n- first\n  1. below\n- second\n\n1. one\n2. two\n\nmore\n\nBeside it\n\na box"}}},
		extracttest.Case{Name: "tables.odt", Type: typeODT, Title: "The title", Content: packed(t, text(
			p("Before")+`<table:table><table:table-header-rows><table:table-row>`+cell(p("Name"))+cell(p("a|b"))+cell(p("c"))+`</table:table-row></table:table-header-rows>`+
				`<table:table-row><table:table-cell table:number-columns-repeated="2">`+p("same")+`</table:table-cell>`+cell(`<table:table><table:table-row>`+cell(p("in"))+cell(p("ner"))+`</table:table-row></table:table>`)+`</table:table-row><text:soft-page-break/>`+
				`<table:table-row>`+cell(p("x"))+`<table:covered-table-cell/>`+cell(p("z"))+`</table:table-row></table:table>`+p("After"))),
			Pages: [][]string{{"Before\n\n| Name | a\\|b | c |\n| --- | --- | --- |\n| same | same | in ner |"}, {"| Name | a\\|b | c |\n| --- | --- | --- |\n| x |  | z |\n\nAfter"}}},
		extracttest.Case{Name: "pages.odt", Type: typeODT, Title: "The title", Content: packed(t, text(
			p("one")+`<text:p text:style-name="P1">two <text:soft-page-break/>three</text:p><text:p text:style-name="P2">still three</text:p>`+p(`<draw:frame><draw:image/></draw:frame>`)+`<text:soft-page-break/>`+p("שלום 日本語"))),
			Pages: [][]string{{"one"}, {"two"}, {"three\n\nstill three"}, {}, {"שלום 日本語"}}},
	)
}

func TestSheetsAndSlides(t *testing.T) {
	cell := func(attributes, text string) string {
		return `<table:table-cell ` + attributes + `>` + p(text) + `</table:table-cell>`
	}
	frame := func(class, body string) string {
		return `<draw:frame presentation:class="` + class + `"><draw:text-box>` + body + `</draw:text-box></draw:frame>`
	}
	f := opendocument.Format{Limits: extract.DefaultLimits}
	extracttest.Run(t, f,
		extracttest.Case{Name: "book.ods", Type: typeODS, Title: "The title", Content: packed(t, `<office:spreadsheet><table:table table:name="First">`+
			`<table:table-row table:number-rows-repeated="1000000"><table:table-cell table:number-columns-repeated="16384"/></table:table-row>`+
			`<table:table-row><table:table-cell table:number-columns-repeated="3"/>`+cell("", "Day")+`<table:table-cell/>`+cell("", "Sum")+`</table:table-row>`+
			`<table:table-row table:number-rows-repeated="2"><table:table-cell table:number-columns-repeated="3"/>`+cell(`office:date-value="2024-05-01T12:00:00"`, "01.05.24")+`<table:table-cell/>`+cell("", "1,5")+`<table:table-cell table:number-columns-repeated="16378"/></table:table-row>`+
			`</table:table><table:table table:name="Second"/></office:spreadsheet>`),
			Pages: [][]string{{"| Day | Sum |\n| --- | --- |\n| 2024-05-01 12:00:00 | 1,5 |\n| 2024-05-01 12:00:00 | 1,5 |"}, {}}},
		extracttest.Case{Name: "slides.odp", Type: typeODP, Title: "The title", Content: packed(t, `<office:presentation><draw:page>`+frame("outline", p("point"))+frame("title", p("The")+p("title"))+frame("footer", p("7"))+
			`<presentation:notes><draw:page-thumbnail/>`+frame("notes", p("Speak slowly."))+`</presentation:notes></draw:page><draw:page><draw:frame><draw:image/></draw:frame></draw:page></office:presentation>`),
			Pages: [][]string{{"point\n\n# The title\n\n## Notes\n\nSpeak slowly."}, {}}},
	)
	full := strings.Repeat(`<table:table-row table:number-rows-repeated="1048576"><table:table-cell table:number-columns-repeated="16384">`+p("x")+`</table:table-cell></table:table-row>`, 10)
	pages, _ := extracttest.All(t, f, extracttest.Write(t, "x.ods", typeODS, packed(t, `<office:spreadsheet><table:table>`+full+`</table:table></office:spreadsheet>`)), 1)
	if len(pages) != 1 || pages[0].Note != extract.NoteCut {
		t.Errorf("a sheet of 172 thousand million cells: %d pages, %q", len(pages), pages[0].Note)
	}
}

func TestDocumentsThatAreRefused(t *testing.T) {
	small := extract.DefaultLimits
	small.Expanded = 1 << 20
	for _, c := range []struct {
		name, want string
		content    []byte
	}{
		{"empty", "The file is empty.", nil},
		{"no zip", "damaged", []byte("words")},
		{"encrypted", "without a password", packed(t, "", "META-INF/manifest.xml", `<m:manifest xmlns:m="m"><m:file-entry><m:encryption-data/></m:file-entry></m:manifest>`)},
		{"entities", "entities", packed(t, "", "META-INF/manifest.xml", `<!DOCTYPE m [<!ENTITY a "a">]><m/>`)},
		{"deep", "deeply", packed(t, text(strings.Repeat(`<text:list><text:list-item>`, 200)))},
		{"bomb", "larger than 1 MB", packed(t, text(strings.Repeat(p("bomb"), 100_000)))},
	} {
		err := read(t, opendocument.Format{Limits: small}, typeODT, c.content)
		if failed, ok := errors.AsType[*chat.Error](err); !ok || !strings.Contains(failed.Detail, c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

func read(t testing.TB, f extract.Format, mime string, content []byte) error {
	d, err := f.Open(t.Context(), extracttest.Write(t, "x", mime, content))
	if err != nil {
		return err
	}
	defer d.Close()
	for p, err := range d.Pages(t.Context(), 1) {
		if err != nil {
			return err
		}
		if !utf8.ValidString(p.Text) || strings.ContainsRune(p.Text, 0) {
			t.Errorf("page %d is no text: %q", p.Number, p.Text)
		}
	}
	return nil
}

func FuzzOpenDocument(f *testing.F) {
	f.Add(typeODT, text(`<text:list text:style-name="L1"><text:list-item>`+p("x")+`</text:list-item></text:list><text:h text:outline-level="-1">x</text:h>`))
	f.Add(typeODS, `<office:spreadsheet><table:table><table:table-row table:number-rows-repeated="9999999999"><table:table-cell table:number-columns-repeated="-1">`+p("x"))
	f.Add(typeODP, `<office:presentation><draw:page><presentation:notes><draw:frame presentation:class="notes">`+p("x"))
	f.Fuzz(func(t *testing.T, mime, body string) {
		err := read(t, opendocument.Format{Limits: extract.DefaultLimits}, mime, packed(t, body))
		if err != nil {
			if _, ok := errors.AsType[*chat.Error](err); !ok {
				t.Errorf("%v is not the file's", err)
			}
		}
	})
}
