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

// Responder is an llm.Model that calls the search tools once and quotes their results.
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
	searchTool    = "search_conversations_tool"
	documentsTool = "search_knowledge_base"
	sumTool       = "addNumbers"
)

// Stream implements llm.Model.
func (r *Responder) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		if ctx.Err() != nil {
			yield(nil, ctx.Err())
			return
		}
		if calls := r.next(req); len(calls) > 0 {
			for _, call := range calls {
				if !yield(llm.ToolCall{Call: call}, nil) {
					return
				}
			}
			yield(llm.Done{Stop: llm.StopTools}, nil)
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

// next are the calls to make now.
func (r *Responder) next(req llm.Request) []chat.Call {
	last := req.Messages[len(req.Messages)-1]
	if last.Role == llm.User {
		return r.plan(last.Text, req.Tools)
	}
	return nil
}

// plan chooses the calls that the question needs, if tools for it are offered: one,
// or a search in the recordings and one in the documents.
func (r *Responder) plan(question string, tools []llm.ToolSpec) []chat.Call {
	offered := map[string]bool{}
	for _, t := range tools {
		offered[t.Name] = true
	}
	if a, b, ok := sum(question); ok && offered[sumTool] {
		return calls(call(sumTool, map[string]any{"a": a, "b": b}))
	}
	if l, ok := listFor(question, offered); ok {
		arguments := maps.Clone(l.fixed)
		if arguments == nil {
			arguments = map[string]any{}
		}
		r.window(question, arguments, l.from, l.until)
		return calls(call(l.tool, arguments))
	}
	if isGreeting(question) {
		return nil
	}
	var searches []planned
	if offered[searchTool] {
		arguments := map[string]any{"query": truncate(question, 2000)}
		r.window(question, arguments, "start_date", "end_date")
		searches = append(searches, call(searchTool, arguments))
	}
	if offered[documentsTool] {
		searches = append(searches, call(documentsTool, map[string]any{"query": truncate(question, 2000), "type": []string{}}))
	}
	return calls(searches...)
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

// planned is a call that has no id yet.
type planned struct{ name, arguments string }

func call(name string, arguments map[string]any) planned {
	text, err := json.Marshal(arguments)
	if err != nil {
		panic(err) // strings and numbers always marshal
	}
	return planned{name, string(text)}
}

func calls(list ...planned) []chat.Call {
	numbered := make([]chat.Call, len(list))
	for i, p := range list {
		numbered[i] = chat.Call{ID: fmt.Sprint("call_", i+1), Name: p.name, Arguments: p.arguments}
	}
	return numbered
}

func truncate(text string, runes int) string {
	if r := []rune(text); len(r) > runes {
		return string(r[:runes])
	}
	return text
}

// answer puts the results of the turn's calls into words.
func (r *Responder) answer(messages []llm.Message) string {
	note := "No language model is connected, so I can only quote what is stored here."
	if r.Fallback {
		note = "The language model cannot be reached, so I can only quote what is stored here."
	}
	last := messages[len(messages)-1]
	if last.Role != llm.Tool {
		return "Hello! " + note + " Ask me about something in it."
	}
	var parts []string
	both := len(last.Results) == 2
	for _, result := range last.Results {
		l, listed := listOf(result.Name)
		switch {
		case both && !result.IsError && result.Name == searchTool && len(found(result.Content)) == 0 && len(pages(last.Results[1].Content)) > 0:
			// Only the documents have something to say.
		case both && !result.IsError && result.Name == documentsTool && len(pages(result.Content)) == 0:
			// Only the recordings have, or nothing has.
		case !result.IsError && result.Name == documentsTool:
			parts = append(parts, quotePages(result.Content))
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
