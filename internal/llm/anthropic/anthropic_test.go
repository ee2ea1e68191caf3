package anthropic

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"

	"confidant/internal/llm"
	"confidant/internal/llm/llmtest"
)

func TestConformance(t *testing.T) {
	llmtest.Run(t, func(t *testing.T, s llmtest.Script) llm.Model {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/v1/messages" || r.Header.Get("X-Api-Key") != string(llmtest.Key) {
				t.Errorf("asked for %s with the key %q", r.URL.Path, r.Header.Get("X-Api-Key"))
			}
			llmtest.Serve(w, r, s, events(s), "event: content_block_delta\ndata: {\"type\":\"content_bl\n\n")
		}))
		t.Cleanup(server.Close)
		return New(Config{Model: "claude-sonnet-4-6", APIKey: llmtest.Key, BaseURL: server.URL, IdleTimeout: s.IdleTimeout})
	})
}

func TestGolden(t *testing.T) {
	llmtest.Golden(t, "testdata/*.txtar", func(_ *testing.T, url string) llm.Model {
		return New(Config{Model: "claude-sonnet-4-6", APIKey: llmtest.Key, BaseURL: url})
	})
}

// script writes events in the wire format of the Messages API.
type script struct {
	events []llmtest.Event
	blocks int
}

func (s *script) event(name string, fields map[string]any, delta bool) {
	fields["type"] = name
	data, err := json.Marshal(fields)
	if err != nil {
		panic(err)
	}
	s.events = append(s.events, llmtest.Event{Bytes: fmt.Sprintf("event: %s\ndata: %s\n\n", name, data), Delta: delta})
}

// block writes a content block and its deltas.
func (s *script) block(start map[string]any, deltas ...map[string]any) {
	s.event("content_block_start", map[string]any{"index": s.blocks, "content_block": start}, false)
	for _, d := range deltas {
		s.event("content_block_delta", map[string]any{"index": s.blocks, "delta": d}, d["type"] == "text_delta")
	}
	s.event("content_block_stop", map[string]any{"index": s.blocks}, false)
	s.blocks++
}

// events is what the API sends for a script.
func events(from llmtest.Script) []llmtest.Event {
	s := &script{}
	u := from.Usage
	s.event("message_start", map[string]any{"message": map[string]any{
		"id": "msg_1", "type": "message", "role": "assistant", "content": []any{},
		"usage": map[string]any{"input_tokens": u.Input - u.Cached, "cache_read_input_tokens": u.Cached, "output_tokens": 1},
	}}, false)
	s.event("ping", map[string]any{}, false)
	for _, part := range from.Reasoning {
		s.block(map[string]any{"type": "thinking", "thinking": "", "signature": ""},
			map[string]any{"type": "thinking_delta", "thinking": part},
			map[string]any{"type": "signature_delta", "signature": "c2lnbmVk"})
	}
	if len(from.Text) > 0 {
		var deltas []map[string]any
		for _, d := range from.Text {
			deltas = append(deltas, map[string]any{"type": "text_delta", "text": d})
		}
		s.block(map[string]any{"type": "text", "text": ""}, deltas...)
	}
	for _, c := range from.Calls {
		half := len(c.Arguments) / 2
		s.block(map[string]any{"type": "tool_use", "id": c.ID, "name": c.Name, "input": map[string]any{}},
			map[string]any{"type": "input_json_delta", "partial_json": c.Arguments[:half]},
			map[string]any{"type": "input_json_delta", "partial_json": c.Arguments[half:]})
	}
	reason := map[llm.Stop]string{"": "end_turn", llm.StopLength: "max_tokens", llm.StopRefused: "refusal"}[from.Stop]
	if len(from.Calls) > 0 {
		reason = "tool_use"
	}
	s.event("message_delta", map[string]any{
		"delta": map[string]any{"stop_reason": reason}, "usage": map[string]any{"output_tokens": u.Output},
	}, false)
	s.event("message_stop", map[string]any{}, false)
	return s.events
}

func TestRefine(t *testing.T) {
	for message, want := range map[string]llm.Kind{
		"prompt is too long: 210000 tokens > 200000 maximum":                llm.TooLong,
		"input length and `max_tokens` exceed context limit: 199000 + 8192": llm.TooLong,
		"Your credit balance is too low to access the Anthropic API.":       llm.Unauthorized,
		"messages.0: all messages must have non-empty content":              llm.Rejected,
	} {
		e := &llm.Error{Kind: llm.Rejected}
		body, _ := json.Marshal(map[string]any{"type": "error", "error": map[string]any{"type": "invalid_request_error", "message": message}})
		if refine(e, body); e.Kind != want {
			t.Errorf("%q is %s, want %s", message, e.Kind, want)
		}
	}
}

func TestThinking(t *testing.T) {
	for _, tt := range []struct {
		model, effort    string
		adaptive, budget bool
	}{
		{"claude-sonnet-4-6", "low", true, false},
		{"claude-opus-5", "high", true, false},
		{"claude-haiku-5-5-20260901", "high", true, false},
		{"claude-haiku-4-5-20251001", "medium", false, true},
		{"claude-sonnet-4-20250514", "medium", false, true},
		{"claude-3-7-sonnet-latest", "medium", false, true},
		{"claude-3-5-haiku-latest", "medium", false, false},
		{"claude-sonnet-4-6", "", false, false},
		{"another", "high", false, false},
	} {
		p := anthropic.MessageNewParams{MaxTokens: 1000}
		think(&p, tt.model, tt.effort)
		if got := p.Thinking.OfAdaptive != nil; got != tt.adaptive {
			t.Errorf("%s with %q thinks adaptively: %v", tt.model, tt.effort, got)
		}
		if got := p.Thinking.OfEnabled != nil && p.MaxTokens == 1000+p.Thinking.OfEnabled.BudgetTokens; got != tt.budget {
			t.Errorf("%s with %q thinks within a budget: %v", tt.model, tt.effort, got)
		}
	}
}
