package api

import (
	"net/http"
	"slices"
	"time"
	"unicode/utf8"

	"confidant/internal/chat"
	"confidant/internal/ident"
)

// memoryRoutes are the handlers of facts, which Omi calls memories.
func (s *Server) memoryRoutes() map[string]handler {
	return map[string]handler{
		"GET /api/memories":         s.listFacts,
		"POST /api/memories":        s.addFact,
		"GET /api/memories/{id}":    s.getFact,
		"PATCH /api/memories/{id}":  s.editFact,
		"DELETE /api/memories/{id}": s.deleteFact,
	}
}

func (s *Server) listFacts(_ http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	offset, limit, err := offsetPage(r, 100, 500)
	if err != nil {
		return nil, err
	}
	q := r.URL.Query()
	query := chat.FactQuery{All: q.Has("all"), Pinned: q.Has("pinned"), ConversationID: q.Get("conversation_id"), Limit: limit + 1, Offset: offset}
	if query.From, query.Until, err = windowOf(r); err != nil {
		return nil, err
	}
	facts, err := s.facts.Facts(r.Context(), user.ID, query)
	return pageFrom("memories", facts, offset, limit), err
}

// factChars bounds a fact that a person writes. The 15 words are for what is
// found; a person may say it as they like.
const factChars = 1000

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
	if err := s.readJSON(w, r, &in); err != nil {
		return nil, err
	}
	content, err := line("content", in.Content, factChars)
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
		Content  field[string]          `json:"content"`
		Pinned   field[bool]            `json:"pinned"`
		Review   field[chat.Review]     `json:"review"`
		Shown    field[chat.Visibility] `json:"visibility"`
		Locked   field[bool]            `json:"locked"`
		Tags     field[[]string]        `json:"tags"`
		Revision field[int64]           `json:"revision"`
	}
	if err := s.readJSON(w, r, &in); err != nil {
		return nil, err
	}
	f, err := s.facts.Fact(r.Context(), user.ID, r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	if err := unchanged(in.Revision, f.Revision); err != nil {
		return nil, err
	}
	if in.Content.given {
		if f.Content, err = line("content", in.Content.value, factChars); err != nil {
			return nil, err
		}
		f.Edited = true
	}
	if in.Review.given && !slices.Contains([]chat.Review{chat.Unreviewed, chat.Kept, chat.Rejected}, in.Review.value) {
		return nil, chat.Fail(chat.CodeInvalid, `review is kept, rejected or "".`)
	}
	if in.Shown.given {
		if err := checkVisible(in.Shown.value); err != nil {
			return nil, err
		}
	}
	if err := checkTags(in.Tags.value); err != nil {
		return nil, err
	}
	in.Pinned.set(&f.Pinned)
	in.Review.set(&f.Review)
	in.Shown.set(&f.Shown)
	in.Locked.set(&f.Locked)
	in.Tags.set(&f.Tags)
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
