package agent

import (
	"context"
	"strings"
	"testing"

	"confidant/internal/chat"
	"confidant/internal/llm"
	"confidant/internal/tool"
)

// asking is a fake that decides by itself whether to ask.
type asking struct {
	fake
	consent func(tool.Call) (string, error)
}

func (a asking) Consent(_ context.Context, c tool.Call) (string, error) { return a.consent(c) }

func TestConsentByCall(t *testing.T) {
	const why = "It deletes 3 things."
	asked := []chat.Body{chat.ApprovalAsked{CallID: "c1", Why: "It deletes 2 things."}}
	for name, test := range map[string]struct {
		why        string
		err        error
		panics     bool
		idempotent bool
		resumed    bool
		past       []chat.Body
		answer     bool
		decided    int // times the tool was asked whether to ask
		asks       int // times the person was
		runs       int
		approved   string // what the tool is told
		wantText   string
	}{
		"nothing to ask":            {decided: 1, runs: 1},
		"approved":                  {why: why, answer: true, decided: 1, asks: 1, runs: 1, approved: why},
		"declined":                  {why: why, decided: 1, asks: 1, wantText: "declined"},
		"a problem":                 {err: tool.Problem("Which one?"), decided: 1, wantText: "Which one?"},
		"a failure":                 {err: context.Canceled, decided: 1, wantText: toolFailed},
		"a panic":                   {panics: true, decided: 1, wantText: toolFailed},
		"asked before the crash":    {why: why, resumed: true, past: asked, answer: true, runs: 1, approved: "It deletes 2 things."},
		"declined before the crash": {why: why, resumed: true, past: append(asked, chat.ApprovalGiven{CallID: "c1"}), answer: true, wantText: "declined"},
		"approved before the crash": {why: why, resumed: true, past: append(asked, chat.ApprovalGiven{CallID: "c1", Approve: true}), wantText: "may or may not"},
		"approved before the crash, and idempotent":    {why: why, idempotent: true, resumed: true, past: append(asked, chat.ApprovalGiven{CallID: "c1", Approve: true}), runs: 1, approved: "It deletes 2 things."},
		"perhaps begun before the crash":               {why: why, resumed: true, answer: true, wantText: "may or may not"},
		"perhaps begun before the crash, but harmless": {why: why, idempotent: true, resumed: true, answer: true, decided: 1, asks: 1, runs: 1, approved: why},
	} {
		t.Run(name, func(t *testing.T) {
			runs, decided, approved := 0, 0, ""
			deletes := asking{named("delete", func(_ context.Context, c tool.Call) (tool.Result, error) {
				runs++
				approved = c.Approved
				if c.TurnID != "turn" || c.ID != "c1" {
					t.Errorf("call %s of turn %s", c.ID, c.TurnID)
				}
				return tool.Result{Content: "gone"}, nil
			}), func(c tool.Call) (string, error) {
				decided++
				if c.UserID != "ana" || string(c.Arguments) != `{"all":true}` {
					t.Errorf("asked about %+v", c)
				}
				if test.panics {
					panic("oh")
				}
				return test.why, test.err
			}}
			deletes.spec.Idempotent = test.idempotent
			model := &scripted{steps: []func(llm.Request) []any{func(req llm.Request) []any {
				if len(req.Messages) == 1 {
					return []any{call("c1", "delete", `{"all":true}`), done(llm.StopTools)}
				}
				return []any{llm.TextDelta{Text: "ok"}, done(llm.StopEnd)}
			}}}
			l, log := newLoop(t, model, deletes)
			l.Consent = func(context.Context, string) (bool, error) { return test.answer, nil }
			var past []chat.Event
			if test.resumed {
				begun := []chat.Body{chat.StepFinished{Step: 1, Calls: []chat.Call{{ID: "c1", Name: "delete", Arguments: `{"all":true}`}}}, chat.ToolCalled{CallID: "c1", Name: "delete"}}
				for i, b := range append(begun, test.past...) {
					past = append(past, chat.Event{Seq: int64(i + 1), Body: b})
				}
			}
			run(t, l, past)
			if runs != test.runs || decided != test.decided || approved != test.approved {
				t.Errorf("ran %d times (%q), decided %d times; want %d (%q), %d", runs, approved, decided, test.runs, test.approved, test.decided)
			}
			if asks := find[chat.ApprovalAsked](log); len(asks) != test.asks || test.asks > 0 && asks[0].Why != test.why {
				t.Errorf("the person was asked %+v, want %d times", asks, test.asks)
			}
			if f := find[chat.ToolFinished](log); len(f) != 1 || !strings.Contains(f[0].Error, test.wantText) || (test.wantText == "") != (f[0].Error == "") {
				t.Errorf("result %+v, want %q", f, test.wantText)
			}
		})
	}
}
