package api

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"confidant/internal/chat"
	"confidant/internal/ident"
)

// memories lists the handlers of facts, which Omi calls memories.
func (s *Server) memories() map[string]http.Handler {
	h := func(serve handler) http.Handler { return s.handle(serve) }
	return map[string]http.Handler{
		"GET /api/memories":         h(s.listFacts),
		"POST /api/memories":        h(s.addFact),
		"GET /api/memories/{id}":    h(s.getFact),
		"PATCH /api/memories/{id}":  h(s.editFact),
		"DELETE /api/memories/{id}": h(s.deleteFact),
	}
}

func (s *Server) listFacts(_ http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	page, err := pageOf(r, 100, 500)
	if err != nil {
		return nil, err
	}
	offset, err := offsetOf(page)
	if err != nil {
		return nil, err
	}
	q := r.URL.Query()
	query := chat.FactQuery{All: q.Has("all"), Pinned: q.Has("pinned"), ConversationID: q.Get("conversation_id"), Limit: page.Limit + 1, Offset: offset}
	if query.From, query.Until, err = windowOf(r); err != nil {
		return nil, err
	}
	facts, err := s.facts.Facts(r.Context(), user.ID, query)
	return offsetList("memories", facts, page, offset), err
}

// offsetOf reads the cursor of a list that is paged by counting.
func offsetOf(page chat.Page) (int, error) {
	if page.Cursor == "" {
		return 0, nil
	}
	offset, err := strconv.Atoi(page.Cursor)
	if err != nil || offset < 0 {
		return 0, chat.Fail(chat.CodeInvalid, "The cursor is none that this list has given out.")
	}
	return offset, nil
}

// offsetList is a page of such a list, of which one record more was read.
func offsetList[T any](name string, items []T, page chat.Page, offset int) map[string]any {
	next := ""
	if len(items) > page.Limit {
		items = items[:page.Limit]
		next = strconv.Itoa(offset + page.Limit)
	}
	return list(name, items, next)
}

// factChars bounds a fact that a person writes. The 15 words are for what is
// found; a person may say it as they like.
const factChars = 1000

func checkFact(content string) (string, error) {
	content = strings.TrimSpace(content)
	if n := utf8.RuneCountInString(content); n == 0 || n > factChars {
		return "", chat.Fail(chat.CodeInvalid, "The content must have 1 to "+strconv.Itoa(factChars)+" characters (fact_characters).")
	}
	return content, nil
}

func checkTags(tags []string) error {
	if len(tags) > 20 {
		return chat.Fail(chat.CodeInvalid, "A memory has at most 20 tags (memory_tags).")
	}
	for _, t := range tags {
		if n := utf8.RuneCountInString(t); n == 0 || n > 50 {
			return chat.Fail(chat.CodeInvalid, "A tag must have 1 to 50 characters (tag_characters).")
		}
	}
	return nil
}

func checkVisible(v chat.Visibility) error {
	if v != chat.Private && v != chat.Public {
		return chat.Fail(chat.CodeInvalid, "visibility is private or public.")
	}
	return nil
}

func (s *Server) addFact(w http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	var in struct {
		Content string          `json:"content"`
		Pinned  bool            `json:"pinned"`
		Shown   chat.Visibility `json:"visibility"`
		Tags    []string        `json:"tags"`
	}
	if err := s.decodeBody(w, r, &in); err != nil {
		return nil, err
	}
	content, err := checkFact(in.Content)
	if err != nil {
		return nil, err
	}
	if in.Shown == "" {
		in.Shown = chat.Private
	}
	if err := checkVisible(in.Shown); err != nil {
		return nil, err
	}
	if err := checkTags(in.Tags); err != nil {
		return nil, err
	}
	now := time.Now().UTC().Truncate(time.Millisecond)
	f := chat.Fact{
		ID: ident.New(), Content: content, Category: chat.FactManual, Tags: in.Tags, CreatedAt: now, UpdatedAt: now, ValidFrom: now,
		Manual: true, Pinned: in.Pinned, Review: chat.Kept, Shown: in.Shown,
	}
	if err := s.facts.SaveFacts(r.Context(), user.ID, chat.Changes[chat.Fact]{Put: []chat.Fact{f}}); err != nil {
		return nil, err
	}
	f.Revision = 1
	return created{f}, nil
}

// getFact tells a fact's history with it: what it superseded, and what superseded it.
func (s *Server) getFact(_ http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	f, err := s.facts.Fact(r.Context(), user.ID, r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	history, err := s.facts.Facts(r.Context(), user.ID, chat.FactQuery{All: true, SupersededBy: f.ID, Limit: 100})
	if err != nil {
		return nil, err
	}
	body := struct {
		chat.Fact
		History   []chat.Fact `json:"history"`
		Successor *chat.Fact  `json:"successor"`
	}{Fact: f, History: history}
	if f.SupersededBy != "" {
		if by, err := s.facts.Fact(r.Context(), user.ID, f.SupersededBy); err == nil {
			body.Successor = &by
		}
	}
	return body, nil
}

func (s *Server) editFact(w http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	var in struct {
		Content  *string          `json:"content"`
		Pinned   *bool            `json:"pinned"`
		Review   *chat.Review     `json:"review"`
		Shown    *chat.Visibility `json:"visibility"`
		Locked   *bool            `json:"locked"`
		Tags     *[]string        `json:"tags"`
		Revision int64            `json:"revision"`
	}
	if err := s.decodeBody(w, r, &in); err != nil {
		return nil, err
	}
	f, err := s.facts.Fact(r.Context(), user.ID, r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	if in.Revision != 0 && in.Revision != f.Revision {
		return nil, chat.ErrConflict
	}
	if in.Content != nil {
		if f.Content, err = checkFact(*in.Content); err != nil {
			return nil, err
		}
		f.Edited = true
	}
	if in.Review != nil && !slices.Contains([]chat.Review{chat.Unreviewed, chat.Kept, chat.Rejected}, *in.Review) {
		return nil, chat.Fail(chat.CodeInvalid, `review is kept, rejected or "".`)
	}
	if in.Shown != nil {
		if err := checkVisible(*in.Shown); err != nil {
			return nil, err
		}
	}
	if in.Tags != nil {
		if err := checkTags(*in.Tags); err != nil {
			return nil, err
		}
	}
	set(&f.Pinned, in.Pinned)
	set(&f.Review, in.Review)
	set(&f.Shown, in.Shown)
	set(&f.Locked, in.Locked)
	set(&f.Tags, in.Tags)
	f.UpdatedAt = time.Now().UTC()
	if err := s.facts.SaveFacts(r.Context(), user.ID, chat.Changes[chat.Fact]{Put: []chat.Fact{f}}); err != nil {
		return nil, err
	}
	return s.facts.Fact(r.Context(), user.ID, f.ID)
}

func (s *Server) deleteFact(_ http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	f, err := s.facts.Fact(r.Context(), user.ID, r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	return nil, s.facts.SaveFacts(r.Context(), user.ID, chat.Changes[chat.Fact]{Remove: []string{f.ID}})
}
