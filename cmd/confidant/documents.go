package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"confidant/internal/chat"
	"confidant/internal/library"
)

// librarian takes in files for the library.
type librarian interface {
	// AddFile stores a file and begins to read it. It returns the one that is there
	// when the content is known, and false.
	AddFile(ctx context.Context, path string, modified time.Time) (chat.File, bool, error)
	// File returns a file, and how far it is read.
	File(ctx context.Context, id string) (chat.File, error)
}

// AddFile implements librarian.
func (l local) AddFile(ctx context.Context, path string, modified time.Time) (chat.File, bool, error) {
	return l.library.Add(ctx, l.user.ID, library.Arrival{Path: path, Name: filepath.Base(path), Modified: modified})
}

// File implements librarian.
func (l local) File(ctx context.Context, id string) (chat.File, error) {
	return l.Store.File(ctx, l.user.ID, id)
}

// AddFile implements librarian. The file is sent as it is read.
func (r *remote) AddFile(ctx context.Context, path string, _ time.Time) (chat.File, bool, error) {
	file, err := os.Open(path)
	if err != nil {
		return chat.File{}, false, reasonOf(err)
	}
	defer file.Close()
	body, sent := io.Pipe()
	form := multipart.NewWriter(sent)
	go func() {
		part, err := form.CreateFormFile("file", filepath.Base(path))
		if err == nil {
			_, err = io.Copy(part, file)
		}
		sent.CloseWithError(errors.Join(err, form.Close()))
	}()
	defer body.Close()
	resp, err := r.sendFrom(ctx, http.MethodPost, "/api/files", body, "Content-Type", form.FormDataContentType())
	if err != nil {
		return chat.File{}, false, err
	}
	defer resp.Body.Close()
	var answer struct {
		Files []struct {
			File      chat.File `json:"file"`
			Duplicate bool      `json:"duplicate"`
		} `json:"files"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil || len(answer.Files) != 1 {
		return chat.File{}, false, fmt.Errorf("read the server's answer: %w", err)
	}
	return answer.Files[0].File, !answer.Files[0].Duplicate, nil
}

// File implements librarian.
func (r *remote) File(ctx context.Context, id string) (chat.File, error) {
	var answer struct {
		File chat.File `json:"file"`
	}
	err := r.call(ctx, http.MethodGet, "/api/files/"+url.PathEscape(id), nil, &answer)
	return answer.File, err
}

// lookEvery is how often to look how far a file is read.
const lookEvery = 100 * time.Millisecond

// waitRead waits until a file can be found by its words. It fails with the reason
// when the file cannot be read.
func waitRead(ctx context.Context, a librarian, f chat.File) (chat.File, error) {
	for {
		switch {
		case f.State == chat.FileFailed:
			return f, chat.Fail(chat.CodeUnsupported, f.Reason)
		case f.State == chat.FileSuccess, f.Stage == chat.StageEmbed:
			return f, nil
		}
		select {
		case <-time.After(lookEvery):
		case <-ctx.Done():
			return f, context.Cause(ctx)
		}
		var err error
		if f, err = a.File(ctx, f.ID); err != nil {
			return f, err
		}
	}
}
