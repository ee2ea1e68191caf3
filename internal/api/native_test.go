package api

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"confidant/internal/chat"
)

// ask makes a request with the harness' token; headers are given as "Name: value".
func (h *harness) ask(t *testing.T, method, path, body string, headers ...string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, h.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+h.Token)
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	return resp
}

// call is ask that decodes a JSON answer.
func (h *harness) call(t *testing.T, method, path, body string, headers ...string) (status int, answer map[string]any) {
	t.Helper()
	resp := h.ask(t, method, path, body, headers...)
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if len(data) > 0 && json.Unmarshal(data, &answer) != nil {
		t.Fatalf("%s %s: %s: %s", method, path, resp.Status, data)
	}
	return resp.StatusCode, answer
}

// sequence reads the numbers of the events of a stream.
func sequence(t *testing.T, h *harness, path string, headers ...string) []string {
	t.Helper()
	resp := h.ask(t, http.MethodGet, path, "", headers...)
	var ids []string
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		if id, ok := bytes.CutPrefix(lines.Bytes(), []byte("id: ")); ok {
			ids = append(ids, string(id))
		}
	}
	return ids
}

func TestNativeTurnIsResumedByNumber(t *testing.T) {
	h := newHarness(t, &script{steps: [][]any{says("Hello", " there.")}})
	status, turn := h.call(t, http.MethodPost, "/api/turns", `{"message":"hello"}`)
	if status != http.StatusAccepted || turn["turn_id"] == "" || turn["state"] != "queued" {
		t.Fatalf("%d %v", status, turn)
	}
	path := "/api/turns/" + turn["turn_id"].(string)
	whole := sequence(t, h, path+"/events")
	if len(whole) < 4 || whole[0] != "1" {
		t.Fatalf("events %v", whole)
	}
	for name, got := range map[string][]string{
		"after":                sequence(t, h, path+"/events?after=2"),
		"Last-Event-ID":        sequence(t, h, path+"/events", "Last-Event-ID: 2"),
		"the later of the two": sequence(t, h, path+"/events?after=1", "Last-Event-ID: 2"),
	} {
		if !slices.Equal(got, whole[2:]) {
			t.Errorf("%s: %v, want %v", name, got, whole[2:])
		}
	}
	if got := sequence(t, h, path+"/events?after="+whole[len(whole)-1]); len(got) != 0 {
		t.Errorf("after the last: %v", got)
	}
	if status, turn := h.call(t, http.MethodGet, path, ""); status != http.StatusOK || turn["state"] != "finished" {
		t.Errorf("%d %v", status, turn)
	}
}

func TestNativeErrors(t *testing.T) {
	h := newHarness(t, &script{})
	_, turn := h.call(t, http.MethodPost, "/api/turns", `{"message":"hello"}`)
	id := turn["turn_id"].(string)
	for name, test := range map[string]struct {
		method, path, body string
		status             int
		code, detail       string
	}{
		"not JSON":             {"POST", "/api/turns", `{"message":`, 400, "invalid_request", "JSON"},
		"no message":           {"POST", "/api/turns", `{}`, 400, "invalid_request", "required"},
		"too large":            {"POST", "/api/turns", `{"message":"` + strings.Repeat("x", 3<<20) + `"}`, 413, "too_large", "body_bytes"},
		"a bad number":         {"GET", "/api/turns/" + id + "/events?after=x", "", 400, "invalid_request", "number"},
		"a negative number":    {"GET", "/api/turns/" + id + "/events?after=-1", "", 400, "invalid_request", "number"},
		"an unknown turn":      {"GET", "/api/turns/nope", "", 404, "not_found", ""},
		"an approval of what":  {"POST", "/api/turns/" + id + "/approvals/c", `{}`, 400, "invalid_request", "approve"},
		"an unknown chat":      {"GET", "/api/chats/nope/messages", "", 404, "not_found", ""},
		"a bad limit":          {"GET", "/api/chats?limit=0", "", 400, "invalid_request", "200"},
		"an empty title":       {"PATCH", "/api/chats/" + turn["chat_id"].(string), `{"title":" "}`, 400, "invalid_request", "title"},
		"a long title":         {"PATCH", "/api/chats/" + turn["chat_id"].(string), `{"title":"` + strings.Repeat("x", 301) + `"}`, 400, "invalid_request", "300"},
		"an unknown recording": {"GET", "/api/conversations/nope", "", 404, "not_found", ""},
		"a search for nothing": {"GET", "/api/search?q=%20", "", 400, "invalid_request", "q"},
		"an unknown endpoint":  {"GET", "/api/teapot", "", 404, "not_found", "endpoint"},
	} {
		status, problem := h.call(t, test.method, test.path, test.body)
		if status != test.status || problem["code"] != test.code || !strings.Contains(problem["detail"].(string), test.detail) {
			t.Errorf("%s: %d %v; want %d, %s, %q", name, status, problem, test.status, test.code, test.detail)
		}
	}
}

func TestNativeImportSearchAndDelete(t *testing.T) {
	h := newHarness(t, &script{})
	const talk = "Ana: The launch moves to May.\nBen: Marmalade for everybody.\nAna: Good."
	status, imported := h.call(t, http.MethodPost, "/api/import?name=talk.txt&modified=2026-03-01T10:00:00Z", talk)
	if status != http.StatusOK || imported["duplicate"] != false {
		t.Fatalf("import: %d %v", status, imported)
	}
	if _, again := h.call(t, http.MethodPost, "/api/import?name=talk.txt", talk); again["duplicate"] != true {
		t.Errorf("the same file again: %v", again)
	}
	_, found := h.call(t, http.MethodGet, "/api/search?q=marmalade", "")
	hits := found["results"].([]any)
	if len(hits) == 0 {
		t.Fatal("nothing was found")
	}
	hit := hits[0].(map[string]any)
	if hit["speaker"] != "Ben" || !strings.Contains(hit["text"].(string), "Marmalade") {
		t.Errorf("found %v", hit)
	}
	path := "/api/conversations/" + hit["conversation_id"].(string)
	status, c := h.call(t, http.MethodGet, path+"?around="+hit["segment_id"].(string), "")
	if status != http.StatusOK || len(c["segments"].([]any)) != 3 || c["segments"].([]any)[1].(map[string]any)["start"] != nil {
		t.Errorf("%d %v", status, c)
	}
	h.Token, h.OtherToken = h.OtherToken, h.Token
	if status, _ := h.call(t, http.MethodGet, path, ""); status != http.StatusNotFound {
		t.Errorf("another person's recording: %d", status)
	}
	h.Token, h.OtherToken = h.OtherToken, h.Token
	if status, _ := h.call(t, http.MethodDelete, path, ""); status != http.StatusNoContent {
		t.Errorf("delete: %d", status)
	}
	if _, found := h.call(t, http.MethodGet, "/api/search?q=marmalade", ""); len(found["results"].([]any)) != 0 {
		t.Errorf("found after deleting: %v", found)
	}
	for name, content := range map[string]string{"a.txt": "a\x00b", "b.png": "\x89PNG\r\n\x1a\n\x00"} {
		if status, problem := h.call(t, http.MethodPost, "/api/import?name="+name, content); status != http.StatusUnsupportedMediaType || problem["code"] != "unsupported_media" {
			t.Errorf("%s: %d %v", name, status, problem)
		}
	}
	if status, problem := h.call(t, http.MethodPost, "/api/import?name=c.txt", strings.Repeat("x ", 64<<10)); status != http.StatusRequestEntityTooLarge || !strings.Contains(problem["detail"].(string), "import_bytes") {
		t.Errorf("a large file: %d %v", status, problem)
	}
}

func TestNativeChats(t *testing.T) {
	h := newHarness(t, &script{})
	_, turn := h.call(t, http.MethodPost, "/api/turns", `{"message":"hello"}`, "Idempotency-Key: k")
	_, again := h.call(t, http.MethodPost, "/api/turns", `{"message":"hello"}`, "Idempotency-Key: k")
	if again["turn_id"] != turn["turn_id"] {
		t.Errorf("the same key made %v and %v", turn["turn_id"], again["turn_id"])
	}
	path := "/api/chats/" + turn["chat_id"].(string)
	if status, c := h.call(t, http.MethodPatch, path, `{"title":"  Greetings "}`); status != http.StatusOK || c["title"] != "Greetings" {
		t.Errorf("rename: %d %v", status, c)
	}
	h.Token, h.OtherToken = h.OtherToken, h.Token
	for _, request := range []string{"GET " + path + "/messages", "DELETE " + path} {
		method, path, _ := strings.Cut(request, " ")
		if status, problem := h.call(t, method, path, ""); status != http.StatusNotFound || problem["detail"] != chat.ErrNotFound.Detail && problem["code"] != "forbidden" {
			t.Errorf("another person's %s: %d %v", request, status, problem)
		}
	}
	h.Token, h.OtherToken = h.OtherToken, h.Token
	if status, _ := h.call(t, http.MethodDelete, path, ""); status != http.StatusNoContent {
		t.Errorf("delete: %d", status)
	}
	if _, list := h.call(t, http.MethodGet, "/api/chats", ""); len(list["chats"].([]any)) != 0 || list["next_cursor"] != nil {
		t.Errorf("chats after deleting: %v", list)
	}
}
