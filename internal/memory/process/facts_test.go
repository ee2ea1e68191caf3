package process_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"confidant/internal/chat"
	"confidant/internal/ident"
)

func TestTheRulesOfFacts(t *testing.T) {
	fact := func(content, category string) string {
		text, _ := json.Marshal(map[string]any{"content": content, "category": category, "segments": []int{0, 99, -1}})
		return string(text)
	}
	var many []string
	for i := range 10_000 {
		many = append(many, fact(fmt.Sprintf("Owns boat number %d in harbour %d", i, i), "system"))
	}
	for name, test := range map[string]struct {
		facts []string
		want  []string
	}{
		"two of each": {[]string{
			fact("Plays the cello in an orchestra", "system"), fact("Grew up on Madeira", "system"), fact("Has three sisters", "system"),
			fact("Ana Silva: prune roses in March", "interesting"), fact("Ben Cole: sourdough needs a cold night", "interesting"), fact("Cem: sell in May", "interesting"),
		}, []string{"Plays the cello in an orchestra", "Grew up on Madeira", "Ana Silva: prune roses in March", "Ben Cole: sourdough needs a cold night"}},
		"over 15 words":    {[]string{fact("one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen", "system")}, nil},
		"hedged":           {[]string{fact("Might move to Rome", "system"), fact("They discussed the garden", "system")}, nil},
		"of today":         {[]string{fact("Goes to the dentist today", "system")}, nil},
		"mundane":          {[]string{fact("Had lunch with colleagues", "system"), fact("Is tired of meetings", "system")}, nil},
		"nobody's":         {[]string{fact("Speaker 1 likes tea", "interesting")}, nil},
		"twice":            {[]string{fact("Plays the cello", "system"), fact("Plays cello", "system")}, []string{"Plays the cello"}},
		"ten thousand":     {many, []string{"Owns boat number 0 in harbour 0", "Owns boat number 1 in harbour 1"}},
		"none is the rule": {nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			answer := `{"facts":[` + strings.Join(test.facts, ",") + `]}`
			c := f.record(chat.Conversation{}, talk...)
			f.run(options(model(map[string][]string{"facts": {answer}})))
			var got []string
			for _, fact := range f.facts(false) {
				got = append(got, fact.Content)
				if !slices.Equal(fact.SegmentIDs, []string{chat.SegmentID(c.ID, 0)}) {
					t.Errorf("sources %v", fact.SegmentIDs)
				}
			}
			slices.Sort(got)
			slices.Sort(test.want)
			// 10,000 facts are over the limit of an answer: that is a failure, and nothing is stored.
			if name == "ten thousand" {
				test.want = nil
				if f.states(c)[chat.StepFacts] != chat.StepFailed {
					t.Error("an endless answer is a failure")
				}
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("facts %q, want %q", got, test.want)
			}
		})
	}
}

func TestNewFactsMeetTheOld(t *testing.T) {
	old := func(f *fixture, content string, change func(*chat.Fact)) chat.Fact {
		fact := chat.Fact{ID: ident.New(), Content: content, Category: chat.FactSystem, CreatedAt: monday.AddDate(0, -1, 0), ValidFrom: monday.AddDate(0, -1, 0)}
		if change != nil {
			change(&fact)
		}
		if err := f.store.SaveFacts(f.Context(), f.ana.ID, chat.Changes[chat.Fact]{Put: []chat.Fact{fact}}); err != nil {
			f.Fatal(err)
		}
		return fact
	}
	lives := []string{`{"facts":[{"content":"Lives in Porto near the river","category":"system","segments":[0]}]}`}
	for name, test := range map[string]struct {
		verdict string
		change  func(*chat.Fact)
		hold    []string
		all     int
	}{
		"add":                     {`{"action":"add","supersedes":[],"merged_content":""}`, nil, []string{"Lives in Lisbon near the river", "Lives in Porto near the river"}, 2},
		"keep both":               {`{"action":"keep_both","supersedes":[],"merged_content":""}`, nil, []string{"Lives in Lisbon near the river", "Lives in Porto near the river"}, 2},
		"skip":                    {`{"action":"skip","supersedes":[],"merged_content":""}`, nil, []string{"Lives in Lisbon near the river"}, 1},
		"update":                  {`{"action":"update","supersedes":[1],"merged_content":""}`, nil, []string{"Lives in Porto near the river"}, 2},
		"merge":                   {`{"action":"merge","supersedes":[1],"merged_content":"Lived in Lisbon, now in Porto"}`, nil, []string{"Lived in Lisbon, now in Porto"}, 2},
		"a number that is none":   {`{"action":"update","supersedes":[7,0,-1],"merged_content":""}`, nil, []string{"Lives in Lisbon near the river", "Lives in Porto near the river"}, 2},
		"a model that fails adds": {`no`, nil, []string{"Lives in Lisbon near the river", "Lives in Porto near the river"}, 2},
		"pinned facts stay":       {`{"action":"update","supersedes":[1],"merged_content":""}`, func(f *chat.Fact) { f.Pinned = true }, []string{"Lives in Lisbon near the river", "Lives in Porto near the river"}, 2},
		"manual facts stay":       {`{"action":"update","supersedes":[1],"merged_content":""}`, func(f *chat.Fact) { f.Manual = true }, []string{"Lives in Lisbon near the river", "Lives in Porto near the river"}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			before := old(f, "Lives in Lisbon near the river", test.change)
			c := f.record(chat.Conversation{}, talk...)
			m := model(map[string][]string{"facts": lives, "meet": {test.verdict}})
			for round := range 2 { // processing again comes to the same
				f.run(options(m))
				var hold []string
				for _, fact := range f.facts(false) {
					hold = append(hold, fact.Content)
				}
				slices.Sort(hold)
				slices.Sort(test.hold)
				if all := f.facts(true); !slices.Equal(hold, test.hold) || len(all) != test.all {
					t.Fatalf("round %d: %q hold of %d, want %q of %d", round, hold, len(all), test.hold, test.all)
				}
				f.again(c)
			}
			stored, err := f.store.Fact(t.Context(), f.ana.ID, before.ID)
			if err != nil {
				t.Fatal(err)
			}
			if superseded := !slices.Contains(test.hold, stored.Content); superseded != (stored.SupersededBy != "") || superseded && !stored.ValidTo.Equal(monday) {
				t.Errorf("the old one: %+v", stored)
			}
		})
	}
}

func TestRejectedFactsAreNotFoundAgain(t *testing.T) {
	f := newFixture(t)
	c := f.record(chat.Conversation{}, talk...)
	m := model(nil)
	f.run(options(m))
	fact := f.facts(false)[0]
	fact.Review = chat.Rejected
	if err := f.store.SaveFacts(t.Context(), f.ana.ID, chat.Changes[chat.Fact]{Put: []chat.Fact{fact}}); err != nil {
		t.Fatal(err)
	}
	f.again(c)
	f.run(options(m))
	if len(f.facts(false)) != 0 || len(f.facts(true)) != 1 {
		t.Errorf("facts %+v", f.facts(true))
	}
}

func TestAFailureKeepsTheOldFacts(t *testing.T) {
	f := newFixture(t)
	c := f.record(chat.Conversation{}, talk...)
	m := model(nil)
	f.run(options(m))
	m.answers["facts"], m.answers["tasks"] = nil, nil
	f.again(c)
	f.run(options(m))
	if len(f.facts(false)) != 1 || len(f.tasks()) != 1 {
		t.Errorf("%d facts, %d tasks", len(f.facts(false)), len(f.tasks()))
	}
}
