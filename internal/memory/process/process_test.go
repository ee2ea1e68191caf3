package process_test

import (
	"context"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"confidant/internal/chat"
	"confidant/internal/ident"
	"confidant/internal/llm"
	"confidant/internal/memory/process"
)

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
		want := chat.StepDone
		if name == chat.StepFolder {
			want = chat.StepSkipped
		}
		if state != want {
			t.Errorf("step %s is %s, want %s", name, state, want)
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
	f.sweep(options(model(nil)), time.Hour, c)
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

func TestSilenceFinishes(t *testing.T) {
	f := newFixture(t)
	c, _, err := f.store.PutConversation(t.Context(), chat.Conversation{
		ID: ident.New(), UserID: f.ana.ID, Status: chat.StatusInProgress, StartedAt: monday, CreatedAt: monday,
	}, []chat.Segment{{Speaker: "Ana", Text: "Call the bank about the loan, please."}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	f.sweep(options(nil), time.Minute, c)
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

type deleting struct {
	*canned
	once sync.Once
	do   func()
}

func (d *deleting) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	d.once.Do(d.do)
	return d.canned.Stream(ctx, req)
}
