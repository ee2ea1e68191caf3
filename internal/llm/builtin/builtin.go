// Package builtin answers without a language model: it searches what the person
// recorded and quotes what it found, with citations. It says so, and it is what
// a person gets when no provider is configured or none can be reached.
package builtin

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"confidant/internal/chat"
	"confidant/internal/llm"
	"confidant/internal/when"
)

// Responder is an llm.Model that calls the search tool once and quotes its result.
type Responder struct {
	// Fallback says that a language model is configured and could not be reached.
	Fallback bool
	// Now is the clock; nil means time.Now. Zone is where the person's days begin.
	Now  func() time.Time
	Zone *time.Location
}

var _ llm.Model = (*Responder)(nil)

// Name implements llm.Model.
func (r *Responder) Name() string { return "builtin" }

// The tools that the responder knows how to use.
const (
	searchTool = "search_conversations_tool"
	sumTool    = "addNumbers"
)

// Stream implements llm.Model.
func (r *Responder) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		if ctx.Err() != nil {
			yield(nil, ctx.Err())
			return
		}
		if call, ok := r.next(req); ok {
			if yield(llm.ToolCall{Call: call}, nil) {
				yield(llm.Done{Stop: llm.StopTools}, nil)
			}
			return
		}
		for word := range strings.SplitAfterSeq(r.answer(req.Messages), " ") {
			if !yield(llm.TextDelta{Text: word}, nil) {
				return
			}
		}
		yield(llm.Done{Stop: llm.StopEnd}, nil)
	}
}

// next is the call to make now, if there is one.
func (r *Responder) next(req llm.Request) (chat.Call, bool) {
	last := req.Messages[len(req.Messages)-1]
	if last.Role == llm.User {
		return r.plan(last.Text, req.Tools)
	}
	return chat.Call{}, false
}

// plan chooses the one call that the question needs, if a tool for it is offered.
func (r *Responder) plan(question string, tools []llm.ToolSpec) (chat.Call, bool) {
	offered := map[string]bool{}
	for _, t := range tools {
		offered[t.Name] = true
	}
	if a, b, ok := sum(question); ok && offered[sumTool] {
		return call(sumTool, map[string]any{"a": a, "b": b})
	}
	if l, ok := listFor(question, offered); ok {
		arguments := maps.Clone(l.fixed)
		if arguments == nil {
			arguments = map[string]any{}
		}
		r.window(question, arguments, l.from, l.until)
		return call(l.tool, arguments)
	}
	if !offered[searchTool] || isGreeting(question) {
		return chat.Call{}, false
	}
	arguments := map[string]any{"query": truncate(question, 2000)}
	r.window(question, arguments, "start_date", "end_date")
	return call(searchTool, arguments)
}

// window adds the time that a question names to the arguments of a call; a tool
// without such parameters has no names for them.
func (r *Responder) window(question string, arguments map[string]any, from, until string) {
	now := time.Now
	if r.Now != nil {
		now = r.Now
	}
	w, ok := when.Find(question, now().In(r.Zone))
	if !ok || from == "" {
		return
	}
	for name, at := range map[string]time.Time{from: w.From, until: w.Until} {
		if !at.IsZero() {
			arguments[name] = at.Format(time.RFC3339)
		}
	}
}

func call(name string, arguments map[string]any) (chat.Call, bool) {
	text, err := json.Marshal(arguments)
	return chat.Call{ID: "call_1", Name: name, Arguments: string(text)}, err == nil
}

func truncate(text string, runes int) string {
	if r := []rune(text); len(r) > runes {
		return string(r[:runes])
	}
	return text
}

// answer puts the results of the turn's calls into words.
func (r *Responder) answer(messages []llm.Message) string {
	note := "No language model is connected, so I can only quote what you recorded."
	if r.Fallback {
		note = "The language model cannot be reached, so I can only quote what you recorded."
	}
	last := messages[len(messages)-1]
	if last.Role != llm.Tool {
		return "Hello! " + note + " Ask me about something in it."
	}
	var parts []string
	for _, result := range last.Results {
		l, listed := listOf(result.Name)
		switch {
		case result.IsError:
			parts = append(parts, "That did not work: "+result.Content)
		case listed:
			parts = append(parts, l.show(result.Content))
		case result.Name == sumTool:
			parts = append(parts, "The sum is "+result.Content+".")
		case result.Name == searchTool && widened(result.Content):
			parts = append(parts, "I found nothing in that time, so I looked at all times. "+quote(result.Content))
		case result.Name == searchTool:
			parts = append(parts, quote(result.Content))
		}
	}
	return strings.Join(parts, "\n\n") + "\n\n*" + note + "*"
}

// maxQuotes is how many passages are quoted.
const maxQuotes = 3

// widened reports whether the search found nothing in the time that was asked
// about, and looked at all times. A person who says "yesterday" may be off by a day.
func widened(content string) bool {
	var result struct {
		Receipt struct {
			Dropped []string `json:"dropped"`
		} `json:"receipt"`
	}
	return json.Unmarshal([]byte(content), &result) == nil && slices.Contains(result.Receipt.Dropped, "window") && len(found(content)) > 0
}

// passage is one result of a search.
type passage struct {
	Cite    int    `json:"cite"`
	Title   string `json:"title"`
	Speaker string `json:"speaker"`
	At      string `json:"at"`
	Text    string `json:"text"`
}

func found(content string) []passage {
	var result struct {
		Results []passage `json:"results"`
	}
	if json.Unmarshal([]byte(content), &result) != nil {
		return nil
	}
	return result.Results
}

// quote lists the passages of a search result, each with its citation.
func quote(content string) string {
	passages := found(content)
	if len(passages) == 0 {
		return "I found nothing about that in what you recorded."
	}
	var b strings.Builder
	b.WriteString("This is what I found:\n")
	for _, p := range passages[:min(len(passages), maxQuotes)] {
		who := p.Speaker
		if who == "" {
			who = p.Title
		}
		fmt.Fprintf(&b, "\n> **%s**%s: %s[%d]\n", who, day(p.At), oneLine(p.Text), p.Cite)
	}
	return strings.TrimRight(b.String(), "\n")
}

func day(at string) string {
	t, err := time.Parse(time.RFC3339, at)
	if err != nil {
		return ""
	}
	return t.Format(", 2 January 2006")
}

func oneLine(text string) string {
	return truncate(strings.Join(strings.Fields(text), " "), 600)
}
