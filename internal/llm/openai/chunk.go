package openai

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf8"
)

// chunk is what is needed of a chat.completion.chunk. The SDK's own type looks at
// every field by reflection and keeps the raw JSON of each, which made up more
// than half of the processor time of a server with 2,000 streams; this takes a
// third of it. A text or number of another type counts as absent, as it does
// there, because servers differ.
type chunk struct {
	Choices []struct {
		Index        count `json:"index"`
		Delta        delta `json:"delta"`
		FinishReason text  `json:"finish_reason"`
	} `json:"choices"`
	Usage usage `json:"usage"`
	// Error is set in the chunk that reports one.
	Error json.RawMessage `json:"error"`
}

// delta is what a chunk adds. The reasoning, which OpenAI does not send, is in
// reasoning_content with DeepSeek, Qwen and vLLM, in reasoning with OpenRouter,
// Ollama and newer vLLM.
type delta struct {
	Content          text       `json:"content"`
	Refusal          text       `json:"refusal"`
	ReasoningContent text       `json:"reasoning_content"`
	Reasoning        text       `json:"reasoning"`
	ToolCalls        []toolCall `json:"tool_calls"`
}

type toolCall struct {
	Index    count `json:"index"`
	ID       text  `json:"id"`
	Function struct {
		Name      text `json:"name"`
		Arguments text `json:"arguments"`
	} `json:"function"`
}

type usage struct {
	Prompt     count `json:"prompt_tokens"`
	Completion count `json:"completion_tokens"`
	Total      count `json:"total_tokens"`
	Details    struct {
		Cached count `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
}

// text is a string; anything else is empty.
type text string

// UnmarshalJSON implements json.Unmarshaler.
func (t *text) UnmarshalJSON(data []byte) error {
	*t = ""
	if data[0] != '"' {
		return nil
	}
	if bytes.IndexByte(data, '\\') < 0 && utf8.Valid(data) { // nothing to decode
		*t = text(data[1 : len(data)-1])
		return nil
	}
	return json.Unmarshal(data, (*string)(t))
}

// count is a number; anything else is 0.
type count int

// UnmarshalJSON implements json.Unmarshaler. Some servers write whole numbers
// with a fraction.
func (c *count) UnmarshalJSON(data []byte) error {
	if whole, err := strconv.Atoi(string(data)); err == nil {
		*c = count(whole)
		return nil
	}
	var number float64
	if err := json.Unmarshal(data, &number); err != nil {
		number = 0
	}
	*c = count(number)
	return nil
}
