package recall

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"confidant/internal/chat"
	"confidant/internal/search"
	"confidant/internal/tool"
	"confidant/internal/tool/argument"
)

// Searcher finds passages; see search.Core.
type Searcher interface {
	Search(ctx context.Context, q search.Query) (search.Result, error)
}

// SearchConversations finds what was said by its words and its meaning.
type SearchConversations struct{ Searcher Searcher }

var _ tool.Tool = SearchConversations{}

// The limits of search_conversations_tool.
const (
	searchDefault = 5
	searchMost    = 20
	defaultAround = 1 // segments before and after each passage
	mostAround    = 20
)

// Spec implements tool.Tool.
func (SearchConversations) Spec() tool.Spec {
	return tool.Spec{
		Name:        "search_conversations_tool",
		Description: "Searches everything the person recorded or wrote down, by words and by meaning, and returns the passages that fit best with what was said around them. Use it for questions about a topic, a person or a detail.",
		Label:       "Searching conversations",
		Idempotent:  true,
		Parameters: argument.Object(`"query"`,
			`"query":{"type":"string","minLength":1,"maxLength":2000,"description":"What to look for, in the words that were probably said."}`,
			startDate, endDate,
			fmt.Sprintf(`"limit":{"type":"integer","minimum":1,"description":"How many passages; default %d, at most %d."}`, searchDefault, searchMost),
			maxSegments, transcript, timestamps),
	}
}

// result is one passage as the model sees it.
type result struct {
	Cite           int       `json:"cite"`
	ConversationID string    `json:"conversation_id"`
	Title          string    `json:"title"`
	Speaker        string    `json:"speaker,omitempty"`
	At             string    `json:"at,omitempty"`
	Text           string    `json:"text"`
	Before         []segment `json:"before,omitempty"`
	After          []segment `json:"after,omitempty"`
}

// Run implements tool.Tool.
func (t SearchConversations) Run(ctx context.Context, call tool.Call) (tool.Result, error) {
	var args struct {
		argument.Window
		Query      string `json:"query"`
		Limit      int    `json:"limit"`
		Segments   int    `json:"max_transcript_segments"`
		Transcript *bool  `json:"include_transcript"`
		Timestamps bool   `json:"include_timestamps"`
	}
	if err := json.Unmarshal(call.Arguments, &args); err != nil {
		return tool.Result{}, fmt.Errorf("read arguments: %w", err)
	}
	from, until, err := args.Parse()
	if err != nil {
		return tool.Result{}, err
	}
	notes := []string{quoted}
	if args.Limit == 0 {
		args.Limit = searchDefault
	}
	if args.Limit > searchMost {
		args.Limit = searchMost
		notes = append(notes, fmt.Sprintf("The limit was cut to %d.", searchMost))
	}
	around := defaultAround
	switch {
	case args.Transcript != nil && !*args.Transcript:
		around = 0
	case args.Segments < 0:
		around = mostAround
	case args.Segments > 0:
		around = min(args.Segments/2, mostAround)
	}
	found, err := t.Searcher.Search(ctx, search.Query{
		UserID: call.UserID, Text: args.Query, History: call.Earlier, Kinds: []chat.PassageKind{chat.PassageSegment}, From: from, Until: until,
		Now: call.Now, Zone: call.Zone, Limit: args.Limit, Around: around,
	})
	if err != nil {
		return tool.Result{}, fmt.Errorf("search: %w", err)
	}
	if note := found.Receipt.Note(); note != "" {
		notes = append(notes, note)
	}
	room := argument.Budget{Left: argument.MaxCharacters}
	results := []result{}
	for _, h := range found.Hits {
		if !room.Take(h.Passage.Text) {
			notes = append(notes, fmt.Sprintf("Truncated at %d characters. Ask for fewer passages.", argument.MaxCharacters))
			break
		}
		results = append(results, cite(call, h, args.Timestamps, &room))
	}
	if len(results) == 0 {
		notes = append(notes, "Nothing was found. Try other words.")
	}
	return tool.Result{Content: map[string]any{
		"results": results, "note": strings.Join(notes, " "), "receipt": brief(found.Receipt, call.Zone),
	}, Display: true}, nil
}

// receipt is how the search went, as short as a trace can show it.
type receipt struct {
	Terms []string `json:"terms"`
	From  string   `json:"from,omitempty"`
	Until string   `json:"until,omitempty"`
	// Dropped are the filters that nothing fitted.
	Dropped    []string  `json:"dropped,omitempty"`
	WordsOnly  bool      `json:"words_only,omitempty"`
	Considered int       `json:"considered"`
	Refused    int       `json:"refused"`
	Scores     []float64 `json:"scores,omitempty"` // of the results
}

func brief(r search.Receipt, zone *time.Location) receipt {
	b := receipt{Terms: []string{}, WordsOnly: r.WordsOnly, Considered: r.Considered, Refused: r.Refused}
	for _, t := range r.Terms {
		b.Terms = append(b.Terms, t.Word)
	}
	if w := r.Window; w != nil {
		if w.From != nil {
			b.From = argument.ShowTime(*w.From, zone)
		}
		if w.Until != nil {
			b.Until = argument.ShowTime(*w.Until, zone)
		}
	}
	for _, d := range r.Dropped {
		b.Dropped = append(b.Dropped, d.Filter)
	}
	for _, c := range r.Candidates {
		if c.Rank > 0 {
			b.Scores = append(b.Scores, c.Score)
		}
	}
	return b
}

func cite(call tool.Call, h search.Hit, timestamps bool, room *argument.Budget) result {
	p := h.Passage
	r := result{
		ConversationID: p.GroupID, Title: p.Title, Speaker: p.Speaker, At: argument.ShowTime(p.At, call.Zone), Text: p.Text,
		Cite: call.Cite(chat.Citation{
			Kind: "conversation", ConversationID: p.GroupID, SegmentID: p.Ref, Title: p.Title, Speaker: p.Speaker, At: p.At, Quote: p.Text,
		}),
	}
	for _, n := range h.Around {
		if !room.Take(n.Text) {
			break
		}
		s := segment{Speaker: n.Speaker, Text: n.Text}
		if timestamps {
			s.At = argument.ShowTime(n.At, call.Zone)
		}
		if n.Position < p.Position {
			r.Before = append(r.Before, s)
		} else {
			r.After = append(r.After, s)
		}
	}
	return r
}
