package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"confidant/internal/chat"
	"confidant/internal/ident"
	"confidant/internal/llm"
)

// decoded reads an answer, whose status must be the wanted one.
func decoded[T any](t *testing.T, h *harness, token, method, path, body string, want int) T {
	t.Helper()
	status, answer := h.sendAs(t, token, method, path, body)
	var got T
	if status != want {
		t.Fatalf("%s %s: %d %s, want %d", method, path, status, answer, want)
	}
	if err := json.Unmarshal([]byte(answer), &got); err != nil {
		t.Fatalf("%s %s: %v in %s", method, path, err, answer)
	}
	return got
}

func (h *harness) said(t *testing.T, path string) string {
	t.Helper()
	var texts []string
	for _, m := range decoded[[]omiReply](t, h, h.Token, "GET", path, "", http.StatusOK) {
		texts = append(texts, m.Text)
	}
	return strings.Join(texts, "|")
}

func (h *harness) omiAsk(t *testing.T, path, text string) *omiReply {
	t.Helper()
	_, _, done := omiRead(t, h.do(t, t.Context(), "POST", path, h.Token, `{"text":"`+text+`"}`).Body)
	return done
}

func TestOmiClearingCanBeUndone(t *testing.T) {
	h := newHarness(t, &script{steps: [][]any{says("One."), says("Two."), says("Three.")}})
	first := h.omiAsk(t, "/v2/messages", "one?")
	h.omiAsk(t, "/v2/messages?app_id=other", "two?")
	greeting := decoded[omiReply](t, h, h.Token, "DELETE", "/v2/messages", "", http.StatusOK)
	if greeting.Sender != "ai" || h.said(t, "/v2/messages") != greeting.Text {
		t.Errorf("cleared: %q, then listed %q", greeting.Text, h.said(t, "/v2/messages"))
	}
	if h.said(t, "/v2/messages?app_id=other") != "Two.|two?" {
		t.Errorf("clearing one chat took another")
	}
	c, err := h.Store.ChatByKey(t.Context(), h.User.ID, "omi:")
	if err != nil {
		t.Fatal(err)
	}
	if status, _ := h.send(t, "PATCH", "/v2/messages/"+first.ID+"/rating", `{"rating":1}`); status != http.StatusNotFound {
		t.Errorf("rating what was cleared: %d", status)
	}
	h.omiAsk(t, "/v1/messages", "three?")

	for token, want := range map[string]int{h.OtherToken: http.StatusNotFound, "": http.StatusUnauthorized} {
		if status, _ := h.sendAs(t, token, "POST", "/api/chats/"+c.ID+"/restore", ""); status != want {
			t.Errorf("restoring: %d, want %d", status, want)
		}
	}
	if got := decoded[map[string]int](t, h, h.Token, "POST", "/api/chats/"+c.ID+"/restore", "", http.StatusOK); got["restored"] != 2 {
		t.Errorf("restored %v", got)
	}
	if got := h.said(t, "/v2/messages"); got != "Three.|three?|One.|one?" {
		t.Errorf("after restoring %q", got)
	}

	// After its time it is gone for good, with everything that belongs to it.
	turn := decoded[map[string]any](t, h, h.Token, "GET", "/api/chats/"+c.ID+"/messages?limit=1", "", http.StatusOK)["messages"].([]any)[0].(map[string]any)["turn_id"].(string)
	if got := decoded[map[string]int](t, h, h.Token, "POST", "/api/chats/"+c.ID+"/clear", "", http.StatusOK); got["cleared"] != 4 {
		t.Errorf("cleared %v", got)
	}
	h.Keeper.Cleared = -time.Hour // what was cleared an hour from now is over
	if got := decoded[map[string]int](t, h, h.Token, "POST", "/api/chats/"+c.ID+"/restore", "", http.StatusOK); got["restored"] != 0 {
		t.Errorf("restored too late: %v", got)
	}
	ctx, stop := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer stop()
	h.Keeper.Sweep(ctx, time.Hour)
	if _, err := h.Store.Chat(t.Context(), h.User.ID, c.ID); chat.AsError(err).Code != chat.CodeNotFound {
		t.Errorf("the chat outlived the sweep: %v", err)
	}
	if events, err := h.Store.Events(t.Context(), turn, 0); err != nil || len(events) != 0 {
		t.Errorf("the log of a turn outlived the sweep: %d events, %v", len(events), err)
	}
	if h.said(t, "/v2/messages?app_id=other") != "Two.|two?" {
		t.Errorf("the sweep took another chat")
	}
}

// Clearing stops the answer that is being given, and hides it too.
func TestOmiClearingStopsTheAnswer(t *testing.T) {
	h := newHarness(t, &script{steps: [][]any{{llm.TextDelta{Text: "One"}, (<-chan struct{})(make(chan struct{}))}}})
	res := h.do(t, t.Context(), "POST", "/v2/messages", h.Token, `{"text":"one?"}`)
	decoded[omiReply](t, h, h.Token, "DELETE", "/v2/messages", "", http.StatusOK)
	if _, _, done := omiRead(t, res.Body); done.Text != "This answer was stopped." {
		t.Errorf("done %+v", done)
	}
	if got := h.said(t, "/v2/messages"); strings.Contains(got, "One") || strings.Contains(got, "|") {
		t.Errorf("listed %q", got)
	}
}

func TestOmiRatingAndReport(t *testing.T) {
	h := newHarness(t, &script{steps: [][]any{says("One.")}})
	answer := h.omiAsk(t, "/v2/messages", "one?")
	messages := func() []map[string]any {
		return decoded[[]map[string]any](t, h, h.Token, "GET", "/v2/messages", "", http.StatusOK)
	}
	question := messages()[1]["id"].(string)
	if messages()[0]["rating"] != nil || messages()[0]["reported"] != false {
		t.Errorf("at first %v", messages()[0])
	}
	for _, test := range []struct {
		token, method, path, body string
		status                    int
		answer                    string
	}{
		{h.Token, "PATCH", answer.ID + "/rating", `{"rating":1}`, 200, `{"status":"ok"}`},
		{h.Token, "PATCH", answer.ID + "/rating", `{"rating":null}`, 200, `{"status":"ok"}`},
		{h.Token, "PATCH", answer.ID + "/rating", `{"rating":-1}`, 200, `{"status":"ok"}`},
		{h.Token, "PATCH", answer.ID + "/rating", `{"rating":5}`, 400, "rating must be"},
		{h.Token, "PATCH", answer.ID + "/rating", `{"rating":"1"}`, 400, "detail"},
		{h.Token, "PATCH", question + "/rating", `{"rating":1}`, 400, "Only an answer"},
		{h.OtherToken, "PATCH", answer.ID + "/rating", `{"rating":1}`, 404, "detail"},
		{"", "PATCH", answer.ID + "/rating", `{"rating":1}`, 401, "detail"},
		{h.Token, "POST", "nothing/report", ``, 404, "detail"},
		{h.OtherToken, "POST", answer.ID + "/report", ``, 404, "detail"},
		{h.Token, "POST", question + "/report", ``, 400, "Only an answer"},
		{h.Token, "POST", answer.ID + "/report", `{"reason":"` + strings.Repeat("x", 1001) + `"}`, 400, "reason_characters"},
		{h.Token, "POST", answer.ID + "/report", ``, 200, `{"message":"Message reported"}`},
		{h.Token, "POST", answer.ID + "/report", ``, 400, "already"},
	} {
		status, got := h.sendAs(t, test.token, test.method, "/v2/messages/"+test.path, test.body)
		if status != test.status || !strings.Contains(got, test.answer) {
			t.Errorf("%s %s %s: %d %s, want %d %s", test.method, test.path, test.body, status, got, test.status, test.answer)
		}
	}
	if m := messages()[0]; m["rating"] != -1.0 || m["reported"] != true {
		t.Errorf("in the end %v", m)
	}
}

func TestOmiShare(t *testing.T) {
	h := newHarness(t, &script{steps: [][]any{says("One."), says("Two.")}})
	first, second := h.omiAsk(t, "/v2/messages", "one?"), h.omiAsk(t, "/v2/messages?app_id=x", "two?")
	ids := fmt.Sprintf(`{"message_ids":[%q,%q]}`, second.ID, first.ID)
	made := decoded[struct{ URL, Token string }](t, h, h.Token, "POST", "/v2/messages/share", ids, http.StatusOK)
	if len(made.Token) != 32 || made.URL != h.URL+"/v2/messages/shared/"+made.Token {
		t.Fatalf("shared %+v", made)
	}
	type shared struct {
		Sender   string `json:"sender_name"`
		Messages []struct {
			ID, Text, Sender string
			CreatedAt        time.Time `json:"created_at"`
		}
		Count int
	}
	read := func() shared {
		return decoded[shared](t, h, "", "GET", "/v2/messages/shared/"+made.Token, "", http.StatusOK)
	}
	got := read()
	if got.Sender != "ada" || got.Count != 2 || got.Messages[0].Text != "Two." || got.Messages[1].Sender != "ai" || got.Messages[1].CreatedAt.IsZero() {
		t.Errorf("read %+v", got)
	}
	for body, want := range map[string]int{`{"message_ids":[]}`: 400, `{}`: 400, ids: 404, `{"message_ids":["nothing"]}`: 404} {
		token := h.Token
		if body == ids {
			token = h.OtherToken
		}
		if status, answer := h.sendAs(t, token, "POST", "/v2/messages/share", body); status != want || !strings.Contains(answer, "detail") {
			t.Errorf("%s: %d %s, want %d", body, status, answer, want)
		}
	}
	// What is deleted or cleared is not shared any more.
	h.send(t, "DELETE", "/v2/messages", "")
	if got := read(); got.Count != 1 || got.Messages[0].ID != second.ID {
		t.Errorf("after clearing %+v", got)
	}
	h.send(t, "DELETE", "/v2/messages?app_id=x", "")
	for _, token := range []string{made.Token, "0123456789abcdef0123456789abcdef"} {
		if status, answer := h.sendAs(t, "", "GET", "/v2/messages/shared/"+token, ""); status != http.StatusNotFound || !strings.Contains(answer, "detail") {
			t.Errorf("%d %s", status, answer)
		}
	}
	h.Keeper.Shared = -time.Second
	old := decoded[map[string]string](t, h, h.Token, "POST", "/v1/messages/share", fmt.Sprintf(`{"message_ids":[%q]}`, h.omiNote(t)), http.StatusOK)
	if status, _ := h.sendAs(t, "", "GET", "/v1/messages/shared/"+old["token"], ""); status != http.StatusNotFound {
		t.Errorf("an expired share: %d", status)
	}
}

// omiNote stores a message and returns its id.
func (h *harness) omiNote(t *testing.T) string {
	t.Helper()
	return decoded[map[string]string](t, h, h.Token, "POST", "/v2/desktop/messages", `{"text":"kept","sender":"ai"}`, http.StatusOK)["id"]
}

func TestOmiSessions(t *testing.T) {
	model := &script{steps: [][]any{says("In the session."), says("With the app.")}}
	h := newHarness(t, model)
	type session struct {
		ID, Title string
		AppID     *string `json:"app_id"`
		Starred   bool
	}
	made := decoded[session](t, h, h.Token, "POST", "/v2/chat-sessions", `{"app_id":"x"}`, http.StatusOK)
	named := decoded[session](t, h, h.Token, "POST", "/v1/chat-sessions", `{"title":"Boats"}`, http.StatusOK)
	if made.Title != "New Chat" || *made.AppID != "x" || named.Title != "Boats" || named.AppID != nil {
		t.Errorf("made %+v and %+v", made, named)
	}
	if done := h.omiAsk(t, "/v2/messages?chat_session_id="+made.ID, "What about\\nboats?"); done.Text != "In the session." || *done.AppID != "x" {
		t.Errorf("done %+v", done)
	}
	h.omiAsk(t, "/v2/messages?app_id=x", "hi")
	if got := h.said(t, "/v2/messages?chat_session_id="+made.ID); got != "In the session.|What about\nboats?" {
		t.Errorf("the session has %q", got)
	}
	if got := decoded[session](t, h, h.Token, "PATCH", "/v2/chat-sessions/"+named.ID, `{"starred":true,"title":"Ships"}`, http.StatusOK); !got.Starred || got.Title != "Ships" {
		t.Errorf("changed %+v", got)
	}
	for query, want := range map[string]string{
		"": "hi|What about|Ships", "?limit=1": "hi", "?limit=1&offset=1": "What about", "?offset=9": "", "?starred=true": "Ships", "?starred=false": "hi|What about", "?app_id=x": "hi|What about",
	} {
		var titles []string
		for _, s := range decoded[[]session](t, h, h.Token, "GET", "/v2/chat-sessions"+query, "", http.StatusOK) {
			titles = append(titles, s.Title)
		}
		if got := strings.Join(titles, "|"); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
	decoded[map[string]string](t, h, h.Token, "DELETE", "/v2/chat-sessions/"+made.ID, "", http.StatusOK)
	for _, c := range []struct {
		token, method, path, body string
		status                    int
	}{
		{h.Token, "GET", "/" + made.ID, "", 404}, {h.OtherToken, "GET", "/" + named.ID, "", 404}, {h.OtherToken, "PATCH", "/" + named.ID, `{"starred":true}`, 404},
		{h.OtherToken, "DELETE", "/" + named.ID, "", 404}, {h.Token, "PATCH", "/" + named.ID, `{"title":"` + strings.Repeat("x", 501) + `"}`, 400},
		{h.Token, "GET", "?limit=501", "", 400}, {h.Token, "GET", "?offset=-1", "", 400}, {h.Token, "POST", "", `[]`, 400}, {"", "GET", "", "", 401},
	} {
		if status, answer := h.sendAs(t, c.token, c.method, "/v2/chat-sessions"+c.path, c.body); status != c.status || !strings.Contains(answer, "detail") {
			t.Errorf("%s %s %.50s: %d %s, want %d", c.method, c.path, c.body, status, answer, c.status)
		}
	}
	if status, _ := h.send(t, "POST", "/v2/messages?chat_session_id="+made.ID, `{"text":"hi"}`); status != http.StatusNotFound {
		t.Errorf("asking in a deleted session: %d", status)
	}
}

func TestOmiNotes(t *testing.T) {
	h := newHarness(t, &script{})
	for i := range 3 {
		decoded[map[string]any](t, h, h.Token, "POST", "/v2/desktop/messages", fmt.Sprintf(`{"text":"n%d","sender":%q,"app_id":"d","metadata":{"i":%d}}`, i, []string{"human", "ai"}[i%2], i), http.StatusOK)
	}
	type note struct {
		ID, Text, Sender string
		Session          string `json:"session_id"`
		Metadata         struct{ I int }
	}
	list := decoded[[]note](t, h, h.Token, "GET", "/v2/desktop/messages?app_id=d&limit=2&offset=1", "", http.StatusOK)
	if len(list) != 2 || list[0].Text != "n1" || list[0].Sender != "ai" || list[0].Metadata.I != 1 || list[1].Text != "n0" {
		t.Errorf("listed %+v", list)
	}
	if status, answer := h.send(t, "PATCH", "/v2/desktop/messages/"+list[0].ID+"/rating", `{"rating":1}`); status != http.StatusOK {
		t.Errorf("rating: %d %s", status, answer)
	}
	if got := decoded[[]note](t, h, h.OtherToken, "GET", "/v2/desktop/messages?app_id=d", "", http.StatusOK); len(got) != 0 {
		t.Errorf("another person sees %+v", got)
	}
	for body, names := range map[string]string{
		`{"text":"","sender":"ai"}`: "text_characters", `{"text":"x","sender":"me"}`: "sender", `{"text":"` + strings.Repeat("x", 50) + `","sender":"ai","session_id":"nothing"}`: "no such record",
		`{"text":"a\u0000","sender":"ai"}`: "NUL",
	} {
		if status, answer := h.send(t, "POST", "/v2/desktop/messages", body); status/100 != 4 || !strings.Contains(answer, names) {
			t.Errorf("%s: %d %s", body, status, answer)
		}
	}
	if got := decoded[map[string]any](t, h, h.Token, "DELETE", "/v2/desktop/messages?session_id="+list[0].Session, "", http.StatusOK); got["deleted_count"] != 3.0 {
		t.Errorf("deleted %v", got)
	}
	if got := decoded[[]note](t, h, h.Token, "GET", "/v2/desktop/messages?app_id=d", "", http.StatusOK); len(got) != 0 {
		t.Errorf("after deleting %+v", got)
	}
}

func TestOmiInitialMessage(t *testing.T) {
	model := &script{steps: [][]any{says("Fine.")}}
	h := newHarness(t, model)
	p := chat.Persona{ID: ident.New(), Name: "Sailor"}
	if err := h.Store.SavePersonas(t.Context(), h.User.ID, chat.Changes[chat.Persona]{Put: []chat.Persona{p}}); err != nil {
		t.Fatal(err)
	}
	if m := decoded[omiReply](t, h, h.Token, "POST", "/v2/initial-message", "", http.StatusOK); m.Sender != "ai" || !strings.HasPrefix(m.Text, "Hello!") {
		t.Errorf("without a model: %+v", m)
	}
	h.Greeting = func(chatID, persona string) string { return "how is the sea, " + persona + "?" }
	m := decoded[omiReply](t, h, h.Token, "POST", "/v1/initial-message?app_id="+p.ID, "", http.StatusOK)
	if m.Text != "how is the sea, "+p.ID+"?" || *m.AppID != p.ID {
		t.Errorf("of a persona: %+v", m)
	}
	done := h.omiAsk(t, "/v2/messages?app_id="+p.ID, "calm")
	if got := h.said(t, "/v2/messages?app_id="+p.ID); got != "Fine.|calm|"+m.Text || done.Text != "Fine." {
		t.Errorf("listed %q", got)
	}
	// The persona answers, with its own words before it.
	req := model.requests()[0]
	if !strings.Contains(req.System, "You are Sailor") || len(req.Tools) != 0 || len(req.Messages) != 3 || req.Messages[0].Role != llm.User || req.Messages[1].Text != m.Text {
		t.Errorf("asked with %+v", req)
	}
}
