package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"confidant/internal/llm/modelserver"
)

// TestChatInterrupt presses Ctrl-C twice: the first cancels a hung answer, the
// second, at the prompt, quits.
func TestChatInterrupt(t *testing.T) {
	hung := make(chan struct{}, 16)
	answers := modelserver.New()
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hung <- struct{}{}
		answers.ServeHTTP(w, r)
	}))
	defer model.Close()
	self, err := exec.LookPath("confidant")
	if err != nil {
		t.Fatal(err) // TestMain puts it on the path
	}
	cmd := exec.Command(self, "chat", "--data", t.TempDir(), "--embedder=none", "--openai-base-url", model.URL+"/v1", "--openai-api-key=x", "--grace=1s")
	cmd.Env = append(os.Environ(), "CONFIDANT_CONFIG=")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	var out watched
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	say := func(text string) {
		if _, err := in.Write([]byte(text + "\n")); err != nil {
			t.Fatal(err)
		}
	}
	say("[[fault:stall]] Tell me a story")
	select {
	case <-hung:
	case <-time.After(20 * time.Second):
		t.Fatalf("the model was not asked within 20 s: %s", out.String())
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	out.waitFor(t, "cancelled")
	say("One word, please")
	out.waitFor(t, "word")
	time.Sleep(500 * time.Millisecond)
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	select {
	case err := <-done:
		if err != nil {
			t.Errorf("chat ended with %v: %s", err, out.String())
		}
	case <-time.After(20 * time.Second):
		_ = cmd.Process.Signal(syscall.SIGKILL)
		t.Fatalf("chat did not quit: %s", out.String())
	}
}

// watched is an output that a test waits on.
type watched struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

// Write implements io.Writer.
func (w *watched) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.buf.Write(p)
}

func (w *watched) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.buf.String()
}

func (w *watched) waitFor(t *testing.T, text string) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if strings.Contains(w.String(), text) {
			return
		}
	}
	t.Fatalf("%q did not come: %s", text, w.String())
}
