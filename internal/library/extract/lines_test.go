package extract_test

import (
	"fmt"
	"strings"
	"testing"

	"confidant/internal/library/extract"
)

func TestPlainTextIsKeptAsItIs(t *testing.T) {
	for _, c := range []struct {
		in   string
		want []string
	}{
		{"one\r\ntwo\r\n\r\nthree\n", []string{"one\ntwo\n\nthree"}},
		{"  indented\n# no heading\n\n\n\n\nend", []string{"indented\n# no heading\n\n\nend"}},
		{"one\f\ntwo\nstill\fthree\f", []string{"one", "two\nstill", "three"}},
	} {
		pages, err := flow(t, extract.DefaultLimits, 1, func(p *extract.Pager) error { return p.Plain(strings.NewReader(c.in)) })
		var got []string
		for _, p := range pages {
			got = append(got, p.Text)
		}
		if err != nil || fmt.Sprintf("%q", got) != fmt.Sprintf("%q", c.want) {
			t.Errorf("%q: %q, %v", c.in, got, err)
		}
	}
}

func TestMarkdownIsKeptAsItIs(t *testing.T) {
	text := "# Title\n\nText\nand more\n- list\n  - below\n\n```go\n# no heading\n\n| a | b |\n|---|---|\n```\n\n| A | B |\n|:--|--:|\n| 1 | 2 |\n\n| no table\n\nend"
	pages, err := flow(t, extract.DefaultLimits, 1, func(p *extract.Pager) error { return p.Markdown(strings.NewReader(text)) })
	if err != nil || len(pages) != 1 || pages[0].Text != text {
		t.Errorf("%+v, %v", pages, err)
	}
}

func TestLongMarkdownIsDividedBetweenParagraphs(t *testing.T) {
	var text strings.Builder
	for i := range 100 {
		fmt.Fprintf(&text, "First line of %d.\n%sLast line.\n\n", i, strings.Repeat("A line that was wrapped by hand.\n", 12))
	}
	text.WriteString("| A | B |\n| --- | --- |\n")
	for i := range 400 {
		fmt.Fprintf(&text, "| %d | %s |\n", i, strings.Repeat("x", 20))
	}
	pages, err := flow(t, extract.DefaultLimits, 1, func(p *extract.Pager) error { return p.Markdown(strings.NewReader(text.String())) })
	if err != nil || len(pages) < 15 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	for _, p := range pages {
		if begin, _, _ := strings.Cut(p.Text, "\n"); !strings.HasPrefix(begin, "First line") && begin != "| A | B |" {
			t.Errorf("page %d begins with %q", p.Number, begin)
		}
	}
}

func TestALineWithoutEnd(t *testing.T) {
	text := strings.Repeat("word ", 100_000)
	for name, read := range map[string]func(*extract.Pager) error{
		"plain":    func(p *extract.Pager) error { return p.Plain(strings.NewReader(text)) },
		"Markdown": func(p *extract.Pager) error { return p.Markdown(strings.NewReader("| " + text)) },
	} {
		pages, err := flow(t, extract.DefaultLimits, 1, read)
		words := 0
		for _, p := range pages {
			words += strings.Count(p.Text, "word")
		}
		if err != nil || words < 99_990 {
			t.Errorf("%s: %d words, %v", name, words, err)
		}
	}
}
