package measure

import (
	"encoding/json"
	"math"
	"slices"
	"time"
)

// Figures are averages over probes.
type Figures struct {
	Probes int
	// Hit1 and Hit5 are the parts of the probes whose page comes first, and is among
	// the first five chunks; MRR is the average of 1/rank, looking at ten.
	Hit1, Hit5, MRR float64
	// Median is what a search takes, the embedding of the question included.
	Median time.Duration
}

// Outcome is what one way of searching brought in one form.
type Outcome struct {
	Figures
	Documents map[string]Figures // by name
}

// OutcomeOf adds answers up.
func OutcomeOf(answers []Answer) Outcome {
	of := map[string][]Answer{}
	for _, a := range answers {
		of[a.Probe.Document] = append(of[a.Probe.Document], a)
	}
	o := Outcome{Figures: average(answers), Documents: map[string]Figures{}}
	for name, list := range of {
		o.Documents[name] = average(list)
	}
	return o
}

func average(answers []Answer) Figures {
	f := Figures{Probes: len(answers)}
	if f.Probes == 0 {
		return f
	}
	part := 1 / float64(f.Probes)
	var took []time.Duration
	for _, a := range answers {
		if a.Rank == 1 {
			f.Hit1 += part
		}
		if a.Rank >= 1 && a.Rank <= 5 {
			f.Hit5 += part
		}
		f.MRR += a.reciprocal() * part
		took = append(took, a.Took)
	}
	slices.Sort(took)
	f.Median = took[len(took)/2]
	return f
}

// Pair is what one form brought: with the search as it is, and, in the same run,
// without an embedder.
type Pair struct{ Whole, Keywords Outcome }

// Report is what the command prints.
type Report map[Form]Pair

func (f Figures) fields() map[string]any {
	return map[string]any{
		"probes": f.Probes, "hit@1": round(f.Hit1), "hit@5": round(f.Hit5), "mrr@10": round(f.MRR),
		"p50_ms": math.Round(float64(f.Median)/1e4) / 100,
	}
}

func round(x float64) float64 { return math.Round(x*1e4) / 1e4 }

// MarshalJSON implements json.Marshaler.
func (f Figures) MarshalJSON() ([]byte, error) { return json.Marshal(f.fields()) }

// MarshalJSON implements json.Marshaler: one object, its overall figures at the top.
func (o Outcome) MarshalJSON() ([]byte, error) {
	m := o.fields()
	m["documents"] = o.Documents
	return json.Marshal(m)
}

// MarshalJSON implements json.Marshaler: the forms, each with the keywords' figures
// beside its own.
func (r Report) MarshalJSON() ([]byte, error) {
	forms := map[Form]any{}
	for form, both := range r {
		m := both.Whole.fields()
		m["documents"], m["keywords"] = both.Whole.Documents, both.Keywords
		forms[form] = m
	}
	return json.Marshal(forms)
}
