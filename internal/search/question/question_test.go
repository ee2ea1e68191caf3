package question

import (
	"slices"
	"strings"
	"testing"
	"time"
)

var now = time.Date(2026, 11, 18, 15, 30, 0, 0, time.UTC) // a Wednesday

func TestTerms(t *testing.T) {
	for text, want := range map[string][]string{
		"What did John say about the budget?":  {"john", "budget"},
		"Was sagte Jürgen über die Müllabfuhr": {"jurgen", "mullabfuhr"},
		"the the THE":                    {"the"},
		"":                               {},
		"C++ and C#!":                    {"c"},
		"明日の天気":                          {"明日の天気"},
		"budgets Budget BUDGETING":       {"budgets"},
		"Summarize the discussion of it": {"summarize", "the", "discussion", "of", "it"}, // nothing else is there
	} {
		got := Parse(text, nil, now).Words()
		if !slices.Equal(got, want) {
			t.Errorf("terms of %q: %q, want %q", text, got, want)
		}
	}
	if n := len(Parse(strings.Repeat("a1b2 c3 ", 10)+strings.Join(strings.Split(strings.Repeat("x", 200), ""), "y "), nil, now).Terms); n > maxTerms {
		t.Errorf("%d terms", n)
	}
	if got := Parse(strings.Repeat("x", 1<<20), nil, now).Terms; len(got) != 0 {
		t.Errorf("a megabyte of one word became %d terms", len(got))
	}
}

func TestNames(t *testing.T) {
	var names []string
	for _, term := range Parse("Where did Caroline and Jörg see the Eiffel tower?", nil, now).Terms {
		if term.Name {
			names = append(names, term.Word)
		}
	}
	if !slices.Equal(names, []string{"caroline", "jorg", "eiffel"}) {
		t.Errorf("names: %q", names)
	}
}

func TestPhrases(t *testing.T) {
	for text, want := range map[string][]string{
		`who said "boat race" here`:          {"boat race"},
		`“Boat Race” and „große Pläne“`:      {"boat race", "große plane"},
		`an "unfinished quotation`:           nil,
		`"" and "?!"`:                        nil,
		`don't say 'no'`:                     nil,
		`"a" "b" "c" "d" "e"`:                {"a", "b", "c", "d"},
		`"` + strings.Repeat("x ", 50) + `"`: nil,
	} {
		if got := Parse(text, nil, now).Phrases; !slices.Equal(got, want) {
			t.Errorf("phrases of %q: %q, want %q", text, got, want)
		}
	}
}

func TestAShortQuestionLeansOnThoseBefore(t *testing.T) {
	history := []string{"Tell me about the kitchen", "What did Ana say about the oven repair?"}
	for text, want := range map[string][]string{
		"and the other one?":                        {"ana", "oven", "repair", "kitchen"},
		"and the fridge?":                           {"fridge", "ana", "oven", "repair", "kitchen"},
		"What did Ben buy at the market on Monday?": {"ben", "buy", "market", "monday"},
	} {
		q := Parse(text, history, now)
		if got := q.Words(); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
		for _, term := range q.Terms {
			if earlier := strings.Contains(strings.ToLower(strings.Join(history, " ")), term.Word); earlier != (term.Weight < 1) {
				t.Errorf("%q: %s weighs %g", text, term.Word, term.Weight)
			}
		}
	}
}

func TestWithoutTime(t *testing.T) {
	for text, want := range map[string][]string{
		"What did Ana paint last week?":       {"ana", "paint"},
		"the week before Easter with Ben":     {"ben"},
		"what happened yesterday":             {"happened"},
		"weekly report on last week's budget": {"weekly", "report", "budget"},
		"yesterday":                           {"yesterday"}, // nothing else is there
		"no time at all":                      {"time"},
	} {
		if got := Parse(text, nil, now).WithoutTime().Words(); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{`"`, "„a“ “b” »c«", "\xff\xfe last week", "Ǆ́", "yesterday yesterday"} {
		f.Add(text, text)
	}
	f.Fuzz(func(t *testing.T, text, before string) {
		for _, q := range []Question{Parse(text, []string{before}, now), Parse(text, nil, now).WithoutTime()} {
			if len(q.Terms) > maxTerms+maxEarlier || len(q.Phrases) > maxPhrases {
				t.Errorf("%q: %d terms, %d phrases", text, len(q.Terms), len(q.Phrases))
			}
			for _, term := range q.Terms {
				if term.Word == "" || term.Stem == "" || term.Weight <= 0 {
					t.Errorf("%q has the term %+v", text, term)
				}
			}
		}
	})
}
