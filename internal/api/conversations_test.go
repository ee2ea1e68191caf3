package api

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"confidant/internal/chat"
)

// record makes a conversation and returns its id.
func (h *harness) record(t *testing.T, body string, headers ...string) string {
	t.Helper()
	status, c := h.call(t, "POST", "/api/conversations", body, headers...)
	if status != http.StatusCreated {
		t.Fatalf("status %d: %v", status, c)
	}
	return c["conversation_id"].(string)
}

// texts are the segments of a conversation as "position speaker: text".
func (h *harness) texts(t *testing.T, id string) []string {
	t.Helper()
	_, c := h.call(t, "GET", "/api/conversations/"+id, "")
	var texts []string
	for _, s := range c["segments"].([]any) {
		s := s.(map[string]any)
		texts = append(texts, fmt.Sprintf("%v %v: %v", s["position"], s["speaker"], s["text"]))
	}
	return texts
}

func expect(t *testing.T, what string, got, want any) {
	t.Helper()
	if g, w := fmt.Sprint(got), fmt.Sprint(want); g != w {
		t.Errorf("%s: %s, want %s", what, g, w)
	}
}

func TestAConversationInOnePiece(t *testing.T) {
	h := newHarness(t, nil)
	const body = `{"started_at":"2026-03-01T09:00:00+01:00","segments":[
		{"speaker":"Ben","text":"second","start":5,"end":9},
		{"speaker":"Ana","text":"first","start":0,"end":7},
		{"speaker":"Ana","text":"nobody knows when","start":-3}]}`
	id := h.record(t, body, "Idempotency-Key: one")
	expect(t, "segments", h.texts(t, id), []string{"0 Ana: first", "1 Ana: nobody knows when", "2 Ben: second"})
	if again := h.record(t, body, "Idempotency-Key: one"); again != id {
		t.Errorf("the same request made %s and %s", id, again)
	}
	if other := h.record(t, body); other == id {
		t.Error("two conversations of the same words are one")
	}
	// Its processing can be followed, from the start and from a number.
	lines := bufio.NewScanner(h.ask(t, "GET", "/api/conversations/"+id+"/events", "").Body)
	var types []string
	for lines.Scan() {
		if name, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
			types = append(types, name)
		}
	}
	if len(types) != 14 || types[0] != "queued" || types[1] != "progress" || types[13] != "turn.closed" {
		t.Errorf("events %v", types)
	}
	expect(t, "numbers after 12", sequence(t, h, "/api/conversations/"+id+"/events?after=12"), []string{"13", "14"})
	_, c := h.call(t, "GET", "/api/conversations/"+id, "")
	expect(t, "status", c["status"], "completed")
	expect(t, "steps", len(c["steps"].([]any)), 6)
	if status, _ := h.call(t, "POST", "/api/conversations/"+id+"/segments", `{"segments":[{"text":"late"}]}`); status != http.StatusConflict {
		t.Errorf("appending to a finished conversation: %d", status)
	}
}

func TestALiveConversation(t *testing.T) {
	h := newHarness(t, nil)
	id := h.record(t, `{"live":true,"source":"omi","started_at":"2026-03-01T09:00:00Z"}`)
	// Two devices hear the same talk and send what they heard, each in doubt whether it arrived.
	var devices sync.WaitGroup
	for device := range 2 {
		devices.Go(func() {
			for i := range 20 {
				body := fmt.Sprintf(`{"segments":[{"client_id":"d%d-%d","speaker":"Ana","text":"device %d says %d","start":%d}]}`, device, i, device, i, i)
				for range 2 {
					if status, answer := h.send(t, "POST", "/api/conversations/"+id+"/segments", body); status != http.StatusOK {
						t.Errorf("append: %d %s", status, answer)
					}
				}
			}
		})
	}
	devices.Wait()
	seen := map[string]bool{}
	texts := h.texts(t, id)
	for i, text := range texts {
		position, said, _ := strings.Cut(text, " ")
		if seen[said] || position != fmt.Sprint(i) {
			t.Errorf("segment %d is %q", i, text)
		}
		seen[said] = true
	}
	expect(t, "segments", len(texts), 40)
	_, found := h.call(t, "GET", "/api/search?q=%22device+1%22+says", "")
	if len(found["results"].([]any)) == 0 {
		t.Error("what was said is not found while it goes on")
	}
	for range 2 { // finishing again changes nothing
		if status, c := h.call(t, "POST", "/api/conversations/"+id+"/finish", ""); status != http.StatusOK || c["status"] == "in_progress" {
			t.Errorf("finish: %d %v", status, c["status"])
		}
	}
	h.settled(t, id)
}

// settled waits until a conversation is processed.
func (h *harness) settled(t *testing.T, id string) chat.Conversation {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		c, err := h.Store.Conversation(t.Context(), h.User.ID, id)
		if err != nil {
			t.Fatal(err)
		}
		if c.Status == chat.StatusCompleted {
			return c
		}
	}
	t.Fatal("the conversation is not processed within 10 s")
	return chat.Conversation{}
}

func TestEditingAConversation(t *testing.T) {
	h := newHarness(t, nil)
	id := h.record(t, `{"segments":[{"speaker":"Speaker 1","text":"hello there"},{"speaker":"Ben","text":"good morning"}]}`)
	c := h.settled(t, id)
	status, edited := h.call(t, "PATCH", "/api/conversations/"+id, fmt.Sprintf(`{"title":"Greetings","starred":true,"visibility":"shared","category":"social","revision":%d}`, c.Revision))
	if status != http.StatusOK || edited["title"] != "Greetings" || edited["named"] != true || edited["starred"] != true || edited["visibility"] != "shared" {
		t.Errorf("%d %v", status, edited)
	}
	for name, test := range map[string]struct {
		method, path, body string
		status             int
		detail             string
	}{
		"an old revision":          {"PATCH", "", fmt.Sprintf(`{"title":"x","revision":%d}`, c.Revision), 409, ""},
		"a title of 10 MB":         {"PATCH", "", `{"title":"` + strings.Repeat("x", 10<<20) + `"}`, 413, "body_bytes"},
		"a long title":             {"PATCH", "", `{"title":"` + strings.Repeat("x", 301) + `"}`, 400, "title_characters"},
		"no title":                 {"PATCH", "", `{"title":""}`, 400, "empty"},
		"a category of its own":    {"PATCH", "", `{"category":"gossip"}`, 400, "33"},
		"a visibility of its own":  {"PATCH", "", `{"visibility":"friends"}`, 400, "private"},
		"a misspelt field":         {"PATCH", "", `{"titel":"x"}`, 400, "titel"},
		"another type":             {"PATCH", "", `{"title":7}`, 400, "title"},
		"no speaker of that name":  {"POST", "/speakers", `{"from":"Nobody","name":"Ana"}`, 404, "Nobody"},
		"no name":                  {"POST", "/speakers", `{"from":"Ben","name":""}`, 400, "empty"},
		"no person of that id":     {"POST", "/speakers", `{"from":"Ben","name":"Ben","person_id":"x"}`, 404, ""},
		"a segment without text":   {"POST", "/segments", `{"segments":[{"text":"a"},{"text":" "}]}`, 400, "Segment 2"},
		"a speaker who never ends": {"POST", "/segments", `{"segments":[{"text":"a","speaker":"` + strings.Repeat("x", 201) + `"}]}`, 400, "name_characters"},
	} {
		status, answer := h.call(t, test.method, "/api/conversations/"+id+test.path, test.body)
		if status != test.status || !strings.Contains(fmt.Sprint(answer["detail"]), test.detail) {
			t.Errorf("%s: %d %v", name, status, answer)
		}
	}
	if status, answer := h.call(t, "POST", "/api/conversations/"+id+"/speakers", `{"from":"Speaker 1","name":"Ana Silva","is_user":true}`); status != 200 || answer["changed"] != 1.0 {
		t.Errorf("rename: %d %v", status, answer)
	}
	expect(t, "segments", h.texts(t, id), []string{"0 Ana Silva: hello there", "1 Ben: good morning"})

	// Somebody else's is not there.
	for _, request := range []string{"GET ", "PATCH ", "DELETE ", "POST /finish", "POST /reprocess", "POST /segments", "GET /events", "GET /segments"} {
		method, path, _ := strings.Cut(request, " ")
		body := "{}"
		if path == "/segments" {
			body = `{"segments":[{"text":"x"}]}`
		}
		if status, answer := h.sendAs(t, h.OtherToken, method, "/api/conversations/"+id+path, body); status != http.StatusNotFound {
			t.Errorf("%s of a foreign conversation: %d %s", request, status, answer)
		}
	}
	if status, _ := h.send(t, "DELETE", "/api/conversations/"+id, ""); status != http.StatusNoContent {
		t.Errorf("delete: %d", status)
	}
	if status, _ := h.send(t, "GET", "/api/conversations/"+id, ""); status != http.StatusNotFound {
		t.Errorf("a deleted conversation: %d", status)
	}
}

func TestRecordingsThatMakeNoSense(t *testing.T) {
	h := newHarness(t, nil)
	long := strings.TrimSpace(strings.Repeat("word ", 4000))
	for name, test := range map[string]struct {
		body   string
		status int
		detail string
	}{
		"nothing":            {`{}`, 400, "live"},
		"no text":            {`{"segments":[{"speaker":"Ana","text":""}]}`, 400, "Segment 1"},
		"NUL":                {`{"segments":[{"text":"a\u0000"}]}`, 400, "NUL"},
		"off Earth":          {`{"segments":[{"text":"a"}],"location":{"latitude":91,"longitude":0}}`, 400, "latitude"},
		"a broken time":      {`{"segments":[{"text":"a"}],"started_at":"yesterday"}`, 400, ""},
		"two values":         {`{"segments":[{"text":"a"}]} {}`, 400, ""},
		"over the limit":     {`{"segments":[{"text":"` + strings.Repeat("x", 70<<10) + `"}]}`, 413, "import_bytes"},
		"any script":         {`{"segments":[{"speaker":"Ὑπατία","text":"السلام عليكم"},{"speaker":"🦒","text":"你好，世界"}]}`, 201, ""},
		"a very long speech": {`{"segments":[{"text":"` + long + `","start":0,"end":60}]}`, 201, ""},
		"all at once":        {`{"segments":[{"text":"a","start":5,"end":1},{"text":"b","start":5,"end":99},{"text":"c","start":1e300}]}`, 201, ""},
	} {
		status, answer := h.call(t, "POST", "/api/conversations", test.body)
		if status != test.status || test.status != 201 && !strings.Contains(fmt.Sprint(answer["detail"]), test.detail) {
			t.Errorf("%s: %d %v", name, status, answer)
		}
		if name == "a very long speech" {
			words := 0
			for _, text := range h.texts(t, answer["conversation_id"].(string)) {
				words += strings.Count(text, "word")
			}
			expect(t, "words kept of a long speech", words, 4000)
		}
	}
}

func TestMergingConversations(t *testing.T) {
	h := newHarness(t, nil)
	first := h.record(t, `{"started_at":"2026-03-01T09:00:00Z","segments":[{"speaker":"Ana","text":"one","start":0}]}`)
	second := h.record(t, `{"started_at":"2026-03-01T09:01:00Z","segments":[{"speaker":"Ben","text":"two","start":0}]}`)
	h.settled(t, first)
	h.settled(t, second)
	status, merged := h.call(t, "POST", "/api/conversations/merge", fmt.Sprintf(`{"conversation_ids":[%q,%q]}`, second, first))
	if status != http.StatusOK || merged["conversation_id"] != second {
		t.Fatalf("%d %v", status, merged)
	}
	expect(t, "segments", h.texts(t, second), []string{"0 Ana: one", "1 Ben: two"})
	h.settled(t, second)
	for body, want := range map[string]int{
		fmt.Sprintf(`{"conversation_ids":[%q]}`, second):            400,
		fmt.Sprintf(`{"conversation_ids":[%q,%q]}`, second, second): 400,
		fmt.Sprintf(`{"conversation_ids":[%q,%q]}`, second, first):  404,
	} {
		if status, answer := h.call(t, "POST", "/api/conversations/merge", body); status != want {
			t.Errorf("%s: %d %v, want %d", body, status, answer, want)
		}
	}
}

func TestMemories(t *testing.T) {
	h := newHarness(t, nil)
	status, f := h.call(t, "POST", "/api/memories", `{"content":"  Is allergic to nuts ","pinned":true}`)
	if status != http.StatusCreated || f["content"] != "Is allergic to nuts" || f["category"] != "manual" {
		t.Fatalf("%d %v", status, f)
	}
	id := f["memory_id"].(string)
	status, f = h.call(t, "PATCH", "/api/memories/"+id, `{"content":"Is allergic to peanuts","review":"kept","revision":1}`)
	if status != 200 || f["edited"] != true || f["revision"] != 2.0 {
		t.Errorf("%d %v", status, f)
	}
	for body, want := range map[string]int{
		`{"revision":1}`: 409, `{"review":"perhaps"}`: 400, `{"content":""}`: 400, `{"visibility":"shared"}`: 400,
		`{"tags":[""]}`: 400, `{"content":"` + strings.Repeat("x", 1001) + `"}`: 400,
	} {
		if status, answer := h.call(t, "PATCH", "/api/memories/"+id, body); status != want {
			t.Errorf("%.30s: %d %v", body, status, answer)
		}
	}
	_, found := h.call(t, "GET", "/api/search?q=peanuts", "")
	if results := found["results"].([]any); len(results) != 1 {
		t.Errorf("the memory is found as %v", results)
	}
	h.call(t, "PATCH", "/api/memories/"+id, `{"review":"rejected"}`)
	_, list := h.call(t, "GET", "/api/memories", "")
	_, all := h.call(t, "GET", "/api/memories?all=1", "")
	if len(list["memories"].([]any)) != 0 || len(all["memories"].([]any)) != 1 {
		t.Errorf("rejected: %v; all %v", list, all)
	}
	if status, _ := h.sendAs(t, h.OtherToken, "GET", "/api/memories/"+id, ""); status != 404 {
		t.Errorf("a foreign memory: %d", status)
	}
	if status, _ := h.send(t, "DELETE", "/api/memories/"+id, ""); status != 204 {
		t.Errorf("delete: %d", status)
	}
}

func TestErasingEverything(t *testing.T) {
	h := newHarness(t, nil)
	id := h.record(t, `{"segments":[{"text":"zebra"}]}`)
	h.settled(t, id)
	if status, answer := h.send(t, "DELETE", "/api/data", `{"confirm":"yes"}`); status != 400 {
		t.Errorf("without confirmation: %d %s", status, answer)
	}
	if status, answer := h.send(t, "DELETE", "/api/data", `{"confirm":"delete everything"}`); status != 204 {
		t.Fatalf("%d %s", status, answer)
	}
	for _, path := range []string{"/api/conversations", "/api/search?q=zebra", "/api/chats"} {
		_, answer := h.send(t, "GET", path, "")
		var body map[string]json.RawMessage
		if err := json.Unmarshal([]byte(answer), &body); err != nil {
			t.Fatal(err)
		}
		for name, list := range body {
			if name == "results" || name == "conversations" || name == "chats" {
				expect(t, path, string(list), "[]")
			}
		}
	}
}

// A person is found under every name that they go by.
func TestConversationsOfAPerson(t *testing.T) {
	h := newHarness(t, nil)
	for _, name := range []string{"Ana Silva", "Annie", "Ben"} {
		h.settled(t, h.record(t, `{"segments":[{"speaker":"`+name+`","text":"hello"}]}`))
	}
	if status, answer := h.send(t, "POST", "/api/people", `{"name":"Ana Silva","aliases":["Annie"]}`); status != 201 {
		t.Fatal(status, answer)
	}
	for query, want := range map[string]int{"person=Ana+Silva": 2, "person=annie": 2, "person=Silva": 1, "person=Ben": 1, "person=Nobody": 0, "person=Ben&person=Annie": 3} {
		_, found := h.call(t, "GET", "/api/conversations?"+query, "")
		expect(t, query, len(found["conversations"].([]any)), want)
	}
}

func TestTimeline(t *testing.T) {
	h := newHarness(t, nil)
	h.record(t, `{"started_at":"2026-03-01T23:30:00Z","segments":[{"text":"late","start":0,"end":600}]}`)
	h.record(t, `{"started_at":"2026-03-02T09:00:00Z","segments":[{"text":"early","start":0,"end":60}]}`)
	if status, answer := h.send(t, "POST", "/api/calendar", `{"title":"Standup","start":"2026-03-02T08:00:00Z","end":"2026-03-02T08:15:00Z","recurrence":["RRULE:FREQ=DAILY;COUNT=2"]}`); status != 201 {
		t.Fatal(status, answer)
	}
	_, answer := h.send(t, "GET", "/api/timeline?from=2026-03-01T00:00:00Z&until=2026-04-01T00:00:00Z&zone=Europe/Berlin", "")
	want := `{"days":[{"date":"2026-03-02","conversations":2,"seconds":660,"memories":0,"tasks":0,"events":1},` +
		`{"date":"2026-03-03","conversations":0,"seconds":0,"memories":0,"tasks":0,"events":1}]}`
	expect(t, "timeline", strings.TrimSpace(answer), want)
	for _, query := range []string{"", "?from=2026-03-01T00:00:00Z", "?from=2026-03-01T00:00:00Z&until=2036-03-01T00:00:00Z", "?from=2026-03-01T00:00:00Z&until=2026-03-02T00:00:00Z&zone=Mars"} {
		if status, answer := h.send(t, "GET", "/api/timeline"+query, ""); status != http.StatusBadRequest {
			t.Errorf("%q: %d %s", query, status, answer)
		}
	}
}
