package extract_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"confidant/internal/chat"
	"confidant/internal/library/extract"
)

// flow is the pages of running text, and how their reading ended.
func flow(t *testing.T, l extract.Limits, first int, write func(*extract.Pager) error) ([]chat.FilePage, error) {
	t.Helper()
	var pages []chat.FilePage
	for p, err := range extract.Flow(t.Context(), l, first, write) {
		if err != nil {
			return pages, err
		}
		pages = append(pages, p)
	}
	return pages, nil
}

func TestWhatIsShortIsOnePage(t *testing.T) {
	pages, err := flow(t, extract.DefaultLimits, 1, func(p *extract.Pager) error {
		return errors.Join(p.Heading(2, " Two\nlines "), p.Block(strings.Repeat("x", 19_000)), p.Line("- item"))
	})
	if err != nil || len(pages) != 1 || !strings.HasPrefix(pages[0].Text, "## Two lines\n\nxxx") || !strings.HasSuffix(pages[0].Text, "x\n- item") {
		t.Errorf("%d pages, %v", len(pages), err)
	}
}

func TestWhatIsLongIsDividedWithoutLoss(t *testing.T) {
	var whole []string
	pages, err := flow(t, extract.DefaultLimits, 1, func(p *extract.Pager) error {
		for i := range 60 {
			if i%10 == 0 {
				p.Heading(1, fmt.Sprint("Chapter ", i/10))
				whole = append(whole, fmt.Sprint("# Chapter ", i/10))
			}
			text := fmt.Sprintf("Paragraph %d. %s", i, strings.Repeat("語の words. ", 20+i))
			whole = append(whole, strings.TrimSpace(text))
			if err := p.Block(strings.TrimSpace(text)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil || len(pages) < 8 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	var all []string
	for i, p := range pages {
		all = append(all, p.Text)
		if n := utf8.RuneCountInString(p.Text); n > 2*extract.DividedPage || n < extract.DividedPage/3 && i < len(pages)-1 {
			t.Errorf("page %d has %d characters", p.Number, n)
		}
		if last := p.Text[strings.LastIndex(p.Text, "\n")+1:]; strings.HasPrefix(last, "#") {
			t.Errorf("page %d ends with the heading %q", p.Number, last)
		}
	}
	if strings.Join(all, "\n\n") != strings.Join(whole, "\n\n") {
		t.Error("the pages together are not the text")
	}
}

func TestOneLongParagraphIsDividedBetweenSentences(t *testing.T) {
	text := strings.Repeat("This is a sentence of some length. ", 2000)
	pages, err := flow(t, extract.DefaultLimits, 1, func(p *extract.Pager) error { return p.Block(text) })
	if err != nil || len(pages) < 20 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	total := 0
	for _, p := range pages {
		total += strings.Count(p.Text, "This is a sentence of some length.")
	}
	if total != 2000 {
		t.Errorf("%d sentences are whole, want 2000", total)
	}
}

func TestATableGoesOnUnderItsHeader(t *testing.T) {
	rows := 0
	pages, err := flow(t, extract.DefaultLimits, 1, func(p *extract.Pager) error {
		p.Block("Before")
		p.Row([]string{"Name", "Value | unit"})
		for i := range 2000 {
			if err := p.Row([]string{fmt.Sprint("row ", i), "a\nb"}); err != nil {
				return err
			}
		}
		return p.Block("After")
	})
	if err != nil || len(pages) < 5 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	for i, p := range pages {
		if strings.Count(p.Text, `| Name | Value \| unit |`+"\n| --- | --- |\n") != 1 {
			t.Errorf("page %d has not one header:\n%.200s", i+1, p.Text)
		}
		rows += strings.Count(p.Text, " | a b |")
	}
	if rows != 2000 || !strings.HasSuffix(pages[len(pages)-1].Text, "|\n\nAfter") {
		t.Errorf("%d rows", rows)
	}
}

func TestBreaksEndPages(t *testing.T) {
	write := func(p *extract.Pager) error {
		p.Break()
		p.Block("one")
		p.Break()
		p.Break()
		p.Block("two\x00\r\nlines\u00ad")
		p.Break()
		p.Picture()
		p.Break()
		return p.Block("four")
	}
	want := []chat.FilePage{{Number: 1, Text: "one"}, {Number: 2, Text: "two\nlines"}, {Number: 3, Note: extract.NotePicture}, {Number: 4, Text: "four"}}
	pages, err := flow(t, extract.DefaultLimits, 1, write)
	if err != nil || fmt.Sprint(pages) != fmt.Sprint(want) {
		t.Errorf("%v, %v", pages, err)
	}
	pages, err = flow(t, extract.DefaultLimits, 3, write)
	if err != nil || fmt.Sprint(pages) != fmt.Sprint(want[2:]) {
		t.Errorf("from 3 on: %v, %v", pages, err)
	}
	if pages, err = flow(t, extract.DefaultLimits, 1, func(*extract.Pager) error { return nil }); err != nil || len(pages) != 1 || pages[0].Note != extract.NoteEmpty {
		t.Errorf("nothing: %v, %v", pages, err)
	}
}

func TestSheetsAreCutAndNotDivided(t *testing.T) {
	l := extract.DefaultLimits
	l.PageBytes = 30_001
	var pages []chat.FilePage
	for p, err := range extract.Sheets(t.Context(), l, 1, func(p *extract.Pager) error {
		p.Label("First")
		p.Block(strings.Repeat("é", 20_000))
		if !p.Full() {
			t.Error("the page is not full")
		}
		p.Break()
		p.Label("Second")
		p.Break()
		p.Label("Third")
		p.Block("text")
		return p.Break()
	}) {
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, p)
	}
	if len(pages) != 3 || pages[0].Note != extract.NoteCut || len(pages[0].Text) != 30_000 || pages[1].Note != extract.NoteEmpty || pages[2].Label != "Third" {
		t.Errorf("%d pages", len(pages))
	}
}

func TestTooManyPagesAreRefused(t *testing.T) {
	l := extract.DefaultLimits
	l.Pages = 3
	pages, err := flow(t, l, 1, func(p *extract.Pager) error {
		for {
			if err := errors.Join(p.Block("text"), p.Break()); err != nil {
				return err
			}
		}
	})
	if failed, ok := errors.AsType[*chat.Error](err); !ok || len(pages) != 3 || !strings.Contains(failed.Detail, "3 pages") {
		t.Errorf("%d pages, %v", len(pages), err)
	}
}

func TestTheReaderMayStopEarly(t *testing.T) {
	blocks := 0
	for range extract.Flow(t.Context(), extract.DefaultLimits, 1, func(p *extract.Pager) error {
		for {
			blocks++
			if err := errors.Join(p.Block("text"), p.Break()); err != nil {
				return err
			}
		}
	}) {
		break
	}
	if blocks != 1 {
		t.Errorf("%d blocks were read", blocks)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range extract.Flow(ctx, extract.DefaultLimits, 1, func(*extract.Pager) error { return nil }) {
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
}
