package openai

import (
	"context"
	"encoding/json"
	"iter"
	"slices"

	"github.com/openai/openai-go/v3"

	"confidant/internal/chat"
	"confidant/internal/llm"
)

// Chat is a model behind Chat Completions, OpenAI's or a compatible server's.
// Servers differ in what they leave out, so usage and call ids may be missing.
type Chat struct {
	name    string
	model   string
	service openai.ChatCompletionService
}

var _ llm.Model = (*Chat)(nil)

// NewChat returns the model of a configuration.
func NewChat(c Config) *Chat {
	return &Chat{name: c.name(), model: c.Model, service: openai.NewChatCompletionService(c.options()...)}
}

// Name implements llm.Model.
func (m *Chat) Name() string { return m.name }

// Stream implements llm.Model.
func (m *Chat) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		out := llm.NewEmitter(yield)
		params, err := m.params(req)
		if err != nil {
			out.Fail(&llm.Error{Kind: llm.Rejected, Model: m.name, Err: err})
			return
		}
		stream := m.service.NewStreaming(ctx, params)
		defer stream.Close()
		answer := answer{}
		for stream.Next() {
			answer.chunk(stream.Current(), out)
			if out.Stopped() {
				return
			}
		}
		// The usage follows the finish reason, so only the end of the stream is its end.
		if stream.Err() != nil || answer.finish == "" || ctx.Err() != nil {
			out.Fail(llm.StreamFailure(ctx, m.name, streamError(m.name, stream.Err())))
			return
		}
		answer.end(out)
	}
}

// answer is what has been received so far.
type answer struct {
	calls  []partialCall
	finish string
	usage  chat.Usage
}

// partialCall is a call whose arguments come in pieces.
type partialCall struct {
	index int64
	chat.Call
}

// chunk takes in one chunk and passes its deltas on.
func (a *answer) chunk(c openai.ChatCompletionChunk, out *llm.Emitter) {
	if u := c.Usage; u.TotalTokens > 0 || u.PromptTokens > 0 {
		a.usage = chat.Usage{
			Input: int(u.PromptTokens), Cached: int(u.PromptTokensDetails.CachedTokens),
			Output: int(u.CompletionTokens), Total: int(u.PromptTokens + u.CompletionTokens),
		}
	}
	for _, choice := range c.Choices {
		if choice.Index != 0 {
			continue
		}
		out.Reasoning(reasoningOf(choice.Delta))
		out.Text(choice.Delta.Content)
		out.Text(choice.Delta.Refusal)
		for _, delta := range choice.Delta.ToolCalls {
			a.call(delta)
		}
		if choice.FinishReason != "" {
			a.finish = choice.FinishReason
		}
	}
}

// reasoningOf is the reasoning in a delta, which OpenAI's types do not know:
// reasoning_content with DeepSeek, Qwen and vLLM, reasoning with OpenRouter,
// Ollama and newer vLLM.
func reasoningOf(delta openai.ChatCompletionChunkChoiceDelta) string {
	for _, key := range []string{"reasoning_content", "reasoning"} {
		var text string
		if field, ok := delta.JSON.ExtraFields[key]; ok && json.Unmarshal([]byte(field.Raw()), &text) == nil && text != "" {
			return text
		}
	}
	return ""
}

// call takes in a piece of a call. Pieces belong together by index; a server
// that sends every call whole at index 0 shows it by a new id.
func (a *answer) call(delta openai.ChatCompletionChunkChoiceDeltaToolCall) {
	i := slices.IndexFunc(a.calls, func(c partialCall) bool { return c.index == delta.Index })
	if i >= 0 && delta.ID != "" && a.calls[i].ID != "" && a.calls[i].ID != delta.ID {
		a.calls[i].index = -1 // complete
		i = -1
	}
	if i < 0 {
		i = len(a.calls)
		a.calls = append(a.calls, partialCall{index: delta.Index})
	}
	c := &a.calls[i]
	if delta.ID != "" {
		c.ID = delta.ID
	}
	c.Name += delta.Function.Name
	c.Arguments += delta.Function.Arguments
}

// end yields the calls and the end. A call that the token limit cut in two is
// left out: it cannot be run.
func (a *answer) end(out *llm.Emitter) {
	stop := llm.StopEnd
	switch a.finish {
	case "length":
		stop = llm.StopLength
	case "content_filter":
		stop = llm.StopRefused
	}
	for _, c := range a.calls {
		if stop == llm.StopEnd || json.Valid([]byte(c.Arguments)) {
			out.Call(c.Call)
		}
	}
	out.Done(llm.Done{Stop: stop, Usage: a.usage})
}
