package api

import (
	"net/http"
	"time"

	"confidant/internal/calendar"
	"confidant/internal/chat"
)

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
