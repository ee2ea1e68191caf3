package extract_test

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf16"

	"confidant/internal/library/extract"
)

func zipped(t testing.TB, parts ...[2]string) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, part := range parts {
		f, err := w.CreateHeader(&zip.FileHeader{Name: part[0], Method: zip.Deflate})
		if err != nil {
			t.Fatal(err)
		}
		f.Write([]byte(part[1]))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func office(t testing.TB, main string) string {
	return zipped(t, [2]string{"[Content_Types].xml", `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Override PartName="/docProps/core.xml" ContentType="application/vnd.openxmlformats-package.core-properties+xml"/>
<Override PartName="/x.xml" ContentType="` + main + `"/></Types>`}, [2]string{"x.xml", "<x/>"})
}

// compoundFile is the beginning of an OLE file with one stream.
func compoundFile(stream string) string {
	b := make([]byte, 1536)
	copy(b, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
	for i, u := range utf16.Encode([]rune(stream)) {
		b[1024+2*i], b[1025+2*i] = byte(u), byte(u>>8)
	}
	return string(b)
}

func wide(text string) string {
	b := []byte{}
	for _, u := range utf16.Encode([]rune(text)) {
		b = append(b, byte(u), byte(u>>8))
	}
	return string(b)
}

func detect(t testing.TB, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "content")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	mime, err := extract.Detect(path, name)
	if err != nil {
		t.Fatal(err)
	}
	return mime
}

const wordMain = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"

func TestDetect(t *testing.T) {
	html := "<!DOCTYPE html>\n<html><body><p>Hello</p></body></html>"
	mail := "Received: from x by y\r\nFrom: a@example.org\r\nTo: b@example.org\r\nSubject: Hello\r\n\r\nText\r\n"
	for _, c := range []struct{ name, content, want string }{
		{"report.pdf", html, "text/html"},
		{"report.pdf", "%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "application/pdf"},
		{"report.txt", "%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "application/pdf"},
		{"report.pdf", "\x00\x01junk before\n%PDF-1.4\n", "application/pdf"},
		{"about.md", "A file of this kind begins with %PDF-1.7.\n", "text/markdown"},
		{"page", "\n<!-- saved from a site -->\n" + html, "text/html"},
		{"page.xhtml", `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body/></html>`, "text/html"},
		{"page.html", "<p>A piece of a page", "text/html"},
		{"page.txt", html, "text/html"},
		{"readme.md", "<div align=center><h1>Project</h1></div>\n\nText", "text/markdown"},
		{"readme.md", "<!-- badges --> \n# Project", "text/markdown"},
		{"notes.md", "# Notes\n", "text/markdown"},
		{"notes.txt", "# Notes\n", "text/plain"},
		{"notes", "Just words", "text/plain"},
		{"notes.unknown", "Just words", "text/plain"},
		{"data.csv", "a,b\n1,2\n", "text/csv"},
		{"data.tsv", "a\tb\n1\t2\n", "text/tab-separated-values"},
		{"data.json", `{"a": 1}`, "application/json"},
		{"data", `{"a": 1}`, "application/json"},
		{"main.go", "package main\n", "text/plain"},
		{"view.vue", "<template><div>Hello</div></template>", "text/plain"},
		{"a.eml", mail, "message/rfc822"},
		{"a", mail, "message/rfc822"},
		{"a.txt", mail, "text/plain"},
		{"a.eml", "Not a message", "text/plain"},
		{"minutes.txt", "From: the start\n\nWe met.", "text/plain"},
		{"drawing.svg", `<svg xmlns="http://www.w3.org/2000/svg"><text>x</text></svg>`, "image/svg+xml"},
		{"letter.rtf", `{\rtf1\ansi Hello}`, "text/rtf"},
		{"german.txt", "Gr\xfc\xdfe aus K\xf6ln", "text/plain"},
		{"windows.txt", "\xff\xfe" + wide("Grüße"), "text/plain"},
		{"nomark.txt", wide("Greetings from a program that sets no mark."), "text/plain"},
		{"japanese.txt", "\x93\xfa\x96{\x8c\xea\x82\xcc\x83e\x83L\x83X\x83g", "text/plain"},
		{"empty.csv", "", "text/csv"},
		{"empty", "", "text/plain"},
		{"x.zip", office(t, wordMain), "application/vnd.openxmlformats-officedocument.wordprocessingml.document"},
		{"x.docx", office(t, "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"), "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"},
		{"x", office(t, "application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml"), "application/vnd.openxmlformats-officedocument.presentationml.presentation"},
		{"x", office(t, "application/vnd.ms-word.document.macroEnabled.main+xml"), "application/vnd.ms-word.document.macroenabled.12"},
		{"x.docx", zipped(t, [2]string{"mimetype", "application/epub+zip\n"}), "application/epub+zip"},
		{"x.docx", zipped(t, [2]string{"mimetype", "application/vnd.oasis.opendocument.text"}), "application/vnd.oasis.opendocument.text"},
		{"x.docx", zipped(t, [2]string{"a.txt", "word/document.xml"}), "application/zip"},
		{"x.docx", compoundFile("EncryptedPackage"), "application/encrypted"},
		{"x.docx", compoundFile("WordDocument"), "application/msword"},
		{"x.docx", compoundFile("Workbook"), "application/vnd.ms-excel"},
		{"x.docx", compoundFile("Other"), "application/x-ole-storage"},
		{"photo.txt", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "image/png"},
		{"photo.png", "\xff\xd8\xff\xe0\x00\x10JFIF\x00", "image/jpeg"},
		{"x.txt", "\x00\x01\x02\x03\x04\x05", "application/octet-stream"},
	} {
		if got := detect(t, c.name, c.content); got != c.want {
			t.Errorf("%s, %.40q: %s, want %s", c.name, c.content, got, c.want)
		}
	}
}

func TestDetectFailsOnlyForTheDisk(t *testing.T) {
	if _, err := extract.Detect(filepath.Join(t.TempDir(), "none"), "a.txt"); err == nil {
		t.Error("a file that is not there has a type")
	}
}

func FuzzDetect(f *testing.F) {
	f.Add("a.pdf", "<!DOCTYPE html><p>")
	f.Add("a.docx", office(f, wordMain))
	f.Add("a", compoundFile("Workbook"))
	f.Add("a.eml", "From: a\nTo: b\nDate: c\n\n")
	f.Add("a.txt", wide("wide"))
	f.Fuzz(func(t *testing.T, name, content string) {
		if detect(t, name, content) == "" {
			t.Error("no type")
		}
	})
}
