package openai

import (
	"cmp"
	"errors"
	"strings"

	"github.com/tidwall/gjson"
)

// errChunk is the error of a chunk that cannot be read.
var errChunk = errors.New("a chunk of the stream is not a JSON object")

// chunk is what is needed of a chat.completion.chunk. It is read by gjson, which
// the SDK uses as well, because both the SDK's own type and encoding/json look at
// every field by reflection: the first took more than half of the processor time
// of a server with 2,000 streams, the second an eighth. A text or number of
// another type counts as absent, as it does in the SDK, because servers differ.
type chunk struct {
	delta        delta
	finishReason string
	usage        usage
	// failure is the JSON of the error, in the chunk that reports one.
	failure string
}

// delta is what a chunk adds. The reasoning, which OpenAI does not send, is in
// reasoning_content with DeepSeek, Qwen and vLLM, in reasoning with OpenRouter,
// Ollama and newer vLLM.
type delta struct {
	content, refusal, reasoning string
	calls                       []callPiece
}

type callPiece struct {
	index               int
	id, name, arguments string
}

type usage struct{ prompt, completion, total, cached int }

// readChunk reads the first choice of a chunk; others were not asked for.
func readChunk(data []byte) (chunk, error) {
	var c chunk
	if !gjson.ValidBytes(data) {
		return c, errChunk
	}
	root := gjson.ParseBytes(data)
	if !root.IsObject() {
		return c, errChunk
	}
	root.ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "choices":
			value.ForEach(func(_, choice gjson.Result) bool {
				c.choice(choice)
				return true
			})
		case "usage":
			c.usage = usage{
				prompt: count(value.Get("prompt_tokens")), completion: count(value.Get("completion_tokens")),
				total: count(value.Get("total_tokens")), cached: count(value.Get("prompt_tokens_details.cached_tokens")),
			}
		case "error":
			if value.Type != gjson.Null {
				c.failure = value.Raw
			}
		}
		return true
	})
	return c, nil
}

func (c *chunk) choice(choice gjson.Result) {
	var index int
	var d delta
	var finish string
	choice.ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "index":
			index = count(value)
		case "delta":
			d = readDelta(value)
		case "finish_reason":
			finish = text(value)
		}
		return true
	})
	if index == 0 {
		c.delta, c.finishReason = d, finish
	}
}

func readDelta(value gjson.Result) delta {
	var d delta
	var other string
	value.ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "content":
			d.content = text(value)
		case "refusal":
			d.refusal = text(value)
		case "reasoning_content":
			d.reasoning = text(value)
		case "reasoning":
			other = text(value)
		case "tool_calls":
			value.ForEach(func(_, call gjson.Result) bool {
				d.calls = append(d.calls, callPiece{
					index: count(call.Get("index")), id: text(call.Get("id")),
					name: text(call.Get("function.name")), arguments: text(call.Get("function.arguments")),
				})
				return true
			})
		}
		return true
	})
	d.reasoning = cmp.Or(d.reasoning, other)
	return d
}

// text is the value of a string; anything else is empty.
func text(value gjson.Result) string {
	if value.Type != gjson.String {
		return ""
	}
	return strings.ToValidUTF8(value.Str, "\uFFFD")
}

// count is the value of a number; anything else is 0. Some servers write whole
// numbers with a fraction.
func count(value gjson.Result) int {
	if value.Type != gjson.Number {
		return 0
	}
	return int(value.Num)
}
