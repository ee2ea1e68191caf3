package api

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"confidant/internal/chat"
	"confidant/internal/llm"
	"confidant/internal/tool"
	"confidant/internal/tool/arithmetic"
)

// omiReply is what the Omi app reads of a message.
type omiReply struct {
	ID         string    `json:"id"`
	Text       string    `json:"text"`
	CreatedAt  time.Time `json:"created_at"`
	Sender     string    `json:"sender"`
	AppID      *string   `json:"app_id"`
	MemoriesID []string  `json:"memories_id"`
	Memories   []struct {
		ID         string `json:"id"`
		Structured struct {
			Title string `json:"title"`
		} `json:"structured"`
	} `json:"memories"`
}

// omiRead reads a stream line by line as the app does.
func omiRead(t *testing.T, stream io.Reader) (think []string, text string, done *omiReply) {
	t.Helper()
	lines := bufio.NewScanner(stream)
	for lines.Scan() {
		line := lines.Text()
		if done != nil && line != "" {
			t.Fatalf("%q comes after done", line)
		}
		switch {
		case line == "":
		case strings.HasPrefix(line, "think: "):
			think = append(think, strings.TrimPrefix(line, "think: "))
		case strings.HasPrefix(line, "data: "):
			text += strings.ReplaceAll(strings.TrimPrefix(line, "data: "), "__CRLF__", "\n")
		case strings.HasPrefix(line, "done: "):
			data, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(line, "done: "))
			if err != nil {
				t.Fatal(err)
			}
			done = &omiReply{}
			if err := json.Unmarshal(data, done); err != nil {
				t.Fatal(err)
			}
		default:
			t.Fatalf("unknown line %q", line)
		}
	}
	if lines.Err() != nil || done == nil {
		t.Fatalf("the stream ended without done: %v", lines.Err())
	}
	return think, text, done
}

// finder is a tool that offers two spans for citation.
type finder struct{}

func (finder) Spec() tool.Spec {
	return tool.Spec{Name: "find", Label: "Searching conversations", Parameters: json.RawMessage(`{"type":"object"}`)}
}

func (finder) Run(_ context.Context, call tool.Call) (tool.Result, error) {
	for i, quote := range []string{"Lunch is at noon.", "The roadmap is ready."} {
		call.Cite(chat.Citation{
			Kind: "conversation", ConversationID: fmt.Sprintf("conv%d", i+1), SegmentID: "s", Title: "Talk " + fmt.Sprint(i+1), Quote: quote,
		})
	}
	return tool.Result{Content: "found"}, nil
}

func TestOmiConversation(t *testing.T) {
	model := &script{steps: [][]any{
		asks("find", `{}`), says("The roadmap is ready[2].\r", "\n\nLunch is at noon[1]."),
		asks("addNumbers", `{"a":42,"b":58}`), says("100"),
		says("Hello from the app."),
	}}
	h := newHarness(t, model, finder{}, arithmetic.AddNumbers{})

	status, body := h.send(t, "GET", "/v2/messages", "")
	var list []omiReply
	if err := json.Unmarshal([]byte(body), &list); err != nil || status != http.StatusOK || len(list) != 1 || list[0].Sender != "ai" || list[0].CreatedAt.IsZero() {
		t.Fatalf("the empty chat: %d %s", status, body)
	}
	if chats, _, err := h.Store.Chats(t.Context(), h.User.ID, chat.Page{Limit: 5}); err != nil || len(chats) != 0 {
		t.Errorf("looking made chats: %v, %v", chats, err)
	}

	res := h.do(t, t.Context(), "POST", "/v2/messages?app_id=null", h.Token, `{"text":"What is ready?"}`)
	if res.Header.Get("Content-Type") != "text/event-stream" {
		t.Errorf("type %s", res.Header.Get("Content-Type"))
	}
	think, text, done := omiRead(t, res.Body)
	want := "The roadmap is ready[2].\n\nLunch is at noon[1]."
	if strings.Join(think, "|") != "Searching conversations" || text != want || strings.ReplaceAll(done.Text, "\r\n", "\n") != want {
		t.Errorf("think %v, text %q, done %+v", think, text, done)
	}
	if strings.Join(done.MemoriesID, " ") != "conv2 conv1" || done.Memories[0].Structured.Title != "Talk 2" {
		t.Errorf("cited %+v", done.Memories)
	}
	think, text, _ = omiRead(t, h.do(t, t.Context(), "POST", "/v1/messages?plugin_id=", h.Token, `{"text":"42 + 58?","file_ids":[]}`).Body)
	if text != "100" || strings.Join(think, "|") != "Adding numbers" {
		t.Errorf("think %v, text %q", think, text)
	}
	if _, _, other := omiRead(t, h.do(t, t.Context(), "POST", "/v2/messages?app_id=app-7", h.Token, `{"text":"hi"}`).Body); other.AppID == nil || *other.AppID != "app-7" {
		t.Errorf("answer of the app: %+v", other)
	}

	texts := func(token, path string) string {
		_, body := h.sendAs(t, token, "GET", path, "")
		var list []omiReply
		if err := json.Unmarshal([]byte(body), &list); err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		var texts []string
		for _, m := range list {
			texts = append(texts, m.Sender+":"+m.Text)
			if m.ID == done.ID && (len(m.Memories) != 2 || !m.CreatedAt.Equal(done.CreatedAt)) {
				t.Errorf("listed %+v, but streamed %+v", m, done)
			}
		}
		return strings.Join(texts, "|")
	}
	all := "ai:100|human:42 + 58?|ai:" + done.Text + "|human:What is ready?"
	if got := texts(h.Token, "/v2/messages?app_id="); got != all {
		t.Errorf("listed %q, want %q", got, all)
	}
	greeting := texts(h.OtherToken, "/v2/messages")
	if strings.Contains(greeting, "|") {
		t.Errorf("another person sees %q", greeting)
	}
	if status, body := h.send(t, "DELETE", "/v2/messages", ""); status != http.StatusOK || !strings.Contains(body, `"sender":"ai"`) {
		t.Errorf("clear: %d %s", status, body)
	}
	if got := texts(h.Token, "/v1/messages"); got != greeting {
		t.Errorf("after clearing: %q", got)
	}
	if got := texts(h.Token, "/v2/messages?app_id=app-7"); got != "ai:Hello from the app.|human:hi" {
		t.Errorf("the app's chat: %q", got)
	}
}

func TestOmiRefusals(t *testing.T) {
	h := newHarness(t, &script{})
	body := func(text string) string { return `{"text":"` + text + `"}` }
	check := func(t *testing.T, _ string, _ int, answer string) {
		var got map[string]string
		if err := json.Unmarshal([]byte(answer), &got); err != nil || got["detail"] == "" || len(got) != 1 {
			t.Errorf("answer %s", answer)
		}
	}
	h.refusals(t, "/v2/messages", body, check)
	status, answer := h.send(t, "POST", "/v2/messages", `{"text":"hi","file_ids":["f1"]}`)
	if status != http.StatusNotFound || !strings.Contains(answer, "detail") {
		t.Errorf("a file that is not there: %d %s", status, answer)
	}
	for _, method := range []string{"GET", "DELETE"} {
		status, answer := h.sendAs(t, "", method, "/v2/messages", "")
		if status != http.StatusUnauthorized {
			t.Errorf("%s: %d", method, status)
		}
		check(t, "", status, answer)
	}
}

func TestOmiFailureEndsWithDone(t *testing.T) {
	h := newHarness(t, &script{steps: [][]any{breaks("I have")}})
	_, _, done := omiRead(t, h.do(t, t.Context(), "POST", "/v2/messages", h.Token, `{"text":"hi"}`).Body)
	if done.Sender != "ai" || !strings.Contains(done.Text, "key") {
		t.Errorf("done %+v", done)
	}
	if _, body := h.send(t, "GET", "/v2/messages", ""); !strings.Contains(body, done.Text) {
		t.Errorf("the list says something else: %s", body)
	}
}

// Leaving does not stop the turn; stopping the server ends other streams with done.
func TestOmiDisconnectAndStop(t *testing.T) {
	more := make(chan struct{})
	h := newHarness(t, &script{steps: [][]any{
		append([]any{llm.TextDelta{Text: "One"}, (<-chan struct{})(more)}, says(" two.")...),
		{(<-chan struct{})(make(chan struct{}))},
	}})
	ctx, leave := context.WithCancel(t.Context())
	res := h.do(t, ctx, "POST", "/v2/messages", h.Token, `{"text":"hi"}`)
	if line, err := bufio.NewReader(res.Body).ReadString('\n'); err != nil || line != "data: One\n" {
		t.Fatalf("%q, %v", line, err)
	}
	leave()
	close(more)
	c, err := h.Store.ChatByKey(t.Context(), h.User.ID, "omi:")
	if err != nil {
		t.Fatal(err)
	}
	if m := h.answer(t, c.ID); m.Content != "One two." {
		t.Errorf("stored %+v", m)
	}
	res = h.do(t, t.Context(), "POST", "/v2/messages", h.Token, `{"text":"again"}`)
	h.Stop()
	if _, _, done := omiRead(t, res.Body); !strings.Contains(done.Text, "stopping") {
		t.Errorf("done %+v", done)
	}
}
