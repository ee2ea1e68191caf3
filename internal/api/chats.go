package api

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"confidant/internal/chat"
)

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

// clearChat hides what a chat holds; restoreChat shows it again, for as long as it
// is kept.
func (s *Server) clearChat(_ http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	n, err := s.backend.Clear(r.Context(), user.ID, r.PathValue("id"), user.Name)
	return map[string]int{"cleared": n}, err
}

func (s *Server) restoreChat(_ http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	n, err := s.backend.Restore(r.Context(), user.ID, r.PathValue("id"))
	return map[string]int{"restored": n}, err
}

func (s *Server) listMessages(_ http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	page, err := pageOf(r, 20, 200)
	if err != nil {
		return nil, err
	}
	messages, next, err := s.backend.Messages.Messages(r.Context(), user.ID, r.PathValue("id"), page)
	return list("messages", messages, next), err
}
