package office_test

import (
	"testing"

	"confidant/internal/library/extract"
	"confidant/internal/library/extract/extracttest"
	"confidant/internal/library/extract/office"
)

var styles = part{"word/styles.xml", `<w:styles` + namespace + `>
<w:style w:type="paragraph" w:styleId="berschrift1"><w:name w:val="heading 1"/><w:basedOn w:val="Standard"/></w:style>
<w:style w:type="paragraph" w:styleId="Kapitel"><w:name w:val="Kapitel"/><w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="Mein"><w:name w:val="Mein Kapitel"/><w:basedOn w:val="Kapitel"/></w:style>
<w:style w:type="paragraph" w:styleId="A"><w:name w:val="A"/><w:basedOn w:val="B"/></w:style>
<w:style w:type="paragraph" w:styleId="B"><w:name w:val="B"/><w:basedOn w:val="A"/></w:style>
<w:style w:type="paragraph" w:styleId="Aufzhlung"><w:name w:val="List Bullet"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>
</w:styles>`}

var lists = part{"word/numbering.xml", `<w:numbering` + namespace + `>
<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/><w:lvlText w:val="&#xf0b7;"/></w:lvl><w:lvl w:ilvl="1"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum>
<w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl><w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="lowerRoman"/><w:lvlText w:val="%1.%2)"/></w:lvl></w:abstractNum>
<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>
<w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>
<w:num w:numId="3"><w:abstractNumId w:val="1"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/></w:lvlOverride></w:num>
</w:numbering>`}

var notes = part{"word/footnotes.xml", `<w:footnotes` + namespace + `>
<w:footnote w:type="separator" w:id="0"><w:p><w:r><w:t>line</w:t></w:r></w:p></w:footnote>
<w:footnote w:id="2"><w:p><w:r><w:t>What the note says.</w:t></w:r></w:p></w:footnote></w:footnotes>`}

func item(text, list, level string) string {
	return para(text, `<w:numPr><w:ilvl w:val="`+level+`"/><w:numId w:val="`+list+`"/></w:numPr>`)
}

func styled(text, style string) string { return para(text, `<w:pStyle w:val="`+style+`"/>`) }

const rendered = `<w:r><w:lastRenderedPageBreak/></w:r>`

func TestDOCX(t *testing.T) {
	cell := func(props, blocks string) string {
		return `<w:tc><w:tcPr>` + props + `</w:tcPr>` + blocks + `</w:tc>`
	}
	grid := `<w:tblGrid><w:gridCol/><w:gridCol/><w:gridCol/></w:tblGrid>`
	frame := `<w:tbl><w:tblGrid><w:gridCol/></w:tblGrid><w:tr>` + cell("", styled("Framed", "berschrift1")+para("Text in a frame")) + `</w:tr></w:tbl>`
	table := `<w:tbl>` + grid +
		`<w:tr>` + cell("", para("Name")) + cell(`<w:gridSpan w:val="2"/>`, para("Both")) + `</w:tr>` +
		`<w:tr>` + cell(`<w:vMerge w:val="restart"/>`, para("one")+para("more | less")) + cell("", `<w:tbl>`+grid+`<w:tr>`+cell("", para("in"))+cell("", para("ner"))+`</w:tr></w:tbl>`) + cell("", para("3")) + `</w:tr>` +
		`<w:tr><w:trPr><w:del/></w:trPr>` + cell("", para("deleted row")) + `</w:tr>` +
		`<w:tr>` + cell(`<w:vMerge/>`, `<w:p/>`) + cell("", `<w:p>`+rendered+`<w:r><w:t>next page</w:t></w:r></w:p>`) + cell("", para("5")) + `</w:tr></w:tbl>`
	extracttest.Run(t, office.DOCX{Limits: extract.DefaultLimits},
		extracttest.Case{Name: "structure.docx", Type: typeDOCX, Title: "The title", Content: docx(t,
			styled("Einleitung", "berschrift1")+styled("Zweites", "Mein")+styled("No heading", "A")+para("Direct", `<w:outlineLvl w:val="2"/>`)+
				`<w:p><w:r><w:t>Grüße </w:t></w:r><w:del><w:r><w:delText>gone</w:delText><w:t>gone</w:t></w:r></w:del><w:ins><w:r><w:t>aus</w:t></w:r></w:ins><w:hyperlink><w:r><w:t xml:space="preserve"> Köln</w:t><w:footnoteReference w:id="2"/><w:tab/><w:t>x</w:t><w:noBreakHyphen/><w:t>y</w:t><w:br/><w:t>z</w:t></w:r></w:hyperlink></w:p>`+
				styled("first", "Aufzhlung")+styled("second", "Aufzhlung")+item("below", "1", "1")+
				item("one", "2", "0")+item("deep", "2", "1")+item("deeper", "2", "1")+item("two", "2", "0")+item("seven", "3", "0"),
			styles, lists, notes, part{"../../etc/passwd", "root"}),
			Pages: [][]string{{"# Einleitung\n\n## Zweites\n\nNo heading\n\n### Direct\n\nGrüße aus Köln[^1]\tx-y\nz\n\n[^1]: What the note says.\n\n" +
				"- first\n- second\n  - below\n\n1. one\n  1.i) deep\n  1.ii) deeper\n2. two\n\n7. seven"}}},
		extracttest.Case{Name: "tables.docx", Type: typeDOCX, Title: "The title", Content: docx(t, frame+para("Before")+table+para("After"), styles),
			Pages: [][]string{{"# Framed\n\nText in a frame\n\nBefore\n\n| Name | Both |  |\n| --- | --- | --- |\n| one more \\| less | in ner | 3 |"},
				{"| Name | Both |  |\n| --- | --- | --- |\n|  | next page | 5 |\n\nAfter"}}},
		extracttest.Case{Name: "pages.docx", Type: typeDOCX, Title: "The title", Content: docx(t,
			para("one")+`<w:p><w:r><w:br w:type="page"/></w:r></w:p>`+`<w:p>`+rendered+`<w:r><w:t>two, </w:t><w:lastRenderedPageBreak/><w:t>three</w:t></w:r></w:p>`+
				para("four", `<w:pageBreakBefore/>`)+`<w:p>`+rendered+`<w:r><w:drawing><a:blip/></w:drawing></w:r></w:p>`+
				`<w:p>`+rendered+`<w:r><w:t>six</w:t></w:r></w:p>`+para("end of the section", `<w:sectPr/>`)+para("eight")),
			Pages: [][]string{{"one"}, {"two,"}, {"three"}, {"four"}, {}, {"six", "end of the section"}, {"eight"}}},
		extracttest.Case{Name: "boxes.docx", Type: typeDOCX, Title: "The title", Content: docx(t,
			`<w:p><w:r><w:t>Beside</w:t><mc:AlternateContent><mc:Choice><wps:txbx><w:txbxContent>`+para("in a box")+`</w:txbxContent></wps:txbx></mc:Choice><mc:Fallback><w:txbxContent>`+para("in a box")+`</w:txbxContent></mc:Fallback></mc:AlternateContent></w:r><w:r><w:t> goes on</w:t></w:r></w:p>`+
				`<w:sdt><w:sdtPr><w:t>no</w:t></w:sdtPr><w:sdtContent>`+para("in a field")+`</w:sdtContent></w:sdt>`),
			Pages: [][]string{{"Beside goes on\n\nin a box\n\nin a field"}}},
		extracttest.Case{Name: "scripts.docx", Type: typeDOCX, Title: "The title", Content: docx(t,
			para("שלום עולם", `<w:bidi/>`)+para("مرحبا بالعالم")+para("日本語のテキスト")+para("한국어")),
			Pages: [][]string{{"שלום עולם\n\nمرحبا بالعالم\n\n日本語のテキスト\n\n한국어"}}},
		extracttest.Case{Name: "empty.docx", Type: typeDOCX, Title: "The title", Content: docx(t, `<w:p/>`), Pages: [][]string{{}}},
	)
}

// FuzzDOCX has the fuzzer write the parts, which it could not by changing a zip file.
func FuzzDOCX(f *testing.F) {
	f.Add(styled("Heading", "berschrift1")+item("one", "2", "0"), styles.content, lists.content)
	f.Add(`<w:tbl><w:tr><w:tc>`+para("x")+`</w:tc></w:tr></w:tbl><w:p>`+rendered+`<w:r><w:footnoteReference w:id="2"/></w:r></w:p>`, "", "")
	f.Add(`<w:p><w:txbxContent><w:p><w:txbxContent>`, "<x", "<!DOCTYPE a [<!ENTITY b 'c'>]>")
	f.Fuzz(func(t *testing.T, body, styles, numbering string) {
		readAll(t, office.DOCX{Limits: extract.DefaultLimits}, typeDOCX,
			docx(t, body, part{"word/styles.xml", styles}, part{"word/numbering.xml", numbering}, notes))
	})
}
