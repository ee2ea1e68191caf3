package chunk

import (
	"fmt"
	"strings"
	"testing"
)

// prose is a page of a book without what is printed at its edges.
func prose(n int) string {
	return strings.Repeat(fmt.Sprintf("On day %d the tide rose over the quay. ", n), 40)
}

func TestRunningHeadsAreInNoChunk(t *testing.T) {
	roman := []string{"i", "ii", "iii", "iv", "v", "vi"}
	for name, page := range map[string]func(n int) (head, text, foot string){
		"head with a number": func(n int) (string, string, string) { return fmt.Sprintf("Chapter 3: Tides %d\n\n", n), prose(n), "" },
		"a heading":          func(n int) (string, string, string) { return "#### Manual of Tides, Release 4.6\n\n", prose(n), "" },
		"numbers below":      func(n int) (string, string, string) { return "", prose(n), fmt.Sprintf("\n\n– %d –", n) },
		"roman numbers":      func(n int) (string, string, string) { return "", prose(n), "\n\n" + roman[n] },
		"left and right": func(n int) (string, string, string) {
			return []string{"Tides\n\n", "Moons and their pull\n\n"}[n%2], prose(n), []string{fmt.Sprintf("\n\n%d Part A", n), fmt.Sprintf("\n\nPart B %d", n)}[n%2]
		},
		"a title and a number": func(n int) (string, string, string) {
			return fmt.Sprintf("The Root of the Sea\n\n%d\n\n", n), prose(n), ""
		},
	} {
		var texts []string
		for n := range 6 {
			head, text, foot := page(n)
			texts = append(texts, head+text+foot)
		}
		chunks := cut(Estimate, texts...)
		if len(chunks) < len(texts) {
			t.Fatalf("%s: %d chunks", name, len(chunks))
		}
		begins := map[int]int{}
		for i, c := range chunks {
			if _, seen := begins[c.Page]; !seen {
				begins[c.Page] = c.Start
				if head, _, _ := page(c.Page - 1); c.Start != len(head) {
					t.Errorf("%s: page %d begins with %q", name, c.Page, c.Text[:20])
				}
			}
			head, text, _ := page(c.Page - 1)
			if last := i+1 == len(chunks) || chunks[i+1].Page != c.Page; last && c.End != len(strings.TrimSpace(head+text)) {
				t.Errorf("%s: page %d ends with %q", name, c.Page, c.Text[len(c.Text)-20:])
			}
			if len(c.Headings) > 0 {
				t.Errorf("%s: a head is a heading: %q", name, c.Headings)
			}
		}
	}
}

func TestWhatIsNoRunningHeadStays(t *testing.T) {
	long := strings.Repeat("The same warning stands on every page. ", 5) + "\n\n"
	for name, texts := range map[string][]string{
		"slides":                         {"# Results\n\n- The tide rises.", "# Results\n\n- The tide falls.", "# Results\n\n- And again."},
		"one page":                       {"Chapter 3: Tides 1\n\n" + prose(1)},
		"another title each":             {"# Tides\n\n" + prose(1), "# Moons\n\n" + prose(2), "# Suns\n\n" + prose(3)},
		"far away":                       {"# Notes\n\n" + prose(1), "# A\n\n" + prose(2), "# B\n\n" + prose(3), "# Notes\n\n" + prose(4)},
		"in the middle":                  {prose(1) + "\n\nNote\n\n" + prose(1) + "\n\na\n\nb", prose(2) + "\n\nNote\n\n" + prose(2) + "\n\nc\n\nd"},
		"a paragraph":                    {long + prose(1), long + prose(2), long + prose(3)},
		"head of one, foot of the other": {"Tides\n\n" + prose(1), prose(2) + "\n\nTides"},
		"nothing":                        {"", " \n\n \n", ""},
	} {
		chunks := cut(Estimate, texts...)
		for i, text := range texts {
			at := 0
			for _, c := range chunks {
				if c.Page == i+1 {
					if strings.TrimSpace(text[min(at, c.Start):c.Start]) != "" {
						t.Errorf("%s: %q of page %d is left out", name, text[at:c.Start], c.Page)
					}
					at = c.End
				}
			}
			if strings.TrimSpace(text[at:]) != "" {
				t.Errorf("%s: %q of page %d is left out", name, text[at:], i+1)
			}
		}
	}
}
