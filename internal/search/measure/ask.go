package measure

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"confidant/internal/search"
)

// Searcher is what is measured; see search.Core.
type Searcher interface {
	Search(ctx context.Context, q search.Query) (search.Result, error)
}

// Answer is what one question found.
type Answer struct {
	Question Question
	// Found are the documents, best first, each at its best segment.
	Found []string
	Took  time.Duration
	// Gain is the question's nDCG@10.
	Gain   float64
	Result search.Result
}

// depth is how many passages are asked for, for each document that counts: a
// long document can be found by several of its segments.
const depth = 4

// Ask asks the questions that have relevant documents and measures the answers.
// Cutoffs are those of the recall.
func (l *Library) Ask(ctx context.Context, searcher Searcher, questions []Question, cutoffs []int, progress func(done int)) (Outcome, []Answer, error) {
	var all tally
	categories := map[string]*tally{}
	var answers []Answer
	for i, q := range questions {
		progress(i + 1)
		if len(q.Relevant) == 0 {
			continue
		}
		a, err := l.ask(ctx, searcher, q, max(at, slices.Max(cutoffs)))
		if err != nil {
			return Outcome{}, nil, fmt.Errorf("ask %s: %w", q.ID, err)
		}
		before := all.ndcg
		all.add(a.Found, q.Relevant, cutoffs, a.Took)
		a.Gain = all.ndcg - before
		if q.Category != "" {
			if categories[q.Category] == nil {
				categories[q.Category] = &tally{}
			}
			categories[q.Category].add(a.Found, q.Relevant, cutoffs, a.Took)
		}
		answers = append(answers, a)
	}
	o := Outcome{Figures: all.figures(cutoffs), Categories: map[string]Figures{}}
	for name, t := range categories {
		o.Categories[name] = t.figures(cutoffs)
	}
	return o, answers, nil
}

func (l *Library) ask(ctx context.Context, searcher Searcher, q Question, documents int) (Answer, error) {
	a := Answer{Question: q}
	p := l.people[q.Scope]
	if p == nil {
		return a, nil // a scope without documents: nothing can be found
	}
	start := time.Now()
	result, err := searcher.Search(ctx, search.Query{UserID: p.user.ID, Text: q.Text, Now: p.now, Zone: time.UTC, Limit: depth * documents})
	a.Took, a.Result = time.Since(start), result
	if err != nil {
		return a, err
	}
	for _, h := range result.Hits {
		id := l.documents[h.Passage.Ref]
		if !slices.Contains(a.Found, id) && len(a.Found) < documents {
			a.Found = append(a.Found, id)
		}
	}
	return a, nil
}

// Worst are the n answers that miss most.
func Worst(answers []Answer, n int) []Answer {
	sorted := slices.Clone(answers)
	slices.SortStableFunc(sorted, func(a, b Answer) int { return cmp.Compare(a.Gain, b.Gain) })
	return sorted[:min(n, len(sorted))]
}
