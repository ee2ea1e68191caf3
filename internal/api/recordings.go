package api

import (
	"context"
	"net/http"
	"time"

	"confidant/internal/chat"
)

// Memory is what the surface may do with recorded conversations.
type Memory interface {
	chat.Conversations
	// Import stores what a file holds; see memory.Memory.
	Import(ctx context.Context, userID string, f chat.File) ([]chat.Conversation, bool, error)
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
