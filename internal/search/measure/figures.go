package measure

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"
)

// at is where hit rate, MRR and nDCG look; recall looks at the cut-offs asked for.
const at = 10

// Figures are averages over questions.
type Figures struct {
	Queries int
	// Recall is, for each cut-off, the part of the relevant documents that were
	// among the first so many.
	Recall map[int]float64
	// Hit is the part of the questions with a relevant document among the first
	// ten, MRR the average of 1/rank of the first one, nDCG the discounted gain
	// over that of an ideal ranking.
	Hit, MRR, NDCG float64
	// Median and P99 are what a search takes, the embedding of the question included.
	Median, P99 time.Duration
}

// tally adds up figures.
type tally struct {
	queries        int
	recall         map[int]float64
	hit, mrr, ndcg float64
	took           []time.Duration
}

// add counts one question: which documents were found, in order and each once.
func (t *tally) add(found []string, relevant []string, cutoffs []int, took time.Duration) {
	if t.recall == nil {
		t.recall = map[int]float64{}
	}
	gain, first := 0.0, 0
	for rank, id := range found {
		if !slices.Contains(relevant, id) {
			continue
		}
		for _, k := range cutoffs {
			if rank < k {
				t.recall[k] += 1 / float64(len(relevant))
			}
		}
		if rank < at {
			gain += discount(rank)
			if first == 0 {
				first = rank + 1
			}
		}
	}
	ideal := 0.0
	for rank := range min(len(relevant), at) {
		ideal += discount(rank)
	}
	if first > 0 {
		t.hit++
		t.mrr += 1 / float64(first)
	}
	t.ndcg += gain / ideal
	t.queries++
	t.took = append(t.took, took)
}

func discount(rank int) float64 { return 1 / math.Log2(float64(rank)+2) }

func (t *tally) figures(cutoffs []int) Figures {
	f := Figures{Queries: t.queries, Recall: map[int]float64{}}
	n := float64(max(t.queries, 1))
	for _, k := range cutoffs {
		f.Recall[k] = t.recall[k] / n
	}
	f.Hit, f.MRR, f.NDCG = t.hit/n, t.mrr/n, t.ndcg/n
	if len(t.took) > 0 {
		slices.Sort(t.took)
		f.Median, f.P99 = t.took[len(t.took)/2], t.took[min(len(t.took)*99/100, len(t.took)-1)]
	}
	return f
}

// fields are the figures under the names that they are published by.
func (f Figures) fields() map[string]any {
	m := map[string]any{
		"queries": f.Queries, "hit@10": round(f.Hit), "mrr@10": round(f.MRR), "ndcg@10": round(f.NDCG),
		"p50_ms": milliseconds(f.Median), "p99_ms": milliseconds(f.P99),
	}
	for k, r := range f.Recall {
		m[fmt.Sprintf("recall@%d", k)] = round(r)
	}
	return m
}

// MarshalJSON implements json.Marshaler.
func (f Figures) MarshalJSON() ([]byte, error) { return json.Marshal(f.fields()) }

func round(x float64) float64 { return math.Round(x*1e4) / 1e4 }

func milliseconds(d time.Duration) float64 { return math.Round(float64(d)/1e4) / 100 }

// Outcome is what one way of searching brought.
type Outcome struct {
	Figures
	Categories map[string]Figures
}

// Report is what the command prints.
type Report struct {
	Outcome
	// Words is the same search without meaning, Keywords the store's plain BM25,
	// both measured in the same run.
	Words, Keywords Outcome
}

// MarshalJSON implements json.Marshaler: one object, its overall figures at the top.
func (o Outcome) MarshalJSON() ([]byte, error) {
	m := o.fields()
	m["categories"] = o.Categories
	return json.Marshal(m)
}

// MarshalJSON implements json.Marshaler.
func (r Report) MarshalJSON() ([]byte, error) {
	m := r.fields()
	m["categories"] = r.Categories
	m["words"], m["keywords"] = r.Words, r.Keywords
	return json.Marshal(m)
}
