package llmtest

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"confidant/internal/llm"
)

var update = flag.Bool("update", false, "write the recorded conversations anew")

// Golden plays the recorded conversations that match the pattern. Each is a
// txtar archive of four files:
//
//	ask       the llm.Request, as JSON
//	request   the body that the provider must be sent, as JSON
//	response  the bytes that it answers with
//	chunks    what Stream must yield, a line each
//
// With -update the files request and chunks are written anew.
func Golden(t *testing.T, pattern string, start func(t *testing.T, url string) llm.Model) {
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("%s matches no recorded conversation: %v", pattern, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { replay(t, file, start) })
	}
}

func replay(t *testing.T, path string, start func(t *testing.T, url string) llm.Model) {
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]*txtar.File{}
	for i := range archive.Files {
		files[archive.Files[i].Name] = &archive.Files[i]
	}
	for _, name := range []string{"ask", "request", "response", "chunks"} {
		if files[name] == nil {
			t.Fatalf("%s has no file %s", path, name)
		}
	}
	var req llm.Request
	if err := json.Unmarshal(files["ask"].Data, &req); err != nil {
		t.Fatalf("read the question: %v", err)
	}
	var sent []byte
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent, _ = io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write(files["response"].Data)
	}))
	defer server.Close()

	chunks := render(start(t, server.URL), t, req)
	if *update {
		var pretty bytes.Buffer
		if err := json.Indent(&pretty, sent, "", "  "); err != nil {
			t.Fatalf("indent the request %q: %v", sent, err)
		}
		files["request"].Data, files["chunks"].Data = append(bytes.TrimSpace(pretty.Bytes()), '\n'), []byte(chunks)
		if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !equalJSON(sent, files["request"].Data) {
		t.Errorf("sent\n%s\nwant\n%s", sent, files["request"].Data)
	}
	if want := string(files["chunks"].Data); chunks != want {
		t.Errorf("got\n%s\nwant\n%s", chunks, want)
	}
}

// render writes what a stream yields, a line for each chunk.
func render(m llm.Model, t *testing.T, req llm.Request) string {
	var b strings.Builder
	for chunk, err := range m.Stream(t.Context(), req) {
		switch c := chunk.(type) {
		case nil:
			fmt.Fprintf(&b, "error %v\n", err)
		case llm.ReasoningStarted:
			b.WriteString("reasoning started\n")
		case llm.ReasoningDelta:
			fmt.Fprintf(&b, "reasoning %q\n", c.Text)
		case llm.ReasoningEnded:
			b.WriteString("reasoning ended\n")
		case llm.TextDelta:
			fmt.Fprintf(&b, "text %q\n", c.Text)
		case llm.ToolCall:
			fmt.Fprintf(&b, "call %s %s %s\n", c.ID, c.Name, c.Arguments)
		case llm.Done:
			fmt.Fprintf(&b, "done %s, %d tokens in, %d of them cached, %d out, %d in all\n",
				c.Stop, c.Usage.Input, c.Usage.Cached, c.Usage.Output, c.Usage.Total)
			if c.State != nil {
				fmt.Fprintf(&b, "state %s\n", c.State)
			}
		}
	}
	return madeUp.ReplaceAllString(b.String(), llm.MadeUpID+"RANDOM")
}

var madeUp = regexp.MustCompile(llm.MadeUpID + `[A-Z2-7]+`)

// equalJSON compares two JSON values.
func equalJSON(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}
