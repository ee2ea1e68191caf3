package llmtest

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"confidant/internal/chat"
	"confidant/internal/llm"
)

// Start returns a model whose server answers every request with the script. It
// is configured with Key and with the script's IdleTimeout.
type Start func(t *testing.T, script Script) llm.Model

// Run tests that a provider keeps the contract of llm.Model.
func Run(t *testing.T, start Start) {
	t.Run("answers", func(t *testing.T) { runAnswers(t, start) })
	t.Run("failures", func(t *testing.T) { runFailures(t, start) })
	t.Run("context", func(t *testing.T) { runContext(t, start) })
	t.Run("conversation", func(t *testing.T) { runConversation(t, start) })
	t.Run("concurrent use", func(t *testing.T) { runConcurrently(t, start) })
}

var question = llm.Request{
	System:   "Be brief.",
	Messages: []llm.Message{{Role: llm.User, Text: "What is 42 + 58?"}},
	Tools:    []llm.ToolSpec{{Name: "addNumbers", Description: "Adds two numbers.", Parameters: sumSchema}},
}

var sumSchema = json.RawMessage(`{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}},"required":["a","b"],"additionalProperties":false}`)

// usage is what the scripts cost. Total is the sum everywhere.
var usage = chat.Usage{Input: 100, Cached: 40, Output: 7, Total: 107}

func runAnswers(t *testing.T, start Start) {
	calls := []chat.Call{
		{ID: "call_a", Name: "addNumbers", Arguments: `{"a":42,"b":58}`},
		{ID: "call_b", Name: "addNumbers", Arguments: `{"a":1,"b":2}`},
	}
	for _, tt := range []struct {
		name   string
		script Script
		stop   llm.Stop
	}{
		{"text", Script{Text: []string{"42 + 58 ", "= ", "100."}}, llm.StopEnd},
		{"characters", Script{Text: []string{"Grüße, ", "“世界”\n", "\\ \" </p>\t\u2028"}}, llm.StopEnd},
		{"reasoning", Script{Reasoning: []string{"Let me add. ", "Then check. "}, Text: []string{"100."}}, llm.StopEnd},
		{"calls", Script{Calls: calls}, llm.StopTools},
		{"text and calls", Script{Reasoning: []string{"Add."}, Text: []string{"One moment."}, Calls: calls}, llm.StopTools},
		{"nothing", Script{}, llm.StopEnd},
		{"length", Script{Text: []string{"42 + "}, Stop: llm.StopLength}, llm.StopLength},
		{"refused", Script{Text: []string{"I "}, Stop: llm.StopRefused}, llm.StopRefused},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.script.Usage = usage
			got := Collect(start(t, tt.script).Stream(t.Context(), question))
			if got.Err != nil {
				t.Fatalf("stream: %v", got.Err)
			}
			if text := strings.Join(tt.script.Text, ""); got.Text != text {
				t.Errorf("the text is %q, want %q", got.Text, text)
			}
			if want, said := strings.Join(tt.script.Reasoning, ""), strings.Join(got.Reasoning, ""); said != want {
				t.Errorf("the reasoning is %q, want %q", got.Reasoning, tt.script.Reasoning)
			}
			if !sameCalls(got.Calls, tt.script.Calls) {
				t.Errorf("the calls are %+v, want %+v", got.Calls, tt.script.Calls)
			}
			if got.Done.Stop != tt.stop || got.Done.Usage != usage {
				t.Errorf("stopped for %q at %+v, want %q at %+v", got.Done.Stop, got.Done.Usage, tt.stop, usage)
			}
		})
	}
	t.Run("calls without ids", func(t *testing.T) {
		nameless := []chat.Call{{Name: "addNumbers", Arguments: `{"a":1,"b":2}`}, {Name: "addNumbers", Arguments: `{"a":3,"b":4}`}}
		got := Collect(start(t, Script{Calls: nameless}).Stream(t.Context(), question))
		if got.Err != nil || len(got.Calls) != 2 || got.Calls[0].ID == "" || got.Calls[0].ID == got.Calls[1].ID {
			t.Errorf("got %+v, %v, want two calls with ids of their own", got.Calls, got.Err)
		}
	})
}

// idle is the limit after which a stall is noticed: short, because the suite
// waits for it, and long enough for a busy machine.
const idle = 500 * time.Millisecond

func runFailures(t *testing.T, start Start) {
	for _, tt := range []struct {
		name   string
		script Script
		want   llm.Error
	}{
		{"wrong key", Script{Status: 401}, llm.Error{Kind: llm.Unauthorized, Status: 401}},
		{"no such model", Script{Status: 404}, llm.Error{Kind: llm.Unauthorized, Status: 404}},
		{"bad request", Script{Status: 400}, llm.Error{Kind: llm.Rejected, Status: 400}},
		{"too large", Script{Status: 413}, llm.Error{Kind: llm.TooLong, Status: 413}},
		{"rate limit", Script{Status: 429, RetryAfter: 7 * time.Second}, llm.Error{Kind: llm.RateLimited, Status: 429, RetryAfter: 7 * time.Second}},
		{"server error", Script{Status: 500}, llm.Error{Kind: llm.Overloaded, Status: 500}},
		{"unavailable", Script{Status: 503, RetryAfter: time.Second}, llm.Error{Kind: llm.Overloaded, Status: 503, RetryAfter: time.Second}},
		{"early stall", Script{Fault: Stall, Early: true, IdleTimeout: idle}, llm.Error{Kind: llm.Stalled}},
		{"stall", Script{Fault: Stall, IdleTimeout: idle}, llm.Error{Kind: llm.Stalled}},
		{"early cut", Script{Fault: Cut, Early: true}, llm.Error{Kind: llm.Cut}},
		{"cut", Script{Fault: Cut}, llm.Error{Kind: llm.Cut}},
		{"end", Script{Fault: End}, llm.Error{Kind: llm.Cut}},
		{"malformed", Script{Fault: Malformed}, llm.Error{Kind: llm.Malformed}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.script.Text = []string{"one ", "two ", "three"}
			model := start(t, tt.script)
			got := Collect(model.Stream(t.Context(), question))
			e, ok := errors.AsType[*llm.Error](got.Err)
			if !ok {
				t.Fatalf("ended with %v, want an *llm.Error", got.Err)
			}
			tt.want.Model = model.Name()
			if e.Err == nil || e.Kind != tt.want.Kind || e.Status != tt.want.Status || e.RetryAfter != tt.want.RetryAfter || e.Model != tt.want.Model {
				t.Errorf("ended with %+v, want %+v with a cause", *e, tt.want)
			}
			if strings.Contains(e.Error(), string(Key)) {
				t.Errorf("the error shows the key: %v", e)
			}
			if early := tt.script.Early || tt.script.Status != 0; early != (got.Text == "") {
				t.Errorf("the text before the failure is %q", got.Text)
			}
		})
	}
	t.Run("bad tool schema", func(t *testing.T) {
		req := question
		req.Tools = []llm.ToolSpec{{Name: "broken", Parameters: json.RawMessage(`{"type":`)}}
		wantRejected(t, Collect(start(t, Script{}).Stream(t.Context(), req)))
	})
	t.Run("bad answer schema", func(t *testing.T) {
		req := question
		req.Schema = &llm.Schema{Name: "broken", JSON: json.RawMessage(`{"type":`)}
		wantRejected(t, Collect(start(t, Script{}).Stream(t.Context(), req)))
	})
}

func wantRejected(t *testing.T, got Answer) {
	t.Helper()
	if e, ok := errors.AsType[*llm.Error](got.Err); !ok || e.Kind != llm.Rejected {
		t.Errorf("ended with %v, want %s", got.Err, llm.Rejected)
	}
}

func runContext(t *testing.T, start Start) {
	t.Run("ends before the answer", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
		defer cancel()
		got := Collect(start(t, Script{Fault: Stall, Early: true, Text: []string{"a"}}).Stream(ctx, question))
		if !errors.Is(got.Err, context.DeadlineExceeded) {
			t.Errorf("ended with %v, want %v", got.Err, context.DeadlineExceeded)
		}
	})
	t.Run("ends in the middle", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var last error
		for chunk, err := range start(t, Script{Fault: Stall, Text: []string{"a ", "b"}}).Stream(ctx, question) {
			last = err
			if _, ok := chunk.(llm.TextDelta); ok {
				cancel()
			}
		}
		if !errors.Is(last, context.Canceled) {
			t.Errorf("ended with %v, want %v", last, context.Canceled)
		}
	})
	t.Run("consumer stops", func(t *testing.T) {
		// The server stalls after the first delta: it can only be closed at the
		// end of the test when stopping has ended the request.
		for _, err := range start(t, Script{Fault: Stall, Text: []string{"a ", "b"}}).Stream(t.Context(), question) {
			if err != nil {
				t.Error(err)
			}
			break
		}
	})
}

// runConversation carries an answer's state into the next call. That the state
// arrives is for the provider's own recorded conversations to show.
func runConversation(t *testing.T, start Start) {
	model := start(t, Script{
		Reasoning: []string{"Add."}, Calls: []chat.Call{{ID: "call_a", Name: "addNumbers", Arguments: `{"a":42,"b":58}`}},
	})
	first := Collect(model.Stream(t.Context(), question))
	if first.Err != nil {
		t.Fatal(first.Err)
	}
	for name, state := range map[string]json.RawMessage{
		"own": first.Done.State, "none": nil, "of another provider": json.RawMessage(`{"model":"other:model","items":[{"item":{"x":1}}]}`),
		"unreadable": json.RawMessage(`[`),
	} {
		t.Run("state "+name, func(t *testing.T) {
			next := question
			next.Messages = append(next.Messages[:1:1],
				llm.Message{Role: llm.Assistant, Text: first.Text, Calls: first.Calls, State: state},
				llm.Message{Role: llm.Tool, Results: []llm.ToolResult{{CallID: first.Calls[0].ID, Name: "addNumbers", Content: "100"}}},
				llm.Message{Role: llm.Assistant, Calls: []chat.Call{{ID: "call_z", Name: "addNumbers", Arguments: `not JSON`}}},
				llm.Message{Role: llm.Tool, Results: []llm.ToolResult{{CallID: "call_z", Name: "addNumbers", Content: "bad arguments", IsError: true}}},
			)
			if got := Collect(model.Stream(t.Context(), next)); got.Err != nil {
				t.Error(got.Err)
			}
		})
	}
}

func runConcurrently(t *testing.T, start Start) {
	model := start(t, Script{Reasoning: []string{"Hm."}, Text: []string{"a", "b", "c"}})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if got := Collect(model.Stream(t.Context(), question)); got.Err != nil || got.Text != "abc" {
				t.Errorf("got %q, %v", got.Text, got.Err)
			}
		})
	}
	wg.Wait()
}

// sameCalls compares calls with their arguments as JSON.
func sameCalls(got, want []chat.Call) bool {
	if len(got) != len(want) {
		return false
	}
	for i := range got {
		var a, b any
		if json.Unmarshal([]byte(got[i].Arguments), &a) != nil || json.Unmarshal([]byte(want[i].Arguments), &b) != nil {
			return false
		}
		if got[i].ID != want[i].ID || got[i].Name != want[i].Name || !reflect.DeepEqual(a, b) {
			return false
		}
	}
	return true
}
