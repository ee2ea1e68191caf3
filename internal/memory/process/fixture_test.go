package process_test

import (
	"context"
	"errors"
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
	"confidant/internal/store/sqlite/sqlitetest"
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
	store := sqlitetest.Open(t)
	ana := sqlitetest.User(t, store, "ana")
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
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
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

// The old facts of a conversation go only when the new ones are stored.

// deleting is a model during whose first answer something else happens.

// sweep looks for conversations to process until one has a job that has not ended.
func (f *fixture) sweep(opt process.Options, silence time.Duration, c chat.Conversation) {
	f.Helper()
	ctx, stop := context.WithCancel(f.Context())
	done := make(chan struct{})
	go func() {
		process.New(f.store, opt).Sweep(ctx, silence, 10*time.Millisecond)
		close(done)
	}()
	defer func() { stop(); <-done }()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if job, err := f.store.LatestJob(f.Context(), f.ana.ID, c.ID); err == nil && !job.State.Final() {
			return
		}
	}
	f.Fatal("the conversation got no job")
}
