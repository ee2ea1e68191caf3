package measure

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
)

// Print writes the table: for each form the documents, then all, with the search as
// it is and with keywords alone.
func Print(w io.Writer, r Report) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "FORM\tDOCUMENT\tPROBES\tHIT@1\tHIT@5\tMRR@10\tMEDIAN\tKEYWORDS: HIT@1\tHIT@5\tMRR@10\tMEDIAN\t")
	for _, form := range Forms {
		both := r[form]
		row := func(form, document string, whole, keywords Figures) {
			fmt.Fprintf(t, "%s\t%s\t%d\t%s\t%s\t\n", form, document, whole.Probes, whole.cells(), keywords.cells())
		}
		name := string(form)
		for _, document := range slices.Sorted(maps.Keys(both.Whole.Documents)) {
			row(name, document, both.Whole.Documents[document], both.Keywords.Documents[document])
			name = ""
		}
		row(name, "all", both.Whole.Figures, both.Keywords.Figures)
	}
	return t.Flush()
}

func (f Figures) cells() string {
	return fmt.Sprintf("%s\t%s\t%s\t%.1f ms", share(f.Hit1), share(f.Hit5), share(f.MRR), float64(f.Median)/1e6)
}

func share(x float64) string { return strings.TrimPrefix(fmt.Sprintf("%.3f", x), "0") }

// Explain writes what a probe found.
func Explain(w io.Writer, a Answer) {
	place := "not found"
	if a.Rank > 0 {
		place = fmt.Sprint("found at ", a.Rank)
	}
	fmt.Fprintf(w, "\n%s  %s\n  %s, page %d: %s\n", a.Form, a.Probe.in(a.Form), a.Probe.Document, a.Probe.Page, place)
	for i, s := range a.Found {
		mark := " "
		if i+1 == a.Rank {
			mark = "*"
		}
		fmt.Fprintf(w, "  %s %2d %.3f  %s, page %d  %s\n", mark, i+1, s.Similarity, s.Name, s.Page, beginning(s.Text))
	}
}

// beginning is what fits on a line.
func beginning(text string) string {
	r := []rune(strings.Join(strings.Fields(text), " "))
	if len(r) > 90 {
		return string(r[:90]) + "…"
	}
	return string(r)
}
