package measure

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"confidant/internal/chat"
	"confidant/internal/library"
	"confidant/internal/search"
)

func TestPopplerReadsPageByPage(t *testing.T) {
	documents, err := ReadFolder(t.Context(), "testdata")
	if err != nil {
		t.Fatal(err)
	}
	if len(documents) != 1 || documents[0].Name() != "harbour.pdf" || len(documents[0].Pages) != 2 {
		t.Fatalf("read %+v, want harbour.pdf with two pages", documents)
	}
	probes, err := Probes(documents, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range probes {
		want := map[int]string{
			1: "The harbour master opens the gate at the second bell of every morning.",
			2: "Nobody may moor a boat at the northern quay before noon.",
		}[p.Page]
		if p.Sentence != want {
			t.Errorf("page %d has %q, want %q", p.Page, p.Sentence, want)
		}
	}
	if _, err := ReadFolder(t.Context(), t.TempDir()); err == nil || !strings.Contains(err.Error(), "no PDF") {
		t.Errorf("an empty folder: %v", err)
	}
}

func TestSentences(t *testing.T) {
	for name, test := range map[string]struct {
		page string
		want []string
	}{
		"over lines": {"The tide is high when the moon\nis full over the old harbour.\n", []string{"The tide is high when the moon is full over the old harbour."}},
		"two in a paragraph": {"The tide is high when the moon is full. Boats go out only when the wind is low.",
			[]string{"The tide is high when the moon is full.", "Boats go out only when the wind is low."}},
		"an abbreviation":  {"Some of the boats, e.g. Anna, lie here all year round.", []string{"Some of the boats, e.g. Anna, lie here all year round."}},
		"too short":        {"The tide is high.", nil},
		"too long":         {"The " + strings.Repeat("very ", 30) + "long sentence ends.", nil},
		"no end":           {"The tide is high when the moon is full over", nil},
		"no beginning":     {"and is low when the moon is only half as full.", nil},
		"contents":         {"Chapter two on the tides of the sea . . . . . 17.", nil},
		"contents, closed": {"Chapter two on the tides of the northern sea.......17.", nil},
		"numbers":          {"Table 1 2 3 4 5 6 7 8 9 10.", nil},
		"a heading apart":  {"Tides\n\nThe tide is high when the moon is full.", []string{"The tide is high when the moon is full."}},
	} {
		if got := sentences([]string{test.page})[0]; !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

func TestRunningHeadsAreNoSentences(t *testing.T) {
	var pages []string
	for _, n := range []string{"7", "8", "9"} {
		pages = append(pages, "The Complete and Unabridged Manual of Tides and Moons, page "+n+".\n\nSomething about the tide and the moon that nobody else says.")
	}
	pages[1] = strings.Replace(pages[1], "Something", "Another thing", 1)
	for i, list := range sentences(pages) {
		if len(list) != 1 || strings.Contains(list[0], "Unabridged") {
			t.Errorf("page %d has %q", i+1, list)
		}
	}
}

func TestProbesStandOnOnePage(t *testing.T) {
	const twice = "This sentence about the boats of the harbour stands twice."
	documents := []Document{
		{"a.pdf", []string{twice + "\n\nOnly the first of the pages says this of boats.", "THIS SENTENCE about the boats of the har-\nbour stands twice."}},
		{"b.pdf", []string{"Only the other document says anything at all about trains."}},
	}
	probes, err := Probes(documents, 2, 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range probes {
		if p.Sentence == twice {
			t.Errorf("%q stands on two pages", p.Sentence)
		}
	}
	if probes[0].Document != "a.pdf" || probes[1].Document != "b.pdf" {
		t.Errorf("the probes are of %s and %s, want one of each", probes[0].Document, probes[1].Document)
	}
	if again, err := Probes(documents, 2, 3); err != nil || !slices.Equal(again, probes) {
		t.Errorf("the same seed made %v, %v", again, err)
	}
	if _, err := Probes(documents, 3, 3); err == nil || !strings.Contains(err.Error(), "2 sentences") {
		t.Errorf("three probes of two sentences: %v", err)
	}
}

func TestGist(t *testing.T) {
	got := gist("The harbour-master opens the old gate at the second bell, every morning.")
	if want := "The harbour master the old gate at the bell every"; got != want {
		t.Errorf("the gist is %q, want %q", got, want)
	}
}

// scripted finds the same, whatever is asked, and notes what was.
type scripted struct {
	found []library.Similar
	asked []string
}

func (s *scripted) Similar(_ context.Context, q library.SimilarQuery) ([]library.Similar, search.Receipt, error) {
	s.asked = append(s.asked, q.Text)
	if q.Text == "fail" {
		return nil, search.Receipt{}, errors.New("no")
	}
	return s.found, search.Receipt{}, nil
}

func TestOnlyTheRightPageOfTheRightDocumentCounts(t *testing.T) {
	at := func(name string, page int) library.Similar {
		return library.Similar{Name: name, Chunk: chat.Chunk{Page: page, Text: "some text"}}
	}
	finder := &scripted{found: []library.Similar{at("a", 1), at("b", 2), at("a", 2), at("a", 2)}}
	probes := []Probe{{"a", 1, "s1", "g1"}, {"a", 2, "s2", "g2"}, {"b", 3, "s3", "g3"}}
	answers, err := Ask(t.Context(), finder, "u", probes, Gist, func() {})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(finder.asked, []string{"g1", "g2", "g3"}) {
		t.Errorf("asked %q, want the gists", finder.asked)
	}
	var ranks []int
	for i := range answers {
		ranks = append(ranks, answers[i].Rank)
		answers[i].Took = time.Duration(i+1) * time.Millisecond
	}
	if !slices.Equal(ranks, []int{1, 3, 0}) {
		t.Fatalf("ranks %v, want 1, 3 and none", ranks)
	}
	o := OutcomeOf(answers)
	if o.Probes != 3 || round(o.Hit1) != .3333 || round(o.Hit5) != .6667 || round(o.MRR) != .4444 || o.Median != 2*time.Millisecond {
		t.Errorf("figures %+v", o.Figures)
	}
	if a := o.Documents["a"]; a.Probes != 2 || a.Hit1 != .5 || a.Hit5 != 1 {
		t.Errorf("figures of a: %+v", a)
	}
	if worst := Worst(answers, 1)[0]; worst.Probe.Document != "b" {
		t.Errorf("the worst is %+v", worst.Probe)
	}
	if _, err := Ask(t.Context(), finder, "u", []Probe{{"a", 1, "fail", ""}}, Sentence, func() {}); err == nil {
		t.Error("an error was lost")
	}

	report := Report{Sentence: {o, o}, Gist: {o, Outcome{}}}
	var page bytes.Buffer
	if err := Print(&page, report); err != nil || !strings.Contains(page.String(), ".667") {
		t.Errorf("%v\n%s", err, page.String())
	}
	Explain(&page, answers[1])
	if !strings.Contains(page.String(), "*  3 0.000  a, page 2  some text") {
		t.Errorf("the explanation does not mark the page:\n%s", page.String())
	}
	data, err := json.Marshal(report)
	if err != nil {
		t.Fatal(err)
	}
	if want := `"gist":{"documents":{"a":{"hit@1":0.5,`; !strings.Contains(string(data), want) {
		t.Errorf("%s\nlacks %s", data, want)
	}
}
