package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"confidant/internal/chat"
	"confidant/internal/inbox"
)

// Inbox takes in files; see inbox.Inbox.
type Inbox interface {
	Take(ctx context.Context, userID string, f chat.Import) (inbox.Taken, error)
	Restore(ctx context.Context, userID string, from io.ReaderAt, size int64) (inbox.Taken, error)
}

func (s *Server) importFile(w http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	q := r.URL.Query()
	f := chat.Import{Name: q.Get("name"), Kind: q.Get("kind")}
	if f.Name == "" {
		return nil, chat.Fail(chat.CodeInvalid, "The query needs the file's name: /api/import?name=meeting.vtt")
	}
	if inbox.IsArchive(f.Name, f.Kind) {
		return s.restore(w, r, user)
	}
	var err error
	if f.Modified, err = timeOf(r, "modified"); err != nil {
		return nil, err
	}
	if f.Content, err = readBody(w, r, "import_bytes", s.limits.Import); err != nil {
		return nil, err
	}
	return s.inbox.Take(r.Context(), user.ID, f)
}

// restore takes an archive back. It may be larger than memory, so it is kept in a
// file meanwhile.
func (s *Server) restore(w http.ResponseWriter, r *http.Request, user chat.User) (taken any, err error) {
	file, err := os.CreateTemp("", "confidant-archive-*")
	if err != nil {
		return nil, fmt.Errorf("keep the archive: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close(), os.Remove(file.Name())) }()
	rc := http.NewResponseController(w)
	if err := rc.SetReadDeadline(time.Now().Add(archiveTime)); err == nil {
		defer func() { _ = rc.SetReadDeadline(time.Time{}) }()
	}
	size, err := io.Copy(file, http.MaxBytesReader(w, r.Body, s.limits.Archive))
	if _, over := errors.AsType[*http.MaxBytesError](err); over {
		return nil, chat.Fail(chat.CodeTooLarge, fmt.Sprintf("The archive is over the limit of %d bytes (archive_bytes).", s.limits.Archive))
	}
	if err != nil {
		return nil, chat.Fail(chat.CodeInvalid, "The archive could not be read.").With(err)
	}
	return s.inbox.Restore(r.Context(), user.ID, file, size)
}

// archiveTime is how long a client may take to send an archive.
const archiveTime = 30 * time.Minute
