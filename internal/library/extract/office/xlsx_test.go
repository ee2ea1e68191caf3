package office_test

import (
	"fmt"
	"strings"
	"testing"

	"confidant/internal/library/extract"
	"confidant/internal/library/extract/extracttest"
	"confidant/internal/library/extract/office"
)

func TestXLSX(t *testing.T) {
	f := office.XLSX{Limits: extract.DefaultLimits}
	shared := `<si><t>Name</t></si><si><r><t>rich </t></r><r><t>text</t></r><rPh><t>no</t></rPh></si><si><t>a|b
c</t></si><si><t>日本語</t></si>`
	extracttest.Run(t, f, extracttest.Case{Name: "book.xlsx", Type: typeXLSX, Content: xlsx(t, shared,
		`<row><c r="B2" t="s"><v>0</v></c><c r="D2" t="s"><v>1</v></c></row><row/><row><c t="s"><v>2</v></c><c r="B4" t="inlineStr"><is><t>in</t></is></c><c r="D4" t="b"><v>1</v></c></row>
<row><c r="B5" t="e"><v>#DIV/0!</v></c><c r="D5"><f>SUM(A1:A2)</f></c></row><row><c r="B6" t="str"><f>A1</f><v>שלום</v></c><c r="D6"><v>0.30000000000000004</v></c></row>`,
		`<row><c t="s"><v>3</v></c><c t="s"><v>99</v></c></row><row>`+
			`<c s="1"><v>45413</v></c><c s="2"><v>0.125</v></c><c s="3"><v>45413</v></c><c s="4"><v>45413.5</v></c><c s="5"><v>0.75</v></c><c s="6"><v>1.5</v></c><c s="1"><v>-1</v></c><c s="99"><v>7</v></c></row>`,
		``),
		Pages: [][]string{
			{"|  | Name | rich text |\n| --- | --- | --- |\n", "a\\|b c |"},
			{"| 日本語 | … |", "| 2024-05-01 | 12.5% | 2024-05-01 | 2024-05-01 12:00:00 | 18:00:00 | 36:00:00 | -1 | 7 |"},
			{},
		}})
	pages, _ := extracttest.All(t, f, extracttest.Write(t, "b.xlsx", typeXLSX, xlsx(t, shared,
		`<row><c r="B2" t="s"><v>0</v></c><c r="D2" t="s"><v>1</v></c></row><row><c r="B4" t="inlineStr"><is><t>in</t></is></c><c r="D4" t="b"><v>1</v></c></row>`)), 1)
	if want := "| Name | rich text |\n| --- | --- |\n| in | TRUE |"; pages[0].Text != want || pages[0].Label != "Sheet a" {
		t.Errorf("%+v, want %q", pages[0], want)
	}
}

func TestALargeSheetIsCut(t *testing.T) {
	l := extract.DefaultLimits
	l.PageBytes = 20_000
	var rows strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&rows, `<row><c t="str"><v>row %d</v></c></row>`, i)
	}
	pages, _ := extracttest.All(t, office.XLSX{Limits: l}, extracttest.Write(t, "a.xlsx", typeXLSX, xlsx(t, "", rows.String(), `<row><c><v>1</v></c></row>`)), 1)
	if len(pages) != 2 || pages[0].Note != extract.NoteCut || len(pages[0].Text) < 10_000 || len(pages[0].Text) > 20_000 || pages[1].Note != "" {
		t.Errorf("%d pages, %q, %d bytes", len(pages), pages[0].Note, len(pages[0].Text))
	}
}

func FuzzXLSX(f *testing.F) {
	f.Add(`<si><t>a</t></si>`, `<row><c r="B2" t="s" s="1"><v>0</v></c></row>`, `<cellXfs><xf numFmtId="164"/></cellXfs>`)
	f.Add(`<si><r>`, `<row><c r="ZZZZZZ1"><f>A</f></c><c s="-1"><v>1e308</v></c><row>`, `<numFmt formatCode="[h`)
	f.Fuzz(func(t *testing.T, shared, rows, styles string) {
		content := xlsx(t, shared, rows)
		readAll(t, office.XLSX{Limits: extract.DefaultLimits}, typeXLSX, content)
		readAll(t, office.XLSX{Limits: extract.DefaultLimits}, typeXLSX, pack(t,
			rels("", "a", "officeDocument", "w.xml"), rels("w.xml", "s", "styles", "s.xml", "t", "worksheet", "t.xml"),
			part{"w.xml", `<workbook` + namespace + `><sheet r:id="t"/></workbook>`}, part{"s.xml", "<s>" + styles + "</s>"}, part{"t.xml", "<s>" + rows + "</s>"}))
	})
}
