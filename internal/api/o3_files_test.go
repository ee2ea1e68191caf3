package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"confidant/internal/chat"
	"confidant/internal/store/sqlite"
	"confidant/internal/tool"
	"confidant/internal/tool/arithmetic"
	"confidant/internal/tool/knowledge"
)

// newKnowledge is a harness whose model has the tools of the library.
func newKnowledge(t *testing.T, model *script) *harness {
	t.Helper()
	return assemble(t, model, func(store *sqlite.Store, s *shelf) []tool.Tool {
		return []tool.Tool{
			arithmetic.AddNumbers{}, knowledge.Search{Finder: s.finder}, knowledge.Read{Files: store, Pages: store},
			knowledge.List{Files: store}, knowledge.Question{Finder: s.finder, Files: store},
		}
	})
}

// plays gives the model what it says next.
func (s *script) plays(steps ...[]any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.steps = append(s.steps, steps...)
}

// almanac is a document of which the fifth page is about harbours.
var almanac = pdfOf("", "The moon pulls the water of every sea twice a day.", "Ebb follows flood.", "Lighthouses are painted.", "Whales sing in winter.", "Harbours are dredged in spring.")

// o3Told is a stream with the ids of this run replaced by names.
func o3Told(t *testing.T, events []map[string]any, ids map[string]string) string {
	t.Helper()
	var b strings.Builder
	for _, e := range events {
		line, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		text := string(line)
		for id, name := range ids {
			text = strings.ReplaceAll(text, id, name)
		}
		b.WriteString(text + "\n")
	}
	return b.String()
}

func TestO3AnswersFromTheKnowledgeBase(t *testing.T) {
	model := &script{}
	h := newKnowledge(t, model)
	id := h.add(t, "almanac.pdf", almanac)
	if f := h.read(t, id); f.State != chat.FileSuccess || f.Pages != 5 {
		t.Fatalf("%+v", f)
	}
	for name, c := range map[string]struct{ call, arguments, result string }{
		"search": {"search_knowledge_base", `{"query":"when are harbours dredged","type":[]}`,
			`[{"content":"Harbours are dredged in spring.","similarity":1,"urlString":"[5](FILE)"}]`},
		"search in a type that it is not of": {"search_knowledge_base", `{"query":"when are harbours dredged","type":["Question","Answer"]}`, `[]`},
		"a type that is none":                {"search_knowledge_base", `{"query":"harbours","type":["Nonsense"]}`, `{"error":"ERROR"}`},
		"read": {"read_file", `{"fileId":"FILE","from_page":4}`,
			`{"content":"[Page 4]\nWhales sing in winter.\n\n---\n\n[Page 5]\nHarbours are dredged in spring.","fileName":"almanac.pdf"}`},
		"read what is not there": {"read_file", `{"fileId":"01NOSUCHFILE"}`,
			`{"content":"Error: File ID is invalid or you don't have access to this file.","fileName":"Unknown"}`},
		"add": {"addNumbers", `{"a":25,"b":75}`, `100`},
	} {
		t.Run(name, func(t *testing.T) {
			arguments := strings.ReplaceAll(c.arguments, "FILE", id)
			model.plays(asks(c.call, arguments), says("Harbours are dredged in spring [5]("+id+"). ", "Lighthouses are painted [3]("+id+")."))
			res := h.do(t, t.Context(), "POST", "/api/chat/stream", h.Token, `{"message":"When are harbours dredged?"}`)
			events := o3Read(t, res.Body)
			chatID := res.Header.Get("X-Chat-Id")
			var echoed any
			if err := json.Unmarshal([]byte(c.arguments), &echoed); err != nil {
				t.Fatal(err)
			}
			said, err := json.Marshal(echoed)
			if err != nil {
				t.Fatal(err)
			}
			ids := map[string]string{id: "FILE", chatID: "CHAT", events[0]["id"].(string): "ANSWER"}
			got := o3Told(t, events, ids)
			if result, ok := events[5]["result"].(map[string]any); ok && result["error"] != nil {
				got = strings.ReplaceAll(got, strconv.Quote(result["error"].(string)), `"ERROR"`)
			}
			want := fmt.Sprintf(`{"chatId":"CHAT","id":"ANSWER","type":"message-start"}
{"type":"reasoning-started"}
{"delta":"Let me see.","type":"reasoning-delta"}
{"type":"reasoning-end"}
{"functionCallsToExecute":[{"arguments":%s,"id":"call_1","name":"%s"}],"type":"function_calls_to_execute"}
{"id":"call_1","result":%s,"type":"function_call_result"}
{"content":"Harbours are dredged in spring [5](FILE). ","type":"content"}
{"content":"Lighthouses are painted [3](FILE).","type":"content"}
{"id":"ANSWER","type":"message-end"}
`, said, c.call, c.result)
			if got != want {
				t.Errorf("got\n%swant\n%s", got, want)
			}
			// What was retrieved may be cited; what was not is no source.
			m := h.answer(t, chatID)
			content, cited := "Harbours are dredged in spring. Lighthouses are painted.", 0
			if strings.Contains(c.result, "dredged") {
				content, cited = "Harbours are dredged in spring[5]("+id+"). Lighthouses are painted.", 1
			}
			if m.Content != content || len(m.Citations) != cited || cited == 1 && (m.Citations[0].FileID != id || m.Citations[0].Page != 5 ||
				m.Citations[0].Kind != chat.CitesPage || m.Citations[0].Title != "almanac.pdf" || m.Citations[0].Quote != "Harbours are dredged in spring.") {
				t.Errorf("stored %q with %+v", m.Content, m.Citations)
			}
		})
	}
}

// A foreign id in the model's mouth reads nothing and is no source.
func TestO3ReadsNoForeignFile(t *testing.T) {
	model := &script{}
	h := newKnowledge(t, model)
	id := h.add(t, "almanac.pdf", almanac)
	h.read(t, id)
	body, contentType := form(t, "file", sent{"own.txt", "Bread is baked at night."}) // without a file there are no tools for files
	if res, answer := h.request(t, h.OtherToken, "POST", "/api/files", bytes.NewReader(body), map[string]string{"Content-Type": contentType}); res.StatusCode != http.StatusCreated {
		t.Fatalf("%d %s", res.StatusCode, answer)
	}
	model.plays(asks("read_file", `{"fileId":"`+id+`"}`), says("Harbours are dredged in spring [5]("+id+")."))
	_, told := h.sendAs(t, h.OtherToken, "POST", "/api/chat/stream", `{"message":"What do my documents say about harbours?"}`)
	if strings.Contains(told, "almanac.pdf") || !strings.Contains(told, `"fileName":"Unknown"`) {
		t.Errorf("told %s", told)
	}
	model.plays(asks("search_knowledge_base", `{"query":"harbours dredged","type":[]}`), says("I do not know."))
	if _, told := h.sendAs(t, h.OtherToken, "POST", "/api/chat/stream", `{"message":"What do my documents say about harbours?"}`); !strings.Contains(told, `"result":[]`) {
		t.Errorf("told %s", told)
	}
}

func TestO3Files(t *testing.T) {
	h := newHarness(t, &script{})
	id := h.add(t, "almanac.pdf", almanac)
	broken := h.add(t, "broken.pdf", almanac[:200])
	h.read(t, id)
	h.read(t, broken)
	type record struct {
		ID, Name, UserID, StorageURL, FileType, EmbeddingsStatus, Summary string
		LinesJSONPages                                                    any
	}
	poll := decoded[struct {
		Success bool
		Status  string
		File    record
	}](t, h, h.Token, "GET", "/api/files/"+id+"/poll", "", http.StatusOK)
	if !poll.Success || poll.Status != "success" || poll.File.ID != id || poll.File.UserID != h.User.ID || poll.File.FileType != "application/pdf" ||
		poll.File.EmbeddingsStatus != "success" || poll.File.Summary == "" || poll.File.Name != "almanac.pdf" {
		t.Errorf("poll %+v", poll)
	}
	one := decoded[struct {
		Success bool
		File    record
	}](t, h, h.Token, "GET", "/api/files/"+id, "", http.StatusOK)
	if !one.Success || one.File != poll.File {
		t.Errorf("file %+v", one)
	}
	status := decoded[struct {
		Success bool
		Files   []record
	}](t, h, h.Token, "GET", "/api/files/processing-status", "", http.StatusOK)
	if !status.Success || len(status.Files) != 1 || status.Files[0].ID != broken || status.Files[0].EmbeddingsStatus != "failed" {
		t.Errorf("processing-status %+v", status)
	}
	// Only what failed is tried again; the original answered 500 to the rest.
	if got, answer := h.send(t, "POST", "/api/files/"+id+"/retry-processing", ""); got != http.StatusConflict || !strings.Contains(answer, "not in the failed state") {
		t.Errorf("retry: %d %s", got, answer)
	}
	again := decoded[struct{ File record }](t, h, h.Token, "POST", "/api/files/"+broken+"/retry-processing", "", http.StatusOK)
	if again.File.EmbeddingsStatus != "in_progress" {
		t.Errorf("retry: %+v", again)
	}
	h.read(t, broken)

	res, body := h.request(t, h.Token, "GET", "/api/files/"+id+"/download", nil, nil)
	disposition, parameters, err := mime.ParseMediaType(res.Header.Get("Content-Disposition"))
	if err != nil || disposition != "inline" || parameters["filename"] != "almanac.pdf" || res.Header.Get("Content-Type") != "application/pdf" || body != almanac {
		t.Errorf("download: %v, %d bytes", res.Header, len(body))
	}
	if got, _ := h.send(t, "DELETE", "/api/files/"+broken, ""); got != http.StatusNoContent {
		t.Errorf("delete: %d", got)
	}
	if list := decoded[struct{ Files []record }](t, h, h.Token, "GET", "/api/files", "", http.StatusOK); len(list.Files) != 1 || list.Files[0].ID != id {
		t.Errorf("list %+v", list)
	}
}
