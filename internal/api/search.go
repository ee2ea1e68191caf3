package api

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"confidant/internal/chat"
	"confidant/internal/search"
)

// Searcher finds passages; see search.Core.
type Searcher interface {
	Search(ctx context.Context, q search.Query) (search.Result, error)
}

// found is one result of a search.
type found struct {
	Kind           string    `json:"kind"`
	ConversationID string    `json:"conversation_id,omitempty"`
	SegmentID      string    `json:"segment_id,omitempty"`
	FileID         string    `json:"file_id,omitempty"`
	ChunkID        string    `json:"chunk_id,omitempty"`
	Page           int       `json:"page,omitempty"`
	Title          string    `json:"title"`
	Speaker        string    `json:"speaker"`
	At             time.Time `json:"at,omitzero"`
	Text           string    `json:"text"`
	Score          float64   `json:"score"`
}

// searchKinds are the kinds of results by their names. What was said is a
// "conversation", because that is what opens.
var searchKinds = map[string][]chat.PassageKind{
	"conversation": {chat.PassageSegment}, "summary": {chat.PassageSummary}, "memory": {chat.PassageFact}, "task": {chat.PassageTask},
	"event": {chat.PassageEvent}, "file": {chat.PassageFile}, "chunk": chat.ChunkKinds,
}

// search answers GET /api/search?q=&from=&until=&kinds=&people=&topics=&entities=&dates=&conversations=&files=&receipt=1&limit=.
// Lists are separated by commas. Without from and until, time words of q count in
// the zone of the zone parameter, UTC without it.
func (s *Server) search(_ http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	page, err := pageOf(r, 20, 100)
	if err != nil {
		return nil, err
	}
	q := search.Query{UserID: user.ID, Text: r.URL.Query().Get("q"), Limit: page.Limit}
	if strings.TrimSpace(q.Text) == "" {
		return nil, chat.Fail(chat.CodeInvalid, "The query needs q, what to search for.")
	}
	if err := narrow(r, &q); err != nil {
		return nil, err
	}
	result, err := s.searcher.Search(r.Context(), q)
	if err != nil {
		return nil, err
	}
	list := make([]found, len(result.Hits))
	for i, h := range result.Hits {
		if list[i], err = s.found(r.Context(), h); err != nil {
			return nil, err
		}
	}
	body := map[string]any{"results": list}
	if note := result.Receipt.Note(); note != "" {
		body["note"] = note
	}
	if r.URL.Query().Get("receipt") == "1" {
		body["receipt"] = result.Receipt
	}
	return body, nil
}

// found is a hit as clients see it.
func (s *Server) found(ctx context.Context, h search.Hit) (found, error) {
	p := h.Passage
	f := found{Title: p.Title, Speaker: p.Speaker, At: p.At, Text: p.Text, Score: h.Score}
	for name, kinds := range searchKinds {
		if slices.Contains(kinds, p.Kind) {
			f.Kind = name
		}
	}
	switch f.Kind {
	case "file":
		f.FileID = p.GroupID
	case "chunk":
		f.FileID, f.ChunkID = p.GroupID, p.Ref
		chunks, err := s.files.Pages.FileChunks(ctx, p.UserID, p.GroupID, chat.ChunkRange{From: p.Position, Until: p.Position + 1})
		if err != nil {
			return f, err
		}
		for _, c := range chunks {
			f.Page = c.Page
		}
	default:
		f.ConversationID, f.SegmentID = p.GroupID, p.Ref
	}
	return f, nil
}

// maxFilterValues is how many values of one filter are looked at.
const maxFilterValues = 50

// narrow reads what limits a search.
func narrow(r *http.Request, q *search.Query) (err error) {
	values := r.URL.Query()
	for name, at := range map[string]*time.Time{"from": &q.From, "until": &q.Until} {
		text := values.Get(name)
		if text == "" {
			continue
		}
		if *at, err = time.Parse(time.RFC3339, text); err != nil {
			return chat.Fail(chat.CodeInvalid, name+" is not a time such as 2026-03-14T09:00:00Z.")
		}
	}
	if name := values.Get("zone"); name != "" {
		if q.Zone, err = time.LoadLocation(name); err != nil {
			return chat.Fail(chat.CodeInvalid, "zone is not the name of a time zone such as Europe/Berlin.")
		}
	}
	for name, list := range map[string]*[]string{
		"people": &q.Filters.People, "topics": &q.Filters.Topics, "entities": &q.Filters.Entities, "dates": &q.Filters.Dates,
		"conversations": &q.Filters.Conversations, "files": &q.Filters.Files,
	} {
		for value := range strings.SplitSeq(values.Get(name), ",") {
			if value = strings.TrimSpace(value); value != "" && len(*list) < maxFilterValues && !slices.Contains(*list, value) {
				*list = append(*list, value)
			}
		}
	}
	for name := range strings.SplitSeq(values.Get("kinds"), ",") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		kinds, ok := searchKinds[name]
		if !ok {
			return chat.Fail(chat.CodeInvalid, "kinds are conversation, summary, memory, task, event, file and chunk.")
		}
		q.Kinds = append(q.Kinds, kinds...)
	}
	return nil
}
