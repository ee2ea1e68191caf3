package agent

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

	"confidant/internal/chat"
	"confidant/internal/llm"
	"confidant/internal/tool"
	"confidant/internal/tool/arithmetic"
)

// memoryLog is a log that lives as long as the test.
type memoryLog struct {
	mu     sync.Mutex
	events []chat.Event
}

func (l *memoryLog) Append(agent string, bodies ...chat.Body) (int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, b := range bodies {
		l.events = append(l.events, chat.Event{Seq: int64(len(l.events) + 1), Agent: agent, Body: b})
	}
	return int64(len(l.events)), nil
}

func (l *memoryLog) Flush(context.Context) error { return nil }

func (l *memoryLog) past() []chat.Event {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]chat.Event{}, l.events...)
}

func (l *memoryLog) types() string {
	var names []string
	for _, e := range l.past() {
		names = append(names, e.Body.Type())
	}
	return strings.Join(names, " ")
}

func find[B chat.Body](l *memoryLog) []B {
	var found []B
	for _, e := range l.past() {
		if b, ok := e.Body.(B); ok {
			found = append(found, b)
		}
	}
	return found
}

// scripted answers its n-th request with the n-th function.
type scripted struct {
	mu       sync.Mutex
	requests []llm.Request
	steps    []func(llm.Request) []any // chunks, and at most one error
}

func (m *scripted) Name() string { return "test:scripted" }

func (m *scripted) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	m.mu.Lock()
	n := len(m.requests)
	m.requests = append(m.requests, req)
	m.mu.Unlock()
	return func(yield func(llm.Chunk, error) bool) {
		for _, item := range m.steps[min(n, len(m.steps)-1)](req) {
			if err, failed := item.(error); failed {
				yield(nil, err)
				return
			}
			if ctx.Err() != nil {
				yield(nil, ctx.Err())
				return
			}
			if !yield(item.(llm.Chunk), nil) {
				return
			}
		}
	}
}

func says(items ...any) func(llm.Request) []any {
	return func(llm.Request) []any { return items }
}

func call(id, name, arguments string) llm.ToolCall {
	return llm.ToolCall{Call: chat.Call{ID: id, Name: name, Arguments: arguments}}
}

func done(stop llm.Stop) llm.Done {
	return llm.Done{Stop: stop, Usage: chat.Usage{Input: 10, Output: 2, Total: 12}}
}

// answers ends a conversation.
var answers = says(llm.TextDelta{Text: "The answer."}, done(llm.StopEnd))

// fake is a tool made of functions.
type fake struct {
	spec tool.Spec
	run  func(context.Context, tool.Call) (tool.Result, error)
}

func (f fake) Spec() tool.Spec { return f.spec }
func (f fake) Run(ctx context.Context, c tool.Call) (tool.Result, error) {
	return f.run(ctx, c)
}

func named(name string, run func(context.Context, tool.Call) (tool.Result, error)) fake {
	return fake{tool.Spec{Name: name, Label: "Trying", Parameters: json.RawMessage(`{"type":"object"}`)}, run}
}

func newLoop(t *testing.T, model llm.Model, tools ...tool.Tool) (*Loop, *memoryLog) {
	t.Helper()
	registry, err := tool.NewRegistry(append([]tool.Tool{arithmetic.AddNumbers{}}, tools...)...)
	if err != nil {
		t.Fatal(err)
	}
	log := &memoryLog{}
	return &Loop{
		Agent: "Confidant", Model: model, Tools: registry, Limits: DefaultLimits, Log: log,
		Consent: func(context.Context, string) (bool, error) { return true, nil },
		Frame:   tool.Call{ID: "turn", UserID: "ana", Zone: time.UTC},
	}, log
}

var question = []llm.Message{{Role: llm.User, Text: "What is 42 + 58?"}}

func run(t *testing.T, l *Loop, past []chat.Event) Outcome {
	t.Helper()
	outcome, err := l.Run(t.Context(), "system", question, past)
	if err != nil {
		t.Fatal(err)
	}
	return outcome
}

func TestToolThenAnswer(t *testing.T) {
	model := &scripted{steps: []func(llm.Request) []any{
		says(llm.ReasoningStarted{}, llm.ReasoningDelta{Text: "hm"}, llm.ReasoningEnded{}, llm.TextDelta{Text: "Let me add."},
			call("c1", "addNumbers", `{"a":42,"b":58}`), done(llm.StopTools)),
		says(llm.TextDelta{Text: "It is 100."}, done(llm.StopEnd)),
	}}
	l, log := newLoop(t, model)
	outcome := run(t, l, nil)
	if want := "Let me add.\n\nIt is 100."; outcome.Text != want {
		t.Errorf("text %q, want %q", outcome.Text, want)
	}
	if want := (chat.Usage{Input: 20, Output: 4, Total: 24}); outcome.Usage != want {
		t.Errorf("usage %+v, want %+v", outcome.Usage, want)
	}
	if want := "reasoning.started reasoning.delta reasoning.ended text.delta step.finished tool.called tool.finished text.delta step.finished"; log.types() != want {
		t.Errorf("log\n got %s\nwant %s", log.types(), want)
	}
	second := model.requests[1].Messages
	if len(second) != 3 || second[1].Calls[0].ID != "c1" || second[2].Results[0].Content != "100" {
		t.Errorf("the result was not fed back as the call's own: %+v", second)
	}
}

func TestCallsOfAStepRunSideBySide(t *testing.T) {
	var running, most atomic.Int32
	all := make(chan struct{})
	slow := named("slow", func(ctx context.Context, _ tool.Call) (tool.Result, error) {
		most.Store(max(most.Load(), running.Add(1)))
		defer running.Add(-1)
		if running.Load() == 8 {
			close(all)
		}
		select {
		case <-all:
		case <-time.After(5 * time.Second):
		}
		return tool.Result{Content: "ok"}, nil
	})
	chunks := []any{}
	for i := range 8 {
		chunks = append(chunks, call(fmt.Sprint("c", i), "slow", fmt.Sprintf(`{"i":%d}`, i)))
	}
	model := &scripted{steps: []func(llm.Request) []any{says(append(chunks, done(llm.StopTools))...), answers}}
	l, log := newLoop(t, model, slow)
	run(t, l, nil)
	if most.Load() != 8 {
		t.Errorf("%d calls ran side by side, want 8", most.Load())
	}
	for i, r := range model.requests[1].Messages[2].Results {
		if want := fmt.Sprint("c", i); r.CallID != want {
			t.Errorf("result %d is of call %s, want %s: the order of the calls", i, r.CallID, want)
		}
	}
	if n := len(find[chat.ToolFinished](log)); n != 8 {
		t.Errorf("%d results in the log", n)
	}
}

func TestBadCallsBecomeResults(t *testing.T) {
	panics := named("panics", func(context.Context, tool.Call) (tool.Result, error) { panic("oh") })
	fails := named("fails", func(context.Context, tool.Call) (tool.Result, error) { return tool.Result{}, errors.New("secret path") })
	objects := named("objects", func(context.Context, tool.Call) (tool.Result, error) {
		return tool.Result{}, tool.Problem("Not on Sundays.")
	})
	hangs := named("hangs", func(ctx context.Context, _ tool.Call) (tool.Result, error) {
		<-ctx.Done()
		return tool.Result{}, ctx.Err()
	})
	hangs.spec.Timeout = 20 * time.Millisecond
	for name, test := range map[string]struct{ tool, arguments, want string }{
		"not JSON":       {"addNumbers", `{"a":1,`, "not valid JSON"},
		"wrong type":     {"addNumbers", `{"a":"one","b":2}`, "/a"},
		"missing":        {"addNumbers", `{"a":1}`, "b"},
		"too many":       {"addNumbers", `{"a":1,"b":2,"c":3}`, "c"},
		"an array":       {"addNumbers", `[1,2]`, "object"},
		"unknown tool":   {"teleport", `{}`, "Unknown tool: teleport"},
		"a tool's panic": {"panics", `{}`, "failed"},
		"a tool's error": {"fails", `{}`, "failed"},
		"a problem":      {"objects", `{}`, "Not on Sundays."},
		"a hang":         {"hangs", `{}`, "did not answer within"},
	} {
		t.Run(name, func(t *testing.T) {
			model := &scripted{steps: []func(llm.Request) []any{says(call("c1", test.tool, test.arguments), done(llm.StopTools)), answers}}
			l, log := newLoop(t, model, panics, fails, objects, hangs)
			run(t, l, nil)
			finished := find[chat.ToolFinished](log)
			if len(finished) != 1 || !strings.Contains(finished[0].Error, test.want) || strings.Contains(finished[0].Error, "secret") {
				t.Errorf("result %+v, want an error with %q and no internals", finished, test.want)
			}
			if r := model.requests[1].Messages[2].Results[0]; !r.IsError || r.Content != finished[0].Error {
				t.Errorf("the model read %+v", r)
			}
		})
	}
}

// endless calls a tool whenever it may.
func endless(vary bool) func(llm.Request) []any {
	n := 0
	return func(req llm.Request) []any {
		n++
		if len(req.Tools) == 0 {
			return []any{llm.TextDelta{Text: "Enough."}, done(llm.StopEnd)}
		}
		b := 1
		if vary {
			b = n
		}
		return []any{call("c", "addNumbers", fmt.Sprintf(`{"a":%d,"b":%d}`, b, b)), done(llm.StopTools)}
	}
}

func TestIterationsEndWithAnAnswer(t *testing.T) {
	model := &scripted{steps: []func(llm.Request) []any{endless(true)}}
	l, log := newLoop(t, model)
	l.Limits.ToolCalls = 100
	if outcome := run(t, l, nil); outcome.Text != "Enough." {
		t.Errorf("text %q", outcome.Text)
	}
	if len(model.requests) != 10 || len(find[chat.ToolCalled](log)) != 9 {
		t.Errorf("%d model calls and %d tool calls, want 10 and 9", len(model.requests), len(find[chat.ToolCalled](log)))
	}
	ids := map[string]bool{}
	for _, c := range find[chat.ToolCalled](log) {
		if ids[c.CallID] {
			t.Errorf("two calls of the turn have the id %s", c.CallID)
		}
		ids[c.CallID] = true
	}
}

func TestToolCallsEndWithAnAnswer(t *testing.T) {
	chunks := []any{}
	for i := range 13 {
		chunks = append(chunks, call(fmt.Sprint("c", i), "addNumbers", fmt.Sprintf(`{"a":%d,"b":%d}`, i, 2*i)))
	}
	model := &scripted{steps: []func(llm.Request) []any{says(append(chunks, done(llm.StopTools))...), answers}}
	l, log := newLoop(t, model)
	run(t, l, nil)
	made := 0
	for _, f := range find[chat.ToolFinished](log) {
		if f.Error == "" {
			made++
		} else if f.Error != overLimit {
			t.Errorf("error %q", f.Error)
		}
	}
	if made != 10 {
		t.Errorf("%d calls were made, want 10", made)
	}
	if len(model.requests[1].Tools) != 0 {
		t.Error("tools were offered after the limit")
	}
}

func TestGoingInCirclesEndsWithAnAnswer(t *testing.T) {
	model := &scripted{steps: []func(llm.Request) []any{endless(false)}}
	l, log := newLoop(t, model)
	run(t, l, nil)
	if n := len(find[chat.ToolCalled](log)); n != 2 {
		t.Errorf("%d equal calls before the loop was stopped, want 2", n)
	}
}

func TestBrokenStepIsRetractedAndAskedAgain(t *testing.T) {
	cut := &llm.Error{Kind: llm.Cut, Model: "m", Err: errors.New("cut")}
	model := &scripted{steps: []func(llm.Request) []any{
		says(llm.TextDelta{Text: "Half an an"}, cut),
		says(cut), // nothing was said: nothing to retract
		says(llm.TextDelta{Text: "A whole answer."}, done(llm.StopEnd)),
	}}
	l, log := newLoop(t, model)
	if outcome := run(t, l, nil); outcome.Text != "A whole answer." {
		t.Errorf("text %q", outcome.Text)
	}
	if want := "text.delta step.retracted text.delta step.finished"; log.types() != want {
		t.Errorf("log\n got %s\nwant %s", log.types(), want)
	}
	if r := find[chat.StepRetracted](log)[0]; r.FromSeq != 1 {
		t.Errorf("retracted from %d, want 1", r.FromSeq)
	}
}

func TestAModelThatKeepsBreakingFails(t *testing.T) {
	for kind, calls := range map[llm.Kind]int{llm.Cut: 5, llm.Stalled: 5, llm.Rejected: 1, llm.TooLong: 1} {
		model := &scripted{steps: []func(llm.Request) []any{says(&llm.Error{Kind: kind, Model: "m", Err: errors.New("x")})}}
		l, _ := newLoop(t, model)
		_, err := l.Run(t.Context(), "", question, nil)
		if failed, ok := errors.AsType[*llm.Error](err); !ok || failed.Kind != kind {
			t.Errorf("%s: %v", kind, err)
		}
		if len(model.requests) != calls {
			t.Errorf("%s: asked %d times, want %d", kind, len(model.requests), calls)
		}
	}
}

func TestAStreamWithoutItsEndIsCut(t *testing.T) {
	model := &scripted{steps: []func(llm.Request) []any{says(llm.TextDelta{Text: "a"}), answers}}
	l, log := newLoop(t, model)
	if outcome := run(t, l, nil); outcome.Text != "The answer." {
		t.Errorf("text %q, log %s", outcome.Text, log.types())
	}
}

func TestCancelCountsWhatWasSpent(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("ana had enough")
	model := &scripted{steps: []func(llm.Request) []any{func(llm.Request) []any {
		return []any{llm.TextDelta{Text: "Some words that were said before."}, llm.TextDelta{Text: ""}}
	}}}
	l, _ := newLoop(t, model)
	l.Log = &cancelling{memoryLog: &memoryLog{}, cancel: func() { cancel(why) }}
	outcome, err := l.Run(ctx, "a system prompt", question, nil)
	if !errors.Is(err, why) {
		t.Errorf("error %v, want %v", err, why)
	}
	if outcome.Usage.Input == 0 || outcome.Usage.Output == 0 {
		t.Errorf("usage %+v: what was spent is not counted", outcome.Usage)
	}
}

// cancelling cancels at the first event.
type cancelling struct {
	*memoryLog
	cancel func()
}

func (c *cancelling) Append(agent string, bodies ...chat.Body) (int64, error) {
	defer c.cancel()
	return c.memoryLog.Append(agent, bodies...)
}
