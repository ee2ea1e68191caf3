package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"confidant/internal/chat"
	"confidant/internal/llm"
	"confidant/internal/tool"
)

// TestResumeAfterEveryEvent cuts the log of a turn after each of its events and
// runs the rest: the text, the sources and the side effects must be those of an
// undisturbed run.
func TestResumeAfterEveryEvent(t *testing.T) {
	steps := func() *scripted {
		return &scripted{steps: []func(llm.Request) []any{func(req llm.Request) []any {
			switch len(req.Messages) { // the model is a function of what it is told
			case 1:
				return []any{llm.ReasoningStarted{}, llm.ReasoningDelta{Text: "r"}, llm.ReasoningEnded{}, llm.TextDelta{Text: "First, "}, llm.TextDelta{Text: "I look."},
					call("c1", "look", `{"q":"x"}`), call("c2", "act", `{"q":"y"}`), done(llm.StopTools)}
			case 3:
				return []any{call("c1", "look", `{"q":"z"}`), done(llm.StopTools)} // the same id again
			default:
				return []any{llm.TextDelta{Text: "Found"}, llm.TextDelta{Text: "[1][3]."}, done(llm.StopEnd)}
			}
		}}}
	}
	acts := 0
	look := named("look", func(_ context.Context, c tool.Call) (tool.Result, error) {
		var args struct{ Q string }
		if err := json.Unmarshal(c.Arguments, &args); err != nil {
			return tool.Result{}, err
		}
		// A conversation and a page: what has no segment is no span of its own.
		source := chat.Citation{ConversationID: args.Q, Quote: args.Q}
		if args.Q == "z" {
			source = chat.Citation{Kind: chat.CitesPage, FileID: "f", Page: 1, ChunkID: "f.1", Quote: "z"}
			c.Cite(chat.Citation{Kind: chat.CitesPage, FileID: "f", Page: 1, ChunkID: "f.0", Quote: "y"})
		}
		return tool.Result{Content: map[string]int{"cite": c.Cite(source)}}, nil
	})
	look.spec.Idempotent = true
	act := named("act", func(context.Context, tool.Call) (tool.Result, error) {
		acts++
		return tool.Result{Content: "did it"}, nil
	})

	whole, log := newLoop(t, steps(), look, act)
	want := run(t, whole, nil)
	if want.Text != "First, I look.\n\nFound[1][3]." || len(want.Sources) != 3 || acts != 1 {
		t.Fatalf("the undisturbed run: %+v, %d acts", want, acts)
	}
	full := log.past()
	for cut := range len(full) + 1 {
		if cut < len(full) && cut > 0 {
			if _, together := full[cut].Body.(chat.ToolCalled); together {
				continue // committed with its step: no crash falls between them
			}
		}
		t.Run(fmt.Sprintf("cut after %d", cut), func(t *testing.T) {
			acts = 0
			for _, e := range full[:cut] {
				if f, ok := e.Body.(chat.ToolFinished); ok && f.Name == "act" {
					acts = 1 // it ran before the crash
				}
			}
			begun := false
			for _, e := range full[:cut] {
				if c, ok := e.Body.(chat.ToolCalled); ok && c.Name == "act" {
					begun = true
				}
			}
			l, log := newLoop(t, steps(), look, act)
			log.events = append(log.events, full[:cut]...)
			got := run(t, l, full[:cut])
			if got.Text != want.Text || fmt.Sprint(got.Sources) != fmt.Sprint(want.Sources) {
				t.Errorf("got %+v\nwant %+v\nlog %s", got, want, log.types())
			}
			if begun && acts == 1 {
				return // it ran, once, before the crash
			}
			if begun && acts != 0 {
				t.Errorf("the act, which may have happened before the crash, was repeated")
			}
			if !begun && acts != 1 {
				t.Errorf("the act was done %d times, want 1", acts)
			}
			checkAlternation(t, log.past())
		})
	}
}

// checkAlternation checks that every call has one result.
func checkAlternation(t *testing.T, events []chat.Event) {
	t.Helper()
	open := map[string]int{}
	for _, e := range events {
		switch b := e.Body.(type) {
		case chat.ToolCalled:
			open[b.CallID]++
		case chat.ToolFinished:
			open[b.CallID]--
		}
	}
	for id, n := range open {
		if n != 0 {
			t.Errorf("call %s has %d results too few", id, n)
		}
	}
}

func TestUnknownOutcomeIsTold(t *testing.T) {
	ran := false
	act := named("act", func(context.Context, tool.Call) (tool.Result, error) { ran = true; return tool.Result{}, nil })
	model := &scripted{steps: []func(llm.Request) []any{answers}}
	l, log := newLoop(t, model, act)
	c := chat.Call{ID: "c1", Name: "act", Arguments: "{}"}
	past := []chat.Event{
		{Seq: 1, Body: chat.StepFinished{Step: 1, Calls: []chat.Call{c}}},
		{Seq: 2, Body: chat.ToolCalled{CallID: "c1", Name: "act"}},
	}
	run(t, l, past)
	if ran {
		t.Error("a call that may have happened was repeated")
	}
	if f := find[chat.ToolFinished](log); len(f) != 1 || f[0].Error != outcomeUnknown {
		t.Errorf("result %+v, want that the outcome is unknown", f)
	}
}

func TestConsent(t *testing.T) {
	for name, test := range map[string]struct {
		past     []chat.Body
		answer   bool
		asks     int
		runs     int
		wantText string
	}{
		"approved":                            {answer: true, asks: 1, runs: 1},
		"declined":                            {answer: false, asks: 1, runs: 0, wantText: "declined"},
		"asked before the crash":              {past: []chat.Body{chat.ApprovalAsked{CallID: "c1"}}, answer: true, asks: 0, runs: 1},
		"declined before the crash":           {past: []chat.Body{chat.ApprovalAsked{CallID: "c1"}, chat.ApprovalGiven{CallID: "c1"}}, asks: 0, runs: 0, wantText: "declined"},
		"approved and begun before the crash": {past: []chat.Body{chat.ApprovalAsked{CallID: "c1"}, chat.ApprovalGiven{CallID: "c1", Approve: true}}, asks: 0, runs: 0, wantText: "may or may not"},
	} {
		t.Run(name, func(t *testing.T) {
			runs := 0
			deletes := named("delete", func(context.Context, tool.Call) (tool.Result, error) {
				runs++
				return tool.Result{Content: "gone"}, nil
			})
			deletes.spec.Consent = "It deletes things."
			model := &scripted{steps: []func(llm.Request) []any{func(req llm.Request) []any {
				if len(req.Messages) == 1 {
					return []any{call("c1", "delete", "{}"), done(llm.StopTools)}
				}
				return []any{llm.TextDelta{Text: "ok"}, done(llm.StopEnd)}
			}}}
			l, log := newLoop(t, model, deletes)
			l.Consent = func(context.Context, string) (bool, error) { return test.answer, nil }
			var past []chat.Event
			if test.past != nil {
				bodies := append([]chat.Body{chat.StepFinished{Step: 1, Calls: []chat.Call{{ID: "c1", Name: "delete", Arguments: "{}"}}}, chat.ToolCalled{CallID: "c1", Name: "delete"}}, test.past...)
				for i, b := range bodies {
					past = append(past, chat.Event{Seq: int64(i + 1), Body: b})
				}
			}
			run(t, l, past)
			if n := len(find[chat.ApprovalAsked](log)); n != test.asks {
				t.Errorf("asked %d times, want %d", n, test.asks)
			}
			if runs != test.runs {
				t.Errorf("ran %d times, want %d", runs, test.runs)
			}
			if f := find[chat.ToolFinished](log); len(f) != 1 || !strings.Contains(f[0].Error, test.wantText) || (test.wantText == "") != (f[0].Error == "") {
				t.Errorf("result %+v, want %q", f, test.wantText)
			}
		})
	}
}

func TestContextIsBounded(t *testing.T) {
	long := strings.Repeat("word ", 1000) // 1,250 tokens by the estimate
	history := []llm.Message{{Role: llm.User, Text: long}, {Role: llm.Assistant, Text: long}, {Role: llm.User, Text: "the question"}}
	turn := []llm.Message{
		{Role: llm.Assistant, Calls: []chat.Call{{ID: "c1"}}}, {Role: llm.Tool, Results: []llm.ToolResult{{CallID: "c1", Content: long}}},
		{Role: llm.Assistant, Calls: []chat.Call{{ID: "c2"}}}, {Role: llm.Tool, Results: []llm.ToolResult{{CallID: "c2", Content: long}}},
	}
	sent := fit(history, turn, 1500)
	total := 0
	for _, m := range sent {
		total += messageTokens(m)
	}
	if total > 1500 {
		t.Errorf("%d tokens are sent, the limit is 1,500", total)
	}
	if sent[0].Text != "the question" {
		t.Errorf("the first message is %.20q, want the question", sent[0].Text)
	}
	if first, last := sent[2].Results[0].Content, sent[4].Results[0].Content; first != resultDropped || last != long {
		t.Error("the oldest result should go first, and the newest stay")
	}
	if turn[1].Results[0].Content != long {
		t.Error("what was said before was changed, not only what is sent")
	}
}
