package chat

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Trace is a conversation or a file that was deleted, as long as something of it
// is left in indexes, logs of turns, or answers.
type Trace struct {
	UserID string
	Source string // the id that it had
}

// Forgetting removes what is left of what was deleted. Every method may be called
// again after a crash and goes on where it was.
type Forgetting interface {
	// Traces returns what is still to be removed.
	Traces(ctx context.Context) ([]Trace, error)
	// RemoveTrace removes it: words from the index, quotations from answers and
	// logs, deleted bytes from the file.
	RemoveTrace(ctx context.Context, t Trace) error
	// Erase deletes everything of a person, the account too when account is set, in
	// steps that let others write in between. From the first step on nothing of it
	// is found.
	Erase(ctx context.Context, userID string, account bool) error
	// Erasing returns whose deletion has begun and not ended.
	Erasing(ctx context.Context) ([]Erasure, error)
}

// Erasure is the deletion of a person's data that is under way.
type Erasure struct {
	UserID  string
	Account bool
}

// removed stands where a statement was whose source was deleted.
const removed = "[The source of this was deleted.]"

// Without returns a message without the citations of a source, a conversation or a
// file, and the statements that they were for. It reports false when there are none.
func (m Message) Without(source string) (Message, bool) {
	gone := map[int]bool{}
	var left []Citation
	for _, c := range m.Citations {
		if c.Source() == source {
			gone[c.N] = true
		} else {
			left = append(left, c)
		}
	}
	if len(gone) == 0 {
		return m, false
	}
	m.Content, m.Citations = redact(m.Content, gone, source), left
	return m, true
}

var citationMark = regexp.MustCompile(`\[(\d{1,4})\]`)

// redact replaces the statements that cite any of the numbers, or a page of the source.
func redact(text string, gone map[int]bool, source string) string {
	var b strings.Builder
	for _, sentence := range Sentences(text) {
		cites := slices.ContainsFunc(citationMark.FindAllStringSubmatch(sentence, -1), func(m []string) bool {
			n, err := strconv.Atoi(m[1])
			return err == nil && gone[n]
		})
		if !cites && !strings.Contains(sentence, "]("+source+")") {
			b.WriteString(sentence)
			continue
		}
		end := sentence[len(strings.TrimRight(sentence, " \t\n")):]
		if !strings.HasSuffix(strings.TrimSpace(b.String()), removed) {
			b.WriteString(removed)
		}
		b.WriteString(end)
	}
	return b.String()
}

// Without returns the event as it may stay in a log once a source was
// deleted that the turn had read: nothing that was read, thought or said then is
// left of it.
func (e Event) Without(source string) Event {
	switch b := e.Body.(type) {
	case ToolFinished:
		if strings.Contains(string(b.Result), source) || slices.ContainsFunc(b.Sources, func(c Citation) bool { return c.Source() == source }) {
			b.Result, b.Sources = json.RawMessage(`{"note":"What this had found was deleted."}`), nil
			e.Body = b
		}
	case TextDelta:
		e.Body = TextDelta{}
	case ReasoningDelta:
		e.Body = ReasoningDelta{}
	case StepFinished:
		b.State = nil
		e.Body = b
	case TextFinished:
		m, _ := Message{Content: b.Text, Citations: b.Citations}.Without(source)
		e.Body = TextFinished{Text: m.Content, Citations: append([]Citation{}, m.Citations...)}
	}
	return e
}

// sentenceEnd separates the statements of an answer.
var sentenceEnd = regexp.MustCompile(`[.!?…]["'”’)]*(?:\[\d+\](?:\([^()\s]*\))?)*(?:\s+|$)|\n+`)

// Sentences cuts a text after every statement, with the citations behind it;
// joined they are the text again.
func Sentences(text string) []string {
	var list []string
	start := 0
	for _, end := range sentenceEnd.FindAllStringIndex(text, -1) {
		list = append(list, text[start:end[1]])
		start = end[1]
	}
	return append(list, text[start:])
}
