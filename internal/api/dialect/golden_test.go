package dialect

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"confidant/internal/chat"
)

var update = flag.Bool("update", false, "write the bytes that the encoders produce now into the golden files")

// golden runs the conversations under testdata/NAME. Each archive holds the
// events of a turn, one JSON object a line in events.jsonl, and in want the bytes
// that a client receives.
func golden(t *testing.T, name string, encoder func(chat.Turn) Encoder) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", name, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden conversations for %s: %v", name, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := encodeAll(t, section(t, archive, "events.jsonl"), encoder)
			if *update {
				setSection(archive, "want", got)
				if err := os.WriteFile(file, txtar.Format(archive), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			// txtar ends every section with a line break.
			if want := section(t, archive, "want"); !bytes.Equal(bytes.TrimRight(got, "\n"), bytes.TrimRight(want, "\n")) {
				t.Errorf("encoded bytes differ (run with -update to accept)\n got: %s\nwant: %s", got, want)
			}
			// No format but the native one has a word for the route.
			if name != "native" {
				first, rest, _ := bytes.Cut(section(t, archive, "events.jsonl"), []byte("\n"))
				routed := slices.Concat(first, []byte("\n"+routeChosen+"\n"), rest)
				if with := encodeAll(t, routed, encoder); !bytes.Equal(with, got) {
					t.Errorf("the route changes the bytes\n got: %s\nwant: %s", with, got)
				}
			}
		})
	}
}

const routeChosen = `{"seq": 1, "turn_id": "01TURN", "at": "2026-01-02T03:04:05.678Z", "agent": "Confidant", "type": "route.chosen", "route": "direct", "by": "rules"}`

// encodeAll encodes events until the encoder says that it is done. The turn's
// ids are those that turn.started carries.
func encodeAll(t *testing.T, lines []byte, encoder func(chat.Turn) Encoder) []byte {
	t.Helper()
	var events []chat.Event
	for line := range bytes.Lines(bytes.TrimSpace(lines)) {
		var e chat.Event
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
	}
	started, ok := events[0].Body.(chat.TurnStarted)
	if !ok {
		t.Fatalf("the first event is %s, want turn.started", events[0].Body.Type())
	}
	enc := encoder(chat.Turn{
		ID: events[0].TurnID, ChatID: started.ChatID, MessageID: started.MessageID, AnswerID: started.AnswerID, CreatedAt: events[0].At,
	})
	var out []byte
	for _, e := range events {
		frame, done := enc.Encode(e)
		out = append(out, frame...)
		if done {
			return out
		}
	}
	t.Fatal("the encoder was never done: a client would wait for ever")
	return nil
}

func section(t *testing.T, a *txtar.Archive, name string) []byte {
	t.Helper()
	for _, f := range a.Files {
		if f.Name == name {
			return f.Data
		}
	}
	t.Fatalf("the archive has no %s", name)
	return nil
}

func setSection(a *txtar.Archive, name string, data []byte) {
	for i := range a.Files {
		if a.Files[i].Name == name {
			a.Files[i].Data = data
			return
		}
	}
	a.Files = append(a.Files, txtar.File{Name: name, Data: data})
}
