package dialect

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"confidant/internal/chat"
)

func TestO3Golden(t *testing.T) {
	golden(t, "o3", func(turn chat.Turn) Encoder { return &o3Encoder{turn: turn} })
}

func TestO3Stopped(t *testing.T) {
	got := string((&o3Encoder{}).Fail(chat.ErrUnavailable))
	want := `data: {"details":"The server is shutting down. Try again in a moment.","error":"Failed to generate response","type":"error"}` + "\n\n"
	if got != want {
		t.Errorf("got %s", got)
	}
}

func TestO3Error(t *testing.T) {
	for _, c := range []struct {
		err    *chat.Error
		status int
		text   string
	}{
		{ErrNoToken, 401, "Missing authorization header"},
		{chat.ErrUnauthenticated, 401, "Invalid or expired token"},
		{chat.Fail(chat.CodeInvalid, "Message is required"), 400, "Message is required"},
		{chat.ErrNotFound, 404, "Chat not found"},
		{chat.ErrForbidden, 403, "Access denied"},
		{chat.Fail(chat.CodeTooLarge, "Over 5 (x)."), 413, "Over 5 (x)."},
		{chat.ErrInternal.With(errors.New("secret")), 500, chat.ErrInternal.Detail},
	} {
		status, body := o3Error(c.err)
		if got := string(mustJSON(body)); status != c.status || got != `{"error":"`+c.text+`"}` {
			t.Errorf("%v: %d %s", c.err, status, got)
		}
	}
}

func TestO3Body(t *testing.T) {
	ask, err := o3Body([]byte(`{"message":"  What is new?\n","chatId":"01C","userId":"somebody else"}`))
	if err != nil || ask.Text != "What is new?" || ask.ChatID != "01C" || ask.UserID != "" {
		t.Errorf("ask %+v, error %v", ask, err)
	}
	if ask, err := o3Body([]byte(`{"message":"x","chatId":null}`)); err != nil || ask.ChatID != "" {
		t.Errorf("a null chatId: ask %+v, error %v", ask, err)
	}
	for _, body := range []string{`{"message":" \n"}`, `{}`, `null`, `{"message":7}`, `{"message":"x","chatId":7}`, "", "{\"message\":\"\xff\"}"} {
		if _, err := o3Body([]byte(body)); chat.AsError(err).Code != chat.CodeInvalid {
			t.Errorf("%q: %v", body, err)
		}
	}
}

func FuzzO3Body(f *testing.F) {
	for _, seed := range []string{`{"message":"hi","chatId":"01C"}`, `{"message":"\u0000 \ud800"}`, `[]`, `{"message":"  "}`, "\xff"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		ask, err := o3Body(data)
		if err != nil {
			if chat.AsError(err).Code != chat.CodeInvalid {
				t.Errorf("error %v", err)
			}
			return
		}
		if ask.Text == "" || ask.Text != strings.TrimSpace(ask.Text) || !utf8.ValidString(ask.Text+ask.ChatID) {
			t.Errorf("ask %+v", ask)
		}
	})
}
