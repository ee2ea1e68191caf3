package measure

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"confidant/internal/library"
	"confidant/internal/search"
)

// Finder is what is measured; see library.Finder.
type Finder interface {
	Similar(ctx context.Context, q library.SimilarQuery) ([]library.Similar, search.Receipt, error)
}

// Form is one of the two ways in which a probe is asked.
type Form string

// The forms.
const (
	Sentence Form = "sentence"
	Gist     Form = "gist"
)

// Forms lists them.
var Forms = []Form{Sentence, Gist}

// in is the probe as it is asked in a form.
func (p Probe) in(form Form) string {
	if form == Gist {
		return p.Gist
	}
	return p.Sentence
}

// depth is how many chunks are asked for.
const depth = 10

// Answer is what one probe found.
type Answer struct {
	Probe Probe
	Form  Form
	Found []library.Similar
	// Rank is the place of the first chunk of the right page of the right document,
	// from 1; 0 when it is not among the first ten.
	Rank int
	Took time.Duration
}

// Ask asks the probes of a person in a form.
func Ask(ctx context.Context, finder Finder, userID string, probes []Probe, form Form, progress func()) ([]Answer, error) {
	answers := make([]Answer, len(probes))
	for i, p := range probes {
		start := time.Now()
		found, _, err := finder.Similar(ctx, library.SimilarQuery{UserID: userID, Text: p.in(form), Limit: depth})
		if err != nil {
			return nil, fmt.Errorf("ask for page %d of %s: %w", p.Page, p.Document, err)
		}
		answers[i] = Answer{Probe: p, Form: form, Found: found, Took: time.Since(start)}
		answers[i].Rank = 1 + slices.IndexFunc(found, func(s library.Similar) bool { return s.Name == p.Document && s.Page == p.Page })
		progress()
	}
	return answers, nil
}

// Worst are the n answers that miss most.
func Worst(answers []Answer, n int) []Answer {
	sorted := slices.Clone(answers)
	slices.SortStableFunc(sorted, func(a, b Answer) int { return cmp.Compare(a.reciprocal(), b.reciprocal()) })
	return sorted[:min(n, len(sorted))]
}

func (a Answer) reciprocal() float64 {
	if a.Rank == 0 {
		return 0
	}
	return 1 / float64(a.Rank)
}
