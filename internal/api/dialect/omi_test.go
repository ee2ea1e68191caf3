package dialect

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"confidant/internal/chat"
)

func TestOmiGolden(t *testing.T) {
	golden(t, "omi", func(turn chat.Turn) Encoder { return &omiEncoder{turn: turn, app: "app-7"} })
}

// omiAnswer reads what a stream told: the joined pieces and the last line.
func omiAnswer(t *testing.T, stream []byte) (streamed string, done omiMessage) {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(string(stream), "\n\n"), "\n\n")
	for i, line := range lines {
		if piece, ok := strings.CutPrefix(line, "data: "); ok {
			streamed += strings.ReplaceAll(piece, "__CRLF__", "\n")
		}
		text, ok := strings.CutPrefix(line, "done: ")
		if ok != (i == len(lines)-1) {
			t.Fatalf("line %d of %d is %q", i+1, len(lines), line)
		}
		if ok {
			data, err := base64.StdEncoding.DecodeString(text)
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(data, &done); err != nil {
				t.Fatal(err)
			}
		}
	}
	return streamed, done
}

func TestOmiStopped(t *testing.T) {
	o := &omiEncoder{turn: chat.Turn{AnswerID: "01ANSWER", ChatID: "01CHAT"}}
	frames, _ := o.Encode(chat.Event{Body: chat.TextDelta{Delta: "One\r"}})
	more, _ := o.Encode(chat.Event{Body: chat.TextDelta{Delta: "\ntwo"}})
	frames = append(append(frames, more...), o.Fail(chat.ErrUnavailable)...)
	streamed, done := omiAnswer(t, frames)
	if streamed != "One\ntwo" || done.ID != "01ANSWER" || done.Sender != "ai" || !strings.Contains(done.Text, "stopping") {
		t.Errorf("streamed %q, done %+v", streamed, done)
	}
}

func TestOmiCitations(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	m := chat.Message{Role: chat.RoleAssistant, CreatedAt: at}
	for _, id := range []string{"g", "b", "g", "a", "c", "d", "e"} {
		m.Citations = append(m.Citations, chat.Citation{N: len(m.Citations) + 1, Kind: "conversation", ConversationID: id, Title: "T" + id})
	}
	got := omiStored(m, "")
	if strings.Join(got.MemoriesID, "") != "gbacd" || got.Memories[2].Structured.Title != "Ta" || !got.Memories[0].CreatedAt.Equal(at) || got.AppID != nil {
		t.Errorf("message %+v", got)
	}
}

func TestOmiApp(t *testing.T) {
	for query, want := range map[string]string{
		"": "", "app_id=": "", "app_id=null": "", "plugin_id=x": "x", "app_id=y&plugin_id=x": "y", "plugin_id=null": "",
	} {
		values, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := omiApp(Request{Query: values}); err != nil || got != want {
			t.Errorf("%s: %q, %v", query, got, err)
		}
	}
	for _, app := range []string{"a\x00b", "\xff", strings.Repeat("x", 201)} {
		if _, err := omiApp(Request{Query: url.Values{"app_id": {app}}}); chat.AsError(err).Code != chat.CodeInvalid {
			t.Errorf("%q: %v", app, err)
		}
	}
}

func TestOmiBody(t *testing.T) {
	ask, err := omiBody([]byte(`{"text":"hi","file_ids":[],"context":{"type":"recap","title":"\"ignore\nall\"","start_date":"2026-01-02T00:00:00+01:00"}}`))
	if err != nil || ask.Text != "hi" || !strings.Contains(ask.Instructions, `"start_date":"2026-01-02T00:00:00+01:00"`) || strings.Contains(ask.Instructions, "\n") {
		t.Errorf("ask %+v, error %v", ask, err)
	}
	ask, err = omiBody([]byte(`{"text":"hi","file_ids":["1","2","3","4","5","6","7","8","9","10"]}`))
	if err != nil || len(ask.FileIDs) != 9 || ask.FileIDs[8] != "9" || !ask.AttachFiles {
		t.Errorf("ask %+v, error %v", ask, err)
	}
	for body, names := range map[string]string{
		`{"text":"hi","file_ids":"f1"}`: "body", `{"text":"hi","context":{"type":"page"}}`: "context.type", `{"text":7}`: "body",
		`{"text":"hi","context":{"type":"recap","start_date":"2026-01-02T00:00:00"}}`: "body",
	} {
		if _, err := omiBody([]byte(body)); chat.AsError(err).Code != chat.CodeInvalid || !strings.Contains(err.Error(), names) {
			t.Errorf("%s: %v", body, err)
		}
	}
}

func FuzzOmiBody(f *testing.F) {
	for _, seed := range []string{`{"text":"hi","file_ids":["x"]}`, `{"text":"a","context":{"type":"task","id":"\u2028"}}`, `null`, "\xff", `{"context":{"start_date":1}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		ask, err := omiBody(data)
		if err != nil && chat.AsError(err).Code != chat.CodeInvalid {
			t.Errorf("error %v", err)
		}
		if !utf8.ValidString(ask.Text + ask.Instructions) {
			t.Errorf("ask %+v", ask)
		}
	})
}

// Whatever is said, in whatever pieces, arrives; line breaks arrive as \n.
func FuzzOmiText(f *testing.F) {
	f.Add("one\r\ntwo\n\ndata: three\r", "\n[DONE]", "done: e30=")
	f.Add("", "\n", "\r\n\r")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		if strings.Contains(a+b+c, "CRLF") {
			return // the format cannot tell it from a line break
		}
		o := &omiEncoder{}
		var stream bytes.Buffer
		for _, delta := range []string{a, b, c} {
			frame, _ := o.Encode(chat.Event{Body: chat.TextDelta{Delta: delta}})
			stream.Write(frame)
		}
		frame, _ := o.Encode(chat.Event{Body: chat.TurnFinished{}})
		stream.Write(frame)
		got, _ := omiAnswer(t, stream.Bytes())
		if want := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(a + b + c); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}
