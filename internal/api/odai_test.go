package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"confidant/internal/chat"
	"confidant/internal/llm"
)

// odaiFrame has the fields of all of the seed's messages.
type odaiFrame struct {
	Type        string   `json:"type"`
	Delta       string   `json:"delta"`
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Response    string   `json:"response"`
	Prompts     []string `json:"prompts"`
	Code        string   `json:"code"`
	Message     string   `json:"message"`
	Output      struct {
		Kind     string `json:"response_type"`
		Response any    `json:"response"`
	} `json:"output"`
}

func say(t *testing.T, conn *websocket.Conn, frame string) {
	t.Helper()
	if err := conn.Write(t.Context(), websocket.MessageText, []byte(frame)); err != nil {
		t.Fatal(err)
	}
}

func prompt(t *testing.T, conn *websocket.Conn, text string) {
	t.Helper()
	frame, err := json.Marshal(map[string]string{"message": text, "thread_id": "t1"})
	if err != nil {
		t.Fatal(err)
	}
	say(t, conn, string(frame))
}

// hear reads one frame within a time that is long for a test.
func hear(t *testing.T, conn *websocket.Conn) odaiFrame {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	_, data, err := conn.Read(ctx)
	if err != nil {
		t.Fatalf("read a frame: %v", err)
	}
	var f odaiFrame
	if err := json.Unmarshal(data, &f); err != nil {
		t.Fatalf("frame %s: %v", data, err)
	}
	return f
}

// hearUntil reads frames up to the first of a type.
func hearUntil(t *testing.T, conn *websocket.Conn, kind string) []odaiFrame {
	t.Helper()
	var frames []odaiFrame
	for {
		f := hear(t, conn)
		if frames = append(frames, f); f.Type == kind {
			return frames
		}
	}
}

// kinds are the types of frames in their order, repetitions as one.
func kinds(frames []odaiFrame) string {
	var list []string
	for _, f := range frames {
		if len(list) == 0 || list[len(list)-1] != f.Type {
			list = append(list, f.Type)
		}
	}
	return strings.Join(list, " ")
}

func closeError(t *testing.T, conn *websocket.Conn) websocket.CloseError {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for {
		_, _, err := conn.Read(ctx)
		if closed, ok := errors.AsType[websocket.CloseError](err); ok {
			return closed
		}
		if err != nil {
			t.Fatalf("the socket ended without a close frame: %v", err)
		}
	}
}

func TestODAIAnswersWithTool(t *testing.T) {
	h := newSocketHarness(t, callThen("addNumbers", `{"a":42,"b":58}`, sayText(" ", "The sum is 100.")))
	conn := h.dial("/chats/my-chat?token=" + h.annT)
	prompt(t, conn, "What is 42 + 58?")
	frames := hearUntil(t, conn, "suggested_prompts")
	if got := kinds(frames); got != "tool_call tool_output raw_response_event llm_response end_of_stream suggested_prompts" {
		t.Fatalf("frames came as %s", got)
	}
	deltas := ""
	for _, f := range frames {
		deltas += f.Delta
	}
	n := len(frames)
	if frames[0].Description != "Adding numbers..." || frames[1].Output.Kind != "addNumbers" || frames[1].Output.Response != 100.0 ||
		deltas != "The sum is 100." || frames[n-3].Response != deltas || frames[n-1].Prompts[0] != "Go on" {
		t.Errorf("frames hold the wrong values: %+v", frames)
	}
	if m := h.messages(h.ann, "my-chat"); len(m) != 2 || m[0].Content != "The sum is 100." || m[1].Content != "What is 42 + 58?" {
		t.Errorf("stored: %+v", m)
	}
	// The chat is resumed by its id, from another connection, with raw text.
	conn.CloseNow()
	conn = h.dial("/chats/my-chat?token=" + h.annT)
	say(t, conn, "And again?")
	hearUntil(t, conn, "end_of_stream")
	if m := h.messages(h.ann, "my-chat"); len(m) != 4 || m[1].Content != "And again?" {
		t.Errorf("stored after resuming: %+v", m)
	}
}

func TestODAISilentTool(t *testing.T) {
	h := newSocketHarness(t, callThen("store_location", `{}`, sayText("", "Noted.")))
	conn := h.dial("/chats/c?token=" + h.annT)
	prompt(t, conn, "I am home")
	if got := kinds(hearUntil(t, conn, "end_of_stream")); got != "raw_response_event llm_response end_of_stream" {
		t.Errorf("frames came as %s", got)
	}
}

func TestODAIAnswersPromptsInOrder(t *testing.T) {
	h := newSocketHarness(t, func(ctx context.Context, req llm.Request, say func(llm.Chunk) bool) error {
		return sayText(" ", "You said: "+req.Messages[len(req.Messages)-1].Text)(ctx, req, say)
	})
	conn := h.dial("/chats/c?token=" + h.annT)
	const n = 6
	for i := range n {
		if i == 3 {
			say(t, conn, `{"message":" "}`) // refused, and still answered in its place
			continue
		}
		prompt(t, conn, fmt.Sprintf("prompt %d", i))
	}
	for i := range n {
		frames := hearUntil(t, conn, "end_of_stream")
		last := frames[len(frames)-2]
		if i == 3 {
			if last.Type != "error" || last.Code != "invalid_request" {
				t.Errorf("an empty prompt got %+v", last)
			}
			continue
		}
		if want := fmt.Sprintf("You said: prompt %d", i); last.Response != want {
			t.Errorf("answer %d is %q, want %q", i, last.Response, want)
		}
	}
}

func TestODAICancel(t *testing.T) {
	h := newSocketHarness(t, hang("Once upon a time"))
	conn := h.dial("/chats/c?token=" + h.annT)
	say(t, conn, `{"type":"cancel"}`) // nothing runs: nothing happens
	for range 2 {
		prompt(t, conn, "Tell me a story")
		hearUntil(t, conn, "raw_response_event")
		start := time.Now()
		say(t, conn, `{"type":"cancel"}`)
		frames := hearUntil(t, conn, "end_of_stream")
		if took := time.Since(start); took > time.Second {
			t.Errorf("cancelling took %s", took)
		}
		if got := kinds(frames); got != "llm_response end_of_stream" || frames[0].Response != "Once upon a time" {
			t.Errorf("frames came as %s: %+v", got, frames)
		}
	}
	eventually(t, "both answers are stored as cancelled", func() bool {
		m := h.messages(h.ann, "c")
		return len(m) == 4 && m[0].State == chat.MessageCancelled && m[2].State == chat.MessageCancelled
	})
}

// A cancel right behind a prompt is for that prompt, whether or not its turn
// runs already and whether or not the one before is being put away.
func TestODAICancelRightBehindPrompt(t *testing.T) {
	h := newSocketHarness(t, func(ctx context.Context, req llm.Request, say func(llm.Chunk) bool) error {
		if req.Messages[len(req.Messages)-1].Text == "short" {
			return sayText("", "Done.")(ctx, req, say)
		}
		return hang("")(ctx, req, say)
	})
	conn := h.dial("/chats/c?token=" + h.annT)
	for range 20 {
		prompt(t, conn, "short")
		hearUntil(t, conn, "end_of_stream") // its suggestions are still to come
		prompt(t, conn, "long")
		say(t, conn, `{"type":"cancel"}`)
		hearUntil(t, conn, "end_of_stream")
	}
	for _, m := range h.messages(h.ann, "c") {
		if m.Role == chat.RoleAssistant && (m.State == chat.MessageOK) != (m.Content == "Done.") {
			t.Fatalf("the wrong turn was cancelled: %+v", m)
		}
	}
}

func TestODAIModelFails(t *testing.T) {
	h := newSocketHarness(t, func(context.Context, llm.Request, func(llm.Chunk) bool) error {
		return &llm.Error{Kind: llm.Unauthorized, Model: "scripted:model", Status: 401, Err: errors.New("no such key")}
	})
	conn := h.dial("/chats/c?token=" + h.annT)
	prompt(t, conn, "Hello?")
	frames := hearUntil(t, conn, "end_of_stream")
	if len(frames) != 2 || frames[0].Type != "error" || frames[0].Code != "model_failed" || frames[0].Message == "" {
		t.Errorf("got %+v", frames)
	}
	if strings.Contains(frames[0].Message, "no such key") {
		t.Error("the provider's own words reached the client")
	}
}

func TestODAIForeignChat(t *testing.T) {
	h := newSocketHarness(t, sayText("", "Yes."))
	anns := h.dial("/chats/private?token=" + h.annT)
	prompt(t, anns, "A secret")
	hearUntil(t, anns, "end_of_stream")
	bobs := h.dial("/chats/private?token=" + h.bobT)
	prompt(t, bobs, "What is it?")
	frames := hearUntil(t, bobs, "end_of_stream")
	if len(frames) != 2 || frames[0].Type != "error" || frames[0].Code != "forbidden" {
		t.Errorf("got %+v", frames)
	}
	if n := len(h.messages(h.ann, "private")); n != 2 {
		t.Errorf("the chat has %d messages, want 2", n)
	}
}

func TestODAIStorageFull(t *testing.T) {
	h := newSocketHarness(t, sayText("", "Yes."))
	h.fail.Store(chat.ErrStorageFull)
	conn := h.dial("/chats/c?token=" + h.annT)
	prompt(t, conn, "Hello?")
	if frames := hearUntil(t, conn, "end_of_stream"); frames[0].Code != "storage_full" {
		t.Errorf("got %+v", frames)
	}
	h.fail.Store(nil)
	prompt(t, conn, "And now?")
	if frames := hearUntil(t, conn, "end_of_stream"); kinds(frames) != "raw_response_event llm_response end_of_stream" {
		t.Errorf("the socket is of no more use: %+v", frames)
	}
}

func TestODAIDisconnectDoesNotStopTurn(t *testing.T) {
	release := make(chan struct{})
	h := newSocketHarness(t, func(_ context.Context, _ llm.Request, say func(llm.Chunk) bool) error {
		say(llm.TextDelta{Text: "First, "})
		<-release
		say(llm.TextDelta{Text: "last."})
		say(llm.Done{Stop: llm.StopEnd})
		return nil
	})
	conn := h.dial("/chats/c?token=" + h.annT)
	prompt(t, conn, "Go on without me")
	hearUntil(t, conn, "raw_response_event")
	conn.CloseNow()
	close(release)
	eventually(t, "the answer is stored", func() bool {
		m := h.messages(h.ann, "c")
		return m[0].Ready && m[0].State == chat.MessageOK && m[0].Content == "First, last."
	})
}

func TestODAIServerStops(t *testing.T) {
	h := newSocketHarness(t, hang("Once"))
	conn := h.dial("/chats/c?token=" + h.annT)
	prompt(t, conn, "Tell me a story")
	hearUntil(t, conn, "raw_response_event")
	h.stop()
	frames := hearUntil(t, conn, "end_of_stream")
	if got := frames[len(frames)-2]; got.Type != "error" || got.Code != "unavailable" {
		t.Errorf("got %+v", frames)
	}
	if closed := closeError(t, conn); closed.Code != websocket.StatusServiceRestart || closed.Reason == "" {
		t.Errorf("closed with %v", closed)
	}
}
