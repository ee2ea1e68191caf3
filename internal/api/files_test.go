package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"sync"
	"testing"
	"unicode"

	"confidant/internal/chat"
)

// What cannot be read ends in a state that says so, and what only looks wrong is
// read as what it is.
func TestEveryFileEndsInAClearState(t *testing.T) {
	h := newHarness(t, &script{})
	whole := pdfOf("", "The moon pulls the water.", "Harbours are dredged in spring.")
	for name, c := range map[string]struct {
		file   sent
		state  chat.FileState
		kind   string
		reason string // part of the reason, or of the notes
		pages  int
	}{
		"a PDF":                 {sent{"a.pdf", whole}, chat.FileSuccess, "application/pdf", "", 2},
		"zero bytes":            {sent{"empty.txt", ""}, chat.FileFailed, "text/plain", "empty", 0},
		"with a password":       {sent{"locked.pdf", pdfOf("secret", "x")}, chat.FileFailed, "application/pdf", "password", 0},
		"broken off":            {sent{"half.pdf", whole[:len(whole)/4]}, chat.FileFailed, "application/pdf", "damaged", 0},
		"a web page as PDF":     {sent{"page.pdf", "<!DOCTYPE html><html><body><p>The moon pulls the water.</p></body></html>"}, chat.FileSuccess, "text/html", "", 1},
		"nobody knows the type": {sent{"x.bin", "\x00\x01\x02\x03\x04 what is this"}, chat.FileFailed, "application/octet-stream", "application/octet-stream", 0},
	} {
		t.Run(name, func(t *testing.T) {
			f := h.read(t, h.add(t, c.file.name, c.file.content))
			told := f.Reason + strings.Join(f.Notes, " ")
			if f.State != c.state || f.Type != c.kind || f.Pages != c.pages || !strings.Contains(strings.ToLower(told), c.reason) {
				t.Errorf("%+v", f)
			}
		})
	}
}

// A name is shown and sent, never used as a path, and cannot break a header.
func TestNamesOfFiles(t *testing.T) {
	h := newHarness(t, &script{})
	for name, c := range map[string]struct{ sent, stored, ascii string }{
		"path traversal": {"../../../etc/passwd", "passwd", "passwd"},
		"of Windows":     {`C:\Users\ada\plan.txt`, "plan.txt", "plan.txt"},
		"quotes":         {`a "quoted" name.txt`, `a "quoted" name.txt`, "a _quoted_ name.txt"},
		"per cent":       {"100%25 sure.txt", "100%25 sure.txt", "100_25 sure.txt"},
		"a backslash":    {`..\..\x.txt`, "x.txt", "x.txt"},
		"line breaks":    {"a\r\nSet-Cookie: b=c.txt", "", ""},
		"direction":      {"invoice\u202efdp.exe.txt", "invoicefdp.exe.txt", "invoicefdp.exe.txt"},
		"Japanese":       {"明日の予定.txt", "明日の予定.txt", "_____.txt"},
		"umlauts":        {"Grüße; filename=x.txt", "Grüße; filename=x.txt", "Gr__e; filename=x.txt"},
		"dots":           {"..", "unnamed", "unnamed"},
		"300 characters": {strings.Repeat("n", 300) + ".txt", strings.Repeat("n", 251) + ".txt", strings.Repeat("n", 251) + ".txt"},
	} {
		t.Run(name, func(t *testing.T) {
			id := h.add(t, c.sent, "content of "+name)
			f, err := h.Store.File(t.Context(), h.User.ID, id)
			if err != nil || c.stored != "" && f.Name != c.stored || len(f.Name) > 255 || strings.ContainsFunc(f.Name, unicode.IsControl) {
				t.Fatalf("stored as %q, %v", f.Name, err)
			}
			res, body := h.request(t, h.Token, "GET", "/api/files/"+id+"/download", nil, nil)
			header := res.Header.Get("Content-Disposition")
			disposition, parameters, err := mime.ParseMediaType(header)
			if err != nil || disposition != "inline" || parameters["filename"] != f.Name || res.Header.Get("Set-Cookie") != "" {
				t.Errorf("Content-Disposition %s: %q %q, %v", header, disposition, parameters, err)
			}
			if strings.ContainsFunc(header, func(r rune) bool { return r > unicode.MaxASCII }) || c.ascii != "" && !strings.Contains(header, `filename="`+c.ascii+`"`) {
				t.Errorf("Content-Disposition %q lacks the ASCII name %q", header, c.ascii)
			}
			if body != "content of "+name {
				t.Errorf("downloaded %q", body)
			}
		})
	}
}

func TestFormsThatAreRefused(t *testing.T) {
	h := newHarness(t, &script{})
	whole, contentType := form(t, "file", sent{"a.txt", strings.Repeat("The tide rises. ", 500)})
	for name, c := range map[string]struct {
		body        []byte
		contentType string
		status      int
		detail      string
	}{
		"broken off":       {whole[:len(whole)/2], contentType, 400, "broke off"},
		"no boundary":      {whole, "multipart/form-data", 400, "form cannot be read"},
		"another boundary": {whole, "multipart/form-data; boundary=other", 400, "broke off"},
		"no file":          {[]byte("--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--x--\r\n"), "multipart/form-data; boundary=x", 400, "no file"},
		"nothing":          {nil, "multipart/form-data; boundary=x", 400, "no file"},
		"no JSON":          {[]byte("hello"), "application/json", 400, "JSON"},
		"no fields":        {[]byte("{}"), "application/json", 400, "storageUrl"},
	} {
		t.Run(name, func(t *testing.T) {
			res, answer := h.request(t, h.Token, "POST", "/api/files", bytes.NewReader(c.body), map[string]string{"Content-Type": c.contentType})
			if _, detail := problemOf(t, answer); res.StatusCode != c.status || !strings.Contains(detail, c.detail) {
				t.Errorf("%d %s", res.StatusCode, answer)
			}
		})
	}
	status, answer := h.post(t, "/api/files", sent{"large.txt", strings.Repeat("x", int(testLimits.File)+1)})
	if code, detail := problemOf(t, answer); status != 413 || code != "too_large" || !strings.Contains(detail, "file_bytes") || !strings.Contains(detail, fmt.Sprint(testLimits.File)) {
		t.Errorf("over the limit: %d %s", status, answer)
	}
	h.Shelf.empty(t, h)

	// One that is refused keeps the others in.
	status, answer = h.post(t, "/api/files", sent{"large.txt", strings.Repeat("x", int(testLimits.File)+1)}, sent{"small.txt", "The tide rises."})
	var got uploaded
	if err := json.Unmarshal([]byte(answer), &got); err != nil || status != http.StatusCreated || len(got.Files) != 2 || got.Files[0].Name != "large.txt" ||
		got.Files[0].Error.Code != "too_large" || got.Files[1].File["name"] != "small.txt" || got.File["name"] != "small.txt" {
		t.Errorf("%d %s", status, answer)
	}
	if status, _ := h.sendAs(t, "", "POST", "/api/files", "{}"); status != http.StatusUnauthorized {
		t.Errorf("without a token: %d", status)
	}
}

func TestManyFilesInOneForm(t *testing.T) {
	h := newHarness(t, &script{})
	files := make([]sent, mostFiles+1)
	for i := range files {
		files[i] = sent{fmt.Sprintf("%d.txt", i), fmt.Sprintf("note %d", i)}
	}
	status, answer := h.post(t, "/api/files/batch", files[:mostFiles]...)
	var got uploaded
	if err := json.Unmarshal([]byte(answer), &got); err != nil || status != http.StatusCreated || len(got.Files) != mostFiles {
		t.Fatalf("%d, %d files, %v", status, len(got.Files), err)
	}
	for i, f := range got.Files {
		if f.File["name"] != files[i].name || f.Duplicate {
			t.Fatalf("file %d: %+v", i, f)
		}
	}
	status, answer = h.post(t, "/api/files", files...)
	if _, detail := problemOf(t, answer); status != 413 || !strings.Contains(detail, "500") || !strings.Contains(detail, "form_files") {
		t.Errorf("one more: %d %s", status, answer)
	}
	page := decoded[map[string]any](t, h, h.Token, "GET", "/api/files?limit=200", "", http.StatusOK)
	if page["total"] != float64(mostFiles) || len(page["files"].([]any)) != 200 || page["next_cursor"] == nil {
		t.Errorf("listed %v", page["total"])
	}
}

func TestTheSameFileTwiceAtOnce(t *testing.T) {
	h := newHarness(t, &script{})
	var sending sync.WaitGroup
	ids, fresh := make(chan string, 8), make(chan bool, 8)
	for i := range cap(ids) {
		sending.Go(func() {
			body, contentType := form(t, "file", sent{fmt.Sprintf("%d.txt", i), "The tide rises."})
			res, answer := h.request(t, h.Token, "POST", "/api/files", bytes.NewReader(body), map[string]string{"Content-Type": contentType})
			var got uploaded
			if err := json.Unmarshal([]byte(answer), &got); err != nil || res.StatusCode != http.StatusCreated {
				t.Errorf("%d %s", res.StatusCode, answer)
				return
			}
			ids <- got.File["file_id"].(string)
			if !got.Files[0].Duplicate {
				fresh <- true
			}
		})
	}
	sending.Wait()
	close(ids)
	seen := map[string]bool{}
	for id := range ids {
		seen[id] = true
	}
	if len(seen) != 1 || len(fresh) != 1 {
		t.Errorf("%d files, %d of them new", len(seen), len(fresh))
	}
}

func TestAFileIsDeletedWhileItIsDownloaded(t *testing.T) {
	h := newHarness(t, &script{})
	content := strings.Repeat("The tide rises. ", 8000)
	id := h.add(t, "long.txt", content)
	res := h.do(t, t.Context(), "GET", "/api/files/"+id+"/download", h.Token, "")
	beginning := make([]byte, 10)
	if _, err := io.ReadFull(res.Body, beginning); err != nil {
		t.Fatal(err)
	}
	if status, answer := h.send(t, "DELETE", "/api/files/"+id, ""); status != http.StatusNoContent {
		t.Fatalf("delete: %d %s", status, answer)
	}
	// Who began to read goes on to the end; nobody else begins.
	rest, err := io.ReadAll(res.Body)
	if err != nil || string(beginning)+string(rest) != content {
		t.Errorf("%d of %d bytes, %v", len(beginning)+len(rest), len(content), err)
	}
	for _, path := range []string{"", "/download", "/pages", "/chunks", "/poll", "/events"} {
		if status, answer := h.send(t, "GET", "/api/files/"+id+path, ""); status != http.StatusNotFound {
			t.Errorf("%s of a file that is gone: %d %s", path, status, answer)
		}
	}
	if again := h.add(t, "long.txt", content); again == id || h.read(t, again).State != chat.FileSuccess {
		t.Errorf("it cannot be added again")
	}
}

// Nothing tells a file of somebody else from one that is not there.
func TestFilesOfOthersAreNotThere(t *testing.T) {
	h := newHarness(t, &script{})
	id := h.add(t, "tides.pdf", pdfOf("", "The moon pulls the water."))
	if f := h.read(t, id); f.State != chat.FileSuccess {
		t.Fatalf("%+v", f)
	}
	for _, c := range []struct{ method, path, body string }{
		{"GET", "", ""}, {"GET", "/poll", ""}, {"GET", "/pages", ""}, {"GET", "/chunks", ""}, {"GET", "/download", ""},
		{"GET", "/pages/1/image", ""}, {"GET", "/pages/1/marks?chunk=" + chat.ChunkID(id, 0), ""}, {"GET", "/events", ""},
		{"PATCH", "", `{"name":"mine.pdf","revision":0}`}, {"DELETE", "", ""}, {"POST", "/retry-processing", ""}, {"POST", "/reprocess", ""},
	} {
		status, foreign := h.sendAs(t, h.OtherToken, c.method, "/api/files/"+id+c.path, c.body)
		absent, nothing := h.sendAs(t, h.OtherToken, c.method, "/api/files/01NOSUCHFILE"+c.path, c.body)
		if status != http.StatusNotFound || absent != status || foreign != nothing {
			t.Errorf("%s %s: %d %s, of one that is not there %d %s", c.method, c.path, status, foreign, absent, nothing)
		}
	}
	for path, body := range map[string]string{
		"/api/turns":   `{"message":"What is this?","file_ids":["` + id + `"]}`,
		"/v2/messages": `{"text":"What is this?","file_ids":["` + id + `"]}`,
	} {
		if status, answer := h.sendAs(t, h.OtherToken, "POST", path, body); status != http.StatusNotFound {
			t.Errorf("%s: %d %s", path, status, answer)
		}
	}
	if status, answer := h.sendAs(t, h.OtherToken, "GET", "/api/files/search?q=moon&file_id="+id, ""); status != http.StatusNotFound {
		t.Errorf("search in it: %d %s", status, answer)
	}
	for _, path := range []string{"/api/files/search?q=moon+water", "/api/search?q=moon+water", "/api/search?q=moon+water&files=" + id} {
		if status, answer := h.sendAs(t, h.OtherToken, "GET", path, ""); status != http.StatusOK || strings.Contains(answer, "pulls") || strings.Contains(answer, "tides.pdf") {
			t.Errorf("%s: %d %s", path, status, answer)
		}
		if _, answer := h.send(t, "GET", path, ""); !strings.Contains(answer, "pulls") {
			t.Errorf("%s as its person: %s", path, answer)
		}
	}
	if f, err := h.Store.File(t.Context(), h.User.ID, id); err != nil || f.Name != "tides.pdf" {
		t.Errorf("afterwards: %+v, %v", f, err)
	}
}

// What a client asks for wrongly is told.
func TestQuestionsAboutFilesThatAreRefused(t *testing.T) {
	h := newHarness(t, &script{})
	id := h.add(t, "tides.pdf", pdfOf("", "The moon pulls the water."))
	h.read(t, id)
	for path, status := range map[string]int{
		"/api/files?limit=0":                                         400,
		"/api/files?limit=201":                                       400,
		"/api/files?state=lost":                                      400,
		"/api/files/search":                                          400,
		"/api/files/search?q=+":                                      400,
		"/api/files/search?q=x&limit=51":                             400,
		"/api/files/search?q=x&type=Nonsense":                        400,
		"/api/files/" + id + "/pages?from=0":                         400,
		"/api/files/" + id + "/pages?until=x":                        400,
		"/api/files/" + id + "/chunks?page=-1":                       400,
		"/api/files/" + id + "/events?after=x":                       400,
		"/api/files/" + id + "/pages/2/image":                        404,
		"/api/files/" + id + "/pages/0/image":                        404,
		"/api/files/" + id + "/pages/x/marks":                        404,
		"/api/files/" + id + "/pages/1/image?width=x":                400,
		"/api/files/" + id + "/pages/1/marks":                        400,
		"/api/files/" + id + "/pages/1/marks?chunk=nothing":          400,
		"/api/files/" + id + "/pages/1/marks?chunk=01OTHERFILE.0":    400,
		"/api/files/" + id + "/pages?from=9223372036854775807":       200,
		"/api/files/" + id + "/pages/1/marks?chunk=" + id + ".99999": 200,
	} {
		if got, answer := h.send(t, "GET", path, ""); got != status {
			t.Errorf("%s: %d %s, want %d", path, got, answer, status)
		}
	}
	for body, status := range map[string]int{`{"name":" "}`: 400, `{"name":"b.pdf","revision":999}`: 409, `{`: 400, `{"name":"b.pdf","revision":0}`: 200} {
		if got, answer := h.send(t, "PATCH", "/api/files/"+id, body); got != status {
			t.Errorf("rename with %s: %d %s, want %d", body, got, answer, status)
		}
	}
}
