package llmtest

import (
	"errors"
	"fmt"
	"iter"

	"confidant/internal/chat"
	"confidant/internal/llm"
)

// Answer is a stream that has been read to its end.
type Answer struct {
	// Reasoning are the parts of the reasoning.
	Reasoning []string
	Text      string
	Calls     []chat.Call
	// Done is zero when Err is not nil.
	Done llm.Done
	// Err is what the stream ended with, or how it broke the contract.
	Err error
}

// Collect reads a stream to its end and checks that it keeps the contract: the
// reasoning is closed before anything else follows, nothing is empty, the ids of
// calls are unique, and nothing follows Done or an error.
func Collect(stream iter.Seq2[llm.Chunk, error]) Answer {
	var a Answer
	var open, ended bool
	ids := map[string]bool{}
	broken := func(format string, args ...any) Answer {
		a.Err = fmt.Errorf("contract broken: "+format, args...)
		return a
	}
	for chunk, err := range stream {
		if ended {
			return broken("%T, %v after the end", chunk, err)
		}
		if err != nil {
			a.Err, ended = err, true
			continue
		}
		switch c := chunk.(type) {
		case llm.ReasoningStarted:
			if open {
				return broken("a part of the reasoning was opened twice")
			}
			open, a.Reasoning = true, append(a.Reasoning, "")
			continue
		case llm.ReasoningDelta:
			if !open || c.Text == "" {
				return broken("reasoning %q while open is %v", c.Text, open)
			}
			a.Reasoning[len(a.Reasoning)-1] += c.Text
			continue
		case llm.ReasoningEnded:
			if !open {
				return broken("reasoning closed twice")
			}
			open = false
			continue
		case llm.TextDelta:
			if c.Text == "" {
				return broken("an empty delta")
			}
			a.Text += c.Text
		case llm.ToolCall:
			if c.ID == "" || ids[c.ID] {
				return broken("the call id %q is empty or used twice", c.ID)
			}
			ids[c.ID] = true
			a.Calls = append(a.Calls, c.Call)
		case llm.Done:
			a.Done, ended = c, true
		}
		if open {
			return broken("%T while reasoning is open", chunk)
		}
	}
	if !ended {
		a.Err = errors.New("contract broken: the stream ended without Done or an error")
	}
	return a
}
