package api

import (
	"context"
	"io"
	"log/slog"
	"net/http"

	"confidant/internal/chat"
)

// Exporter writes everything that belongs to a person; see archive.Write.
type Exporter func(ctx context.Context, userID string, to io.Writer) error

// exportEverything sends the archive of all that belongs to the person. When
// something goes wrong in the middle the connection breaks, so that half an
// archive is not taken for a whole one.
func (s *Server) exportEverything(w http.ResponseWriter, r *http.Request) {
	user, err := s.user(r)
	if err != nil {
		fail(w, r, nativeDialect, err)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "application/zip")
	h.Set("Content-Disposition", `attachment; filename="confidant.zip"`)
	h.Set("Cache-Control", "no-store")
	out := &patientWriter{w: w, rc: http.NewResponseController(w), limit: s.limits.Write}
	if err := s.export(r.Context(), user.ID, out); err != nil {
		if r.Context().Err() == nil {
			slog.ErrorContext(r.Context(), "export", "error", err)
		}
		panic(http.ErrAbortHandler)
	}
}

// confirmation is what a person must send to lose everything.
const confirmation = "delete everything"

// eraseEverything deletes all that belongs to the person. What has begun goes on
// when the client leaves, and when the server dies.
func (s *Server) eraseEverything(w http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	var in struct {
		Confirm string `json:"confirm"`
		Account bool   `json:"account"`
	}
	if err := s.readJSON(w, r, &in); err != nil {
		return nil, err
	}
	if in.Confirm != confirmation {
		return nil, chat.Fail(chat.CodeInvalid, `To delete everything, send {"confirm":"`+confirmation+`"}.`)
	}
	return nil, s.memory.Erase(context.WithoutCancel(r.Context()), user.ID, in.Account)
}
