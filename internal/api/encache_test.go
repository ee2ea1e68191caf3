package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"confidant/internal/chat"
	"confidant/internal/llm"
)

type encacheAnswer struct {
	ChatID    string  `json:"chat_id"`
	MessageID string  `json:"message_id"`
	Status    string  `json:"status"`
	Answer    *string `json:"answer"`
	Trace     []struct {
		Round   int    `json:"round"`
		Memory  string `json:"memory_type"`
		Results []any  `json:"results"`
	} `json:"trace"`
	Messages []struct {
		ID        string    `json:"message_id"`
		Role      string    `json:"role"`
		Content   string    `json:"content"`
		CreatedAt time.Time `json:"created_at"`
		Ready     bool      `json:"ready"`
		Pending   *bool     `json:"gpu_pending"`
	} `json:"messages"`
	Chats []struct {
		ID           string    `json:"chat_id"`
		Title        string    `json:"title"`
		LastActivity time.Time `json:"last_activity"`
	} `json:"chats"`
	Next  *string `json:"next_cursor"`
	Error string  `json:"error"`
}

// call makes a request with a token; want is the status that it should get.
func (h *socketHarness) call(token, method, path string, body any, want int) encacheAnswer {
	h.t.Helper()
	return h.callWith(http.Header{"Authorization": {"Bearer " + token}}, method, path, body, want)
}

func (h *socketHarness) callWith(header http.Header, method, path string, body any, want int) encacheAnswer {
	h.t.Helper()
	var payload io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			h.t.Fatal(err)
		}
		payload = bytes.NewReader(data)
	}
	request, err := http.NewRequestWithContext(h.t.Context(), method, h.server.URL+path, payload)
	if err != nil {
		h.t.Fatal(err)
	}
	request.Header = header
	response, err := h.server.Client().Do(request)
	if err != nil {
		h.t.Fatal(err)
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		h.t.Fatal(err)
	}
	var answer encacheAnswer
	if err := json.Unmarshal(data, &answer); err != nil {
		h.t.Fatalf("%s %s: %s: %v", method, path, data, err)
	}
	if response.StatusCode != want || (want >= 400) != (answer.Error != "") {
		h.t.Fatalf("%s %s: %d %s, want %d", method, path, response.StatusCode, data, want)
	}
	return answer
}

type fields map[string]any

func TestEncachePollsUntilReady(t *testing.T) {
	release := make(chan struct{})
	h := newSocketHarness(t, func(ctx context.Context, req llm.Request, say func(llm.Chunk) bool) error {
		<-release
		return sayText(" ", "You met Ana.")(ctx, req, say)
	})
	question := "Whom did I meet? " + strings.Repeat("x", 200)
	start := time.Now()
	asked := h.call(h.annT, "POST", "/memories/chat", fields{"question": question}, 200)
	if took := time.Since(start); took > 2*time.Second || asked.Status != "thinking" || asked.Answer != nil || len(asked.MessageID) != 26 {
		t.Fatalf("after %s: %+v", took, asked)
	}
	page := h.call(h.annT, "POST", "/chats/messages", fields{"chat_id": asked.ChatID}, 200)
	if len(page.Messages) != 2 || page.Next != nil {
		t.Fatalf("%+v", page)
	}
	placeholder, mine := page.Messages[0], page.Messages[1]
	if placeholder.ID != asked.MessageID || placeholder.Ready || placeholder.Role != "assistant" || placeholder.Content != "" ||
		placeholder.Pending == nil || *placeholder.Pending || !mine.Ready || mine.Role != "user" || mine.Content != question {
		t.Errorf("%+v", page.Messages)
	}
	close(release)
	eventually(t, "the answer is ready", func() bool {
		m := h.call(h.annT, "GET", "/chats/messages?chat_id="+asked.ChatID, nil, 200).Messages[0]
		return m.Ready && m.Content == "You met Ana." && m.ID == asked.MessageID
	})
	// Another question in the same chat.
	again := h.call(h.annT, "POST", "/memories/chat", fields{"question": "Where?", "chat_id": asked.ChatID}, 200)
	if again.ChatID != asked.ChatID || again.MessageID == asked.MessageID {
		t.Errorf("%+v", again)
	}
	chats := h.call(h.annT, "POST", "/chats/list", nil, 200).Chats
	if len(chats) != 1 || len([]rune(chats[0].Title)) != 120 || chats[0].LastActivity.IsZero() {
		t.Errorf("%+v", chats)
	}
}

func TestEncacheVerbose(t *testing.T) {
	h := newSocketHarness(t, callThen("addNumbers", `{"a":1,"b":2}`, sayText("", "Three.")))
	got := h.call(h.annT, "POST", "/memories/chat", fields{"question": "1+2?", "verbose": true}, 200)
	if got.Status != "ready" || got.Answer == nil || *got.Answer != "Three." || len(got.Trace) != 1 || got.Trace[0].Round != 1 || len(got.Trace[0].Results) != 1 {
		t.Errorf("%+v", got)
	}
}

func TestEncacheThinksWhileModelHangs(t *testing.T) {
	h := newSocketHarness(t, hang(""))
	start := time.Now()
	for range 5 {
		if got := h.call(h.annT, "POST", "/memories/chat", fields{"question": "Well?"}, 200); got.Status != "thinking" {
			t.Errorf("%+v", got)
		}
	}
	if took := time.Since(start); took > 2*time.Second {
		t.Errorf("five questions took %s", took)
	}
}

func TestEncacheFailedTurnIsReady(t *testing.T) {
	h := newSocketHarness(t, func(context.Context, llm.Request, func(llm.Chunk) bool) error {
		return &llm.Error{Kind: llm.Unauthorized, Model: "scripted:model"}
	})
	got := h.call(h.annT, "POST", "/memories/chat", fields{"question": "Well?", "verbose": true}, 200)
	const want = "The model's provider did not accept the key that is configured."
	if got.Status != "ready" || got.Answer == nil || *got.Answer != want {
		t.Errorf("%+v", got)
	}
	if m := h.call(h.annT, "POST", "/chats/messages", fields{"chat_id": got.ChatID}, 200).Messages[0]; !m.Ready || m.Content != want {
		t.Errorf("%+v", m)
	}
}

func TestEncacheRefusesBeforeWriting(t *testing.T) {
	h := newSocketHarness(t, sayText("", "Yes."))
	anns := h.call(h.annT, "POST", "/memories/chat", fields{"question": "Mine", "verbose": true}, 200).ChatID
	for _, body := range []any{fields{}, fields{"question": ""}, fields{"question": " "}, fields{"question": 7}, "text", nil} {
		h.call(h.bobT, "POST", "/memories/chat", body, 400)
	}
	for _, id := range []string{anns, "01JZ0000000000000000000000", "no such chat"} {
		asked := h.call(h.bobT, "POST", "/memories/chat", fields{"question": "Yours?", "chat_id": id}, 403)
		read := h.call(h.bobT, "POST", "/chats/messages", fields{"chat_id": id}, 403)
		if asked.Error != read.Error || asked.Error != "Forbidden: this chat is not yours." {
			t.Errorf("%q and %q tell a foreign chat from none", asked.Error, read.Error)
		}
	}
	h.call(h.bobT, "POST", "/chats/messages", fields{}, 400)
	h.call(h.bobT, "GET", "/chats/messages", nil, 400)
	h.fail.Store(chat.ErrStorageFull)
	h.call(h.bobT, "POST", "/memories/chat", fields{"question": "Room?"}, 507)
	h.fail.Store(nil)
	for _, header := range []http.Header{{}, {"Authorization": {"Bearer wrong"}}} {
		h.callWith(header, "POST", "/memories/chat", fields{"question": "Who am I?"}, 401)
	}
	if chats := h.chats(h.bob); len(chats) != 0 {
		t.Errorf("chats were stored: %+v", chats)
	}
	if m := h.messages(h.ann, anns); len(m) != 2 {
		t.Errorf("ann's chat has %d messages, want 2", len(m))
	}
}

func TestEncacheIdempotencyKey(t *testing.T) {
	h := newSocketHarness(t, sayText("", "Yes."))
	header := http.Header{"Authorization": {"Bearer " + h.annT}, "Idempotency-Key": {"k1"}}
	first := h.callWith(header, "POST", "/memories/chat", fields{"question": "Once"}, 200)
	again := h.callWith(header, "POST", "/memories/chat", fields{"question": "Once"}, 200)
	if first.MessageID != again.MessageID || first.ChatID != again.ChatID || len(h.chats(h.ann)) != 1 {
		t.Errorf("%+v, %+v", first, again)
	}
}

func TestEncachePages(t *testing.T) {
	h := newSocketHarness(t, func(ctx context.Context, req llm.Request, say func(llm.Chunk) bool) error {
		return sayText("", "re: "+req.Messages[len(req.Messages)-1].Text)(ctx, req, say)
	})
	chatID := ""
	for i := range 23 { // 46 messages
		body := fields{"question": fmt.Sprintf("q%02d", i)}
		if chatID != "" {
			body["chat_id"] = chatID
		}
		chatID = h.call(h.annT, "POST", "/memories/chat", body, 200).ChatID
	}
	eventually(t, "all are answered", func() bool {
		for _, m := range h.messages(h.ann, chatID) {
			if !m.Ready {
				return false
			}
		}
		return true
	})
	var seen []string
	var sizes []int
	for cursor := (*string)(nil); ; {
		page := h.call(h.annT, "POST", "/chats/messages", fields{"chat_id": chatID, "cursor": cursor}, 200)
		sizes = append(sizes, len(page.Messages))
		for _, m := range page.Messages {
			seen = append(seen, m.Content)
		}
		if cursor = page.Next; cursor == nil {
			break
		}
		if got := h.call(h.annT, "GET", "/chats/messages?limit=3&chat_id="+chatID+"&cursor="+url.QueryEscape(*cursor), nil, 200); len(got.Messages) != 3 {
			t.Errorf("a page of 3 by GET has %d", len(got.Messages))
		}
	}
	if fmt.Sprint(sizes) != "[20 20 6]" || len(seen) != 46 {
		t.Fatalf("pages of %v", sizes)
	}
	for i, content := range seen {
		want := fmt.Sprintf("q%02d", 22-i/2)
		if i%2 == 0 {
			want = "re: " + want
		}
		if content != want {
			t.Errorf("message %d is %q, want %q", i, content, want)
		}
	}
	for limit, n := range map[int]int{1: 1, 45: 45, 100: 46, 5000: 46} {
		if got := h.call(h.annT, "POST", "/chats/messages", fields{"chat_id": chatID, "limit": limit}, 200); len(got.Messages) != n {
			t.Errorf("limit %d gives %d messages, want %d", limit, len(got.Messages), n)
		}
	}
	for _, bad := range []fields{{"limit": 0}, {"limit": -1}, {"limit": "20"}, {"cursor": "garbage"}, {"cursor": 5}} {
		bad["chat_id"] = chatID
		h.call(h.annT, "POST", "/chats/messages", bad, 400)
	}
}

func TestEncacheChatList(t *testing.T) {
	h := newSocketHarness(t, sayText("", "Yes."))
	if got := h.call(h.annT, "POST", "/chats/list", nil, 200); got.Chats == nil || len(got.Chats) != 0 || got.Next != nil {
		t.Errorf("an empty list is %+v", got)
	}
	var ids []string
	for i := range 5 {
		ids = append(ids, h.call(h.annT, "POST", "/memories/chat", fields{"question": fmt.Sprint("chat ", i), "verbose": true}, 200).ChatID)
		time.Sleep(3 * time.Millisecond)
	}
	h.call(h.annT, "POST", "/memories/chat", fields{"question": "again", "chat_id": ids[1], "verbose": true}, 200)
	want := []string{ids[1], ids[4], ids[3], ids[2], ids[0]}
	var got []string
	for cursor := (*string)(nil); ; {
		page := h.call(h.annT, "POST", "/chats/list", fields{"limit": 2, "cursor": cursor}, 200)
		for _, c := range page.Chats {
			got = append(got, c.ID)
		}
		if cursor = page.Next; cursor == nil {
			break
		}
		h.call(h.bobT, "POST", "/chats/list", fields{"cursor": cursor}, 400)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("chats come as %v, want %v", got, want)
	}
	if all := h.call(h.annT, "GET", "/chats/list", nil, 200); len(all.Chats) != 5 || all.Chats[0].Title != "chat 1" {
		t.Errorf("%+v", all)
	}
}
