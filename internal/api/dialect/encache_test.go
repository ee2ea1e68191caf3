package dialect

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net/http"
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	"confidant/internal/chat"
)

// encacheVerbose encodes a turn as the reply to a verbose question: what the
// trace reads from the log, and the message as the engine would have stored it.
type encacheVerbose struct {
	turn    chat.Turn
	log     encacheTrace
	message chat.Message
}

func (v *encacheVerbose) Encode(e chat.Event) ([]byte, bool) {
	v.message.Ready = true
	switch b := e.Body.(type) {
	case chat.TextFinished:
		v.message.Content = b.Text
	case chat.TurnFailed:
		v.message.State, v.message.Error = chat.MessageFailed, &chat.Failure{Code: b.Code, Message: b.Message}
	case chat.TurnCancelled:
		v.message.State = chat.MessageCancelled
	}
	if !v.log.read(e) {
		return nil, false
	}
	reply := encacheReply{ChatID: v.turn.ChatID, MessageID: v.turn.AnswerID}
	return mustJSON(reply.answered(v.message, v.log)), true
}

func (v *encacheVerbose) Fail(err *chat.Error) []byte {
	_, body := encacheError(err)
	return mustJSON(body)
}

func TestEncacheGolden(t *testing.T) {
	golden(t, "encache", func(turn chat.Turn) Encoder { return &encacheVerbose{turn: turn} })
}

// encacheBackend answers a question after a time.
type encacheBackend struct {
	chat.Assistant
	after time.Duration
	asked []chat.Ask
}

func (b *encacheBackend) Ask(_ context.Context, ask chat.Ask) (chat.Turn, error) {
	b.asked = append(b.asked, ask)
	return chat.Turn{ID: "01TURN", ChatID: "01CHAT", AnswerID: "01ANSWER"}, nil
}

func (b *encacheBackend) Follow(ctx context.Context, _, _ string, _ int64) iter.Seq2[[]chat.Event, error] {
	return func(yield func([]chat.Event, error) bool) {
		select {
		case <-time.After(b.after):
			b.after = 0
			if yield([]chat.Event{{Seq: 1, Body: chat.TextFinished{Text: "Yes."}}}, nil) {
				yield([]chat.Event{{Seq: 2, Body: chat.TurnFinished{}}}, nil)
			}
		case <-ctx.Done():
			yield(nil, ctx.Err())
		}
	}
}

// encacheAnswered is the store behind it.
type encacheAnswered struct {
	allMessages
	b *encacheBackend
}

// allMessages is chat.Messages under another name: embedded under its own it
// would hide its method Messages.
type allMessages interface{ chat.Messages }

func (s encacheAnswered) Message(context.Context, string, string) (chat.Message, error) {
	return chat.Message{Content: "Yes.", Ready: s.b.after == 0}, nil
}

func encacheRequest(body string) Request {
	return Request{
		User: chat.User{ID: "u1"}, Body: []byte(body), Query: url.Values{},
		Value: func(string) string { return "" }, Header: func(string) string { return "" },
	}
}

func TestEncacheWaitsForAnswer(t *testing.T) {
	for _, tc := range []struct {
		name, body string
		answer     time.Duration
		waits      time.Duration
		want       string
	}{
		{"not verbose", `{"question":"Well?"}`, time.Second, 0, `{"chat_id":"01CHAT","message_id":"01ANSWER","status":"thinking"}`},
		{"in time", `{"question":"Well?","verbose":true}`, time.Second, time.Second,
			`{"chat_id":"01CHAT","message_id":"01ANSWER","status":"ready","answer":"Yes.","trace":[]}`},
		{"too late", `{"question":"Well?","verbose":true}`, time.Minute, encacheWait, `{"chat_id":"01CHAT","message_id":"01ANSWER","status":"thinking"}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := &encacheBackend{after: tc.answer}
				start := time.Now()
				reply, err := encacheAsk(encacheWait)(t.Context(), Backend{Assistant: b, Messages: encacheAnswered{b: b}}, encacheRequest(tc.body))
				if err != nil {
					t.Fatal(err)
				}
				if got := string(mustJSON(reply.Body)); got != tc.want || time.Since(start) != tc.waits {
					t.Errorf("after %s, want %s:\n got %s\nwant %s", time.Since(start), tc.waits, got, tc.want)
				}
			})
		})
	}
}

func TestEncacheRefusesBeforeAsking(t *testing.T) {
	for _, body := range []string{
		``, `{}`, `null`, `[]`, `"x"`, `{"question":""}`, `{"question":" \n"}`, `{"question":5}`, `{"question":null}`,
		`{"question":"x"`, "{\"question\":\"\xff\"}", `{"question":"x","chat_id":7}`,
	} {
		b := &encacheBackend{}
		_, err := encacheAsk(0)(t.Context(), Backend{Assistant: b}, encacheRequest(body))
		if e, ok := errors.AsType[*chat.Error](err); !ok || e.Code != chat.CodeInvalid || len(b.asked) > 0 {
			t.Errorf("%q: %v, asked %v", body, err, b.asked)
		}
	}
}

func TestEncacheError(t *testing.T) {
	for _, tc := range []struct {
		err    *chat.Error
		status int
		text   string
	}{
		{chat.ErrForbidden, http.StatusForbidden, "Forbidden: this chat is not yours."},
		{chat.ErrNotFound, http.StatusForbidden, "Forbidden: this chat is not yours."},
		{chat.Fail(chat.CodeInvalid, "question is required."), http.StatusBadRequest, "question is required."},
		{ErrNoToken, http.StatusUnauthorized, ErrNoToken.Detail},
		{chat.ErrStorageFull, http.StatusInsufficientStorage, chat.ErrStorageFull.Detail},
		{chat.ErrInternal.With(errors.New("secret")), http.StatusInternalServerError, chat.ErrInternal.Detail},
	} {
		status, body := encacheError(tc.err)
		if want := map[string]string{"error": tc.text}; status != tc.status || string(mustJSON(body)) != string(mustJSON(want)) {
			t.Errorf("%v: %d %v, want %d %v", tc.err, status, body, tc.status, want)
		}
	}
}

func TestEncacheContent(t *testing.T) {
	for want, m := range map[string]chat.Message{
		"":                          {},
		"Hi":                        {Content: "Hi", State: chat.MessageOK, Ready: true},
		"Half":                      {Content: "Half", State: chat.MessageCancelled, Ready: true},
		"This answer was stopped.":  {State: chat.MessageCancelled, Ready: true},
		"The model is out of reach": {Content: "Hal", State: chat.MessageFailed, Error: &chat.Failure{Message: "The model is out of reach"}},
	} {
		if got := encacheContent(m); got != want {
			t.Errorf("%+v: %q, want %q", m, got, want)
		}
	}
}

func TestEncacheCursor(t *testing.T) {
	cursor := *encacheCursor(encacheOfMessages, "01JZ0000000000000000000000")
	page, err := encacheList{Cursor: cursor}.page(encacheOfMessages, encachePage)
	if err != nil || page.Cursor != "01JZ0000000000000000000000" || page.Limit != 20 {
		t.Errorf("%+v, %v", page, err)
	}
	if encacheCursor(encacheOfChats, "") != nil {
		t.Error("the end of a list has a cursor")
	}
	for _, bad := range []string{"x", "!!!", "01JZ0000000000000000000000", cursor + "=", cursor[1:], *encacheCursor(encacheOfChats, "id")} {
		if _, err := (encacheList{Cursor: bad}).page(encacheOfMessages, encachePage); !errors.Is(err, errEncacheCursor) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func FuzzEncacheAsk(f *testing.F) {
	for _, seed := range []string{`{"question":"hi"}`, `{"question":"hi","chat_id":null,"verbose":false}`, `{}`, `null`, ``, "\xff", `{"question":"\ud800"}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		b := &encacheBackend{}
		_, err := encacheAsk(0)(t.Context(), Backend{Assistant: b, Messages: encacheAnswered{b: b}}, encacheRequest(string(body)))
		if (err == nil) != (len(b.asked) == 1) {
			t.Fatalf("%v, asked %d times", err, len(b.asked))
		}
		if err != nil && chat.AsError(err).Code != chat.CodeInvalid {
			t.Fatal(err)
		}
		if err == nil && b.asked[0].Text == "" {
			t.Fatal("an empty question was asked")
		}
	})
}

func FuzzEncacheList(f *testing.F) {
	f.Add([]byte(`{"chat_id":"c","cursor":null,"limit":20}`), "", "")
	f.Add([]byte(`{"chat_id":"c","limit":1000000}`), "bTpY", "7")
	f.Add([]byte(`{"limit":-1}`), "YzpY", "x")
	f.Add([]byte(``), "%", "9999999999999999999")
	f.Fuzz(func(t *testing.T, body []byte, cursor, limit string) {
		in, err := readEncacheList(body, url.Values{"cursor": {cursor}, "limit": {limit}})
		if err == nil {
			var page chat.Page
			page, err = in.page(encacheOfMessages, encachePage)
			if err == nil && (page.Limit < 1 || page.Limit > encacheMost || (page.Cursor == "") != (in.Cursor == "")) {
				t.Fatalf("%+v became %+v", in, page)
			}
		}
		if err != nil && chat.AsError(err).Code != chat.CodeInvalid {
			t.Fatal(err)
		}
	})
}

// FuzzEncacheTrace checks that the trace of any tool call is JSON and counts right.
func FuzzEncacheTrace(f *testing.F) {
	for _, seed := range []string{`{"results":[1,2]}`, `[]`, `[null]`, `{"results":null}`, `{"results":{}}`, `"x"`, `null`, `1`, ``} {
		f.Add("search_conversations_tool", seed, seed)
	}
	f.Fuzz(func(t *testing.T, name, arguments, result string) {
		if !json.Valid([]byte(arguments)) || !json.Valid([]byte(result)) {
			arguments, result = "null", "null" // the log holds nothing else
		}
		var log encacheTrace
		log.read(chat.Event{Body: chat.ToolCalled{CallID: "c", Name: name, Arguments: json.RawMessage(arguments)}})
		log.read(chat.Event{Body: chat.ToolFinished{CallID: "c", Name: name, Result: json.RawMessage(result)}})
		var back struct {
			Trace []struct {
				Results []json.RawMessage `json:"results"`
				Count   int               `json:"result_count"`
			} `json:"trace"`
		}
		if err := json.Unmarshal(mustJSON(encacheReply{}.answered(chat.Message{}, log)), &back); err != nil {
			t.Fatal(err)
		}
		if len(back.Trace) != 1 || back.Trace[0].Results == nil || len(back.Trace[0].Results) != back.Trace[0].Count {
			t.Fatalf("%+v", back)
		}
	})
}
