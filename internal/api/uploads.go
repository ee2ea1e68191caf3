package api

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"confidant/internal/chat"
	"confidant/internal/library/upload"
)

// Uploads receives files; see upload.Desk.
type Uploads interface {
	Begin(userID, name, chatID string, size int64) (upload.Upload, error)
	Find(userID, id string) (upload.Upload, error)
	Append(ctx context.Context, userID, id string, offset int64, content io.Reader) (upload.Upload, error)
	Cancel(userID, id string) error
	// Receive takes in a file that comes in one piece, and reports whether it is new.
	Receive(ctx context.Context, userID, name, chatID string, content io.Reader) (chat.File, bool, error)
}

// tusVersion is the version of the protocol for files in pieces, https://tus.io.
const tusVersion = "1.0.0"

// uploadTime is how long a client may take to send one request's worth of a file.
const uploadTime = time.Hour

// mostFiles is how many files one request may send.
const mostFiles = 500

// added is one file of a request that sends several.
type added struct {
	File      *fileRecord    `json:"file,omitempty"`
	Duplicate bool           `json:"duplicate"`
	Name      string         `json:"name,omitempty"`
	Error     map[string]any `json:"error,omitempty"`
}

// addFiles takes in the files of a form, one by one as they come: that one of them
// is refused keeps none of the others out. JSON names an upload that is whole,
// which is how the O3 family adds a file.
func (s *Server) addFiles(w http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	if !strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/form-data") {
		return s.addStored(w, r, user)
	}
	chatID := r.URL.Query().Get("chat_id")
	if err := s.ownChat(r, user, chatID); err != nil {
		return nil, err
	}
	var list []added
	err := s.receiveForm(w, r, user, chatID, func(name string, f chat.File, created bool, err error) {
		list = append(list, addedOf(name, f, created, err))
	})
	if err != nil {
		return nil, err
	}
	return s.answerAdded(list)
}

// receiveForm hands over the files of a form one by one, each with whether it is new
// or why it was refused. Its own error is of the form. A field chat_id stands for chatID.
func (s *Server) receiveForm(w http.ResponseWriter, r *http.Request, user chat.User, chatID string, each func(name string, f chat.File, created bool, err error)) error {
	patient(w)
	parts, err := r.MultipartReader()
	if err != nil {
		return chat.Fail(chat.CodeInvalid, "The form cannot be read.").With(err)
	}
	for n := 0; ; {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return brokeOff(err)
		}
		switch {
		case part.FormName() == "chat_id":
			id, err := io.ReadAll(io.LimitReader(part, 200))
			if err != nil {
				return brokeOff(err)
			}
			if err := s.ownChat(r, user, string(id)); err != nil {
				return err
			}
			chatID = string(id)
		case part.FileName() != "" && n == mostFiles:
			return chat.Fail(chat.CodeTooLarge, "One request may send "+strconv.Itoa(mostFiles)+" files at most (form_files).")
		case part.FileName() != "":
			f, created, err := s.files.Uploads.Receive(r.Context(), user.ID, part.FileName(), chatID, part)
			if err != nil && r.Context().Err() != nil {
				return err
			}
			if errors.Is(err, io.ErrUnexpectedEOF) {
				return brokeOff(err)
			}
			n++
			each(part.FileName(), f, created, err)
		}
	}
}

// brokeOff is the error of a form that ends before its end.
func brokeOff(err error) error {
	return chat.Fail(chat.CodeInvalid, "The form broke off.").With(err)
}

// ownChat fails unless the chat that a file is sent to is the person's; "" is none.
func (s *Server) ownChat(r *http.Request, user chat.User, chatID string) error {
	if chatID == "" {
		return nil
	}
	_, err := s.backend.Chat(r.Context(), user.ID, chatID)
	if errors.Is(err, chat.ErrNotFound) || errors.Is(err, chat.ErrForbidden) {
		return chat.Fail(chat.CodeNotFound, "There is no chat of that chat_id.")
	}
	return err
}

func addedOf(name string, f chat.File, created bool, err error) added {
	if err != nil {
		failed := chat.AsError(err)
		return added{Name: name, Error: map[string]any{"code": failed.Code, "detail": failed.Detail}}
	}
	record := recordOf(f)
	return added{File: &record, Duplicate: !created}
}

// answerAdded is the answer to a request that added files. When none could be
// added it is the first one's error.
func (s *Server) answerAdded(list []added) (any, error) {
	if len(list) == 0 {
		return nil, chat.Fail(chat.CodeInvalid, "The form has no file.")
	}
	body := success("files", list)
	for _, a := range list {
		if a.File != nil {
			body["file"] = a.File
			return created{body}, nil
		}
	}
	code, _ := list[0].Error["code"].(chat.Code)
	detail, _ := list[0].Error["detail"].(string)
	return nil, chat.Fail(code, detail)
}

// addStored answers the O3 family, which uploads first and names the upload then:
// {name, storageUrl, fileType}, or {files: [...]} of such.
func (s *Server) addStored(w http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	type stored struct {
		Name       string `json:"name"`
		StorageURL string `json:"storageUrl"`
		FileType   string `json:"fileType"`
	}
	var body struct {
		stored
		Files []stored `json:"files"`
	}
	if err := s.readJSON(w, r, &body); err != nil {
		return nil, err
	}
	if body.Files == nil {
		body.Files = []stored{body.stored}
	}
	var list []added
	for _, one := range body.Files {
		if one.Name == "" || one.StorageURL == "" || one.FileType == "" {
			return nil, chat.Fail(chat.CodeInvalid, "name, storageUrl and fileType are required.")
		}
		id := one.StorageURL[strings.LastIndexByte(one.StorageURL, '/')+1:]
		u, err := s.files.Uploads.Find(user.ID, id)
		if err == nil && u.FileID == "" {
			err = chat.Fail(chat.CodeInvalid, "The upload that storageUrl names is not complete.")
		}
		var f chat.File
		if err == nil {
			f, err = s.files.Library.Rename(r.Context(), user.ID, u.FileID, one.Name, 0)
		}
		list = append(list, addedOf(one.Name, f, err == nil && !u.Duplicate, err))
	}
	return s.answerAdded(list)
}

// patient gives a client time to send a file.
func patient(w http.ResponseWriter) {
	rc := http.NewResponseController(w)
	_ = rc.SetReadDeadline(time.Now().Add(uploadTime))
	_ = rc.SetWriteDeadline(time.Now().Add(uploadTime))
}

// uploadRoutes speak tus.
func (s *Server) uploadRoutes() map[string]http.Handler {
	return map[string]http.Handler{
		"OPTIONS /api/uploads":     http.HandlerFunc(s.describeUploads),
		"POST /api/uploads":        s.tus(s.beginUpload),
		"HEAD /api/uploads/{id}":   s.tus(s.tellUpload),
		"GET /api/uploads/{id}":    s.handle(s.getUpload),
		"PATCH /api/uploads/{id}":  s.tus(s.goOnWithUpload),
		"DELETE /api/uploads/{id}": s.tus(s.cancelUpload),
	}
}

// tus answers a request of the protocol: without a body, with the version.
func (s *Server) tus(serve func(w http.ResponseWriter, r *http.Request, user chat.User) (status int, err error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Tus-Resumable", tusVersion)
		w.Header().Set("Cache-Control", "no-store")
		user, err := s.user(r)
		if err == nil && r.Header.Get("Tus-Resumable") != tusVersion {
			w.Header().Set("Tus-Version", tusVersion)
			w.WriteHeader(http.StatusPreconditionFailed)
			return
		}
		status := 0
		if err == nil {
			status, err = serve(w, r, user)
		}
		if err != nil {
			fail(w, r, nativeDialect, err)
			return
		}
		w.WriteHeader(status)
	})
}

func (s *Server) describeUploads(w http.ResponseWriter, _ *http.Request) {
	h := w.Header()
	h.Set("Tus-Resumable", tusVersion)
	h.Set("Tus-Version", tusVersion)
	h.Set("Tus-Extension", "creation,termination")
	h.Set("Tus-Max-Size", strconv.FormatInt(s.limits.File, 10))
	w.WriteHeader(http.StatusNoContent)
}

func (s *Server) beginUpload(w http.ResponseWriter, r *http.Request, user chat.User) (int, error) {
	size, err := strconv.ParseInt(r.Header.Get("Upload-Length"), 10, 64)
	if err != nil {
		return 0, chat.Fail(chat.CodeInvalid, "Upload-Length is not a number of bytes.")
	}
	about, err := metadata(r.Header.Get("Upload-Metadata"))
	if err != nil {
		return 0, err
	}
	if err := s.ownChat(r, user, about["chat_id"]); err != nil {
		return 0, err
	}
	u, err := s.files.Uploads.Begin(user.ID, about["filename"], about["chat_id"], size)
	if err == nil && size == 0 { // no piece will come
		u, err = s.files.Uploads.Append(r.Context(), user.ID, u.ID, 0, http.NoBody)
	}
	if err != nil {
		return 0, err
	}
	w.Header().Set("Location", "/api/uploads/"+u.ID)
	told(w, u)
	return http.StatusCreated, nil
}

// metadata reads pairs of a key and a base64 value, divided by commas.
func metadata(header string) (map[string]string, error) {
	pairs := map[string]string{}
	for pair := range strings.SplitSeq(header, ",") {
		key, encoded, _ := strings.Cut(strings.TrimSpace(pair), " ")
		value, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil {
			return nil, chat.Fail(chat.CodeInvalid, "Upload-Metadata has a value that is not base64.")
		}
		pairs[key] = string(value)
	}
	return pairs, nil
}

func (s *Server) tellUpload(w http.ResponseWriter, r *http.Request, user chat.User) (int, error) {
	u, err := s.files.Uploads.Find(user.ID, r.PathValue("id"))
	if err == nil && u.Offset == u.Size && u.FileID == "" {
		// All of it is there and no file came of it: the disk was full, or the server
		// died. A client that is told its length takes it for done.
		if whole, err := s.files.Uploads.Append(r.Context(), user.ID, u.ID, u.Offset, http.NoBody); err == nil {
			u = whole
		} else if !errors.Is(err, chat.ErrConflict) { // another connection is at it
			return 0, err
		}
	}
	if err != nil {
		return 0, err
	}
	told(w, u)
	w.Header().Set("Upload-Length", strconv.FormatInt(u.Size, 10))
	return http.StatusOK, nil
}

// told says how far an upload is, and what has become of it.
func told(w http.ResponseWriter, u upload.Upload) {
	h := w.Header()
	h.Set("Upload-Offset", strconv.FormatInt(u.Offset, 10))
	if u.FileID != "" {
		h.Set("Confidant-File", u.FileID)
		h.Set("Confidant-Duplicate", strconv.FormatBool(u.Duplicate))
	}
}

func (s *Server) getUpload(_ http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	u, err := s.files.Uploads.Find(user.ID, r.PathValue("id"))
	return u, err
}

func (s *Server) goOnWithUpload(w http.ResponseWriter, r *http.Request, user chat.User) (int, error) {
	if r.Header.Get("Content-Type") != "application/offset+octet-stream" {
		return 0, chat.Fail(chat.CodeUnsupported, "The content type of a piece is application/offset+octet-stream.")
	}
	offset, err := strconv.ParseInt(r.Header.Get("Upload-Offset"), 10, 64)
	if err != nil {
		return 0, chat.Fail(chat.CodeInvalid, "Upload-Offset is not a number of bytes.")
	}
	patient(w)
	u, err := s.files.Uploads.Append(r.Context(), user.ID, r.PathValue("id"), offset, r.Body)
	if err != nil {
		return 0, err
	}
	told(w, u)
	return http.StatusNoContent, nil
}

func (s *Server) cancelUpload(_ http.ResponseWriter, r *http.Request, user chat.User) (int, error) {
	return http.StatusNoContent, s.files.Uploads.Cancel(user.ID, r.PathValue("id"))
}
