package api

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"confidant/internal/chat"
	"confidant/internal/llm"
	"confidant/internal/tool/arithmetic"
)

// o3Read reads a stream as the seed's client does: blocks between blank lines,
// each with the prefix "data: ".
func o3Read(t *testing.T, stream io.Reader) []map[string]any {
	t.Helper()
	data, err := io.ReadAll(stream)
	if err != nil {
		t.Fatal(err)
	}
	var events []map[string]any
	for block := range strings.SplitSeq(strings.TrimSuffix(string(data), "\n\n"), "\n\n") {
		text, ok := strings.CutPrefix(block, "data: ")
		var event map[string]any
		if err := json.Unmarshal([]byte(text), &event); !ok || err != nil {
			t.Fatalf("block %q: %v", block, err)
		}
		events = append(events, event)
	}
	return events
}

func o3Types(events []map[string]any) string {
	var types []string
	for _, e := range events {
		types = append(types, e["type"].(string))
	}
	return strings.Join(types, " ")
}

func TestO3Conversation(t *testing.T) {
	model := &script{steps: [][]any{asks("addNumbers", `{"a":42,"b":58}`), says("42 + 58", " = 100."), says("You asked for a sum.")}}
	h := newHarness(t, model, arithmetic.AddNumbers{})
	res := h.do(t, t.Context(), "POST", "/api/chat/stream", h.Token, `{"message":" What is 42 + 58? ","userId":"ignored"}`)
	if res.StatusCode != http.StatusOK || res.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("status %d, type %s", res.StatusCode, res.Header.Get("Content-Type"))
	}
	events := o3Read(t, res.Body)
	want := "message-start reasoning-started reasoning-delta reasoning-end function_calls_to_execute function_call_result content content message-end"
	if got := o3Types(events); got != want {
		t.Fatalf("got  %s\nwant %s", got, want)
	}
	chatID := res.Header.Get("X-Chat-Id")
	if chatID == "" || events[0]["chatId"] != chatID || events[0]["id"] != events[8]["id"] {
		t.Errorf("header %q, start %v, end %v", chatID, events[0], events[8])
	}
	call := events[4]["functionCallsToExecute"].([]any)[0].(map[string]any)
	if call["id"] != "call_1" || call["name"] != "addNumbers" || call["arguments"].(map[string]any)["a"] != 42.0 {
		t.Errorf("call %v", call)
	}
	if events[5]["id"] != "call_1" || events[5]["result"] != 100.0 {
		t.Errorf("result %v", events[5])
	}

	// The chat goes on, on the other path, and the model knows what was said.
	res = h.do(t, t.Context(), "POST", "/chat/stream-text", h.Token, `{"message":"What did I ask?","chatId":"`+chatID+`"}`)
	if events := o3Read(t, res.Body); o3Types(events) != "message-start content message-end" || events[0]["chatId"] != chatID {
		t.Errorf("second answer: %v", events)
	}
	var heard []string
	for _, m := range model.requests()[2].Messages {
		heard = append(heard, m.Text)
	}
	if got := strings.Join(heard, "|"); got != "What is 42 + 58?|42 + 58 = 100.|What did I ask?" {
		t.Errorf("the model heard %s", got)
	}
	for _, c := range []struct {
		token, chatID string
		status        int
		body          string
	}{
		{h.OtherToken, chatID, 403, `{"error":"Access denied"}`},
		{h.Token, "01NOSUCHCHAT", 404, `{"error":"Chat not found"}`},
	} {
		status, body := h.sendAs(t, c.token, "POST", "/api/chat/stream", fmt.Sprintf(`{"message":"hi","chatId":%q}`, c.chatID))
		if status != c.status || strings.TrimSpace(body) != c.body {
			t.Errorf("chat %s: %d %s", c.chatID, status, body)
		}
	}
}

func TestO3Refusals(t *testing.T) {
	h := newHarness(t, &script{})
	body := func(text string) string { return `{"message":"` + text + `"}` }
	h.refusals(t, "/api/chat/stream", body, func(t *testing.T, name string, _ int, answer string) {
		want := map[string]string{"no token": "Missing authorization header", "blank": "Message is required"}[name]
		if want == "" && strings.Contains(name, "token") {
			want = "Invalid or expired token"
		}
		var got map[string]string
		if err := json.Unmarshal([]byte(answer), &got); err != nil || got["error"] == "" || want != "" && got["error"] != want {
			t.Errorf("answer %s, want %s", answer, want)
		}
	})
}

func TestO3FailureEndsTheStream(t *testing.T) {
	h := newHarness(t, &script{steps: [][]any{breaks("I have")}})
	_, body := h.send(t, "POST", "/api/chat/stream", `{"message":"hi"}`)
	events := o3Read(t, strings.NewReader(body))
	last := events[len(events)-1]
	if o3Types(events) != "message-start content error" || last["error"] != "Failed to generate response" || last["details"] == "" {
		t.Errorf("events %v", events)
	}
	if strings.Contains(body, "secret") {
		t.Errorf("the provider's reason is shown: %s", body)
	}
}

func TestO3StopEndsTheStream(t *testing.T) {
	h := newHarness(t, &script{steps: [][]any{{llm.TextDelta{Text: "One"}, (<-chan struct{})(make(chan struct{}))}}})
	res := h.do(t, t.Context(), "POST", "/api/chat/stream", h.Token, `{"message":"hi"}`)
	lines := bufio.NewReader(res.Body)
	for text := ""; !strings.Contains(text, "content"); {
		var err error
		if text, err = lines.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	h.Stop()
	rest, err := io.ReadAll(lines)
	if err != nil || !strings.Contains(string(rest), `"type":"error"`) {
		t.Errorf("after the stop: %q, %v", rest, err)
	}
}

// A client that leaves does not stop its turn.
func TestO3Disconnect(t *testing.T) {
	more := make(chan struct{})
	h := newHarness(t, &script{steps: [][]any{append([]any{llm.TextDelta{Text: "One"}, (<-chan struct{})(more)}, says(" two.")...)}})
	ctx, leave := context.WithCancel(t.Context())
	res := h.do(t, ctx, "POST", "/api/chat/stream", h.Token, `{"message":"hi"}`)
	if _, err := bufio.NewReader(res.Body).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	leave()
	close(more)
	if m := h.answer(t, res.Header.Get("X-Chat-Id")); m.Content != "One two." || m.State != chat.MessageOK {
		t.Errorf("stored %+v", m)
	}
}
