package process_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"confidant/internal/bus"
	"confidant/internal/chat"
	"confidant/internal/ident"
	"confidant/internal/journal"
	"confidant/internal/llm"
	"confidant/internal/memory/process"
	"confidant/internal/store/sqlite"
)

// canned is a model that answers each schema with what the test says, in order;
// the last answer is given again and again. It fails for what it has no answer to.
type canned struct {
	mu      sync.Mutex
	answers map[string][]string // schema's name without its version → JSON
	asked   []llm.Request
}

func (m *canned) Name() string { return "canned" }

func (m *canned) Stream(_ context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		m.mu.Lock()
		name, _, _ := strings.Cut(req.Schema.Name, "_")
		m.asked = append(m.asked, req)
		list := m.answers[name]
		if len(list) > 1 {
			m.answers[name] = list[1:]
		}
		m.mu.Unlock()
		if len(list) == 0 {
			yield(nil, &llm.Error{Kind: llm.Rejected, Model: "canned", Err: errors.New("no answer")})
			return
		}
		if yield(llm.TextDelta{Text: list[0]}, nil) {
			yield(llm.Done{Stop: llm.StopEnd}, nil)
		}
	}
}

// prompts returns the system prompts and texts that asked for a schema.
func (m *canned) prompts(name string) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []string
	for _, req := range m.asked {
		if strings.HasPrefix(req.Schema.Name, name+"_") {
			list = append(list, req.System+"\n---\n"+req.Messages[0].Text)
		}
	}
	return list
}

var usual = map[string]string{
	"discard":   `{"discard":false}`,
	"digest":    `{"digest":"They spoke of the launch."}`,
	"structure": `{"title":"Moving the Launch","overview":"The launch moves to May.","emoji":"🚀","category":"work","events":[]}`,
	"folder":    `{"folder":0,"confidence":0}`,
	"metadata":  `{"people":["Ana Silva"],"topics":["the launch"],"entities":["Acme, Inc."],"dates":["2026-05-04","soon"]}`,
	"facts":     `{"facts":[{"content":"Prefers mornings for deep work","category":"system","segments":[1]}]}`,
	"meet":      `{"action":"add","supersedes":[],"merged_content":""}`,
	"tasks":     `{"tasks":[{"description":"Send Ana the budget","due_date":"2026-03-03","due_time":"morning","segment":0}]}`,
}

func model(change map[string][]string) *canned {
	m := &canned{answers: map[string][]string{}}
	for name, answer := range usual {
		m.answers[name] = []string{answer}
	}
	for name, answers := range change {
		m.answers[name] = answers
	}
	return m
}

var berlin, _ = time.LoadLocation("Europe/Berlin")

// monday is when the conversations of the tests began.
var monday = time.Date(2026, 3, 2, 10, 0, 0, 0, berlin)

type fixture struct {
	*testing.T
	store *sqlite.Store
	ana   chat.User
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	store, err := sqlite.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	ana, err := store.EnsureUser(t.Context(), "ana")
	if err != nil {
		t.Fatal(err)
	}
	return &fixture{t, store, ana}
}

func options(m llm.Model) process.Options {
	opt := process.DefaultOptions
	opt.Zone, opt.Pause = berlin, time.Millisecond
	opt.Model = m
	return opt
}

// run lets a pipeline work until no job is left.
func (f *fixture) run(opt process.Options) {
	f.Helper()
	jobs := journal.New(f.store, bus.NewLocal(), journal.Options{Worker: ident.New(), Poll: 5 * time.Millisecond, Grace: time.Second})
	p := process.New(f.store, opt)
	jobs.Handle(process.Kind, p.Handle)
	ctx, stop := context.WithCancel(context.WithoutCancel(f.Context()))
	done := make(chan error, 1)
	go func() { done <- jobs.Run(ctx) }()
	f.idle()
	stop()
	if err := <-done; err != nil {
		f.Error(err)
	}
}

func (f *fixture) idle() {
	f.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		list, err := f.store.Conversations(f.Context(), f.ana.ID, chat.ConversationQuery{Discarded: true, Locked: true, Limit: 100})
		if err != nil {
			f.Fatal(err)
		}
		if !slices.ContainsFunc(list, func(c chat.Conversation) bool {
			job, err := f.store.LatestJob(f.Context(), f.ana.ID, c.ID)
			return err == nil && !job.State.Final()
		}) {
			return
		}
	}
	f.Fatal("the jobs have not ended")
}

func (f *fixture) record(c chat.Conversation, lines ...string) chat.Conversation {
	f.Helper()
	c.ID, c.UserID, c.Status = ident.New(), f.ana.ID, chat.StatusProcessing
	if c.StartedAt.IsZero() {
		c.StartedAt = monday.UTC()
	}
	c.CreatedAt = c.StartedAt
	var segments []chat.Segment
	for i, line := range lines {
		speaker, text, _ := strings.Cut(line, ": ")
		segments = append(segments, chat.Segment{Speaker: speaker, Text: text, Start: float64(10 * i), End: float64(10*i + 5)})
		if !slices.Contains(c.Speakers, speaker) {
			c.Speakers = append(c.Speakers, speaker)
		}
	}
	c, _, err := f.store.PutConversation(f.Context(), c, segments, process.Job(f.ana.ID, c.ID, false))
	if err != nil {
		f.Fatal(err)
	}
	return c
}

func (f *fixture) again(c chat.Conversation) {
	f.Helper()
	if err := f.store.Enqueue(f.Context(), *process.Job(f.ana.ID, c.ID, true)); err != nil {
		f.Fatal(err)
	}
}

func (f *fixture) read(c chat.Conversation) chat.Conversation {
	f.Helper()
	c, err := f.store.Conversation(f.Context(), f.ana.ID, c.ID)
	if err != nil {
		f.Fatal(err)
	}
	return c
}

// states are the steps as "name state".
func (f *fixture) states(c chat.Conversation) map[chat.StepName]chat.StepState {
	f.Helper()
	list, err := f.store.Steps(f.Context(), f.ana.ID, c.ID)
	if err != nil {
		f.Fatal(err)
	}
	states := map[chat.StepName]chat.StepState{}
	for _, s := range list {
		states[s.Name] = s.State
	}
	return states
}

func (f *fixture) facts(all bool) []chat.Fact {
	f.Helper()
	list, err := f.store.Facts(f.Context(), f.ana.ID, chat.FactQuery{All: all, Limit: 100})
	if err != nil {
		f.Fatal(err)
	}
	return list
}

func (f *fixture) tasks() []chat.Task {
	f.Helper()
	list, err := f.store.Tasks(f.Context(), f.ana.ID, chat.TaskQuery{Limit: 100})
	if err != nil {
		f.Fatal(err)
	}
	return list
}

var talk = []string{"Ana: Can you send me the budget tomorrow morning?", "Ben: Sure. I prefer mornings for deep work anyway, so I shall do it before nine."}

func TestAConversationIsUnderstood(t *testing.T) {
	f := newFixture(t)
	c := f.record(chat.Conversation{Title: "recording-7"}, talk...)
	m := model(nil)
	f.run(options(m))
	got := f.read(c)
	if got.Title != "Moving the Launch" || got.Overview == "" || got.Emoji != "🚀" || got.Category != "work" || got.Status != chat.StatusCompleted || got.Discarded {
		t.Errorf("conversation %+v", got)
	}
	if want := (chat.Mentions{People: []string{"ana silva", "ana", "ben"}, Topics: []string{"launch"}, Entities: []string{"acme inc"}, Dates: []string{"2026-03-03", "2026-05-04"}}); !equal(got.Mentions, want) {
		t.Errorf("mentions %+v, want %+v", got.Mentions, want)
	}
	facts := f.facts(false)
	if len(facts) != 1 || facts[0].SegmentIDs[0] != chat.SegmentID(c.ID, 1) || !facts[0].ValidFrom.Equal(monday) || facts[0].ConversationID != c.ID {
		t.Errorf("facts %+v", facts)
	}
	tasks := f.tasks()
	if len(tasks) != 1 || !tasks[0].DueAt.Equal(time.Date(2026, 3, 3, 9, 0, 0, 0, berlin)) || tasks[0].SegmentID != chat.SegmentID(c.ID, 0) {
		t.Errorf("tasks %+v", tasks)
	}
	for name, state := range f.states(c) {
		if state != chat.StepDone && !(name == chat.StepFolder && state == chat.StepSkipped) {
			t.Errorf("step %s is %s", name, state)
		}
	}
	prompt := m.prompts("facts")[0]
	for _, want := range []string{"Monday, 2026-03-02 10:00", "Europe/Berlin", "[1] Ben: Sure."} {
		if !strings.Contains(prompt, want) {
			t.Errorf("the prompt lacks %q", want)
		}
	}
}

func equal(a, b chat.Mentions) bool {
	return slices.Equal(a.People, b.People) && slices.Equal(a.Topics, b.Topics) && slices.Equal(a.Entities, b.Entities) && slices.Equal(a.Dates, b.Dates)
}

func TestWithoutAModelStepsWait(t *testing.T) {
	f := newFixture(t)
	c := f.record(chat.Conversation{}, "Ana: Hello.", "Ben: Let us meet on 4 May about the new budget for the harbour project, shall we?", "Speaker 2: Yes, tomorrow I can say more.")
	f.run(options(nil))
	got := f.read(c)
	if got.Title != "Let us meet on 4 May about the new budget" || got.Overview != "" || got.Status != chat.StatusCompleted {
		t.Errorf("conversation %+v", got)
	}
	if !slices.Equal(got.Mentions.People, []string{"ana", "ben"}) || !slices.Equal(got.Mentions.Dates, []string{"2026-03-03", "2026-05-04"}) {
		t.Errorf("mentions %+v", got.Mentions)
	}
	want := map[chat.StepName]chat.StepState{
		chat.StepDiscard: chat.StepWaiting, chat.StepStructure: chat.StepWaiting, chat.StepFolder: chat.StepSkipped,
		chat.StepMetadata: chat.StepWaiting, chat.StepFacts: chat.StepWaiting, chat.StepTasks: chat.StepWaiting,
	}
	for name, state := range want {
		if got := f.states(c)[name]; got != state {
			t.Errorf("step %s is %s, want %s", name, got, state)
		}
	}
	if len(f.facts(true)) != 0 || len(f.tasks()) != 0 {
		t.Error("something was invented without a model")
	}

	// A model comes: what waited is done.
	p := process.New(f.store, options(model(nil)))
	ctx, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	p.Sweep(ctx, time.Hour, time.Hour)
	stop()
	f.run(options(model(nil)))
	if got := f.read(c); got.Overview == "" || len(f.facts(false)) != 1 {
		t.Errorf("after a model came: %+v", got)
	}
	for name, state := range f.states(c) {
		if state == chat.StepWaiting {
			t.Errorf("step %s still waits", name)
		}
	}
}

func TestAFailureBlocksNothingElse(t *testing.T) {
	for name, answers := range map[string][]string{
		"no answer":             nil,
		"not JSON":              {"I am sorry, I cannot do that."},
		"half of it":            {`{"title":"Moving`},
		"another schema":        {`{"name":"x"}`},
		"other types":           {`{"title":7,"overview":"","emoji":"","category":"","events":[]}`},
		"two values":            {usual["structure"] + usual["structure"]},
		"over the answer limit": {`{"title":"` + strings.Repeat("x", 300<<10) + `"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			c := f.record(chat.Conversation{Title: "kept"}, talk...)
			m := model(map[string][]string{"structure": answers})
			opt := options(m)
			f.run(opt)
			got := f.read(c)
			if got.Title != "kept" || got.Segments != 2 || got.Status != chat.StatusCompleted {
				t.Errorf("conversation %+v", got)
			}
			if s := f.states(c); s[chat.StepStructure] != chat.StepFailed || s[chat.StepFacts] != chat.StepDone || s[chat.StepTasks] != chat.StepDone {
				t.Errorf("steps %v", s)
			}
			if n := len(m.prompts("structure")); n != opt.Attempts {
				t.Errorf("asked %d times, want %d", n, opt.Attempts)
			}
			due, err := f.store.Due(t.Context(), time.Now().Add(2*time.Minute), true, 10)
			if err != nil || len(due) != 1 {
				t.Errorf("to be tried again: %d, %v", len(due), err)
			}
			m.answers["structure"] = []string{usual["structure"]}
			f.again(c)
			f.run(opt)
			if got := f.read(c); got.Title != "Moving the Launch" {
				t.Errorf("after the model recovered: %+v", got)
			}
		})
	}
}

func TestItFailsForGood(t *testing.T) {
	f := newFixture(t)
	c := f.record(chat.Conversation{Title: "kept"}, talk...)
	opt := options(model(map[string][]string{"tasks": nil}))
	opt.Later = []time.Duration{0}
	f.run(opt)
	if err := f.store.Enqueue(t.Context(), *process.Job(f.ana.ID, c.ID, false)); err != nil {
		t.Fatal(err)
	}
	f.run(opt)
	if got := f.read(c); got.Status != chat.StatusFailed || got.Segments != 2 || len(f.facts(false)) != 1 {
		t.Errorf("conversation %+v", got)
	}
}

func TestDiscard(t *testing.T) {
	long := "Ana: " + strings.Repeat("well ", 120)
	for name, test := range map[string]struct {
		source  string
		lines   []string
		answers map[string][]string
		want    bool
	}{
		"the model says so":       {"", []string{"Ana: Hi there."}, map[string][]string{"discard": {`{"discard":true}`}}, true},
		"the model says no":       {"", []string{"Ana: Call the bank."}, nil, false},
		"long is not asked":       {"", []string{long}, map[string][]string{"discard": {`{"discard":true}`}}, false},
		"a note is not asked":     {"note", []string{"Ana: hm"}, map[string][]string{"discard": {`{"discard":true}`}}, false},
		"an error keeps it":       {"", []string{"Ana: Hi there."}, map[string][]string{"discard": nil}, false},
		"nothing was said at all": {"", nil, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			c := f.record(chat.Conversation{Title: "x", Source: test.source}, test.lines...)
			f.run(options(model(test.answers)))
			got := f.read(c)
			if got.Discarded != test.want || got.Segments != len(test.lines) {
				t.Errorf("discarded %t, want %t; %d segments", got.Discarded, test.want, got.Segments)
			}
			if test.want && (len(f.facts(true)) != 0 || len(f.tasks()) != 0 || got.Overview != "") {
				t.Error("something was derived from what was discarded")
			}
		})
	}
}

func TestTheEventFilter(t *testing.T) {
	event := func(title, start string, minutes int, flags string) string {
		all := map[string]bool{}
		for i, name := range []string{"confirmed", "user_involved", "concrete_time", "consequential"} {
			all[name] = flags[i] == '1'
		}
		e := map[string]any{"title": title, "description": "", "start": start, "duration_minutes": minutes}
		for k, v := range all {
			e[k] = v
		}
		text, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	f := newFixture(t)
	c := f.record(chat.Conversation{}, talk...)
	f.run(options(model(map[string][]string{"structure": {`{"title":"A b c d e f g h i j k l","overview":"o","emoji":"","category":"gossip","events":[` +
		strings.Join([]string{
			event("Dentist", "2026-03-05T15:00", 0, "1111"),
			event("Marathon", "2026-03-06T10:00", 600, "1111"),
			event("Not confirmed", "2026-03-05T15:00", 30, "0111"),
			event("Somebody else's", "2026-03-05T15:00", 30, "1011"),
			event("Some day", "", 30, "1101"),
			event("Nothing", "2026-03-05T15:00", 30, "1110"),
			event("No time", "whenever", 30, "1111"),
		}, ",") + `]}`}})))
	got := f.read(c)
	if got.Category != chat.CategoryOther || got.Emoji != "🧠" || len(strings.Fields(got.Title)) != 10 {
		t.Errorf("%q %q %q", got.Title, got.Category, got.Emoji)
	}
	if len(got.Events) != 2 || !got.Events[0].Start.Equal(time.Date(2026, 3, 5, 15, 0, 0, 0, berlin)) || got.Events[0].Minutes != 30 || got.Events[1].Minutes != 180 {
		t.Errorf("events %+v", got.Events)
	}
}

func TestTitlesThatPeopleChoseStay(t *testing.T) {
	f := newFixture(t)
	c := f.record(chat.Conversation{Title: "My own", Named: true}, talk...)
	f.run(options(model(nil)))
	if got := f.read(c); got.Title != "My own" || got.Overview == "" {
		t.Errorf("conversation %+v", got)
	}
}

func TestFolders(t *testing.T) {
	f := newFixture(t)
	work := chat.Folder{ID: ident.New(), Name: "Work"}
	if err := f.store.SaveFolders(t.Context(), f.ana.ID, chat.Changes[chat.Folder]{Put: []chat.Folder{work}}); err != nil {
		t.Fatal(err)
	}
	for answer, want := range map[string]string{
		`{"folder":1,"confidence":0.9}`:  work.ID,
		`{"folder":1,"confidence":0.69}`: "",
		`{"folder":7,"confidence":1}`:    "",
	} {
		c := f.record(chat.Conversation{Fingerprint: answer}, talk...)
		f.run(options(model(map[string][]string{"folder": {answer}})))
		if got := f.read(c); got.FolderID != want {
			t.Errorf("%s: folder %q, want %q", answer, got.FolderID, want)
		}
	}
}

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

// The old facts of a conversation go only when the new ones are stored.
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

func TestTheRulesOfTasks(t *testing.T) {
	task := func(description, date, clock string) string {
		text, _ := json.Marshal(map[string]any{"description": description, "due_date": date, "due_time": clock, "segment": 0})
		return string(text)
	}
	at := func(day, hour, minute int) time.Time { return time.Date(2026, 3, day, hour, minute, 0, 0, berlin) }
	for name, test := range map[string]struct {
		task string
		due  time.Time
		none bool
	}{
		"morning":            {task: task("Call Ana", "2026-03-04", "morning"), due: at(4, 9, 0)},
		"noon":               {task: task("Call Ana", "2026-03-04", "noon"), due: at(4, 12, 0)},
		"afternoon":          {task: task("Call Ana", "2026-03-04", "Afternoon"), due: at(4, 14, 0)},
		"evening":            {task: task("Call Ana", "2026-03-04", "evening"), due: at(4, 18, 0)},
		"a time":             {task: task("Call Ana", "2026-03-04", "16:30"), due: at(4, 16, 30)},
		"no time":            {task: task("Call Ana", "2026-03-04", ""), due: at(4, 23, 59)},
		"summer time begins": {task: task("Call Ana", "2026-03-29", "morning"), due: at(29, 9, 0)},
		"urgent":             {task: task("Call Ana", "", "urgent"), due: at(2, 12, 0)},
		"no day":             {task: task("Call Ana", "", "")},
		"a day that is none": {task: task("Call Ana", "2026-02-31", "noon")},
		"over 15 words":      {task: task("Call Ana and then one two three four five six seven eight nine ten eleven twelve", "", ""), none: true},
		"nobody's":           {task: task("Call Speaker 2 back", "", ""), none: true},
		"a command":          {task: task("Hey Siri set a timer", "", ""), none: true},
		"a word is no task":  {task: task("Milk", "", ""), none: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.record(chat.Conversation{}, talk...)
			f.run(options(model(map[string][]string{"tasks": {`{"tasks":[` + test.task + "," + test.task + `]}`}})))
			got := f.tasks()
			if test.none != (len(got) == 0) || len(got) > 1 {
				t.Fatalf("tasks %+v", got)
			}
			if !test.none && !got[0].DueAt.Equal(test.due) {
				t.Errorf("due %s, want %s", got[0].DueAt.In(berlin), test.due)
			}
		})
	}
}

func TestTasksSaidTwiceAreOne(t *testing.T) {
	f := newFixture(t)
	m := model(nil)
	f.record(chat.Conversation{Fingerprint: "1"}, talk...)
	f.run(options(m))
	f.record(chat.Conversation{Fingerprint: "2"}, talk...)
	f.run(options(m))
	if got := f.tasks(); len(got) != 1 {
		t.Errorf("tasks %+v", got)
	}
	if prompts := m.prompts("tasks"); !strings.Contains(prompts[1], "- Send Ana the budget (due 2026-03-03, done false)") {
		t.Error("the second prompt does not show the task of the first conversation")
	}
}

func TestTasksThatAPersonChangedStay(t *testing.T) {
	f := newFixture(t)
	c := f.record(chat.Conversation{}, talk...)
	m := model(nil)
	f.run(options(m))
	task := f.tasks()[0]
	task.Description, task.Edited = "Send Ana the budget and the plan", true
	if err := f.store.SaveTasks(t.Context(), f.ana.ID, chat.Changes[chat.Task]{Put: []chat.Task{task}}); err != nil {
		t.Fatal(err)
	}
	m.answers["tasks"] = []string{`{"tasks":[]}`}
	f.again(c)
	f.run(options(m))
	if got := f.tasks(); len(got) != 1 || got[0].ID != task.ID {
		t.Errorf("tasks %+v", got)
	}
}

func TestAVeryLongConversation(t *testing.T) {
	f := newFixture(t)
	lines := make([]string, 2000)
	for i := range lines {
		lines[i] = fmt.Sprintf("Ana: This is the %d. sentence of a conversation that takes fifty words or so of a very long day in the office.", i)
	}
	c := f.record(chat.Conversation{}, lines...)
	m := model(nil)
	f.run(options(m))
	if got := f.read(c); got.Title != "Moving the Launch" || got.Status != chat.StatusCompleted {
		t.Errorf("conversation %+v", got)
	}
	if n := len(m.prompts("digest")); n < 4 {
		t.Errorf("%d digests", n)
	}
	for _, req := range m.asked {
		if n := len(req.Messages[0].Text); n > 49_000 {
			t.Errorf("a call of %d bytes", n)
		}
	}
}

func TestSilenceFinishes(t *testing.T) {
	f := newFixture(t)
	c, _, err := f.store.PutConversation(t.Context(), chat.Conversation{
		ID: ident.New(), UserID: f.ana.ID, Status: chat.StatusInProgress, StartedAt: monday, CreatedAt: monday,
	}, []chat.Segment{{Speaker: "Ana", Text: "Call the bank about the loan, please."}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := process.New(f.store, options(nil))
	ctx, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	p.Sweep(ctx, time.Minute, time.Hour)
	f.run(options(nil))
	if got := f.read(c); got.Status != chat.StatusCompleted || got.FinishedAt.IsZero() || got.Title == "" {
		t.Errorf("conversation %+v", got)
	}
}

func TestDeletedMeanwhile(t *testing.T) {
	f := newFixture(t)
	c := f.record(chat.Conversation{}, talk...)
	gone := &deleting{canned: model(nil), do: func() {
		if err := f.store.DeleteConversation(context.Background(), f.ana.ID, c.ID); err != nil {
			t.Error(err)
		}
	}}
	f.run(options(gone))
	if len(f.facts(true)) != 0 || len(f.tasks()) != 0 {
		t.Error("something was derived from what is gone")
	}
}

// deleting is a model during whose first answer something else happens.
type deleting struct {
	*canned
	once sync.Once
	do   func()
}

func (d *deleting) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	d.once.Do(d.do)
	return d.canned.Stream(ctx, req)
}
