package measure

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"confidant/internal/search"
)

// Print writes the table: each category, then all, with the whole search, the
// search without meaning, and keywords alone.
func Print(w io.Writer, r Report, cutoffs []int) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	head := []string{"CATEGORY", "SEARCH", "QUERIES"}
	for _, k := range cutoffs {
		head = append(head, fmt.Sprintf("RECALL@%d", k))
	}
	fmt.Fprintln(t, strings.Join(append(head, "HIT@10", "MRR@10", "NDCG@10", "MEDIAN", "P99"), "\t")+"\t")
	row := func(category, search string, f Figures) {
		cells := []string{category, search, fmt.Sprint(f.Queries)}
		for _, k := range cutoffs {
			cells = append(cells, share(f.Recall[k]))
		}
		cells = append(cells, share(f.Hit), share(f.MRR), share(f.NDCG), fmt.Sprintf("%.1f ms", milliseconds(f.Median)), fmt.Sprintf("%.1f ms", milliseconds(f.P99)))
		fmt.Fprintln(t, strings.Join(cells, "\t")+"\t")
	}
	for _, name := range slices.Sorted(maps.Keys(r.Categories)) {
		row(name, "whole", r.Categories[name])
		row("", "no meaning", r.Words.Categories[name])
		row("", "keywords", r.Keywords.Categories[name])
	}
	row("all", "whole", r.Figures)
	row("", "no meaning", r.Words.Figures)
	row("", "keywords", r.Keywords.Figures)
	return t.Flush()
}

func share(x float64) string { return strings.TrimPrefix(fmt.Sprintf("%.3f", x), "0") }

// Explain writes what a question found, with the receipt.
func Explain(w io.Writer, a Answer, l *Library) {
	fmt.Fprintf(w, "\n%s  %s\n  relevant: %s\n", a.Question.ID, a.Question.Text, strings.Join(a.Question.Relevant, ", "))
	r := a.Result.Receipt
	if r.Window != nil {
		fmt.Fprintf(w, "  window: %s (%q)\n", interval(r.Window), r.Window.Words)
	}
	for _, d := range r.Dropped {
		fmt.Fprintf(w, "  dropped: %s, because %s\n", d.Filter, d.Reason)
	}
	var terms []string
	for _, t := range r.Terms {
		terms = append(terms, fmt.Sprintf("%s (%d)", t.Word, t.Passages))
	}
	fmt.Fprintf(w, "  terms: %s\n  considered %d, refused %d\n", strings.Join(terms, ", "), r.Considered, r.Refused)
	texts := map[string]string{}
	for _, h := range a.Result.Hits {
		texts[h.Passage.Ref] = h.Passage.Speaker + ": " + h.Passage.Text
	}
	for _, c := range r.Candidates {
		mark := " "
		if slices.Contains(a.Question.Relevant, l.documents[c.Ref]) {
			mark = "*"
		}
		fmt.Fprintf(w, "  %s %3d %.3f  words %6.2f neighbour %6.2f meaning %.2f cover %.2f session %.2f  %s  %s%s\n", mark, c.Rank, c.Score,
			c.Words, c.Neighbour, c.Meaning, c.Cover, c.Session, l.documents[c.Ref], beginning(texts[c.Ref]), c.Dropped)
	}
}

// interval is a window as days.
func interval(w *search.WindowReceipt) string {
	const layout = "2006-01-02 15:04"
	from, until := "…", "…"
	if w.From != nil {
		from = w.From.Format(layout)
	}
	if w.Until != nil {
		until = w.Until.Format(layout)
	}
	return from + " to " + until
}

// beginning is what fits on a line.
func beginning(text string) string {
	r := []rune(strings.Join(strings.Fields(text), " "))
	if len(r) > 80 {
		return string(r[:80]) + "…"
	}
	return string(r)
}
