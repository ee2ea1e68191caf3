package api

import (
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"confidant/internal/api/dialect"
	"confidant/internal/chat"
	"confidant/internal/library"
)

func (s *Server) pageMarks(_ http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	f, page, err := s.pageOfFile(r, user)
	if err != nil {
		return nil, err
	}
	marks := []library.Mark{}
	id := r.URL.Query().Get("chunk")
	position, ok := chat.ChunkPosition(id)
	if !ok || id != chat.ChunkID(f.ID, position) {
		return nil, chat.Fail(chat.CodeInvalid, "chunk is not the id of a chunk of this file.")
	}
	chunks, err := s.files.Pages.FileChunks(r.Context(), user.ID, f.ID, chat.ChunkRange{From: position, Until: position + 1})
	if err == nil && len(chunks) == 1 && chunks[0].Page == page {
		marks, err = s.files.Pictures.Marks(r.Context(), f, page, chunks[0].Text)
	}
	return map[string]any{"marks": marks}, err
}

func (s *Server) pageOfFile(r *http.Request, user chat.User) (chat.File, int, error) {
	f, err := s.fileOf(r, user)
	if err != nil {
		return f, 0, err
	}
	page, err := strconv.Atoi(r.PathValue("page"))
	if err != nil || page < 1 || page > f.Pages {
		return f, 0, chat.ErrNotFound
	}
	return f, page, nil
}

// pagePicture sends a page as it looks.
func (s *Server) pagePicture(w http.ResponseWriter, r *http.Request) {
	picture, err := func() ([]byte, error) {
		user, err := s.user(r)
		if err != nil {
			return nil, err
		}
		f, page, err := s.pageOfFile(r, user)
		if err != nil {
			return nil, err
		}
		width, err := numberOf(r, "width", 900)
		if err != nil {
			return nil, err
		}
		return s.files.Pictures.Picture(r.Context(), f, page, min(width, 2000))
	}()
	if err != nil {
		fail(w, r, nativeDialect, err)
		return
	}
	w.Header().Set("Content-Type", "image/png")
	w.Header().Set("Cache-Control", "private, max-age=3600")
	_, _ = w.Write(picture) // the client is gone: nobody is left to tell
}

// showable are the types that a browser may show by itself: none of them runs scripts.
var showable = map[string]bool{
	"application/pdf": true, "text/plain": true, "image/png": true, "image/jpeg": true, "image/gif": true, "image/webp": true, "image/bmp": true,
}

// downloadFile sends the bytes of a file, or a range of them.
func (s *Server) downloadFile(w http.ResponseWriter, r *http.Request) {
	f, content, err := func() (chat.File, io.ReadSeekCloser, error) {
		user, err := s.user(r)
		if err != nil {
			return chat.File{}, nil, err
		}
		f, err := s.fileOf(r, user)
		if err != nil {
			return f, nil, err
		}
		content, err := s.files.Library.Content(r.Context(), f)
		return f, content, err
	}()
	if err != nil {
		fail(w, r, nativeDialect, err)
		return
	}
	defer content.Close()
	disposition, kind := "attachment", "application/octet-stream"
	if showable[f.Type] {
		kind = f.Type
		if !r.URL.Query().Has("attachment") {
			disposition = "inline"
		}
		if kind == "text/plain" {
			kind += "; charset=utf-8"
		}
	}
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Content-Disposition", dispositionOf(disposition, f.Name))
	h.Set("ETag", `"`+f.Hash+`"`)
	h.Set("Cache-Control", "private, no-cache")
	// What a stranger wrote must not run with this origin's rights.
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox")
	rc := http.NewResponseController(w)
	_ = rc.SetWriteDeadline(time.Now().Add(downloadTime))
	http.ServeContent(w, r, "", f.UpdatedAt, content)
}

// dispositionOf names a file in two ways (RFC 6266, appendix D): in ASCII for clients
// that know no other, and as it is.
func dispositionOf(disposition, name string) string {
	ascii := strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == '"' || r == '\\' || r == '%' {
			return '_'
		}
		return r
	}, name)
	header := disposition + `; filename="` + ascii + `"`
	if ascii != name {
		header += "; filename*=UTF-8''" + strings.ReplaceAll(url.QueryEscape(name), "+", "%20")
	}
	return header
}

// downloadTime is how long a client may take for a file.
const downloadTime = time.Hour

// followReading streams the log of the file's newest reading in the native format.
func (s *Server) followReading(w http.ResponseWriter, r *http.Request) {
	stream, err := func() (dialect.Stream, error) {
		user, err := s.user(r)
		if err != nil {
			return dialect.Stream{}, err
		}
		after, err := dialect.After(r.URL.Query(), r.Header.Get)
		if err != nil {
			return dialect.Stream{}, err
		}
		if _, err := s.fileOf(r, user); err != nil {
			return dialect.Stream{}, err
		}
		job, err := s.files.Jobs.LatestJob(r.Context(), user.ID, r.PathValue("id"))
		return dialect.NativeStream(chat.Turn{ID: job.ID, UserID: user.ID}, after), err
	}()
	if err != nil {
		fail(w, r, nativeDialect, err)
		return
	}
	s.stream(w, r, stream)
}
