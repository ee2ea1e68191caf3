package agent

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"confidant/internal/chat"
	"confidant/internal/llm"
)

// state is where a loop stands. It is made of the log and nothing else, so a
// loop that is taken over stands exactly where the dead one stood.
type state struct {
	steps    int
	messages []llm.Message
	usage    chat.Usage
	text     string // of finished steps
	partial  []byte // of the unfinished one
	voidFrom int64  // the first event of the unfinished step, 0 when it said nothing
	stop     llm.Stop
	answered bool

	made     []chat.Call // all calls of the turn
	open     []chat.Call // those without a result
	resumed  bool        // the open calls were begun by a worker that died
	consent  map[string]bool
	asked    map[string]string // why
	finished map[string]chat.ToolFinished
	book     *book
}

// recall reads the log.
func recall(past []chat.Event) *state {
	s := &state{consent: map[string]bool{}, asked: map[string]string{}, finished: map[string]chat.ToolFinished{}, book: newBook()}
	for _, e := range past {
		switch b := e.Body.(type) {
		case chat.ReasoningStarted, chat.ReasoningDelta, chat.ReasoningEnded:
			s.begin(e.Seq)
		case chat.TextDelta:
			s.begin(e.Seq)
			s.partial = append(s.partial, b.Delta...)
		case chat.StepRetracted:
			s.abandon()
		case chat.StepFinished:
			s.finish(b)
		case chat.ApprovalAsked:
			s.asked[b.CallID] = b.Why
		case chat.ApprovalGiven:
			s.consent[b.CallID] = b.Approve
		case chat.ToolFinished:
			s.result(b)
		}
	}
	s.resumed = len(s.open) > 0
	return s
}

func (s *state) begin(seq int64) {
	if s.voidFrom == 0 {
		s.voidFrom = seq
	}
}

func (s *state) abandon() { s.partial, s.voidFrom = nil, 0 }

// paragraph sets the text of a later step apart from that of an earlier one.
func (s *state) paragraph(delta string) string {
	if len(s.partial) == 0 && s.text != "" && !strings.HasSuffix(s.text, "\n") {
		return "\n\n" + delta
	}
	return delta
}

func (s *state) finish(b chat.StepFinished) {
	s.steps++
	s.usage = s.usage.Add(b.Usage)
	s.messages = append(s.messages, llm.Message{Role: llm.Assistant, Text: strings.TrimPrefix(string(s.partial), "\n\n"), Calls: b.Calls, State: b.State})
	s.text += string(s.partial)
	s.abandon()
	s.stop = llm.Stop(b.StopReason)
	s.answered = len(b.Calls) == 0
	s.made = append(s.made, b.Calls...)
	s.open = slices.Clone(b.Calls)
	clear(s.finished)
}

func (s *state) knows(callID string) bool {
	return slices.ContainsFunc(s.made, func(c chat.Call) bool { return c.ID == callID })
}

// result notes a call's outcome. When the step's last is there, the results
// become one message, in the order of the calls.
func (s *state) result(b chat.ToolFinished) {
	s.finished[b.CallID] = b
	s.book.restore(b.Sources)
	s.open = slices.DeleteFunc(s.open, func(c chat.Call) bool { return c.ID == b.CallID })
	if len(s.open) > 0 {
		return
	}
	message := llm.Message{Role: llm.Tool}
	for _, c := range s.messages[len(s.messages)-1].Calls {
		f := s.finished[c.ID]
		r := llm.ToolResult{CallID: c.ID, Name: c.Name, Content: string(f.Result)}
		if f.Error != "" {
			r.Content, r.IsError = f.Error, true
		}
		message.Results = append(message.Results, r)
	}
	s.messages = append(s.messages, message)
}

// book numbers the sources of a turn, each span once.
type book struct {
	mu     sync.Mutex
	byN    map[int]chat.Citation
	bySpan map[[2]string]int
}

func newBook() *book {
	return &book{byN: map[int]chat.Citation{}, bySpan: map[[2]string]int{}}
}

func (b *book) cite(c chat.Citation) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	if n, ok := b.bySpan[c.Span()]; ok {
		return n
	}
	c.N = len(b.byN) + 1
	b.byN[c.N], b.bySpan[c.Span()] = c, c.N
	return c.N
}

// citing notes what one call cites.
type citing struct {
	book    *book
	mu      sync.Mutex
	sources []chat.Citation
}

func (c *citing) cite(source chat.Citation) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	source.N = c.book.cite(source)
	c.sources = append(c.sources, source)
	return source.N
}

func (b *book) restore(sources []chat.Citation) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, c := range sources {
		b.byN[c.N], b.bySpan[c.Span()] = c, c.N
	}
}

func (b *book) sources() map[int]chat.Citation {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := make(map[int]chat.Citation, len(b.byN))
	for n, c := range b.byN {
		all[n] = c
	}
	return all
}

// asObject returns text when it is a JSON object, else null.
func asObject(text string) json.RawMessage {
	var object map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &object) != nil {
		return json.RawMessage("null")
	}
	return json.RawMessage(text)
}
