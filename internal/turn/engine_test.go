package turn_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"confidant/internal/bus"
	"confidant/internal/chat"
	"confidant/internal/journal"
	"confidant/internal/llm"
	"confidant/internal/store/sqlite"
	"confidant/internal/tool"
	"confidant/internal/turn"
	"confidant/internal/turn/agent"
	"confidant/internal/turn/intake"
)

// model answers with a function.
type model func(ctx context.Context, req llm.Request, say func(llm.Chunk) bool) error

func (model) Name() string { return "test:model" }

func (m model) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		if err := m(ctx, req, func(c llm.Chunk) bool { return yield(c, nil) }); err != nil {
			yield(nil, err)
		}
	}
}

func says(text string) model {
	return func(_ context.Context, _ llm.Request, say func(llm.Chunk) bool) error {
		_ = say(llm.TextDelta{Text: text}) && say(llm.Done{Stop: llm.StopEnd})
		return nil
	}
}

// remove is a tool that needs consent.
type remove struct{ runs *atomic.Int32 }

func (remove) Spec() tool.Spec {
	return tool.Spec{Name: "remove", Consent: "It removes things.", Parameters: json.RawMessage(`{"type":"object"}`)}
}

func (r remove) Run(context.Context, tool.Call) (tool.Result, error) {
	r.runs.Add(1)
	return tool.Result{Content: "removed"}, nil
}

type fixture struct {
	*testing.T
	*turn.Engine
	store *sqlite.Store
	ana   chat.User
	tools *tool.Registry
	stop  func() // stops the engine
}

// options are an engine's for tests.
func (f *fixture) options(change func(*turn.Options)) turn.Options {
	o := turn.Options{
		Tools: f.tools, Limits: agent.DefaultLimits, Intake: intake.DefaultLimits, History: 10, Zone: time.UTC,
		Attempts: 3, AfterTime: time.Second, Name: "Confidant",
	}
	change(&o)
	return o
}

func newFixture(t *testing.T, m llm.Model, tools ...tool.Tool) *fixture {
	t.Helper()
	return newFixtureWith(t, func(o *turn.Options) { o.Agent = m }, tools...)
}

func newFixtureWith(t *testing.T, change func(*turn.Options), tools ...tool.Tool) *fixture {
	t.Helper()
	store, err := sqlite.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ana, err := store.EnsureUser(t.Context(), "ana")
	if err != nil {
		t.Fatal(err)
	}
	registry, err := tool.NewRegistry(tools...)
	if err != nil {
		t.Fatal(err)
	}
	jobs := journal.New(store, bus.NewLocal(), journal.Options{Worker: "w", Grace: 100 * time.Millisecond})
	f := &fixture{T: t, store: store, ana: ana, tools: registry}
	f.Engine = turn.New(store, jobs, f.options(change))
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- jobs.Run(ctx) }()
	f.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() {
		f.stop()
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

func (f *fixture) ask(a chat.Ask) chat.Turn {
	f.Helper()
	a.UserID = f.ana.ID
	turn, err := f.Ask(f.Context(), a)
	if err != nil {
		f.Fatal(err)
	}
	return turn
}

// follow calls do for every event of a turn and returns how it ended.
func (f *fixture) follow(turn chat.Turn, do func(chat.Body)) chat.Body {
	f.Helper()
	var end chat.Body
	for events, err := range f.Follow(f.Context(), f.ana.ID, turn.ID, 0) {
		if err != nil {
			f.Fatal(err)
		}
		for _, e := range events {
			if chat.Terminal(e.Body) {
				end = e.Body
			}
			do(e.Body)
		}
	}
	return end
}

func (f *fixture) answer(turn chat.Turn) chat.Message {
	f.Helper()
	m, err := f.store.Message(f.Context(), f.ana.ID, turn.AnswerID)
	if err != nil {
		f.Fatal(err)
	}
	return m
}

func TestConsentIsAskedAndWaitedFor(t *testing.T) {
	for _, approve := range []bool{true, false} {
		t.Run(fmt.Sprint(approve), func(t *testing.T) {
			var runs atomic.Int32
			f := newFixture(t, model(func(_ context.Context, req llm.Request, say func(llm.Chunk) bool) error {
				if last := req.Messages[len(req.Messages)-1]; last.Role == llm.Tool {
					_ = say(llm.TextDelta{Text: last.Results[0].Content}) && say(llm.Done{Stop: llm.StopEnd})
					return nil
				}
				_ = say(llm.ToolCall{Call: chat.Call{ID: "c1", Name: "remove", Arguments: "{}"}}) && say(llm.Done{Stop: llm.StopTools})
				return nil
			}), remove{&runs})
			turn := f.ask(chat.Ask{Text: "remove it"})
			end := f.follow(turn, func(b chat.Body) {
				if asked, ok := b.(chat.ApprovalAsked); ok {
					if runs.Load() != 0 {
						t.Error("the tool ran before the person was asked")
					}
					if err := f.Approve(t.Context(), f.ana.ID, turn.ID, asked.CallID, approve); err != nil {
						t.Error(err)
					}
				}
			})
			if _, ok := end.(chat.TurnFinished); !ok {
				t.Fatalf("the turn ended with %#v", end)
			}
			if got := runs.Load() == 1; got != approve {
				t.Errorf("approved: %t, the tool ran %d times", approve, runs.Load())
			}
		})
	}
}

func TestCancelKeepsWhatWasSaid(t *testing.T) {
	f := newFixture(t, model(func(ctx context.Context, _ llm.Request, say func(llm.Chunk) bool) error {
		say(llm.TextDelta{Text: "Half an"})
		<-ctx.Done()
		return ctx.Err()
	}))
	turn := f.ask(chat.Ask{Text: "hello"})
	var cancelled time.Time
	end := f.follow(turn, func(b chat.Body) {
		if _, ok := b.(chat.TextDelta); ok {
			cancelled = time.Now()
			if err := f.Cancel(t.Context(), f.ana.ID, turn.ID, "ana"); err != nil {
				t.Error(err)
			}
		}
	})
	if c, ok := end.(chat.TurnCancelled); !ok || c.By != "ana" || c.Usage.Total == 0 {
		t.Errorf("the turn ended with %#v, want cancelled by ana, and what was spent", end)
	}
	if took := time.Since(cancelled); took > time.Second {
		t.Errorf("cancelling took %s", took)
	}
	if m := f.answer(turn); m.State != chat.MessageCancelled || m.Content != "Half an" || !m.Ready {
		t.Errorf("stored: %+v", m)
	}
}

func TestAFailureIsToldAndStored(t *testing.T) {
	f := newFixture(t, model(func(context.Context, llm.Request, func(llm.Chunk) bool) error {
		return &llm.Error{Kind: llm.Unauthorized, Model: "m", Status: 401, Err: errors.New("key sk-secret is bad")}
	}))
	turn := f.ask(chat.Ask{Text: "hello"})
	end, ok := f.follow(turn, func(chat.Body) {}).(chat.TurnFailed)
	if !ok || end.Code != chat.CodeModel || strings.Contains(end.Message, "sk-secret") {
		t.Errorf("the turn ended with %#v", end)
	}
	if m := f.answer(turn); m.State != chat.MessageFailed || m.Error == nil || m.Error.Message != end.Message || !m.Ready {
		t.Errorf("stored: %+v", m)
	}
}

func TestATurnThatBreaksTheServerIsGivenUp(t *testing.T) {
	var tries atomic.Int32
	f := newFixture(t, model(func(context.Context, llm.Request, func(llm.Chunk) bool) error {
		tries.Add(1)
		panic("a poisoned question")
	}))
	end, ok := f.follow(f.ask(chat.Ask{Text: "hello"}), func(chat.Body) {}).(chat.TurnFailed)
	if !ok || end.Code != chat.CodeInternal || tries.Load() != 3 {
		t.Errorf("after %d tries the turn ended with %#v, want failed after 3", tries.Load(), end)
	}
}

func TestHistoryAndInstructionsReachTheModel(t *testing.T) {
	var last llm.Request
	f := newFixture(t, model(func(ctx context.Context, req llm.Request, say func(llm.Chunk) bool) error {
		last = req
		return says("answer")(ctx, req, say)
	}))
	first := f.ask(chat.Ask{Text: "first", Instructions: "Speak like a pirate.", Zone: "Asia/Tokyo"})
	f.follow(first, func(chat.Body) {})
	if !strings.Contains(last.System, "Speak like a pirate.") || !strings.Contains(last.System, "Asia/Tokyo") || !strings.Contains(last.System, "+09:00") {
		t.Errorf("system prompt: %s", last.System)
	}
	second := f.ask(chat.Ask{Text: "second", ChatID: first.ChatID})
	f.follow(second, func(chat.Body) {})
	var texts []string
	for _, m := range last.Messages {
		texts = append(texts, string(m.Role)+": "+m.Text)
	}
	if want := "user: first|assistant: answer|user: second"; strings.Join(texts, "|") != want {
		t.Errorf("the model saw %q, want %q", texts, want)
	}
	better := f.ask(chat.Ask{Text: "second, better", ChatID: first.ChatID, Replaces: second.MessageID})
	f.follow(better, func(chat.Body) {})
	if n := len(last.Messages); n != 3 || last.Messages[2].Text != "second, better" {
		t.Errorf("after an edit the model saw %d messages: %+v", n, last.Messages)
	}
}

func TestWhatIsRefusedIsNotStored(t *testing.T) {
	f := newFixture(t, says("x"))
	bob, err := f.store.EnsureUser(t.Context(), "bob")
	if err != nil {
		t.Fatal(err)
	}
	foreign, err := f.Ask(t.Context(), chat.Ask{UserID: bob.ID, Text: "mine"})
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		ask  chat.Ask
		want error
	}{
		"empty":           {chat.Ask{Text: " \n"}, chat.Fail(chat.CodeInvalid, "")},
		"too long":        {chat.Ask{Text: strings.Repeat("x", intake.DefaultLimits.Message+1)}, chat.Fail(chat.CodeTooLarge, "")},
		"NUL":             {chat.Ask{Text: "a\x00b"}, chat.Fail(chat.CodeInvalid, "")},
		"invalid UTF-8":   {chat.Ask{Text: "a\xffb"}, chat.Fail(chat.CodeInvalid, "")},
		"a bad zone":      {chat.Ask{Text: "x", Zone: "Moon/Crater"}, chat.Fail(chat.CodeInvalid, "")},
		"unknown chat":    {chat.Ask{Text: "x", ChatID: "nope"}, chat.ErrNotFound},
		"foreign chat":    {chat.Ask{Text: "x", ChatID: foreign.ChatID}, chat.ErrForbidden},
		"foreign message": {chat.Ask{Text: "x", Replaces: foreign.MessageID}, chat.ErrNotFound},
	} {
		test.ask.UserID = f.ana.ID
		if _, err := f.Ask(t.Context(), test.ask); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", name, err, test.want)
		}
	}
	if chats, _, err := f.store.Chats(t.Context(), f.ana.ID, chat.Page{Limit: 10}); err != nil || len(chats) != 0 {
		t.Errorf("refused messages left %d chats, %v", len(chats), err)
	}
	if _, err := f.Turn(t.Context(), f.ana.ID, foreign.ID); !errors.Is(err, chat.ErrNotFound) {
		t.Errorf("a foreign turn: %v", err)
	}
	for _, err := range f.Follow(t.Context(), f.ana.ID, foreign.ID, 0) {
		if !errors.Is(err, chat.ErrNotFound) {
			t.Errorf("following a foreign turn: %v", err)
		}
	}
	if err := f.Cancel(t.Context(), f.ana.ID, foreign.ID, "ana"); !errors.Is(err, chat.ErrNotFound) {
		t.Errorf("cancelling a foreign turn: %v", err)
	}
}

func TestTheSameKeyIsTheSameTurn(t *testing.T) {
	var calls atomic.Int32
	f := newFixture(t, model(func(ctx context.Context, req llm.Request, say func(llm.Chunk) bool) error {
		calls.Add(1)
		return says("once")(ctx, req, say)
	}))
	first := f.ask(chat.Ask{Text: "hello", IdempotencyKey: "k"})
	f.follow(first, func(chat.Body) {})
	again := f.ask(chat.Ask{Text: "hello", IdempotencyKey: "k"})
	f.follow(again, func(chat.Body) {})
	if again.ID != first.ID || calls.Load() != 1 {
		t.Errorf("turns %s and %s, %d model calls", first.ID, again.ID, calls.Load())
	}
}
