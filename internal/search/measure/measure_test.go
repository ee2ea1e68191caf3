package measure

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"confidant/internal/search"
	"confidant/internal/store/sqlite/sqlitetest"
)

func TestFigures(t *testing.T) {
	var all tally
	cutoffs := []int{1, 2}
	all.add([]string{"x", "a", "b"}, []string{"a", "b"}, cutoffs, 30*time.Millisecond)
	all.add([]string{"c"}, []string{"c"}, cutoffs, 10*time.Millisecond)
	all.add(nil, []string{"d"}, cutoffs, 20*time.Millisecond)
	f := all.figures(cutoffs)
	gain := (discount(1) + discount(2)) / (discount(0) + discount(1))
	for name, pair := range map[string][2]float64{
		"recall@1": {f.Recall[1], 1.0 / 3}, "recall@2": {f.Recall[2], 1.5 / 3}, "hit@10": {f.Hit, 2.0 / 3},
		"mrr@10": {f.MRR, 1.5 / 3}, "ndcg@10": {f.NDCG, (gain + 1) / 3}, "median": {milliseconds(f.Median), 20}, "p99": {milliseconds(f.P99), 30},
	} {
		if math.Abs(pair[0]-pair[1]) > 1e-9 {
			t.Errorf("%s is %g, want %g", name, pair[0], pair[1])
		}
	}
}

func TestJSONIsOneFlatObject(t *testing.T) {
	f := Figures{Queries: 2, Recall: map[int]float64{5: 0.5, 10: 1}, Hit: 1, MRR: 0.75, NDCG: 0.8, Median: time.Millisecond, P99: 2 * time.Millisecond}
	o := Outcome{Figures: f, Categories: map[string]Figures{"temporal": f}}
	data, err := json.Marshal(Report{Outcome: o, Words: o, Keywords: o})
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]any{"queries": 2.0, "recall@5": 0.5, "recall@10": 1.0, "hit@10": 1.0, "mrr@10": 0.75, "ndcg@10": 0.8, "p50_ms": 1.0, "p99_ms": 2.0} {
		if got[name] != want {
			t.Errorf("%s is %v, want %v", name, got[name], want)
		}
	}
	if c := got["categories"].(map[string]any)["temporal"].(map[string]any); c["recall@5"] != 0.5 {
		t.Errorf("category: %v", c)
	}
	if w := got["keywords"].(map[string]any); w["hit@10"] != 1.0 {
		t.Errorf("keywords: %v", w)
	}
}

const documents = `{"id":"a1","text":"I bought a kayak last week","time":"2023-05-08T13:56:00","session":"s1","scope":"a","speaker":"Ana"}
{"id":"a2","text":"How much was it?","time":"2023-05-08T13:56:20","session":"s1","scope":"a","speaker":"Ben"}

{"id":"a3","text":"` + long + `","time":null,"session":null,"scope":"a","title":"A long one"}
{"id":"b1","text":"The kayak sank","scope":"b"}
{"id":"b2","text":"  ","scope":"b"}
`

// long becomes several segments, and is one document all the same.
const long = "The harbour master spoke about the harbour and the lighthouse, at length and with many words that say little. " +
	"The harbour master spoke about the harbour and the lighthouse, at length and with many words that say little. " +
	"The harbour master spoke about the harbour and the lighthouse, at length and with many words that say little. " +
	"The harbour master spoke about the harbour and the lighthouse, at length and with many words that say little. " +
	"The harbour master spoke about the harbour and the lighthouse, at length and with many words that say little. " +
	"The harbour master spoke about the harbour and the lighthouse, at length and with many words that say little. "

func TestTheWholeWay(t *testing.T) {
	docs, err := ReadDocuments(strings.NewReader(documents))
	if err != nil {
		t.Fatal(err)
	}
	questions, err := ReadQuestions(strings.NewReader(`{"id":"q1","text":"Who bought a kayak?","relevant_ids":["a1"],"scope":"a","category":"x"}
{"id":"q2","text":"What of the harbour and the lighthouse?","relevant_ids":["a3"],"scope":"a","answer":7}
{"id":"q3","text":"What sank?","relevant_ids":["b1"],"scope":"b","category":"x"}
{"id":"q4","text":"kayak","relevant_ids":[],"scope":"b"}
{"id":"q5","text":"kayak","relevant_ids":["z"],"scope":"nobody","category":"y"}`))
	if err != nil {
		t.Fatal(err)
	}
	store := sqlitetest.Open(t)
	done := 0
	l, err := Import(t.Context(), store, docs, func(n int) { done = n })
	if err != nil || done != len(docs) {
		t.Fatalf("%d of %d documents, %v", done, len(docs), err)
	}
	for name, searcher := range map[string]Searcher{"core": search.New(store, store, nil), "keywords": Keywords{store}} {
		o, answers, err := l.Ask(t.Context(), searcher, questions, []int{5}, func(int) {})
		if err != nil {
			t.Fatal(err)
		}
		if o.Queries != 4 || o.Recall[5] != 0.75 || o.Categories["x"].Hit != 1 || o.Categories["y"].Hit != 0 || len(o.Categories) != 2 {
			t.Errorf("%s: %+v", name, o)
		}
		if found := answers[1].Found; !slices.Equal(found, []string{"a3"}) {
			t.Errorf("%s: the long document was found as %v", name, found)
		}
		if worst := Worst(answers, 1); worst[0].Question.ID != "q5" {
			t.Errorf("%s: the worst is %s", name, worst[0].Question.ID)
		}
		var page bytes.Buffer
		if err := Print(&page, Report{Outcome: o, Words: o, Keywords: o}, []int{5}); err != nil || !strings.Contains(page.String(), ".750") {
			t.Errorf("%v\n%s", err, page.String())
		}
		Explain(&page, answers[0], l)
		if !strings.Contains(page.String(), "relevant: a1") {
			t.Errorf("the explanation lacks what is relevant:\n%s", page.String())
		}
	}
}

// asked notes the query.
type asked struct{ query search.Query }

func (a *asked) Search(_ context.Context, q search.Query) (search.Result, error) {
	a.query = q
	return search.Result{}, nil
}

func TestNowIsTheLastDocument(t *testing.T) {
	docs, err := ReadDocuments(strings.NewReader(documents))
	if err != nil {
		t.Fatal(err)
	}
	store := sqlitetest.Open(t)
	l, err := Import(t.Context(), store, docs, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	a := &asked{}
	if _, _, err := l.Ask(t.Context(), a, []Question{{Text: "when?", Relevant: []string{"a1"}, Scope: "a"}}, []int{5}, func(int) {}); err != nil {
		t.Fatal(err)
	}
	if want := time.Date(2023, 5, 8, 13, 56, 20, 0, time.UTC); !a.query.Now.Equal(want) {
		t.Errorf("asked at %s, want %s", a.query.Now, want)
	}
}

func TestWhatCannotBeRead(t *testing.T) {
	for text, want := range map[string]string{
		"{":                                  "line 1",
		`{"id":"a","text":"x"}` + "\n[]":     "line 2",
		`{"text":"x"}`:                       "no id",
		`{"id":"a","text":"x","time":"now"}`: "not a time",
	} {
		if _, err := ReadDocuments(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q in it", text, err, want)
		}
	}
}
