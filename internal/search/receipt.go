package search

import (
	"slices"
	"strings"
	"time"

	"confidant/internal/chat"
	"confidant/internal/search/question"
)

// Receipt says how a search came to its result. It is bounded, and fit for JSON.
type Receipt struct {
	Query   string         `json:"query"`
	Terms   []TermReceipt  `json:"terms"`
	Phrases []string       `json:"phrases,omitempty"`
	Window  *WindowReceipt `json:"window,omitempty"`
	Filters Filters        `json:"filters,omitzero"`
	// Dropped are the filters that nothing fitted, in the order in which they went.
	Dropped []DroppedFilter `json:"dropped,omitempty"`
	// WordsOnly says that meaning was not searched.
	WordsOnly bool `json:"words_only,omitempty"`
	// Considered is how many passages were scored, Refused how many of them had
	// too little to do with the question.
	Considered int `json:"considered"`
	Refused    int `json:"refused"`
	// Candidates are the best of them, shown or not.
	Candidates []CandidateReceipt `json:"candidates,omitempty"`
}

// TermReceipt is a word that was looked for.
type TermReceipt struct {
	Word string `json:"word"`
	// Passages is how many have it: the fewer, the more it counts.
	Passages int  `json:"passages"`
	Name     bool `json:"name,omitempty"`
	// Earlier words are from the questions before.
	Earlier bool `json:"earlier,omitempty"`
}

// WindowReceipt is the time that was searched first.
type WindowReceipt struct {
	From  *time.Time `json:"from,omitempty"`
	Until *time.Time `json:"until,omitempty"`
	// Words are those of the question that named it; none when it was given.
	Words string `json:"words,omitempty"`
}

// DroppedFilter is a filter that was given up.
type DroppedFilter struct {
	Filter string `json:"filter"`
	Reason string `json:"reason"`
}

// CandidateReceipt is one passage with the parts of its score.
type CandidateReceipt struct {
	Kind           string `json:"kind"`
	ConversationID string `json:"conversation_id"` // of a chunk, its file
	Ref            string `json:"ref"`
	// Rank is its place among the results, 0 when it is none of them.
	Rank  int     `json:"rank,omitempty"`
	Score float64 `json:"score"`
	// Words is BM25 of the passage alone, Neighbour what its context adds to that.
	Words     float64 `json:"words"`
	Neighbour float64 `json:"neighbour"`
	// Meaning is the cosine to the question, Cover the part of its words that the
	// passage and its context have.
	Meaning float64 `json:"meaning"`
	Cover   float64 `json:"cover"`
	// Session is what its conversation lends.
	Session float64 `json:"session"`
	Dropped string  `json:"dropped,omitempty"`
}

// maxCandidates is how many candidates a receipt has.
const maxCandidates = 30

// maxQuery is how many bytes of the question it has.
const maxQuery = 500

func newReceipt(q Query, asked question.Question) Receipt {
	r := Receipt{Query: q.Text[:min(len(q.Text), maxQuery)], Phrases: asked.Phrases, Filters: q.Filters, Terms: []TermReceipt{}}
	if asked.Window != nil && q.From.IsZero() && q.Until.IsZero() {
		r.Window = &WindowReceipt{From: instant(asked.Window.From), Until: instant(asked.Window.Until), Words: asked.Window.Words}
	} else if !q.From.IsZero() || !q.Until.IsZero() {
		r.Window = &WindowReceipt{From: instant(q.From), Until: instant(q.Until)}
	}
	return r
}

func instant(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// tried notes an attempt; the last one is the one that counts.
func (r *Receipt) tried(s scope, a attempt) {
	if s.dropped != "" {
		reason := "nothing that fits the question fits it"
		switch s.dropped {
		case windowFilter:
			reason = "nothing that fits the question is in it"
		case phraseFilter:
			reason = "nothing has these words together"
		}
		r.Dropped = append(r.Dropped, DroppedFilter{Filter: s.dropped, Reason: reason})
	}
	if a.core == nil { // no conversation fits the filters
		return
	}
	r.Terms = r.Terms[:0]
	for i, t := range a.asked.Terms {
		n := 0
		for _, f := range a.frequencies {
			if i < len(f.Of) {
				n += f.Of[i]
			}
		}
		r.Terms = append(r.Terms, TermReceipt{Word: t.Word, Passages: n, Name: t.Name, Earlier: t.Weight < 1})
	}
	r.Considered = a.considered
	r.WordsOnly = !a.meant
}

// rank notes the candidates, the results first.
func (r *Receipt) rank(all, ranked []candidate) {
	place := make(map[int64]int, len(ranked))
	for i, c := range ranked {
		place[c.passage.ID] = i + 1
	}
	sorted := slices.Clone(all)
	for _, c := range all {
		if c.dropped != "" {
			r.Refused++
		}
	}
	slices.SortStableFunc(sorted, func(a, b candidate) int {
		pa, pb := place[a.passage.ID], place[b.passage.ID]
		switch {
		case pa > 0 && pb > 0:
			return pa - pb
		case pa > 0:
			return -1
		case pb > 0:
			return 1
		}
		return byScore(a, b)
	})
	for _, c := range sorted[:min(len(sorted), maxCandidates)] {
		p := c.passage
		r.Candidates = append(r.Candidates, CandidateReceipt{
			Kind: kindName(p.Kind), ConversationID: p.GroupID, Ref: p.Ref, Rank: place[p.ID], Score: round(c.score),
			Words: round(c.alone), Neighbour: round(c.words - c.alone), Meaning: round(c.near), Cover: round(c.cover), Session: round(c.session), Dropped: c.dropped,
		})
	}
}

var kindNames = map[chat.PassageKind]string{
	chat.PassageSegment: "segment", chat.PassageSummary: "summary", chat.PassageFact: "fact", chat.PassageTask: "task", chat.PassageEvent: "event",
	chat.PassageFile: "file",
}

func kindName(k chat.PassageKind) string {
	if k.Shelf() == chat.ShelfWritten {
		return "chunk"
	}
	return kindNames[k]
}

func round(x float64) float64 { return float64(int(x*1000+0.5)) / 1000 }

// Note says in words what somebody who reads the result should know, "" for nothing.
func (r Receipt) Note() string {
	if len(r.Dropped) == 0 {
		return ""
	}
	var names []string
	for _, d := range r.Dropped {
		names = append(names, d.Filter)
	}
	if slices.Contains(names, phraseFilter) {
		return "Nothing has the words as they were quoted, so these results have them apart, or only some."
	}
	if slices.Contains(names, windowFilter) {
		if r.Window != nil && r.Window.Words != "" {
			return "Nothing about this was found for “" + r.Window.Words + "”, so these results are from other times."
		}
		return "Nothing about this was found in that time, so these results are from other times."
	}
	return "Nothing was found with all filters, so the search went on without: " + strings.Join(names, ", ") + "."
}
