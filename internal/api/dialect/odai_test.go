package dialect

import (
	"bytes"
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"confidant/internal/chat"
)

func odaiOpen() Session {
	return odai().Sockets[0].Open(Request{
		User:   chat.User{ID: "u1", Name: "ann"},
		Value:  func(name string) string { return map[string]string{"chat_id": "chat-7"}[name] },
		Header: func(string) string { return "" },
		Query:  url.Values{},
	})
}

func TestODAIGolden(t *testing.T) {
	golden(t, "odai", odaiOpen().Encoder)
}

func TestODAIRead(t *testing.T) {
	for _, tc := range []struct {
		name, frame, prompt string
		cancel              bool
	}{
		{name: "object", frame: `{"message":"What is new?","thread_id":"t-1"}`, prompt: "What is new?"},
		{name: "object without thread", frame: ` {"message":"a\nb"} `, prompt: "a\nb"},
		{name: "raw text", frame: "What is new?", prompt: "What is new?"},
		{name: "raw text, verbatim", frame: "  two\nlines \n", prompt: "  two\nlines \n"},
		{name: "another object", frame: `{"msg":"x"}`, prompt: `{"msg":"x"}`},
		{name: "message is no string", frame: `{"message":5}`, prompt: `{"message":5}`},
		{name: "message is null", frame: `{"message":null}`, prompt: `{"message":null}`},
		{name: "array", frame: `[1]`, prompt: `[1]`},
		{name: "number", frame: `42`, prompt: `42`},
		{name: "null", frame: `null`, prompt: `null`},
		{name: "half an object", frame: `{"message":"x"`, prompt: `{"message":"x"`},
		{name: "empty message", frame: `{"message":""}`, prompt: ""},
		{name: "empty", frame: "", prompt: ""},
		{name: "cancel", frame: `{"type":"cancel"}`, cancel: true},
		{name: "a message is never a cancel", frame: `{"type":"cancel","message":"stop the bus"}`, prompt: "stop the bus"},
		{name: "unicode", frame: `{"message":"\ud83d\ude00 Grüße"}`, prompt: "😀 Grüße"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := odaiOpen().Read([]byte(tc.frame))
			if err != nil {
				t.Fatal(err)
			}
			if got.Cancel != tc.cancel || got.Ask.Text != tc.prompt {
				t.Errorf("got %q, cancel %v; want %q, %v", got.Ask.Text, got.Cancel, tc.prompt, tc.cancel)
			}
			if !tc.cancel && (got.Ask.UserID != "u1" || got.Ask.ChatID != "chat-7" || !got.Ask.CreateChat) {
				t.Errorf("the ask is not for the chat of the URL: %+v", got.Ask)
			}
		})
	}
}

func TestODAIFail(t *testing.T) {
	const refused = `{"type":"error","code":"forbidden","message":"This belongs to somebody else.","current_agent":"Confidant"}` + "\n"
	session := odaiOpen()
	if got := string(session.Fail(chat.ErrForbidden)); got != refused {
		t.Errorf("error of no prompt: %s", got)
	}
	encoder := session.Encoder(chat.Turn{})
	if got := string(encoder.Fail(chat.ErrForbidden)); got != refused+odaiEnd {
		t.Errorf("refused prompt: %s", got)
	}
	if got := encoder.Fail(chat.ErrUnavailable); got != nil {
		t.Errorf("a stream that has ended fails with %s, want nothing", got)
	}
}

func TestODAIRefused(t *testing.T) {
	refused := odai().Sockets[0].Refused
	if got := refused(ErrNoToken); got != "No token provided" {
		t.Errorf("missing token: %q", got)
	}
	if got := refused(chat.Fail(chat.CodeUnauthenticated, "Invalid or expired token")); got != "Invalid or expired token" {
		t.Errorf("wrong token: %q", got)
	}
}

func TestODAISnake(t *testing.T) {
	for name, want := range map[string]string{
		"AccuWeather": "accuweather", "Google Calendar": "google_calendar", "Web-Search 2": "web_search_2", "Zürich": "z_rich", "": "",
	} {
		if got := odaiSnake(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

// FuzzODAIRead checks that every frame is a cancel or a prompt, and that text
// which is no JSON object is the prompt as it came.
func FuzzODAIRead(f *testing.F) {
	for _, seed := range []string{
		`{"message":"hi","thread_id":"t"}`, `{"type":"cancel"}`, `{"type":"cancel","message":"x"}`, "plain", "", "null", "[]", "{",
		`{"message":{"a":1}}`, `{"message":"\u0000"}`, "\xff\xfe", `{"message":"\ud800"}`, strings.Repeat("[", 20000),
	} {
		f.Add([]byte(seed))
	}
	session := odaiOpen()
	f.Fuzz(func(t *testing.T, frame []byte) {
		got, err := session.Read(frame)
		if err != nil {
			t.Fatalf("refused %q: %v", frame, err)
		}
		if got.Cancel && got.Ask.Text != "" {
			t.Fatal("both a cancel and a prompt")
		}
		if !bytes.HasPrefix(bytes.TrimSpace(frame), []byte("{")) && got.Ask.Text != string(frame) {
			t.Fatalf("%q became %q", frame, got.Ask.Text)
		}
	})
}

// FuzzODAIEncode checks that whatever a model or a tool says becomes whole
// frames, one a line, each a JSON object with a type.
func FuzzODAIEncode(f *testing.F) {
	f.Add("Hello", "addNumbers", "Adding", `{"a":1}`)
	f.Add("line\nbreak\u2028", "", "…", "null")
	f.Add("\xff", "t\"", "a\r\nb", `"x\u2028"`)
	f.Add("<b>", "é", "...", "[1,\n2]")
	f.Fuzz(func(t *testing.T, text, name, label, result string) {
		if !json.Valid([]byte(result)) {
			result = "null" // the log holds nothing else
		}
		encoder := odaiOpen().Encoder(chat.Turn{})
		var out []byte
		for i, body := range []chat.Body{
			chat.ToolCalled{CallID: "c", Name: name, Label: &label},
			chat.ToolFinished{CallID: "c", Name: name, Result: json.RawMessage(result), Display: true},
			chat.AgentChanged{Name: name}, chat.TextDelta{Delta: text},
			chat.TextFinished{Text: text}, chat.TurnFinished{}, chat.Suggestions{FollowUps: []string{text}}, chat.TurnClosed{},
		} {
			frames, _ := encoder.Encode(chat.Event{Seq: int64(i + 1), Agent: name, Body: body})
			out = append(out, frames...)
		}
		n := 0
		for line := range bytes.Lines(out) {
			var frame struct{ Type, Response string }
			if err := json.Unmarshal(line, &frame); err != nil || frame.Type == "" {
				t.Fatalf("frame %q: %v", line, err)
			}
			if frame.Type == "llm_response" && utf8.ValidString(text) && frame.Response != text {
				t.Fatalf("llm_response has %q, want %q", frame.Response, text)
			}
			n++
		}
		if n < 6 || n > 8 {
			t.Fatalf("%d frames: %s", n, out)
		}
	})
}
