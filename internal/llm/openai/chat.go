package openai

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"net/http"
	"slices"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

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
	// Not NewClient, which reads the environment and brings every service of the SDK
	// with it: 13 MB of binary.
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
		var response *http.Response
		_, err = m.service.New(ctx, params, option.WithJSONSet("stream", true), option.WithResponseBodyInto(&response))
		if err != nil {
			out.Fail(llm.StreamFailure(ctx, m.name, err))
			return
		}
		defer response.Body.Close()
		answer := answer{}
		err = m.read(response.Body, &answer, out)
		if out.Stopped() {
			return
		}
		// The usage follows the finish reason, so only the end of the stream is its end.
		if err != nil || answer.finish == "" || ctx.Err() != nil {
			out.Fail(llm.StreamFailure(ctx, m.name, err))
			return
		}
		answer.end(out)
	}
}

// read passes the chunks of a stream on, until its end or the consumer's.
func (m *Chat) read(body io.Reader, answer *answer, out *llm.Emitter) error {
	events := newEventReader(body)
	for !out.Stopped() {
		data, err := events.next()
		if errors.Is(err, io.EOF) || bytes.HasPrefix(data, []byte("[DONE]")) {
			return nil
		}
		if err != nil {
			return err
		}
		c, err := readChunk(data)
		if err != nil {
			return err
		}
		if c.failure != "" {
			return reportedIn(m.name, []byte(c.failure))
		}
		answer.chunk(c, out)
	}
	return nil
}

// answer is what has been received so far.
type answer struct {
	calls  []partialCall
	finish string
	usage  chat.Usage
}

// partialCall is a call whose arguments come in pieces.
type partialCall struct {
	index int
	chat.Call
}

// chunk takes in one chunk and passes its deltas on.
func (a *answer) chunk(c chunk, out *llm.Emitter) {
	if u := c.usage; u.total > 0 || u.prompt > 0 {
		a.usage = chat.Usage{Input: u.prompt, Cached: u.cached, Output: u.completion, Total: u.prompt + u.completion}
	}
	out.Reasoning(c.delta.reasoning)
	out.Text(c.delta.content)
	out.Text(c.delta.refusal)
	for _, piece := range c.delta.calls {
		a.call(piece)
	}
	a.finish = cmp.Or(c.finishReason, a.finish)
}

// call takes in a piece of a call. Pieces belong together by index; a server
// that sends every call whole at index 0 shows it by a new id.
func (a *answer) call(piece callPiece) {
	id, index := piece.id, piece.index
	i := slices.IndexFunc(a.calls, func(c partialCall) bool { return c.index == index })
	if i >= 0 && id != "" && a.calls[i].ID != "" && a.calls[i].ID != id {
		a.calls[i].index = -1 // complete
		i = -1
	}
	if i < 0 {
		i = len(a.calls)
		a.calls = append(a.calls, partialCall{index: index})
	}
	c := &a.calls[i]
	if id != "" {
		c.ID = id
	}
	c.Name += piece.name
	c.Arguments += piece.arguments
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
