package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"confidant/internal/chat"
	"confidant/internal/library"
	"confidant/internal/library/extract"
	"confidant/internal/library/extract/picture"
	"confidant/internal/library/extract/plain"
	"confidant/internal/library/extract/web"
	"confidant/internal/library/pdftest"
	"confidant/internal/library/upload"
	"confidant/internal/obs/obstest"
	"confidant/internal/search"
	"confidant/internal/store/blobs"
	"confidant/internal/store/sqlite"
)

// shelf is the library behind the surface, as the command wires it. There is no
// embedder: chunks are found by their words.
type shelf struct {
	*library.Library
	bytes   *blobs.Store
	desk    *upload.Desk
	finder  library.Finder
	uploads string // the folder of what is on its way
	// full makes the bucket a disk without room.
	full atomic.Bool
}

// bucket is the folder of the bytes, whose disk can be full.
type bucket struct {
	*blobs.Store
	full *atomic.Bool
}

// Put implements library.Bytes. A full disk is met in the middle of the content.
func (b bucket) Put(ctx context.Context, userID, hash string, content io.Reader) error {
	if b.full.Load() {
		return b.Store.Put(ctx, userID, hash, io.MultiReader(io.LimitReader(content, 10), noRoom{}))
	}
	return b.Store.Put(ctx, userID, hash, content)
}

// noRoom fails as a write to a full disk does.
type noRoom struct{}

func (noRoom) Read([]byte) (int, error) { return 0, syscall.ENOSPC }

func TestMain(m *testing.M) {
	obstest.Quiet()
	m.Run()
}

func openShelf(t *testing.T, store *sqlite.Store, core *search.Core) *shelf {
	t.Helper()
	dir := t.TempDir()
	s := &shelf{uploads: filepath.Join(dir, "uploads")}
	var err error
	if s.bytes, err = blobs.Open(context.Background(), filepath.Join(dir, "files")); err != nil {
		t.Fatal(err)
	}
	limits := extract.DefaultLimits
	s.Library = library.New(store, bucket{s.bytes, &s.full}, library.Options{
		MaxBytes: testLimits.File, AtOnce: 2, Poll: 5 * time.Millisecond,
		Formats: []extract.Format{
			pdftest.Open(t, limits, nil), plain.Text{Limits: limits}, plain.Markdown{Limits: limits}, web.Page{Limits: limits},
			picture.Raster{Limits: limits}, picture.Drawing{Limits: limits},
		},
	})
	if s.desk, err = upload.Open(s.uploads, s.Library, testLimits.File); err != nil {
		t.Fatal(err)
	}
	s.finder = library.Finder{Searcher: core, Pages: store, Threshold: library.DefaultThreshold}
	t.Cleanup(func() {
		if err := s.bytes.Close(); err != nil {
			t.Errorf("close the bucket: %v", err)
		}
	})
	return s
}

func (s *shelf) rooms(store *sqlite.Store) Files {
	return Files{Records: store, Pages: store, Jobs: store, Library: s.Library, Pictures: s.Library, Finder: s.finder, Uploads: s.desk}
}

// empty reports what a refused upload left behind.
func (s *shelf) empty(t *testing.T, h *harness) {
	t.Helper()
	entries, err := os.ReadDir(s.uploads)
	if err != nil || len(entries) > 0 {
		t.Errorf("left among the uploads: %v, %v", entries, err)
	}
	hashes, err := s.bytes.Hashes(t.Context(), h.User.ID)
	if err != nil || len(hashes) > 0 {
		t.Errorf("left in the bucket: %v, %v", hashes, err)
	}
	if _, total, err := h.Store.Files(t.Context(), h.User.ID, chat.FileQuery{Limit: 1}); err != nil || total > 0 {
		t.Errorf("left in the library: %d files, %v", total, err)
	}
}

// sent is one file of a form.
type sent struct{ name, content string }

// form writes files as a browser does, except that names are sent as they are.
func form(t *testing.T, field string, files ...sent) (body []byte, contentType string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, f := range files {
		escaped := strings.NewReplacer("\\", "\\\\", `"`, `\"`, "\r", "%0D", "\n", "%0A").Replace(f.name)
		part, err := w.CreatePart(textproto.MIMEHeader{"Content-Disposition": {`form-data; name="` + field + `"; filename="` + escaped + `"`}})
		if err == nil {
			_, err = io.WriteString(part, f.content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), w.FormDataContentType()
}

// request sends bytes with headers and reads the whole answer.
func (h *harness) request(t *testing.T, token, method, path string, body io.Reader, header map[string]string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, h.URL+path, body)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	for name, value := range header {
		req.Header.Set(name, value)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, string(data)
}

// uploaded is the answer to a form.
type uploaded struct {
	Success bool `json:"success"`
	Files   []struct {
		File      map[string]any `json:"file"`
		Duplicate bool           `json:"duplicate"`
		Name      string         `json:"name"`
		Error     struct{ Code, Detail string }
	} `json:"files"`
	File map[string]any `json:"file"`
}

// post sends files as a form.
func (h *harness) post(t *testing.T, path string, files ...sent) (int, string) {
	t.Helper()
	body, contentType := form(t, "file", files...)
	res, answer := h.request(t, h.Token, "POST", path, bytes.NewReader(body), map[string]string{"Content-Type": contentType})
	return res.StatusCode, answer
}

// add puts one file into the library and returns its id.
func (h *harness) add(t *testing.T, name, content string) string {
	t.Helper()
	status, answer := h.post(t, "/api/files", sent{name, content})
	var got uploaded
	if err := json.Unmarshal([]byte(answer), &got); err != nil || status != http.StatusCreated {
		t.Fatalf("add %q: %d %s", name, status, answer)
	}
	return got.File["file_id"].(string)
}

// read waits until a file of the harness's person has been read.
func (h *harness) read(t *testing.T, id string) chat.File {
	t.Helper()
	for deadline := time.Now().Add(3 * time.Minute); ; time.Sleep(5 * time.Millisecond) {
		f, err := h.Store.File(t.Context(), h.User.ID, id)
		if err != nil {
			t.Fatal(err)
		}
		if f.State != chat.FileInProgress {
			return f
		}
		if time.Now().After(deadline) {
			t.Fatalf("the file was not read: %+v", f)
		}
	}
}

// problemOf reads an error in the native format.
func problemOf(t *testing.T, answer string) (code, detail string) {
	t.Helper()
	var p struct{ Code, Detail string }
	if err := json.Unmarshal([]byte(answer), &p); err != nil {
		t.Fatal(errors.Join(err, errors.New(answer)))
	}
	return p.Code, p.Detail
}
