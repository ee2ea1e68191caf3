package openai

import (
	"encoding/json"
	"net/http/httptest"
	"testing"

	"github.com/openai/openai-go/v3/packages/ssestream"

	"confidant/internal/llm"
	"confidant/internal/llm/llmtest"
	"confidant/internal/llm/modelserver"
)

func TestConformance(t *testing.T) {
	t.Run("responses", func(t *testing.T) {
		llmtest.Run(t, func(t *testing.T, s llmtest.Script) llm.Model { return NewResponses(serve(t, s)) })
	})
	t.Run("chat", func(t *testing.T) {
		llmtest.Run(t, func(t *testing.T, s llmtest.Script) llm.Model { return NewChat(serve(t, s)) })
	})
}

// serve starts a scripted server that answers every request in the same way.
func serve(t *testing.T, s llmtest.Script) Config {
	handler := modelserver.New()
	for range 10 {
		handler.Play(modelserver.Script{Steps: []modelserver.Step{step(s)}})
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return Config{Model: "gpt-5.1", BaseURL: server.URL + "/v1", APIKey: llmtest.Key, IdleTimeout: s.IdleTimeout}
}

// step is a script in the words of the model server.
func step(s llmtest.Script) modelserver.Step {
	step := modelserver.Step{
		When:      func(*modelserver.Request) bool { return true },
		Reasoning: s.Reasoning, Text: s.Text, Stop: modelserver.Stop(s.Stop),
		Usage: &modelserver.Usage{Input: s.Usage.Input, Cached: s.Usage.Cached, Output: s.Usage.Output},
	}
	for _, c := range s.Calls {
		step.Calls = append(step.Calls, modelserver.Call(c))
		step.Bare = step.Bare || c.ID == ""
	}
	if s.Fault != "" || s.Status != 0 {
		step.Fault = &modelserver.Fault{
			Kind: modelserver.FaultKind(s.Fault), After: 1,
			Status: s.Status, RetryAfter: s.RetryAfter, Message: "The key " + string(llmtest.Key) + " was refused.",
		}
		if s.Early {
			step.Fault.After = 0
		}
	}
	return step
}

func TestGolden(t *testing.T) {
	t.Run("responses", func(t *testing.T) {
		llmtest.Golden(t, "testdata/responses/*.txtar", func(_ *testing.T, url string) llm.Model {
			return NewResponses(Config{Model: "gpt-5.1", APIKey: llmtest.Key, BaseURL: url})
		})
	})
	t.Run("chat", func(t *testing.T) {
		llmtest.Golden(t, "testdata/chat/*.txtar", func(_ *testing.T, url string) llm.Model {
			return NewChat(Config{Name: "compatible", Model: "local", BaseURL: url})
		})
	})
}

func TestReasons(t *testing.T) {
	for model, want := range map[string]bool{
		"o3": true, "o4-mini": true, "gpt-5": true, "gpt-5.1": true, "gpt-6-astra": true, "gpt-10": true,
		"openai/gpt-5-mini": true, "gpt-oss-120b": true, "openai/gpt-oss-20b": true,
		"gpt-4o": false, "gpt-4.1": false, "gpt-5-chat-latest": false, "ollama-3": false, "qwen3": false, "": false, "omni": false,
	} {
		if got := reasons(model); got != want {
			t.Errorf("reasons(%q) is %v", model, got)
		}
	}
}

func TestStrict(t *testing.T) {
	for schema, want := range map[string]bool{
		`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`:                                             true,
		`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`:                                                                          false,
		`{"type":"object","properties":{"a":{},"b":{}},"required":["a"],"additionalProperties":false}`:                                                     false,
		`{"type":"object","properties":{"a":{"type":"array","items":{"type":"object"}}},"required":["a"],"additionalProperties":false}`:                    false,
		`{"type":"object","properties":{"a":{"anyOf":[{"type":"null"},{"type":"object","properties":{}}]}},"required":["a"],"additionalProperties":false}`: false,
		`{"type":"object","properties":{"a":{"$ref":"#/$defs/x"}},"required":["a"],"additionalProperties":false,"$defs":{"x":{"type":"object"}}}`:          false,
		`{"type":"object","properties":{},"additionalProperties":false}`:                                                                                   true,
		``: true,
	} {
		m, err := object(json.RawMessage(schema))
		if err != nil {
			t.Fatal(err)
		}
		if got := strict(m); got != want {
			t.Errorf("strict is %v for %s", got, schema)
		}
	}
}

func TestRefine(t *testing.T) {
	for _, tt := range []struct {
		kind llm.Kind
		body string
		want llm.Kind
	}{
		{llm.RateLimited, `{"error":{"message":"You exceeded your current quota.","type":"insufficient_quota","code":"insufficient_quota"}}`, llm.Unauthorized},
		{llm.RateLimited, `{"error":{"message":"Slow down.","type":"tokens","code":"rate_limit_exceeded"}}`, llm.RateLimited},
		{llm.Rejected, `{"error":{"message":"too long","type":"invalid_request_error","code":"context_length_exceeded"}}`, llm.TooLong},
		{llm.Rejected, `{"error":{"message":"This model's maximum context length is 8192 tokens.","type":"BadRequestError","code":400}}`, llm.TooLong},
		{llm.Rejected, `the request exceeds the available context size`, llm.TooLong},
		{llm.Rejected, `{"error":{"message":"Unknown parameter.","code":"unknown_parameter"}}`, llm.Rejected},
		{llm.Overloaded, `<html>Bad gateway</html>`, llm.Overloaded},
	} {
		e := &llm.Error{Kind: tt.kind}
		if refine(e, []byte(tt.body)); e.Kind != tt.want {
			t.Errorf("%s with %s is %s, want %s", tt.kind, tt.body, e.Kind, tt.want)
		}
	}
}

func FuzzFailures(f *testing.F) {
	f.Add([]byte(`{"error":{"code":"insufficient_quota","type":"x","message":"m"}}`))
	f.Add([]byte(`{"error":"plain"}`))
	f.Add([]byte(`{"error":null}`))
	f.Add([]byte(`[`))
	f.Fuzz(func(t *testing.T, body []byte) {
		e := &llm.Error{Kind: llm.Rejected}
		refine(e, body)
		err := streamError("m", &ssestream.StreamError{Message: "m", Event: ssestream.Event{Data: body}})
		if e.Kind == "" || err == nil {
			t.Errorf("%q became %v and %v", body, e, err)
		}
	})
}
