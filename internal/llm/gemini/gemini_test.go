package gemini

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"confidant/internal/llm"
	"confidant/internal/llm/llmtest"
)

func TestConformance(t *testing.T) {
	llmtest.Run(t, func(t *testing.T, s llmtest.Script) llm.Model {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/v1beta/models/gemini-2.5-flash:streamGenerateContent" || r.Header.Get("X-Goog-Api-Key") != string(llmtest.Key) {
				t.Errorf("asked for %s with the key %q", r.URL.Path, r.Header.Get("X-Goog-Api-Key"))
			}
			llmtest.Serve(w, r, s, events(s), "data: {\"candidates\":[{\"cont\r\n\r\n")
		}))
		t.Cleanup(server.Close)
		return model(t, Config{Model: "gemini-2.5-flash", APIKey: llmtest.Key, BaseURL: server.URL, IdleTimeout: s.IdleTimeout})
	})
}

func TestGolden(t *testing.T) {
	llmtest.Golden(t, "testdata/*.txtar", func(t *testing.T, url string) llm.Model {
		return model(t, Config{Model: "gemini-2.5-flash", APIKey: llmtest.Key, BaseURL: url})
	})
}

func TestAKeyIsNeeded(t *testing.T) {
	t.Setenv("GEMINI_API_KEY", "from-the-environment")
	if _, err := New(Config{Model: "gemini-2.5-flash"}); err == nil {
		t.Error("a model without a key was made")
	}
}

func model(t *testing.T, c Config) *Model {
	m, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// events is what the API sends for a script.
func events(from llmtest.Script) []llmtest.Event {
	var list []llmtest.Event
	add := func(delta bool, fields map[string]any, parts ...map[string]any) {
		candidate := map[string]any{"index": 0}
		for k, v := range fields {
			candidate[k] = v
		}
		if parts != nil {
			candidate["content"] = map[string]any{"role": "model", "parts": parts}
		}
		data, err := json.Marshal(map[string]any{"candidates": []any{candidate}, "usageMetadata": map[string]any{
			"promptTokenCount": from.Usage.Input, "cachedContentTokenCount": from.Usage.Cached,
			"candidatesTokenCount": from.Usage.Output - 2, "thoughtsTokenCount": 2,
		}})
		if err != nil {
			panic(err)
		}
		list = append(list, llmtest.Event{Bytes: "data: " + string(data) + "\r\n\r\n", Delta: delta})
	}
	for _, part := range from.Reasoning {
		add(false, nil, map[string]any{"text": part, "thought": true})
	}
	for _, delta := range from.Text {
		add(true, nil, map[string]any{"text": delta})
	}
	for i, c := range from.Calls {
		call := map[string]any{"name": c.Name, "args": json.RawMessage(c.Arguments)}
		if c.ID != "" {
			call["id"] = c.ID
		}
		part := map[string]any{"functionCall": call}
		if i == 0 {
			part["thoughtSignature"] = "c2lnbmVk"
		}
		add(false, nil, part)
	}
	reason := map[llm.Stop]string{"": "STOP", llm.StopLength: "MAX_TOKENS", llm.StopRefused: "SAFETY"}[from.Stop]
	add(false, map[string]any{"finishReason": reason})
	return list
}

func TestRefine(t *testing.T) {
	for _, tt := range []struct {
		body string
		want llm.Error
	}{
		{`{"error":{"code":400,"message":"API key not valid.","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID"}]}}`, llm.Error{Kind: llm.Unauthorized}},
		{`{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."}}`, llm.Error{Kind: llm.TooLong}},
		{`{"error":{"code":429,"details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"13.5s"}]}}`, llm.Error{Kind: llm.Rejected, RetryAfter: 13500 * time.Millisecond}},
		{`{"error":{"details":[{"retryDelay":"-3s"}]}}`, llm.Error{Kind: llm.Rejected}},
		{`not JSON`, llm.Error{Kind: llm.Rejected}},
	} {
		e := llm.Error{Kind: llm.Rejected}
		if refine(&e, []byte(tt.body)); e != tt.want {
			t.Errorf("%s is %+v, want %+v", tt.body, e, tt.want)
		}
	}
}

func TestThinking(t *testing.T) {
	for _, tt := range []struct {
		model, effort, level string
		thinks               bool
		budget               int32
	}{
		{"gemini-2.0-flash", "high", "", false, 0},
		{"gemini-2.5-pro", "", "", true, 0},
		{"gemini-2.5-pro", "high", "", true, 24576},
		{"gemini-3-pro", "low", "LOW", true, 0},
		{"gemma-3", "low", "", false, 0},
	} {
		got := thinking(tt.model, tt.effort)
		if (got != nil) != tt.thinks {
			t.Errorf("%s thinks: %v", tt.model, got != nil)
			continue
		}
		if got == nil {
			continue
		}
		var budget int32
		if got.ThinkingBudget != nil {
			budget = *got.ThinkingBudget
		}
		if budget != tt.budget || string(got.ThinkingLevel) != tt.level {
			t.Errorf("%s with %q gets the budget %d and the level %q", tt.model, tt.effort, budget, got.ThinkingLevel)
		}
	}
}
