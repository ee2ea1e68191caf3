package api

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"confidant/internal/chat"
)

// tus sends a request of the protocol.
func (h *harness) tus(t *testing.T, token, method, path string, body io.Reader, header ...string) *http.Response {
	t.Helper()
	all := map[string]string{"Tus-Resumable": "1.0.0"}
	if method == "PATCH" {
		all["Content-Type"] = "application/offset+octet-stream"
	}
	for i := 0; i < len(header); i += 2 {
		all[header[i]] = header[i+1]
	}
	res, answer := h.request(t, token, method, path, body, all)
	res.Body = io.NopCloser(strings.NewReader(answer))
	return res
}

// begin opens an upload and returns where.
func (h *harness) begin(t *testing.T, name string, size int) string {
	t.Helper()
	res := h.tus(t, h.Token, "POST", "/api/uploads", nil, "Upload-Length", fmt.Sprint(size), "Upload-Metadata", "filename "+base64.StdEncoding.EncodeToString([]byte(name))+",other")
	if res.StatusCode != http.StatusCreated || res.Header.Get("Upload-Offset") != "0" || res.Header.Get("Tus-Resumable") != "1.0.0" {
		t.Fatalf("begin: %d %v", res.StatusCode, res.Header)
	}
	return res.Header.Get("Location")
}

// piece sends what comes at an offset.
func (h *harness) piece(t *testing.T, at string, offset int, content string) *http.Response {
	t.Helper()
	return h.tus(t, h.Token, "PATCH", at, strings.NewReader(content), "Upload-Offset", fmt.Sprint(offset))
}

// arrived asks how much of an upload has arrived.
func (h *harness) arrived(t *testing.T, at string) string {
	t.Helper()
	res := h.tus(t, h.Token, "HEAD", at, nil)
	if res.StatusCode != http.StatusOK || res.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("HEAD: %d %v", res.StatusCode, res.Header)
	}
	return res.Header.Get("Upload-Offset")
}

func TestAnUploadInPieces(t *testing.T) {
	h := newHarness(t, &script{})
	content := strings.Repeat("The tide rises. ", 1000)
	at := h.begin(t, "../tides.txt", len(content))
	if res := h.piece(t, at, 0, content[:5000]); res.StatusCode != http.StatusNoContent || res.Header.Get("Upload-Offset") != "5000" || res.Header.Get("Confidant-File") != "" {
		t.Fatalf("first piece: %d %v", res.StatusCode, res.Header)
	}
	if got := h.arrived(t, at); got != "5000" {
		t.Errorf("arrived %s", got)
	}
	if _, total, _ := h.Store.Files(t.Context(), h.User.ID, chat.FileQuery{}); total != 0 {
		t.Errorf("half a file is in the library")
	}
	res := h.piece(t, at, 5000, content[5000:])
	id := res.Header.Get("Confidant-File")
	if res.StatusCode != http.StatusNoContent || res.Header.Get("Upload-Offset") != fmt.Sprint(len(content)) || id == "" || res.Header.Get("Confidant-Duplicate") != "false" {
		t.Fatalf("last piece: %d %v", res.StatusCode, res.Header)
	}
	if f := h.read(t, id); f.State != chat.FileSuccess || f.Name != "tides.txt" || f.Size != int64(len(content)) {
		t.Errorf("%+v", f)
	}
	// A client that did not hear of the end asks, and hears the same.
	if res := h.tus(t, h.Token, "HEAD", at, nil); res.Header.Get("Confidant-File") != id || res.Header.Get("Upload-Offset") != res.Header.Get("Upload-Length") {
		t.Errorf("afterwards: %v", res.Header)
	}
	told := decoded[map[string]any](t, h, h.Token, "GET", at, "", 200)
	if told["file_id"] != id || told["name"] != "tides.txt" || told["size"] != float64(len(content)) || told["offset"] != told["size"] {
		t.Errorf("told %v", told)
	}
	// The same again is the same file.
	at = h.begin(t, "again.txt", len(content))
	if res := h.piece(t, at, 0, content); res.Header.Get("Confidant-File") != id || res.Header.Get("Confidant-Duplicate") != "true" {
		t.Errorf("again: %v", res.Header)
	}
}

// What came before a connection was cut is kept.
func TestAnUploadGoesOnAfterACut(t *testing.T) {
	h := newHarness(t, &script{})
	content := strings.Repeat("The tide rises. ", 1000)
	at := h.begin(t, "tides.txt", len(content))
	conn, err := net.Dial("tcp", strings.TrimPrefix(h.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(conn, "PATCH %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nTus-Resumable: 1.0.0\r\nUpload-Offset: 0\r\n"+
		"Content-Type: application/offset+octet-stream\r\nContent-Length: %d\r\n\r\n%s", at, h.Token, len(content), content[:7000])
	for deadline := time.Now().Add(time.Minute); h.arrived(t, at) != "7000"; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("arrived %s", h.arrived(t, at))
		}
	}
	// Meanwhile nobody else may write to it.
	if res := h.piece(t, at, 7000, "x"); res.StatusCode != http.StatusConflict {
		t.Errorf("two at once: %d", res.StatusCode)
	}
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	var res *http.Response
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		if res = h.piece(t, at, 7000, content[7000:]); res.StatusCode != http.StatusConflict || time.Now().After(deadline) {
			break // the server needs a moment to see the cut
		}
	}
	if res.StatusCode != http.StatusNoContent {
		t.Fatalf("going on: %d %v", res.StatusCode, res.Header)
	}
	if _, body := h.request(t, h.Token, "GET", "/api/files/"+res.Header.Get("Confidant-File")+"/download", nil, nil); body != content {
		t.Errorf("%d bytes that differ", len(body))
	}
}

func TestUploadsThatAreRefused(t *testing.T) {
	h := newHarness(t, &script{})
	for name, c := range map[string]struct {
		header []string
		status int
		detail string
	}{
		"over the limit":    {[]string{"Upload-Length", fmt.Sprint(testLimits.File + 1)}, 413, "131072 bytes (file_bytes)"},
		"no length":         {nil, 400, "Upload-Length"},
		"a negative length": {[]string{"Upload-Length", "-1"}, 400, "length"},
		"a wrong length":    {[]string{"Upload-Length", "1e3"}, 400, "Upload-Length"},
		"wrong metadata":    {[]string{"Upload-Length", "1", "Upload-Metadata", "filename ***"}, 400, "Upload-Metadata"},
		"no such chat":      {[]string{"Upload-Length", "1", "Upload-Metadata", "chat_id " + base64.StdEncoding.EncodeToString([]byte("01NOSUCHCHAT"))}, 404, "chat_id"},
	} {
		t.Run(name, func(t *testing.T) {
			res := h.tus(t, h.Token, "POST", "/api/uploads", nil, c.header...)
			answer, _ := io.ReadAll(res.Body)
			if _, detail := problemOf(t, string(answer)); res.StatusCode != c.status || !strings.Contains(detail, c.detail) || res.Header.Get("Location") != "" {
				t.Errorf("%d %s", res.StatusCode, answer)
			}
		})
	}
	h.Shelf.empty(t, h)

	at := h.begin(t, "a.txt", 10)
	for name, c := range map[string]struct {
		token, method, body string
		header              []string
		status              int
	}{
		"a wrong offset":       {h.Token, "PATCH", "tide", []string{"Upload-Offset", "5"}, 409},
		"no offset":            {h.Token, "PATCH", "tide", nil, 400},
		"another content type": {h.Token, "PATCH", "tide", []string{"Upload-Offset", "0", "Content-Type", "text/plain"}, 415},
		"too many bytes":       {h.Token, "PATCH", "eleven byte", []string{"Upload-Offset", "0"}, 400},
		"of somebody else":     {h.OtherToken, "PATCH", "tide", []string{"Upload-Offset", "0"}, 404},
		"asked by another":     {h.OtherToken, "HEAD", "", nil, 404},
		"seen by another":      {h.OtherToken, "GET", "", nil, 404},
		"ended by another":     {h.OtherToken, "DELETE", "", nil, 404},
		"nobody":               {"", "PATCH", "tide", []string{"Upload-Offset", "0"}, 401},
		"an old version":       {h.Token, "PATCH", "tide", []string{"Upload-Offset", "0", "Tus-Resumable", "0.2.2"}, 412},
	} {
		t.Run(name, func(t *testing.T) {
			res := h.tus(t, c.token, c.method, at, strings.NewReader(c.body), c.header...)
			if res.StatusCode != c.status || c.status == 404 && res.Header.Get("Upload-Offset") != "" || c.status == 412 && res.Header.Get("Tus-Version") != "1.0.0" {
				t.Errorf("%d %v", res.StatusCode, res.Header)
			}
			if got := h.arrived(t, at); got != "0" {
				t.Errorf("%s bytes have arrived", got)
			}
		})
	}
	for _, id := range []string{"01NOSUCHUPLOAD", "..%2F..%2Fetc%2Fpasswd", "x.json"} {
		if res := h.tus(t, h.Token, "HEAD", "/api/uploads/"+id, nil); res.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %d", id, res.StatusCode)
		}
	}
	if res := h.tus(t, h.Token, "DELETE", at, nil); res.StatusCode != http.StatusNoContent {
		t.Errorf("ended: %d", res.StatusCode)
	}
	if res := h.tus(t, h.Token, "HEAD", at, nil); res.StatusCode != http.StatusNotFound {
		t.Errorf("after its end: %d", res.StatusCode)
	}
	h.Shelf.empty(t, h)
	res := h.tus(t, "", "OPTIONS", "/api/uploads", nil)
	if res.StatusCode != http.StatusNoContent || res.Header.Get("Tus-Version") != "1.0.0" || res.Header.Get("Tus-Extension") != "creation,termination" ||
		res.Header.Get("Tus-Max-Size") != fmt.Sprint(testLimits.File) {
		t.Errorf("described: %d %v", res.StatusCode, res.Header)
	}
}

// An upload of nothing is whole when it begins: no piece of it will come.
func TestAnUploadOfNothing(t *testing.T) {
	h := newHarness(t, &script{})
	res := h.tus(t, h.Token, "POST", "/api/uploads", nil, "Upload-Length", "0")
	id := res.Header.Get("Confidant-File")
	if res.StatusCode != http.StatusCreated || id == "" {
		t.Fatalf("%d %v", res.StatusCode, res.Header)
	}
	if f := h.read(t, id); f.Name != "unnamed" || f.State != chat.FileFailed || !strings.Contains(f.Reason, "empty") {
		t.Errorf("%+v", f)
	}
}

func TestUploadsExpire(t *testing.T) {
	h := newHarness(t, &script{})
	old, fresh := h.begin(t, "old.txt", 10), h.begin(t, "fresh.txt", 10)
	h.piece(t, old, 0, "tide")
	for _, e := range []string{".json", ".part"} {
		long := time.Now().Add(-25 * time.Hour)
		if err := os.Chtimes(filepath.Join(h.Shelf.uploads, filepath.Base(old)+e), long, long); err != nil {
			t.Fatal(err)
		}
	}
	if err := h.Shelf.desk.Sweep(time.Now()); err != nil {
		t.Fatal(err)
	}
	if res := h.piece(t, old, 4, " rises"); res.StatusCode != http.StatusNotFound {
		t.Errorf("after a day: %d", res.StatusCode)
	}
	if res := h.piece(t, fresh, 0, "0123456789"); res.StatusCode != http.StatusNoContent {
		t.Errorf("in time: %d", res.StatusCode)
	}
}

// A disk that is full is told, leaves nothing half, and what was sent goes on when
// there is room again.
func TestAFullDisk(t *testing.T) {
	h := newHarness(t, &script{})
	content := strings.Repeat("The tide rises. ", 1000)
	h.Shelf.full.Store(true)
	status, answer := h.post(t, "/api/files", sent{"tides.txt", content})
	checkFull(t, status, answer)
	h.Shelf.empty(t, h)

	at := h.begin(t, "tides.txt", len(content))
	res := h.piece(t, at, 0, content)
	refusal, _ := io.ReadAll(res.Body)
	checkFull(t, res.StatusCode, string(refusal))
	if res := h.tus(t, h.Token, "HEAD", at, nil); res.StatusCode != http.StatusInsufficientStorage {
		t.Errorf("it is not a file yet, and asked for it says %d %v", res.StatusCode, res.Header)
	}
	h.Shelf.full.Store(false)
	res = h.tus(t, h.Token, "HEAD", at, nil)
	if id := res.Header.Get("Confidant-File"); res.StatusCode != http.StatusOK || id == "" || h.read(t, id).State != chat.FileSuccess {
		t.Errorf("with room again: %d %v", res.StatusCode, res.Header)
	}
}

// checkFull checks an answer that tells of a full disk.
func checkFull(t *testing.T, status int, answer string) {
	t.Helper()
	if code, detail := problemOf(t, answer); status != http.StatusInsufficientStorage || code != "storage_full" || !strings.Contains(detail, "full") {
		t.Errorf("%d %s", status, answer)
	}
}

// The O3 family uploads first, and names the upload then.
func TestStoredUploadsBecomeFiles(t *testing.T) {
	h := newHarness(t, &script{})
	at := h.begin(t, "raw", 15)
	add := func(path, body string) (int, string) { return h.send(t, "POST", path, body) }
	one := `{"name":"Tides.txt","storageUrl":"` + h.URL + at + `","fileType":"text/plain"}`
	if status, answer := add("/api/files", one); status != 400 || !strings.Contains(answer, "not complete") {
		t.Errorf("too early: %d %s", status, answer)
	}
	id := h.piece(t, at, 0, "The tide rises.").Header.Get("Confidant-File")
	for _, path := range []string{"/api/files", "/api/files/batch"} {
		body := one
		if path != "/api/files" {
			body = `{"files":[` + one + `]}`
		}
		status, answer := add(path, body)
		var got struct {
			Success bool
			File    struct {
				ID, Name, UserID, StorageURL, FileType, EmbeddingsStatus string
				LinesJSONPages                                           any
				CreatedAt, UpdatedAt                                     time.Time
			}
		}
		f := &got.File
		if err := json.Unmarshal([]byte(answer), &got); err != nil || status != 201 || !got.Success || f.ID != id || f.Name != "Tides.txt" || f.UserID != h.User.ID ||
			f.FileType != "text/plain" || f.EmbeddingsStatus == "" || f.StorageURL != "/api/files/"+id+"/download" || f.CreatedAt.IsZero() || f.UpdatedAt.IsZero() {
			t.Errorf("%s: %d %s", path, status, answer)
		}
	}
	for body, want := range map[string]int{
		`{"name":"","storageUrl":"x","fileType":"text/plain"}`:           400,
		`{"name":"a","storageUrl":"/nowhere/x","fileType":"text/plain"}`: 404,
		`{"files":[]}`: 400,
	} {
		if status, answer := add("/api/files", body); status != want {
			t.Errorf("%s: %d %s, want %d", body, status, answer, want)
		}
	}
	if status, _ := h.sendAs(t, h.OtherToken, "POST", "/api/files", one); status != 404 {
		t.Errorf("by somebody else: %d", status)
	}
}

func TestTheReadingOfAFileIsFollowed(t *testing.T) {
	h := newHarness(t, &script{})
	id := h.add(t, "tides.pdf", pdfOf("", "The moon pulls the water."))
	res := h.do(t, t.Context(), "GET", "/api/files/"+id+"/events", h.Token, "")
	var types, steps []string
	lines := bufio.NewScanner(res.Body)
	for lines.Scan() {
		if name, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
			types = append(types, name)
		}
		var data struct{ Type, Step, State string }
		if text, ok := strings.CutPrefix(lines.Text(), "data: "); ok && json.Unmarshal([]byte(text), &data) == nil && data.Type == "progress" {
			steps = append(steps, data.Step+" "+data.State)
		}
	}
	if len(types) == 0 || types[len(types)-1] != "turn.closed" || !strings.Contains(strings.Join(steps, ","), "extract") {
		t.Errorf("events %v, steps %v", types, steps)
	}
}

func FuzzUploadMetadata(f *testing.F) {
	for _, seed := range []string{"", "filename dGlkZXM=", "filename dGlkZXM=,chat_id YQ==", "a,b,c", ",", "filename", "filename ***", "filename  dGlkZXM=", "x \xff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, header string) {
		pairs, err := metadata(header)
		if err != nil {
			if chat.AsError(err).Code != chat.CodeInvalid {
				t.Errorf("%v", err)
			}
			return
		}
		for key, value := range pairs {
			if strings.ContainsAny(key, ", ") || base64.StdEncoding.EncodedLen(len(value)) > len(header) {
				t.Errorf("%q: %q of %q", key, value, header)
			}
		}
	})
}
