package anthropic

import (
	"encoding/json"

	"github.com/anthropics/anthropic-sdk-go"

	"confidant/internal/chat"
	"confidant/internal/llm"
)

// answer is what has been received so far.
type answer struct {
	usage chat.Usage
	stop  llm.Stop
	state llm.State
	// block is the content block that is open.
	block block
}

// block is a content block as it comes in: thinking, text or a call.
type block struct {
	kind      string
	thinking  string
	signature string
	data      string
	call      chat.Call
	input     string
}

// event takes in one event and passes its delta on.
func (a *answer) event(ev anthropic.MessageStreamEventUnion, out *llm.Emitter) {
	switch ev.Type {
	case "message_start":
		u := ev.Message.Usage
		a.usage.Cached = int(u.CacheReadInputTokens)
		a.usage.Input = int(u.InputTokens + u.CacheReadInputTokens + u.CacheCreationInputTokens)
	case "content_block_start":
		a.start(ev.ContentBlock, out)
	case "content_block_delta":
		a.delta(ev.Delta, out)
	case "content_block_stop":
		a.close(out)
	case "message_delta":
		a.stop = stopOf(ev.Delta.StopReason)
		a.usage.Output = int(ev.Usage.OutputTokens)
	case "message_stop":
		a.usage.Total = a.usage.Input + a.usage.Output
		out.Done(llm.Done{Stop: a.stop, Usage: a.usage, State: a.state.Encode()})
	}
}

func (a *answer) start(b anthropic.ContentBlockStartEventContentBlockUnion, out *llm.Emitter) {
	a.block = block{kind: b.Type, data: b.Data, call: chat.Call{ID: b.ID, Name: b.Name}}
	switch b.Type {
	case "thinking":
		out.StartReasoning()
	case "text":
		a.state.LedTo("")
		out.Text(b.Text)
	}
}

func (a *answer) delta(d anthropic.MessageStreamEventUnionDelta, out *llm.Emitter) {
	switch d.Type {
	case "text_delta":
		out.Text(d.Text)
	case "thinking_delta":
		a.block.thinking += d.Thinking
		out.Reasoning(d.Thinking)
	case "signature_delta":
		a.block.signature += d.Signature
	case "input_json_delta":
		a.block.input += d.PartialJSON
	}
}

// close ends the open block. A call that the token limit cut in two is left
// out: it cannot be run.
func (a *answer) close(out *llm.Emitter) {
	b := a.block
	a.block = block{}
	switch b.kind {
	case "thinking":
		out.EndReasoning()
		a.remember(anthropic.NewThinkingBlock(b.signature, b.thinking))
	case "redacted_thinking":
		a.remember(anthropic.NewRedactedThinkingBlock(b.data))
	case "tool_use":
		b.call.Arguments = b.input
		if b.input == "" {
			b.call.Arguments = "{}"
		}
		if json.Valid([]byte(b.call.Arguments)) {
			a.state.LedTo(out.Call(b.call))
		}
	}
}

// remember keeps a thinking block for the next call.
func (a *answer) remember(b anthropic.ContentBlockParamUnion) {
	if raw, err := json.Marshal(b); err == nil { // a block of strings always encodes
		a.state.Add(raw)
	}
}

// stopOf maps the reasons to stop.
func stopOf(reason anthropic.StopReason) llm.Stop {
	switch reason {
	case anthropic.StopReasonToolUse:
		return llm.StopTools
	case anthropic.StopReasonMaxTokens, anthropic.StopReasonModelContextWindowExceeded:
		return llm.StopLength
	case anthropic.StopReasonRefusal:
		return llm.StopRefused
	}
	return llm.StopEnd
}
