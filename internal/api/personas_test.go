package api

import (
	"net/http"
	"strings"
	"testing"

	"confidant/internal/chat"
)

func TestPersonas(t *testing.T) {
	model := &script{steps: [][]any{says("aye")}}
	h := newHarness(t, model)
	made := decoded[chat.Persona](t, h, h.Token, "POST", "/api/personas", `{"name":" Sailor ","description":"Talks of the sea"}`, http.StatusCreated)
	if made.ID == "" || made.Name != "Sailor" || made.Revision != 1 || made.CreatedAt.IsZero() {
		t.Fatalf("made %+v", made)
	}
	list := decoded[struct{ Personas []chat.Persona }](t, h, h.Token, "GET", "/api/personas", "", http.StatusOK)
	if len(list.Personas) != 1 || list.Personas[0].ID != made.ID {
		t.Errorf("listed %+v", list)
	}
	if list := decoded[struct{ Personas []chat.Persona }](t, h, h.OtherToken, "GET", "/api/personas", "", http.StatusOK); len(list.Personas) != 0 {
		t.Errorf("another person sees %+v", list)
	}
	changed := decoded[chat.Persona](t, h, h.Token, "PATCH", "/api/personas/"+made.ID, `{"prompt":"You are {name}.","tools":["find"],"revision":1}`, http.StatusOK)
	if changed.Name != "Sailor" || changed.Prompt != "You are {name}." || changed.Revision != 2 || changed.Tools[0] != "find" {
		t.Errorf("changed %+v", changed)
	}

	turn := decoded[chat.Turn](t, h, h.Token, "POST", "/api/turns", `{"message":"what did I say yesterday?","persona_id":"`+made.ID+`"}`, http.StatusAccepted)
	if m := h.answer(t, turn.ChatID); m.Content != "aye" || !strings.HasPrefix(model.requests()[0].System, "You are Sailor.") {
		t.Errorf("answer %q to %q", m.Content, model.requests()[0].System)
	}
	_, log := h.send(t, "GET", "/api/turns/"+turn.ID+"/events", "")
	if !strings.Contains(log, "event: route.chosen") || !strings.Contains(log, `"route":"persona","by":"request","persona":"`+made.ID+`"`) {
		t.Errorf("the log has no route: %s", log)
	}

	path := "/api/personas/" + made.ID
	for _, c := range []struct {
		token, method, path, body string
		status                    int
		names                     string
	}{
		{h.Token, "POST", "/api/personas", `{"name":" "}`, 400, "persona_name"},
		{h.Token, "POST", "/api/personas", `{"name":"x","description":"` + strings.Repeat("é", 251) + `"}`, 400, "persona_description"},
		{h.Token, "POST", "/api/personas", `{"name":"x\u0000"}`, 400, "NUL"},
		{h.Token, "POST", "/api/personas", `{"nam":"x"}`, 400, "nam"},
		{h.Token, "PATCH", path, `{"prompt":"` + strings.Repeat("x", 20_001) + `"}`, 400, "persona_prompt"},
		{h.Token, "PATCH", path, `{"name":"y","revision":1}`, 409, "conflict"},
		{h.OtherToken, "GET", path, "", 404, "not_found"},
		{h.OtherToken, "PATCH", path, `{"name":"y"}`, 404, "not_found"},
		{h.OtherToken, "DELETE", path, "", 404, "not_found"},
		{"", "GET", path, "", 401, "unauthenticated"},
		{h.OtherToken, "POST", "/api/turns", `{"message":"hi","persona_id":"` + made.ID + `"}`, 404, "not_found"},
	} {
		if status, answer := h.sendAs(t, c.token, c.method, c.path, c.body); status != c.status || !strings.Contains(answer, c.names) {
			t.Errorf("%s %s %.40s: %d %s, want %d and %s", c.method, c.path, c.body, status, answer, c.status, c.names)
		}
	}
	if status, _ := h.send(t, "DELETE", path, ""); status != http.StatusNoContent {
		t.Errorf("delete: %d", status)
	}
	if status, _ := h.send(t, "GET", path, ""); status != http.StatusNotFound {
		t.Errorf("a deleted persona: %d", status)
	}
}
