package openai

import (
	"context"
	"encoding/json"
	"iter"
	"regexp"
	"strings"

	"github.com/openai/openai-go/v3/responses"

	"confidant/internal/chat"
	"confidant/internal/llm"
)

// Responses is a model behind the Responses API. Nothing is stored at the
// provider: reasoning goes back and forth encrypted, in Done.State.
type Responses struct {
	name    string
	model   string
	service responses.ResponseService
}

var _ llm.Model = (*Responses)(nil)

// NewResponses returns the model of a configuration.
func NewResponses(c Config) *Responses {
	return &Responses{name: c.name(), model: c.Model, service: responses.NewResponseService(c.options()...)}
}

// Name implements llm.Model.
func (m *Responses) Name() string { return m.name }

// Stream implements llm.Model.
func (m *Responses) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		out := llm.NewEmitter(yield)
		params, err := m.params(req)
		if err != nil {
			out.Fail(&llm.Error{Kind: llm.Rejected, Model: m.name, Err: err})
			return
		}
		stream := m.service.NewStreaming(ctx, params)
		defer stream.Close()
		for stream.Next() {
			if err := m.event(stream.Current(), out); err != nil {
				out.Fail(err)
			}
			if out.Stopped() {
				return
			}
		}
		out.Fail(llm.StreamFailure(ctx, m.name, streamError(m.name, stream.Err())))
	}
}

// event passes one event of the stream on.
func (m *Responses) event(ev responses.ResponseStreamEventUnion, out *llm.Emitter) error {
	switch ev.Type {
	case "response.reasoning_summary_part.added":
		out.StartReasoning()
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		out.Reasoning(ev.Delta)
	case "response.reasoning_summary_text.done", "response.reasoning_text.done":
		out.EndReasoning()
	case "response.output_text.delta", "response.refusal.delta":
		out.Text(ev.Delta)
	case "response.completed", "response.incomplete":
		m.finish(ev.Response, out)
	case "response.failed":
		return reported(m.name, string(ev.Response.Error.Code), ev.Response.Error.Message)
	case "error":
		return reported(m.name, ev.Code, ev.Message)
	}
	return nil
}

// finish yields the calls of a complete response and its end. A call that the
// token limit cut in two is left out: it cannot be run.
func (m *Responses) finish(r responses.Response, out *llm.Emitter) {
	state := llm.State{Model: m.name}
	stop := llm.StopEnd
	for _, it := range r.Output {
		switch it.Type {
		case "reasoning":
			state.Add(json.RawMessage(it.RawJSON()))
		case "message":
			state.LedTo("")
			for _, part := range it.Content {
				if part.Type == "refusal" {
					stop = llm.StopRefused
				}
			}
		case "function_call":
			if it.Status != "incomplete" {
				call := chat.Call{ID: it.CallID, Name: it.Name, Arguments: it.Arguments.OfString}
				state.LedTo(out.Call(call))
			}
		}
	}
	if r.Status == "incomplete" {
		stop = llm.StopLength
		if r.IncompleteDetails.Reason == "content_filter" {
			stop = llm.StopRefused
		}
	}
	out.Done(llm.Done{Stop: stop, State: state.Encode(), Usage: chat.Usage{
		Input:  int(r.Usage.InputTokens),
		Cached: int(r.Usage.InputTokensDetails.CachedTokens),
		Output: int(r.Usage.OutputTokens),
		Total:  int(r.Usage.TotalTokens),
	}})
}

// reasons reports whether a model reasons by its name: the o-series, gpt-oss, and
// gpt-5 and later except those made for chat. Others reject what is meant for it.
func reasons(model string) bool {
	return reasoningModels.MatchString(model) && !strings.Contains(model, "-chat")
}

var reasoningModels = regexp.MustCompile(`^(.*/)?(o[1-9]|gpt-oss|gpt-([5-9]|[1-9][0-9]))`)
