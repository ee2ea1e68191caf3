package api

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"confidant/internal/api/dialect"
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

// Status is what the page tells about the server.
type Status struct {
	Version  string `json:"version"`
	Model    string `json:"model"`
	Embedder string `json:"embedder"`
	Indexing struct {
		Pending int `json:"pending"`
	} `json:"indexing"`
}

// native lists the handlers of records; turns are the native dialect's.
func (s *Server) native() map[string]http.Handler {
	h := func(serve handler) http.Handler { return s.handle(serve) }
	return map[string]http.Handler{
		"POST /api/session":              http.HandlerFunc(s.signIn),
		"DELETE /api/session":            http.HandlerFunc(signOut),
		"GET /api/me":                    h(s.me),
		"GET /api/status":                h(s.getStatus),
		"GET /api/chats":                 h(s.listChats),
		"PATCH /api/chats/{id}":          h(s.renameChat),
		"DELETE /api/chats/{id}":         h(s.deleteChat),
		"GET /api/chats/{id}/messages":   h(s.listMessages),
		"GET /api/conversations":         h(s.listConversations),
		"GET /api/conversations/{id}":    h(s.getConversation),
		"DELETE /api/conversations/{id}": h(s.deleteConversation),
		"POST /api/import":               h(s.importFile),
		"GET /api/search":                h(s.search),
	}
}

// handler answers a native request with a value for the body, nil for none.
type handler func(w http.ResponseWriter, r *http.Request, user chat.User) (any, error)

var nativeDialect = dialect.Dialect{Name: nativeName, Error: dialect.Problem}

func (s *Server) handle(serve handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, err := s.user(r)
		if err != nil {
			fail(w, r, nativeDialect, err)
			return
		}
		body, err := serve(w, r, user)
		switch {
		case err != nil:
			fail(w, r, nativeDialect, err)
		case body == nil:
			w.WriteHeader(http.StatusNoContent)
		default:
			writeJSON(w, http.StatusOK, body)
		}
	})
}

// signIn turns a token into the page's cookie.
func (s *Server) signIn(w http.ResponseWriter, r *http.Request) {
	body, err := readBody(w, r, "body_bytes", s.limits.Body)
	var in struct {
		Token string `json:"token"`
	}
	if err == nil && json.Unmarshal(body, &in) != nil {
		err = chat.Fail(chat.CodeInvalid, "The body must be {\"token\":\"…\"}.")
	}
	if err == nil {
		_, err = s.identify.Identify(r.Context(), in.Token)
	}
	if err != nil {
		fail(w, r, nativeDialect, err)
		return
	}
	http.SetCookie(w, &http.Cookie{
		Name: sessionCookie, Value: in.Token, Path: "/", MaxAge: int((365 * 24 * time.Hour).Seconds()),
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https",
	})
	w.WriteHeader(http.StatusNoContent)
}

func signOut(w http.ResponseWriter, _ *http.Request) {
	http.SetCookie(w, &http.Cookie{Name: sessionCookie, Path: "/", MaxAge: -1, HttpOnly: true, SameSite: http.SameSiteStrictMode})
	w.WriteHeader(http.StatusNoContent)
}

func (s *Server) me(_ http.ResponseWriter, _ *http.Request, user chat.User) (any, error) {
	return user, nil
}

func (s *Server) getStatus(_ http.ResponseWriter, r *http.Request, _ chat.User) (any, error) {
	return s.status(r), nil
}

// pageOf reads cursor and limit, the latter within 1 and most.
func pageOf(r *http.Request, standard, most int) (chat.Page, error) {
	page := chat.Page{Cursor: r.URL.Query().Get("cursor"), Limit: standard}
	if text := r.URL.Query().Get("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > most {
			return page, chat.Fail(chat.CodeInvalid, "limit must be a number from 1 to "+strconv.Itoa(most)+".")
		}
		page.Limit = n
	}
	return page, nil
}

// list is a page of a list as JSON.
func list[T any](name string, items []T, next string) map[string]any {
	if items == nil {
		items = []T{}
	}
	body := map[string]any{name: items, "next_cursor": nil}
	if next != "" {
		body["next_cursor"] = next
	}
	return body
}

func (s *Server) listChats(_ http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	page, err := pageOf(r, 50, 200)
	if err != nil {
		return nil, err
	}
	chats, next, err := s.backend.Chats.Chats(r.Context(), user.ID, page)
	return list("chats", chats, next), err
}

// maxTitle is how many characters a title may have.
const maxTitle = 300

func (s *Server) renameChat(w http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	body, err := readBody(w, r, "body_bytes", s.limits.Body)
	if err != nil {
		return nil, err
	}
	var in struct {
		Title string `json:"title"`
	}
	if json.Unmarshal(body, &in) != nil || strings.TrimSpace(in.Title) == "" {
		return nil, chat.Fail(chat.CodeInvalid, "The body must be {\"title\":\"…\"}, and the title not empty.")
	}
	if !utf8.ValidString(in.Title) || utf8.RuneCountInString(in.Title) > maxTitle {
		return nil, chat.Fail(chat.CodeInvalid, "The title is over the limit of "+strconv.Itoa(maxTitle)+" characters (title_characters).")
	}
	return s.backend.RenameChat(r.Context(), user.ID, r.PathValue("id"), strings.TrimSpace(in.Title))
}

func (s *Server) deleteChat(_ http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	return nil, s.backend.DeleteChat(r.Context(), user.ID, r.PathValue("id"))
}

func (s *Server) listMessages(_ http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	page, err := pageOf(r, 20, 200)
	if err != nil {
		return nil, err
	}
	messages, next, err := s.backend.Messages.Messages(r.Context(), user.ID, r.PathValue("id"), page)
	return list("messages", messages, next), err
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
	if around := r.URL.Query().Get("around"); around != "" {
		_, position, _ := strings.Cut(around, ".")
		if n, err := strconv.Atoi(position); err == nil {
			from = max(0, n-transcriptPage/2)
		}
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
