package search_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"confidant/internal/search"
)

// mentions is what conversations speak of, by field and value.
type mentions map[search.MentionField]map[string][]string

func (m mentions) Mentioning(_ context.Context, _ string, field search.MentionField, values []string) ([]string, error) {
	var ids []string
	for _, v := range values {
		ids = append(ids, m[field][v]...)
	}
	return ids, nil
}

// diary is three days of one person, the question being asked on the fourth.
func diary(t *testing.T) *fixture {
	f := newFixture(t, nil)
	f.record("monday", day, "Ana painted the fence green", "It took her all morning")
	f.record("tuesday", day.AddDate(0, 0, 1), "Ben painted the door red", "The invoice came")
	f.record("wednesday", day.AddDate(0, 0, 2), "We ate marmalade", "Nothing else happened")
	f.core.UseMentions(mentions{
		search.MentionPeople: {"ana": {"monday", "wednesday"}, "ben": {"tuesday"}},
		search.MentionTopics: {"painting": {"monday", "tuesday"}},
	})
	return f
}

func TestScopes(t *testing.T) {
	f := diary(t)
	now := day.AddDate(0, 0, 3) // Thursday, 7 May 2026
	for name, test := range map[string]struct {
		query   search.Query
		first   string
		dropped []string
	}{
		"a window that has it":   {search.Query{Text: "what was painted on Tuesday?"}, "Ben painted the door red", nil},
		"days ago":               {search.Query{Text: "who painted something three days ago"}, "Ana painted the fence green", nil},
		"a window that does not": {search.Query{Text: "did we eat marmalade on Monday?"}, "We ate marmalade", []string{"window"}},
		"a window that is given": {search.Query{Text: "painted", From: day.AddDate(0, 0, 1)}, "Ben painted the door red", nil},
		"a given one, in vain":   {search.Query{Text: "marmalade", Until: day.AddDate(0, 0, 1)}, "We ate marmalade", []string{"window"}},
		"people":                 {search.Query{Text: "painted", Filters: search.Filters{People: []string{"ben"}}}, "Ben painted the door red", nil},
		"people and topics":      {search.Query{Text: "painted", Filters: search.Filters{People: []string{"ana"}, Topics: []string{"painting"}}}, "Ana painted the fence green", nil},
		"nobody knows them":      {search.Query{Text: "fence", Filters: search.Filters{People: []string{"zoe"}}}, "Ana painted the fence green", []string{"people"}},
		"topics go first":        {search.Query{Text: "marmalade", Filters: search.Filters{People: []string{"ana"}, Topics: []string{"painting"}}}, "We ate marmalade", []string{"topics"}},
		"the window goes last":   {search.Query{Text: "marmalade yesterday morning for the queen", Filters: search.Filters{Entities: []string{"x"}}}, "We ate marmalade", []string{"entities"}},
		"words that were quoted": {search.Query{Text: `who ate "green marmalade"?`}, "We ate marmalade", []string{"quotation"}},
		"quoted, another time":   {search.Query{Text: `"the door" on Monday`}, "Ben painted the door red", []string{"window"}},
		"a quotation goes last":  {search.Query{Text: `"red marmalade" on Monday`}, "We ate marmalade", []string{"window", "quotation"}},
		"a conversation":         {search.Query{Text: "painted", Filters: search.Filters{Conversations: []string{"tuesday"}}}, "Ben painted the door red", nil},
	} {
		test.query.Now = now
		result := f.search(test.query)
		var dropped []string
		for _, d := range result.Receipt.Dropped {
			dropped = append(dropped, d.Filter)
		}
		if len(result.Hits) == 0 || result.Hits[0].Passage.Text != test.first || !slices.Equal(dropped, test.dropped) {
			t.Errorf("%s: found %+v, dropped %v; want %q first, dropped %v", name, result.Hits, dropped, test.first, test.dropped)
		}
		if note := result.Receipt.Note(); (note == "") != (len(test.dropped) == 0) {
			t.Errorf("%s: the note is %q", name, note)
		}
	}
}

func TestAConversationIsNeverDropped(t *testing.T) {
	f := diary(t)
	for _, q := range []search.Query{
		{Text: "marmalade", Filters: search.Filters{Conversations: []string{"monday"}}},
		{Text: "marmalade on Wednesday", Filters: search.Filters{Conversations: []string{"monday"}, People: []string{"ana"}}},
	} {
		q.Now = day.AddDate(0, 0, 3)
		if got := f.find(q); len(got) != 0 {
			t.Errorf("%+v found %q elsewhere", q.Filters, got)
		}
	}
}

func TestDaysBeginInThePersonsZone(t *testing.T) {
	f := newFixture(t, nil)
	f.record("late", time.Date(2026, 5, 4, 23, 30, 0, 0, time.UTC), "painted late")
	f.record("early", time.Date(2026, 5, 5, 12, 0, 0, 0, time.UTC), "painted early")
	tokyo, err := time.LoadLocation("Asia/Tokyo")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 5, 6, 3, 0, 0, 0, time.UTC)
	for zone, want := range map[*time.Location]int{time.UTC: 1, tokyo: 2} {
		if got := f.find(search.Query{Text: "painted yesterday", Now: now, Zone: zone}); len(got) != want {
			t.Errorf("%s: %q, want %d", zone, got, want)
		}
	}
}

func TestQuotedWordsStandTogether(t *testing.T) {
	f := newFixture(t, topics{})
	f.record("c", day, "the red boat race", "a race in a boat", "a boat raced by", "sailing away")
	got := f.find(search.Query{Text: `who spoke of a "boat race"?`})
	if !slices.Equal(got, []string{"the red boat race", "a boat raced by"}) && !slices.Equal(got, []string{"a boat raced by", "the red boat race"}) {
		t.Errorf("found %q", got)
	}
}

func TestNothingRatherThanTheLeastBad(t *testing.T) {
	f := newFixture(t, topics{}) // to which nonsense is near nothing that was said
	f.record("sea", day, "We took the boat out to the island", "Money is short", "The invoice came late")
	for _, nonsense := range []string{
		"zxqv blorp", "photosynthesis of deep green algae", "Wann kommt der Heizungsableser vorbei?", "kubernetes ingress controller timeout",
		"what is the airspeed velocity of an unladen swallow?", "???",
	} {
		result := f.search(search.Query{Text: nonsense})
		if len(result.Hits) != 0 {
			t.Errorf("%q found %q", nonsense, result.Hits[0].Passage.Text)
		}
		if r := result.Receipt; r.Considered != r.Refused {
			t.Errorf("%q: %d considered, %d refused", nonsense, r.Considered, r.Refused)
		}
	}
}

func TestEarlierQuestionsHelpAShortOne(t *testing.T) {
	f := newFixture(t, nil)
	f.record("kitchen", day, "The oven costs ninety", "The fridge costs eighty")
	f.record("car", day, "The wheel costs ninety", "The window costs eighty")
	got := f.find(search.Query{Text: "and the wheel?", History: []string{"What does the oven cost?"}})
	if len(got) == 0 || got[0] != "The wheel costs ninety" {
		t.Errorf("found %q", got)
	}
	got = f.find(search.Query{Text: "and when was that?", History: []string{"What about the fridge?"}})
	if len(got) == 0 || got[0] != "The fridge costs eighty" {
		t.Errorf("a question without a word of its own found %q", got)
	}
}

func TestReceipt(t *testing.T) {
	f := newFixture(t, topics{})
	f.record("sea", day, "Who took the boat?", "Ana did", "The weather was fine")
	result := f.search(search.Query{Text: "the boat that Ben took on Monday", Now: day.AddDate(0, 0, 2)})
	r := result.Receipt
	if r.Window == nil || r.Window.Words != "on Monday" && r.Window.Words != "Monday" || r.WordsOnly || len(r.Candidates) == 0 {
		t.Fatalf("%+v", r)
	}
	for _, term := range r.Terms {
		if term.Word == "monday" {
			t.Error("the words of the window were looked for")
		}
	}
	first := r.Candidates[0]
	if first.Rank != 1 || first.Kind != "segment" || first.Words <= 0 || first.Meaning <= 0 || first.Cover < 0.9 || first.Score != 1 {
		t.Errorf("first candidate %+v", first)
	}
	answer := r.Candidates[1]
	if answer.Ref != "sea.1" || answer.Neighbour <= 0 {
		t.Errorf("what answers the question is not lent by it: %+v", answer)
	}
	if long := f.search(search.Query{Text: strings.Repeat("boat ", 10_000)}).Receipt; len(long.Query) > 1000 || len(long.Candidates) > 30 {
		t.Errorf("a receipt of %d bytes of question and %d candidates", len(long.Query), len(long.Candidates))
	}
}
