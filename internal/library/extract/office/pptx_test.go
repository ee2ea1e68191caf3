package office_test

import (
	"testing"

	"confidant/internal/library/extract"
	"confidant/internal/library/extract/extracttest"
	"confidant/internal/library/extract/office"
)

func TestPPTX(t *testing.T) {
	cell := func(text, props string) string {
		return `<a:tc` + props + `><a:txBody><a:p><a:r><a:t>` + text + `</a:t></a:r></a:p></a:txBody></a:tc>`
	}
	table := `<p:graphicFrame><a:tbl><a:tr>` + cell("Name", "") + cell("Value", "") + `</a:tr><a:tr>` + cell("a|b", ` gridSpan="2"`) + cell("", ` hMerge="1"`) + `</a:tr></a:tbl></p:graphicFrame>`
	f := office.PPTX{Limits: extract.DefaultLimits}
	extracttest.Run(t, f, extracttest.Case{Name: "slides.pptx", Type: typePPTX, Title: "The title",
		Content: pptx(t,
			shape("body", "point", ">below")+shape("", "free", "text")+shape("title", "The last", "slide")+shape("ftr", "footer")+`<p:grpSp>`+table+`</p:grpSp>`,
			`<p:pic><a:blip/></p:pic>`,
			shape("ctrTitle", "日本語 שלום")+shape("subTitle", "Sub")),
		Pages: [][]string{{"# 日本語 שלום\n\nSub"}, {}, {"# The last slide\n\n- point\n  - below\n\nfree\n\ntext\n\n| Name | Value |\n| --- | --- |\n| a\\|b |  |\n\n## Notes\n\nSpeak slowly."}}})

	pages, _ := extracttest.All(t, f, extracttest.Write(t, "a.pptx", typePPTX, pptx(t, `<p:pic><a:blip/></p:pic>`, "")), 1)
	if pages[0].Note != extract.NoteEmpty || pages[1].Note != "" {
		t.Errorf("an empty slide and one with notes: %+v", pages)
	}
}
