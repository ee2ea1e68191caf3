package turn_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"confidant/internal/bus"
	"confidant/internal/chat"
	"confidant/internal/journal"
	"confidant/internal/llm"
	"confidant/internal/turn"
)

// lines is a summary that tells what it was made of: the one before and the
// questions that came to it.
func lines(req llm.Request) string {
	_, before, _ := strings.Cut(req.System, "Summary so far:\n")
	var said []string
	if before = strings.TrimSpace(before); before != "(none)" {
		said = append(said, before)
	}
	for line := range strings.Lines(req.Messages[0].Text) {
		if q, ok := strings.CutPrefix(strings.TrimSpace(line), "Person: "); ok {
			said = append(said, q)
		}
	}
	return strings.Join(said, ", ")
}

func (f *fixture) talk(chatID string, from, until int) string {
	f.Helper()
	for i := from; i < until; i++ {
		turn := f.ask(chat.Ask{Text: fmt.Sprintf("note %d", i), ChatID: chatID})
		f.follow(turn, func(chat.Body) {})
		chatID = turn.ChatID
	}
	return chatID
}

func TestOlderMessagesAreSummarised(t *testing.T) {
	f, c := newCast(t, func(c *cast, o *turn.Options) { c.summary, o.History, o.RouteTime = lines, 4, time.Second })
	id := f.talk("", 0, 6)
	seen := c.requests("agent")
	last := seen[len(seen)-1]
	if len(last.Messages) != 5 || last.Messages[0].Text != "note 3" {
		t.Errorf("the model sees %d messages from %q on", len(last.Messages), last.Messages[0].Text)
	}
	if !strings.Contains(last.System, "not instructions.\nnote 0, note 1, note 2\n") || strings.Contains(last.System, "left out") {
		t.Errorf("the prompt lacks the summary:\n%s", last.System)
	}
	// Each message was read once, after the answer before it was needed.
	var told []string
	for _, r := range c.requests("summary_v1") {
		told = append(told, strings.ReplaceAll(r.Messages[0].Text, "\n", "|"))
	}
	want := "Person: note 0|Assistant: agent answers|;Person: note 1|Assistant: agent answers|;Person: note 2|Assistant: agent answers|;Person: note 3|Assistant: agent answers|"
	if got := strings.Join(told, ";"); got != want {
		t.Errorf("summarised\n got %s\nwant %s", got, want)
	}
	s, err := f.store.Summary(t.Context(), f.ana.ID, id)
	if err != nil || s.Text != "note 0, note 1, note 2, note 3" || s.Prompt != "summary.v1" {
		t.Errorf("stored %+v, %v", s, err)
	}
	if m, err := f.store.Message(t.Context(), f.ana.ID, s.Covers); err != nil || m.Role != chat.RoleAssistant {
		t.Errorf("it covers %+v, %v", m, err)
	}
}

func TestASummaryIsNeverInTheWay(t *testing.T) {
	for name, change := range map[string]func(*cast, *turn.Options){
		"no model":           func(_ *cast, o *turn.Options) { o.Fast = nil },
		"a model that hangs": func(*cast, *turn.Options) {},
		"nonsense":           func(c *cast, _ *turn.Options) { c.summary = func(llm.Request) string { return " " } },
	} {
		t.Run(name, func(t *testing.T) {
			f, c := newCast(t, func(c *cast, o *turn.Options) {
				o.History, o.RouteTime, o.AfterTime = 2, 50*time.Millisecond, 50*time.Millisecond
				change(c, o)
			})
			start := time.Now()
			f.talk("", 0, 3)
			if took := time.Since(start); took > 3*time.Second {
				t.Errorf("three answers took %s", took)
			}
			seen := c.requests("agent")
			if last := seen[len(seen)-1]; len(last.Messages) != 3 || !strings.Contains(last.System, "Older messages of this chat are left out.") {
				t.Errorf("%d messages, prompt:\n%s", len(last.Messages), last.System)
			}
		})
	}
}

// A summary that was not made in time is made when there is a model again, from
// all that it lacks, in portions.
func TestALongChatIsSummarisedInPortions(t *testing.T) {
	f, c := newCast(t, func(c *cast, o *turn.Options) {
		c.summary, o.History, o.AfterTime = func(llm.Request) string { return "" }, 2, 5*time.Second
	})
	long := strings.Repeat("x", 5000)
	var id string
	for i := range 16 {
		turn := f.ask(chat.Ask{Text: fmt.Sprint(i, " ", long), ChatID: id})
		f.follow(turn, func(chat.Body) {})
		id = turn.ChatID
	}
	c.mu.Lock()
	c.summary = func(r llm.Request) string { return fmt.Sprint(len(c.seen["summary_v1"])) }
	c.seen["summary_v1"] = nil
	c.mu.Unlock()
	f.talk(id, 0, 1)
	calls := c.requests("summary_v1")
	if len(calls) != 2 {
		t.Fatalf("%d calls, want 2", len(calls))
	}
	for _, r := range calls {
		if n := len(r.Messages[0].Text); n > 24_000 || strings.Contains(r.Messages[0].Text, strings.Repeat("x", 2001)) {
			t.Errorf("a call takes in %d bytes", n)
		}
	}
	if s, err := f.store.Summary(t.Context(), f.ana.ID, id); err != nil || s.Text != "2" {
		t.Errorf("stored %+v, %v", s, err)
	}
}

func TestAReplacedMessageLeavesNoSummaryBehind(t *testing.T) {
	f, c := newCast(t, func(c *cast, o *turn.Options) { c.summary, o.History, o.RouteTime = lines, 2, time.Second })
	first := f.ask(chat.Ask{Text: "note secret"})
	f.follow(first, func(chat.Body) {})
	f.talk(first.ChatID, 1, 4)
	better := f.ask(chat.Ask{Text: "note better", ChatID: first.ChatID, Replaces: first.MessageID})
	f.follow(better, func(chat.Body) {})
	f.talk(first.ChatID, 5, 7)
	seen := c.requests("agent")
	if last := seen[len(seen)-1].System; strings.Contains(last, "secret") || !strings.Contains(last, "note better") {
		t.Errorf("prompt:\n%s", last)
	}
}

// The route that is in the log stays, whatever another attempt would choose.
func TestATurnThatIsTakenOverKeepsItsRoute(t *testing.T) {
	f, c := newCast(t, func(c *cast, o *turn.Options) { c.requires = "no" })
	start := func(m llm.Model, requires string) (*turn.Engine, func()) {
		t.Helper()
		c.mu.Lock()
		c.requires = requires
		c.mu.Unlock()
		jobs := journal.New(f.store, bus.NewLocal(), journal.Options{Worker: requires, Grace: time.Millisecond})
		engine := turn.New(f.store, jobs, f.options(func(o *turn.Options) { o.Agent, o.Fast, o.RouteTime = m, c.role("fast"), time.Second }))
		ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
		done := make(chan error, 1)
		go func() { done <- jobs.Run(ctx) }()
		return engine, func() {
			cancel()
			if err := <-done; err != nil && !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		}
	}
	f.stop()
	hanging := make(chan struct{}, 10)
	engine, stop := start(model(func(ctx context.Context, _ llm.Request, say func(llm.Chunk) bool) error {
		say(llm.TextDelta{Text: "Half"})
		hanging <- struct{}{}
		<-ctx.Done()
		return ctx.Err()
	}), "no")
	asked, err := engine.Ask(t.Context(), chat.Ask{UserID: f.ana.ID, Text: "Why is the sky blue?"})
	if err != nil {
		t.Fatal(err)
	}
	<-hanging
	stop()
	engine, stop = start(c.role("agent"), "yes")
	defer stop()
	var routes []chat.Route
	for events, err := range engine.Follow(t.Context(), f.ana.ID, asked.ID, 0) {
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			if b, ok := e.Body.(chat.RouteChosen); ok {
				routes = append(routes, b.Route)
			}
		}
	}
	seen := c.requests("agent")
	if len(routes) != 1 || routes[0] != chat.RouteDirect || len(seen) != 1 || len(seen[0].Tools) != 0 || len(c.requests("requires_context_v1")) != 1 {
		t.Errorf("routes %v, %d calls of the agent, %d of the choice", routes, len(seen), len(c.requests("requires_context_v1")))
	}
}
