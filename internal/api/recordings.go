package api

import (
	"context"
	"net/http"
	"strings"
	"time"

	"confidant/internal/calendar"
	"confidant/internal/chat"
	"confidant/internal/search"
)

// Memory is what the surface may do with recorded conversations.
type Memory interface {
	chat.Conversations
	// Import stores what a file holds; see memory.Memory.
	Import(ctx context.Context, userID string, f chat.File) ([]chat.Conversation, bool, error)
}

// Searcher finds passages; see search.Core.
type Searcher interface {
	Search(ctx context.Context, q search.Query) ([]search.Hit, error)
}

func (s *Server) listConversations(_ http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	page, err := pageOf(r, 50, 200)
	if err != nil {
		return nil, err
	}
	found, err := s.memory.Conversations(r.Context(), user.ID, chat.ConversationQuery{Before: page.Cursor, Limit: page.Limit + 1})
	next := ""
	if len(found) > page.Limit {
		found = found[:page.Limit]
		next = found[page.Limit-1].ID
	}
	return list("conversations", found, next), err
}

// transcriptPage is how many segments are sent at once, half before and half
// after the one that is asked for.
const transcriptPage = 2000

func (s *Server) getConversation(_ http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	c, err := s.memory.Conversation(r.Context(), user.ID, r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	from := 0
	if position, ok := chat.SegmentPosition(r.URL.Query().Get("around")); ok {
		from = max(0, position-transcriptPage/2)
	}
	segments, err := s.memory.Segments(r.Context(), user.ID, c.ID, from, from+transcriptPage)
	return struct {
		chat.Conversation
		Transcript []shownSegment `json:"segments"`
	}{c, shown(segments)}, err
}

// shownSegment is a segment whose unknown times are null.
type shownSegment struct {
	chat.Segment
	Start *float64 `json:"start"`
	End   *float64 `json:"end"`
}

func shown(segments []chat.Segment) []shownSegment {
	list := make([]shownSegment, len(segments))
	for i, seg := range segments {
		list[i].Segment = seg
		if seg.Start >= 0 {
			list[i].Start = &seg.Start
		}
		if seg.End >= 0 {
			list[i].End = &seg.End
		}
	}
	return list
}

func (s *Server) deleteConversation(_ http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	return nil, s.memory.DeleteConversation(r.Context(), user.ID, r.PathValue("id"))
}

func (s *Server) importFile(w http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	content, err := readBody(w, r, "import_bytes", s.limits.Import)
	if err != nil {
		return nil, err
	}
	q := r.URL.Query()
	f := chat.File{Name: q.Get("name"), Kind: q.Get("kind"), Content: content}
	if f.Name == "" {
		return nil, chat.Fail(chat.CodeInvalid, "The query needs the file's name: /api/import?name=meeting.vtt")
	}
	if text := q.Get("modified"); text != "" {
		if f.Modified, err = time.Parse(time.RFC3339, text); err != nil {
			return nil, chat.Fail(chat.CodeInvalid, "modified is not a time such as 2026-03-14T09:00:00Z.")
		}
	}
	if calendar.IsFile(f) {
		done, err := s.calendar.Import(r.Context(), user.ID, content, s.zone)
		return map[string]any{"conversations": []any{}, "duplicate": done.Created+done.Updated == 0, "calendar": done}, err
	}
	conversations, created, err := s.memory.Import(r.Context(), user.ID, f)
	if err != nil {
		return nil, err
	}
	type imported struct {
		ID       string `json:"conversation_id"`
		Title    string `json:"title"`
		Segments int    `json:"segments"`
	}
	body := make([]imported, len(conversations))
	for i, c := range conversations {
		body[i] = imported{c.ID, c.Title, c.Segments}
	}
	return map[string]any{"conversations": body, "duplicate": !created}, nil
}

func (s *Server) search(_ http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	page, err := pageOf(r, 20, 100)
	if err != nil {
		return nil, err
	}
	text := r.URL.Query().Get("q")
	if strings.TrimSpace(text) == "" {
		return nil, chat.Fail(chat.CodeInvalid, "The query needs q, what to search for.")
	}
	hits, err := s.searcher.Search(r.Context(), search.Query{UserID: user.ID, Text: text, Limit: page.Limit})
	if err != nil {
		return nil, err
	}
	type found struct {
		Kind           string    `json:"kind"`
		ConversationID string    `json:"conversation_id"`
		SegmentID      string    `json:"segment_id"`
		Title          string    `json:"title"`
		Speaker        string    `json:"speaker"`
		At             time.Time `json:"at,omitzero"`
		Text           string    `json:"text"`
		Score          float64   `json:"score"`
	}
	results := make([]found, len(hits))
	for i, h := range hits {
		p := h.Passage
		results[i] = found{"conversation", p.GroupID, p.Ref, p.Title, p.Speaker, p.At, p.Text, h.Score}
	}
	return map[string]any{"results": results}, nil
}
