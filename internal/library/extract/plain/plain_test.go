package plain_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"confidant/internal/chat"
	"confidant/internal/library/extract"
	"confidant/internal/library/extract/extracttest"
	"confidant/internal/library/extract/plain"
)

func wide(text string) []byte {
	b := []byte("\xff\xfe")
	for _, u := range utf16.Encode([]rune(text)) {
		b = append(b, byte(u), byte(u>>8))
	}
	return b
}

func TestText(t *testing.T) {
	extracttest.Run(t, plain.Text{Limits: extract.DefaultLimits},
		extracttest.Case{Name: "a.txt", Type: extract.TypePlain, Content: []byte("one\r\ntwo\n\n* three\f\nfour"), Pages: [][]string{{"one\ntwo\n\n* three"}, {"four"}}},
		extracttest.Case{Name: "wide.txt", Type: extract.TypePlain, Content: wide("שלום עולם\n日本語"), Pages: [][]string{{"שלום עולם\n日本語"}}},
		extracttest.Case{Name: "latin.txt", Type: extract.TypePlain, Content: []byte("Gr\xfc\xdfe aus K\xf6ln"), Pages: [][]string{{"Grüße aus Köln"}}},
		extracttest.Case{Name: "a.json", Type: extract.TypeJSON, Content: []byte(`{"a": "b"}`), Pages: [][]string{{`{"a": "b"}`}}},
		extracttest.Case{Name: "blank.txt", Type: extract.TypePlain, Content: []byte(" \n\n\t"), Pages: [][]string{{}}},
	)
}

func TestMarkdown(t *testing.T) {
	f := plain.Markdown{Limits: extract.DefaultLimits}
	matter := "---\ntitle: \"A \\0title\"\ndate: 2024-05-01\ntags: [x]\n---\n\n# Heading\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
	extracttest.Run(t, f,
		extracttest.Case{Name: "matter.md", Type: extract.TypeMarkdown, Title: "A title", Content: []byte(matter), Pages: [][]string{{strings.TrimSpace(matter)}}},
		extracttest.Case{Name: "heading.md", Type: extract.TypeMarkdown, Title: "First", Content: []byte("\n# First #\n\ntext"), Pages: [][]string{{"# First #\n\ntext"}}},
		extracttest.Case{Name: "none.md", Type: extract.TypeMarkdown, Content: []byte("text\n\n# Not the title"), Pages: [][]string{{"text\n\n# Not the title"}}},
		extracttest.Case{Name: "broken.md", Type: extract.TypeMarkdown, Title: "T", Content: []byte("---\n: [\n---\n# T\n"), Pages: [][]string{{"---\n: [\n---\n# T"}}},
	)
	_, info := extracttest.All(t, f, extracttest.Write(t, "a.md", extract.TypeMarkdown, []byte(matter)), 1)
	if !info.Modified.Equal(time.Date(2024, 5, 1, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("modified %v", info.Modified)
	}
}

func TestCSV(t *testing.T) {
	f := plain.CSV{Limits: extract.DefaultLimits}
	want := [][]string{{"| Name | Value |\n| --- | --- |\n| a\\|b, c | 1 |\n| d | 2 |"}}
	extracttest.Run(t, f,
		extracttest.Case{Name: "comma.csv", Type: extract.TypeCSV, Content: []byte("Name,Value\n\"a|b, c\",1\nd,2\n"), Pages: want},
		extracttest.Case{Name: "semicolon.csv", Type: extract.TypeCSV, Content: []byte("\xef\xbb\xbfName;Value\r\n\"a|b, c\";1\r\nd;2\r\n"), Pages: want},
		extracttest.Case{Name: "tab.tsv", Type: extract.TypeTSV, Content: []byte("Name\tValue\na|b, c\t1\nd\t2\n"), Pages: want},
		extracttest.Case{Name: "odd.csv", Type: extract.TypeCSV, Content: []byte("a,b\n1\n1,2,3\nsay \"x\",\"y\nz\"\n"), Pages: [][]string{{"| a | b |\n| --- | --- |\n| 1 |\n| 1 | 2 | 3 |\n| say \"x\" | y z |"}}},
	)
	var b strings.Builder
	b.WriteString("Name,Value\n")
	for i := range 5000 {
		fmt.Fprintf(&b, "row %d,%d\n", i, i)
	}
	pages, _ := extracttest.All(t, f, extracttest.Write(t, "a.csv", extract.TypeCSV, []byte(b.String())), 1)
	rows := 0
	for _, p := range pages {
		rows += strings.Count(p.Text, "| row ")
		if !strings.HasPrefix(p.Text, "| Name | Value |\n| --- | --- |\n| row ") {
			t.Errorf("page %d begins with %.40q", p.Number, p.Text)
		}
	}
	if rows != 5000 || len(pages) < 20 {
		t.Errorf("%d rows on %d pages", rows, len(pages))
	}
}

func TestTextsThatAreRefused(t *testing.T) {
	for _, c := range []struct {
		f             extract.Format
		content, want string
	}{
		{plain.Text{Limits: extract.DefaultLimits}, "", "The file is empty."},
		{plain.Markdown{Limits: extract.DefaultLimits}, "", "The file is empty."},
		{plain.CSV{Limits: extract.DefaultLimits}, "", "The file is empty."},
		{plain.CSV{Limits: extract.DefaultLimits}, "a,b\n\"" + strings.Repeat("never closed\n", 1<<20), "longer than 8 MB"},
		{plain.Text{Limits: extract.DefaultLimits}, strings.Repeat("x\f", 10_001), "10000 pages"},
	} {
		if err := read(t, c.f, []byte(c.content)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.20q: %v, want %q", c.content, err, c.want)
		}
	}
}

func read(t testing.TB, f extract.Format, content []byte) error {
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

func FuzzText(f *testing.F) {
	f.Add([]byte("---\ntitle: &a [*a]\n---\n| a |\n|---|\n| b"))
	f.Add([]byte("a;b\n\"c"))
	f.Add(wide("wide"))
	f.Fuzz(func(t *testing.T, content []byte) {
		for _, format := range []extract.Format{plain.Text{Limits: extract.DefaultLimits}, plain.Markdown{Limits: extract.DefaultLimits}, plain.CSV{Limits: extract.DefaultLimits}} {
			if err := read(t, format, content); err != nil {
				if _, ok := errors.AsType[*chat.Error](err); !ok {
					t.Errorf("%v is not the file's", err)
				}
			}
		}
	})
}
