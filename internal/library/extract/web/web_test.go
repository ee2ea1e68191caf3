package web_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/text/encoding/japanese"

	"confidant/internal/chat"
	"confidant/internal/library/extract"
	"confidant/internal/library/extract/extracttest"
	"confidant/internal/library/extract/web"
)

var article = `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Bridges &amp; rivers</title>
<meta property="article:modified_time" content="2024-05-01T10:00:00Z"><style>p { color: red }</style></head><body>
<nav><ul><li><a href="/">Home of the site</a></li><li><a href="/all">All articles of it</a></li></ul></nav>
<header class="banner"><p>Subscribe to our newsletter today</p></header>
<main><article><h1>Bridges and rivers</h1>` + strings.Repeat(`<p>The bridge over the river was built in a time when <a href="/x">stone</a> was cheap and labour was cheaper still.</p>`, 3) + `
<h2>Lengths</h2><p>The following table has their lengths, measured <strong>by hand</strong> in the summer of the year.</p>
<table><caption>All bridges</caption><thead><tr><th>Name</th><th>Length</th></tr></thead><tbody><tr><td>Old | new</td><td rowspan="2">120 m</td></tr><tr><td><p>Third</p></td></tr></tbody></table>
<ul><li>first thing to know about bridges</li><li>second thing<ol><li>below it</li></ol></li></ul>
<pre><code class="language-go">x := 1
y := 2</code></pre><p style="display: none">hidden words</p><script>alert("script")</script></article></main>
<aside><p>You might also like this</p></aside><footer><p>Imprint and privacy</p></footer></body></html>`

const typeHTML = "text/html"

func TestPages(t *testing.T) {
	sjis, err := japanese.ShiftJIS.NewEncoder().String(`<html><head><meta charset="shift_jis"><title>猫</title></head><body><h1>吾輩は猫である</h1><p>名前はまだ無い。</p></body></html>`)
	if err != nil {
		t.Fatal(err)
	}
	extracttest.Run(t, web.Page{Limits: extract.DefaultLimits},
		extracttest.Case{Name: "article.html", Type: typeHTML, Title: "Bridges & rivers", Content: []byte(article),
			Pages: [][]string{{"# Bridges and rivers\n\nThe bridge over the river was built in a time when stone was cheap", "## Lengths\n\nThe following table has their lengths, measured by hand",
				"All bridges\n\n| Name | Length |\n| --- | --- |\n| Old \\| new | 120 m |\n| Third |  |\n\n- first thing", "second thing", "1. below it", "```go\nx := 1\ny := 2\n```"}}},
		extracttest.Case{Name: "japanese.html", Type: typeHTML, Title: "猫", Content: []byte(sjis), Pages: [][]string{{"# 吾輩は猫である\n\n名前はまだ無い。"}}},
		extracttest.Case{Name: "latin.html", Type: typeHTML, Title: "Grüße", Content: []byte("<html><head><meta http-equiv=\"Content-Type\" content=\"text/html; charset=iso-8859-1\"><title>Gr\xfc\xdfe</title></head><body>\x84K\xf6ln\x93</body></html>"), Pages: [][]string{{"„Köln“"}}},
		extracttest.Case{Name: "xhtml.html", Type: typeHTML, Title: "T", Content: []byte("<?xml version=\"1.0\" encoding=\"ISO-8859-15\"?><html xmlns=\"http://www.w3.org/1999/xhtml\"><head><title>T</title></head><body><p>5 \xa4</p></body></html>"), Pages: [][]string{{"5 €"}}},
		extracttest.Case{Name: "hebrew.html", Type: typeHTML, Title: "שלום", Content: []byte(`<html dir="rtl"><body><h1>שלום</h1><p>עולם גדול</p><p>مرحبا</p></body></html>`), Pages: [][]string{{"# שלום\n\nעולם גדול\n\nمرحبا"}}},
		extracttest.Case{Name: "frames.html", Type: typeHTML, Title: "", Content: []byte(`<table><tr><td><h2>Left</h2><p>one</p></td><td><table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table></td></tr></table>`), Pages: [][]string{{"## Left\n\none\n\n| a | b |\n| --- | --- |\n| c | d |"}}},
		extracttest.Case{Name: "described.html", Type: typeHTML, Title: "", Content: []byte(`<p>Before</p><img alt="A bridge over&#10;the river" src="x.png"><p>After <img alt=icon></p>`), Pages: [][]string{{"Before\n\n![A bridge over the river]()\n\nAfter"}}},
		extracttest.Case{Name: "picture.html", Type: typeHTML, Title: "", Content: []byte(`<img src="x.png">`), Pages: [][]string{{}}},
	)
}

func TestFurnitureIsLeftOut(t *testing.T) {
	f := web.Page{Limits: extract.DefaultLimits}
	pages, info := extracttest.All(t, f, extracttest.Write(t, "a.html", typeHTML, []byte(article)), 1)
	for _, phrase := range []string{"Home of the site", "Subscribe", "hidden words", "script", "You might also like", "Imprint", "color: red"} {
		if strings.Contains(pages[0].Text, phrase) {
			t.Errorf("%q is in the text:\n%s", phrase, pages[0].Text)
		}
	}
	if !info.Modified.Equal(time.Date(2024, 5, 1, 10, 0, 0, 0, time.UTC)) {
		t.Errorf("modified %v", info.Modified)
	}
}

func TestALongPageIsDividedAtItsHeadings(t *testing.T) {
	var b strings.Builder
	for i := range 30 {
		fmt.Fprintf(&b, "<h2>Part %d</h2><p>%s</p>", i, strings.Repeat("The text of this part goes on for a while. ", 40))
	}
	pages, _ := extracttest.All(t, web.Page{Limits: extract.DefaultLimits}, extracttest.Write(t, "a.html", typeHTML, []byte("<title>t</title><body><main>"+b.String()+"</main>")), 1)
	if len(pages) < 15 {
		t.Fatalf("%d pages", len(pages))
	}
	for _, p := range pages {
		if !strings.HasPrefix(p.Text, "## Part ") {
			t.Errorf("page %d begins with %.30q", p.Number, p.Text)
		}
	}
}

func TestHostilePages(t *testing.T) {
	for _, c := range []struct{ name, content, want string }{
		{"empty", "", "The file is empty."},
		{"deep", strings.Repeat("<div>", 20_000) + "x", "deeply"},
		{"large", strings.Repeat("x", 17<<20), "larger than 16 MB"},
		{"formatting", strings.Repeat("<b><i><u>x", 100) + strings.Repeat("</p><p>x", 1000), ""},
		{"table of all columns", `<table>` + strings.Repeat(`<tr><td colspan="1000" rowspan="1000">x</td><td>y</td></tr>`, 500) + `</table>`, ""},
		{"links", strings.Repeat(`<a href="x">`, 20_000) + "x", ""},
		{"cells", "<table>" + strings.Repeat("<tr>"+strings.Repeat("<td>x", 100), 500), ""},
		{"attributes", "<p " + strings.Repeat("a=b ", 100_000) + ">x", ""},
	} {
		begun := time.Now()
		err := read(t, web.Page{Limits: extract.DefaultLimits}, []byte(c.content))
		if took := time.Since(begun); took > time.Minute {
			t.Errorf("%s took %v", c.name, took)
		}
		failed, ok := errors.AsType[*chat.Error](err)
		if c.want == "" && err != nil || c.want != "" && (!ok || !strings.Contains(failed.Detail, c.want)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

func read(t testing.TB, f extract.Format, content []byte) error {
	t.Helper()
	d, err := f.Open(t.Context(), extracttest.Write(t, "x", "", content))
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

// packed is an archive of parts: name and content, in turn.
func packed(t testing.TB, parts ...string) []byte {
	t.Helper()
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

const container = `<container><rootfiles><rootfile full-path="OEBPS/content.opf"/></rootfiles></container>`

// opf is the package document of a book with these chapters.
func opf(more string, chapters ...string) string {
	manifest, spine := "", ""
	for _, c := range chapters {
		manifest += `<item id="` + c + `" href="text/` + c + `.xhtml" media-type="application/xhtml+xml"/>`
		spine += `<itemref idref="` + c + `"/>`
	}
	return `<package xmlns:dc="d"><metadata><dc:title>The book</dc:title><dc:title>Subtitle</dc:title><meta property="dcterms:modified">2024-05-01T10:00:00Z</meta></metadata><manifest>` + more + manifest + `</manifest><spine toc="ncx">` + spine + `</spine></package>`
}

func chapter(body string) string {
	return `<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head><body>` + body + `</body></html>`
}

func TestBooks(t *testing.T) {
	f := web.Book{Limits: extract.DefaultLimits}
	book := packed(t, "mimetype", "application/epub+zip", "META-INF/container.xml", container, "../../etc/passwd", "root",
		"OEBPS/content.opf", opf(`<item id="n" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>`, "cover", "b%20one", "a", "gone"),
		"OEBPS/nav.xhtml", `<html xmlns:epub="e"><nav epub:type="toc"><ol><li><a href="text/b%20one.xhtml#x">The first chapter</a></li><li><a href="text/b%20one.xhtml#y">Later</a></li></ol></nav></html>`,
		"OEBPS/text/cover.xhtml", chapter(`<img src="cover.png" alt="cover"/>`),
		"OEBPS/text/b one.xhtml", chapter(`<h1>One</h1><p>吾輩は<ruby>猫<rt>ねこ</rt></ruby>である</p><table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>`),
		"OEBPS/text/a.xhtml", chapter(`<h2>Two</h2>`+strings.Repeat("<p>"+strings.Repeat("words and words. ", 20)+"</p>", 100)))
	s := extracttest.Write(t, "a.epub", "application/epub+zip", book)
	pages, info := extracttest.All(t, f, s, 1)
	if info.Title != "The book" || info.Modified.IsZero() || len(pages) < 12 {
		t.Fatalf("%+v, %d pages", info, len(pages))
	}
	if pages[0].Note != extract.NotePicture || pages[1].Label != "The first chapter" || pages[1].Text != "# One\n\n吾輩は猫である\n\n| a | b |\n| --- | --- |\n| c | d |" {
		t.Errorf("%+v", pages[:2])
	}
	for _, p := range pages[2 : len(pages)-1] {
		if p.Label != "Two" {
			t.Errorf("page %d is labelled %q", p.Number, p.Label)
		}
	}
	if last := pages[len(pages)-1]; last.Note != extract.NoteUnreadable {
		t.Errorf("the missing chapter: %+v", last)
	}

	extracttest.Run(t, f, extracttest.Case{Name: "old.epub", Type: "application/epub+zip", Title: "The book",
		Content: packed(t, "META-INF/container.xml", container, "OEBPS/content.opf", opf(`<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>`, "a", "b"),
			"OEBPS/toc.ncx", `<!DOCTYPE ncx PUBLIC "-//NISO//DTD ncx 2005-1//EN" "http://www.daisy.org/z3986/2005/ncx-2005-1.dtd"><ncx><navMap><navPoint><navLabel><text>Alpha</text></navLabel><content src="text/a.xhtml"/></navPoint></navMap></ncx>`,
			"OEBPS/text/a.xhtml", chapter("<p>first</p>"), "OEBPS/text/b.xhtml", chapter("<p>שני</p>")),
		Pages: [][]string{{"first"}, {"שני"}}})
}

func TestBooksThatAreRefused(t *testing.T) {
	small := extract.DefaultLimits
	small.Expanded = 1 << 20
	sealed := func(method string) []byte {
		return packed(t, "META-INF/container.xml", container, "OEBPS/content.opf", opf("", "a"), "OEBPS/text/a.xhtml", chapter("x"),
			"META-INF/encryption.xml", `<encryption><EncryptedData><EncryptionMethod Algorithm="`+method+`"/><CipherData><CipherReference URI="OEBPS/text/a.xhtml"/></CipherData></EncryptedData></encryption>`)
	}
	for _, c := range []struct {
		name, want string
		content    []byte
	}{
		{"empty", "The file is empty.", nil},
		{"no container", "list of its chapters", packed(t, "a", "b")},
		{"no chapters", "list of its chapters", packed(t, "META-INF/container.xml", container, "OEBPS/content.opf", opf(""))},
		{"outside", "list of its chapters", packed(t, "META-INF/container.xml", strings.ReplaceAll(container, "OEBPS/content.opf", "../../../etc/passwd"))},
		{"entities", "entities", packed(t, "META-INF/container.xml", `<!DOCTYPE a [<!ENTITY a "a">]>`+container)},
		{"bomb", "larger than 1 MB", packed(t, "META-INF/container.xml", container, "OEBPS/content.opf", opf("", "a"), "OEBPS/text/a.xhtml", strings.Repeat("<p>bomb", 1<<18))},
		{"sealed", "protected", sealed("http://www.w3.org/2001/04/xmlenc#aes256-cbc")},
		{"hidden fonts", "", sealed("http://www.idpf.org/2008/embedding")},
	} {
		err := read(t, web.Book{Limits: small}, c.content)
		failed, ok := errors.AsType[*chat.Error](err)
		if c.want == "" && err != nil || c.want != "" && (!ok || !strings.Contains(failed.Detail, c.want)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

func FuzzHTML(f *testing.F) {
	f.Add([]byte(article))
	f.Add([]byte("<table><tr><td colspan=99999>x<table><td>y"))
	f.Add([]byte("<p><ruby>a<rt>b</ruby><a><p></a><svg><p></svg>"))
	f.Add([]byte("\xff\xfe<\x00p\x00>\x00"))
	f.Fuzz(func(t *testing.T, content []byte) { only(t, read(t, web.Page{Limits: extract.DefaultLimits}, content)) })
}

func FuzzEPUB(f *testing.F) {
	f.Add(opf("", "a"), chapter("<p>x"), "<encryption/>")
	f.Add(`<package><item id="a" href="%zz" media-type="html" properties="nav"/><itemref idref="a"/>`, "<nav epub:type=toc><a href=../../..>", "<x")
	f.Fuzz(func(t *testing.T, opf, text, encryption string) {
		only(t, read(t, web.Book{Limits: extract.DefaultLimits}, packed(t, "META-INF/container.xml", container, "OEBPS/content.opf", opf, "OEBPS/text/a.xhtml", text, "META-INF/encryption.xml", encryption)))
	})
}

// only: the error is the file's.
func only(t *testing.T, err error) {
	t.Helper()
	if err == nil {
		return
	}
	if _, ok := errors.AsType[*chat.Error](err); !ok {
		t.Errorf("%v is not the file's", err)
	}
}
