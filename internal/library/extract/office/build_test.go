package office_test

import (
	"archive/zip"
	"bytes"
	"strings"
	"testing"
)

const (
	typeDOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
	typePPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
	typeXLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

	relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	namespace = ` xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="` + relations + `"` +
		` xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"` +
		` xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"`
	properties = `<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/">
<dc:title>The
 title</dc:title><dcterms:modified>2024-05-01T10:00:00Z</dcterms:modified></cp:coreProperties>`
)

// part is one of a package.
type part struct{ name, content string }

func pack(t testing.TB, parts ...part) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, p := range parts {
		f, err := w.Create(p.name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(p.content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// rels is the part with the relations of a part: id, kind and target, in turn.
func rels(of string, list ...string) part {
	var b strings.Builder
	b.WriteString(`<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`)
	for i := 0; i < len(list); i += 3 {
		b.WriteString(`<Relationship Id="` + list[i] + `" Type="` + relations + "/" + list[i+1] + `" Target="` + list[i+2] + `"/>`)
	}
	folder, name := "", of
	if i := strings.LastIndexByte(of, '/'); i >= 0 {
		folder, name = of[:i+1], of[i+1:]
	}
	return part{folder + "_rels/" + name + ".rels", b.String() + "</Relationships>"}
}

// docx is a text document with a body, and other parts.
func docx(t testing.TB, body string, parts ...part) []byte {
	return pack(t, append([]part{
		rels("", "rId1", "officeDocument", "word/document.xml", "rId2", "core-properties", "/docProps/core.xml"),
		{"docProps/core.xml", properties},
		rels("word/document.xml", "rId1", "styles", "styles.xml", "rId2", "numbering", "numbering.xml", "rId3", "footnotes", "footnotes.xml"),
		{"word/document.xml", `<?xml version="1.0" encoding="UTF-8" standalone="yes"?><w:document` + namespace + `><w:body>` + body + `</w:body></w:document>`},
	}, parts...)...)
}

// para is a paragraph with a text and, if there are any, properties.
func para(text string, props ...string) string {
	return `<w:p><w:pPr>` + strings.Join(props, "") + `</w:pPr><w:r><w:t xml:space="preserve">` + text + `</w:t></w:r></w:p>`
}

// pptx is a presentation of slides, each of which has shapes.
func pptx(t testing.TB, slides ...string) []byte {
	parts := []part{rels("", "rId1", "officeDocument", "ppt/presentation.xml", "rId2", "core-properties", "docProps/core.xml"), {"docProps/core.xml", properties}}
	list, targets := "", []string{}
	for i, s := range slides {
		id := string(rune('a' + i))
		list = `<p:sldId id="25` + id + `" r:id="` + id + `"/>` + list // the last file is the first slide
		targets = append(targets, id, "slide", "slides/"+id+".xml")
		parts = append(parts, part{"ppt/slides/" + id + ".xml", `<p:sld` + namespace + `><p:cSld><p:spTree>` + s + `</p:spTree></p:cSld></p:sld>`})
	}
	parts = append(parts, part{"ppt/presentation.xml", `<p:presentation` + namespace + `><p:sldIdLst>` + list + `</p:sldIdLst></p:presentation>`}, rels("ppt/presentation.xml", targets...))
	return pack(t, append(parts,
		rels("ppt/slides/a.xml", "n", "notesSlide", "../notesSlides/n.xml"),
		part{"ppt/notesSlides/n.xml", `<p:notes` + namespace + `><p:cSld><p:spTree>` + shape("sldImg", "picture") + shape("body", "Speak slowly.") + shape("sldNum", "7") + `</p:spTree></p:cSld></p:notes>`})...)
}

// shape is one with paragraphs; those that begin with > are one level deeper.
func shape(kind string, paragraphs ...string) string {
	var b strings.Builder
	b.WriteString(`<p:sp><p:nvSpPr><p:nvPr>`)
	if kind != "" {
		b.WriteString(`<p:ph type="` + kind + `"/>`)
	}
	b.WriteString(`</p:nvPr></p:nvSpPr><p:txBody>`)
	for _, text := range paragraphs {
		level := "0"
		if rest, ok := strings.CutPrefix(text, ">"); ok {
			level, text = "1", rest
		}
		b.WriteString(`<a:p><a:pPr lvl="` + level + `"/><a:r><a:t>` + text + `</a:t></a:r></a:p>`)
	}
	return b.String() + `</p:txBody></p:sp>`
}

// xlsx is a workbook of sheets with these rows.
func xlsx(t testing.TB, shared string, sheets ...string) []byte {
	parts := []part{
		rels("", "rId1", "officeDocument", "xl/workbook.xml"),
		{"xl/sharedStrings.xml", `<sst>` + shared + `</sst>`},
		{"xl/styles.xml", `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="[$-407]d&quot;. day &quot;mmm\ yyyy;@"/><numFmt numFmtId="165" formatCode="[h]:mm"/></numFmts>
<cellStyleXfs><xf numFmtId="9"/></cellStyleXfs>
<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="10"/><xf numFmtId="164"/><xf numFmtId="22"/><xf numFmtId="20"/><xf numFmtId="165"/></cellXfs></styleSheet>`},
	}
	list, targets := "", []string{"s", "sharedStrings", "sharedStrings.xml", "f", "styles", "styles.xml", "x", "chartsheet", "chart.xml"}
	for i, rows := range sheets {
		id := string(rune('a' + i))
		list += `<sheet name="Sheet ` + id + `" r:id="` + id + `"/>`
		targets = append(targets, id, "worksheet", "worksheets/"+id+".xml")
		parts = append(parts, part{"xl/worksheets/" + id + ".xml", `<worksheet><sheetData>` + rows + `</sheetData></worksheet>`})
	}
	parts = append(parts, part{"xl/workbook.xml", `<workbook` + namespace + `><sheets><sheet name="Chart" r:id="x"/>` + list + `</sheets></workbook>`}, rels("xl/workbook.xml", targets...))
	return pack(t, parts...)
}
