package api

import (
	"context"
	"net/http"
	"strings"
	"time"

	"confidant/internal/chat"
	"confidant/internal/search"
)

// Searcher finds passages; see search.Core.
type Searcher interface {
	Search(ctx context.Context, q search.Query) ([]search.Hit, error)
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
