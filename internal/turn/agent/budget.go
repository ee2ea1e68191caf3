package agent

import (
	"confidant/internal/chat"
	"confidant/internal/llm"
)

// tokens estimates the tokens of a text as Omi does, four bytes to one. It only
// guards a limit; what is billed is what the provider counts.
func tokens(text string) int { return (len(text) + 3) / 4 }

func messageTokens(m llm.Message) int {
	n := tokens(m.Text)
	for _, c := range m.Calls {
		n += tokens(c.Arguments)
	}
	for _, r := range m.Results {
		n += tokens(r.Content)
	}
	return n
}

const resultDropped = "[This earlier result was left out, because the conversation reached its context limit. Call the tool again with a narrower question if it is needed.]"

// fit joins the history and the turn's own messages within the limit of tokens.
// What goes first is the oldest history, then the oldest tool results; the
// question, which is the history's last message, always stays.
func fit(history, turn []llm.Message, limit int) []llm.Message {
	total := 0
	all := make([]llm.Message, 0, len(history)+len(turn))
	for _, m := range history {
		total += messageTokens(m)
	}
	for _, m := range turn {
		total += messageTokens(m)
	}
	for len(history) > 1 && total > limit {
		total -= messageTokens(history[0])
		history = history[1:]
	}
	all = append(all, history...)
	for _, m := range turn {
		if total > limit && m.Role == llm.Tool {
			total -= messageTokens(m)
			m = withoutResults(m)
			total += messageTokens(m)
		}
		all = append(all, m)
	}
	return all
}

func withoutResults(m llm.Message) llm.Message {
	results := make([]llm.ToolResult, len(m.Results))
	for i, r := range m.Results {
		r.Content = resultDropped
		results[i] = r
	}
	m.Results = results
	return m
}

// estimate is what a call that was cut short has cost, since nobody counted it.
func estimate(req llm.Request, said string) chat.Usage {
	in := tokens(req.System)
	for _, m := range req.Messages {
		in += messageTokens(m)
	}
	out := tokens(said)
	return chat.Usage{Input: in, Output: out, Total: in + out}
}
