package api_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
)

func TestSocketRefused(t *testing.T) {
	h := newSocketHarness(t, sayText("", "Yes."))
	for _, tc := range []struct{ path, reason string }{
		{"/chats/c", "No token provided"},
		{"/chats/c?token=", "No token provided"},
		{"/chats/c?token=wrong", "Invalid or expired token"},
		{"/chats/c?token=" + h.annT + "x", "Invalid or expired token"},
	} {
		conn := h.dial(tc.path)
		if got := closeError(t, conn); got.Code != websocket.StatusPolicyViolation || got.Reason != tc.reason {
			t.Errorf("%s: closed with %v, want 1008 and %q", tc.path, got, tc.reason)
		}
	}
}

// A page of another site must not use the cookie of ours.
func TestSocketCookieOfAnotherSite(t *testing.T) {
	h := newSocketHarness(t, sayText("", "Yes."))
	url := "ws" + strings.TrimPrefix(h.server.URL, "http") + "/chats/c"
	for origin, open := range map[string]bool{"https://evil.example": false, h.server.URL: true} {
		conn, response, err := websocket.Dial(t.Context(), url, &websocket.DialOptions{
			HTTPHeader: http.Header{"Origin": {origin}, "Cookie": {"confidant_session=" + h.annT}},
		})
		if (err == nil) != open {
			t.Errorf("from %s: %v, want open %v", origin, err, open)
		}
		if err == nil {
			conn.CloseNow()
		} else if response.StatusCode != http.StatusForbidden {
			t.Errorf("from %s: status %d, want 403", origin, response.StatusCode)
		}
	}
}

func TestSocketFrameOverLimit(t *testing.T) {
	h := newSocketHarness(t, sayText("", "Yes."))
	conn := h.dial("/chats/c?token=" + h.annT)
	say(t, conn, strings.Repeat("x", 64<<10)) // as large as may be
	hearUntil(t, conn, "end_of_stream")
	// A client writes all of it before it reads why it was too much.
	say(t, conn, strings.Repeat("x", 4<<20))
	closed := closeError(t, conn)
	if closed.Code != websocket.StatusMessageTooBig || closed.Reason != "The frame is over the limit of 65536 bytes (frame_bytes)." {
		t.Errorf("closed with %v", closed)
	}
	if n := len(h.messages(h.ann, "c")); n != 2 {
		t.Errorf("%d messages are stored, want 2", n)
	}
}

func TestSocketInvalidUTF8(t *testing.T) {
	h := newSocketHarness(t, sayText("", "Yes."))
	conn := h.dial("/chats/c?token=" + h.annT)
	say(t, conn, "{\"message\":\"\xff\"}")
	if f := hear(t, conn); f.Type != "error" || f.Code != "invalid_request" || !strings.Contains(f.Message, "UTF-8") {
		t.Errorf("got %+v", f)
	}
	if chats := h.chats(h.ann); len(chats) != 0 {
		t.Errorf("a chat was stored: %+v", chats)
	}
	prompt(t, conn, "Hello")
	hearUntil(t, conn, "end_of_stream")
}

func TestSocketQueueLimit(t *testing.T) {
	h := newSocketHarness(t, hang("x"))
	conn := h.dial("/chats/c?token=" + h.annT)
	for i := range 33 {
		prompt(t, conn, fmt.Sprint(i))
	}
	for {
		f := hear(t, conn)
		if f.Type == "error" {
			if f.Code != "rate_limited" || !strings.Contains(f.Message, "32") || !strings.Contains(f.Message, "queued_prompts") {
				t.Errorf("got %+v", f)
			}
			break
		}
	}
	for range 32 { // each cancel is for the oldest that has not ended
		say(t, conn, `{"type":"cancel"}`)
		hearUntil(t, conn, "end_of_stream")
	}
	if n := len(h.messages(h.ann, "c")); n != 64 {
		t.Errorf("%d messages are stored, want 64", n)
	}
}

func TestSocketIsPinged(t *testing.T) {
	h := newSocketHarness(t, sayText("", "Yes."))
	pinged := make(chan struct{}, 16)
	conn, _, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(h.server.URL, "http")+"/chats/c?token="+h.annT, &websocket.DialOptions{
		OnPingReceived: func(context.Context, []byte) bool {
			select {
			case pinged <- struct{}{}:
			default:
			}
			return true
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow()
	conn.CloseRead(t.Context())
	for range 3 {
		select {
		case <-pinged:
		case <-time.After(5 * time.Second):
			t.Fatal("no ping came")
		}
	}
}

// A client that stops in the middle of an oversized frame does not keep its
// connection for good.
func TestSocketStalledGoodbye(t *testing.T) {
	h := newSocketHarness(t, sayText("", "Yes."))
	conn, err := net.Dial("tcp", h.server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "GET /chats/c?token=%s HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n", h.annT)
	// A masked text frame that announces 1 GiB and sends 100 KiB.
	if _, err := conn.Write(append([]byte{0x81, 0xff, 0, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0}, make([]byte, 100<<10)...)); err != nil {
		t.Fatal(err)
	}
	if err := conn.SetReadDeadline(time.Now().Add(9 * time.Second)); err != nil {
		t.Fatal(err)
	}
	for buffer := make([]byte, 4096); err == nil; {
		_, err = conn.Read(buffer)
	}
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		t.Error("the server keeps the connection")
	}
}

// A client that does not read slows no turn.
func TestSocketSlowClient(t *testing.T) {
	h := newSocketHarness(t, sayText(".", strings.Repeat(strings.Repeat("x ", 1<<10)+".", 256))) // 512 KiB
	conn := h.dial("/chats/c?token=" + h.annT)
	prompt(t, conn, "Tell me everything")
	eventually(t, "the answer is stored", func() bool {
		chats := h.chats(h.ann)
		return len(chats) == 1 && h.messages(h.ann, "c")[0].Ready
	})
	frames := hearUntil(t, conn, "end_of_stream")
	if n := len(frames[len(frames)-2].Response); n < 512<<10 {
		t.Errorf("the slow client got an answer of %d bytes", n)
	}
}
