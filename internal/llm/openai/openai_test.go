package openai

import (
	"net/http/httptest"
	"testing"

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
	return Config{Model: "gpt-5.1", BaseURL: server.URL + "/v1", APIKey: llmtest.Key, IdleTimeout: llmtest.IdleTimeout}
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
