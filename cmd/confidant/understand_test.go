package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"confidant/internal/config"
	"confidant/internal/llm/modelserver"
)

// serving is a whole assistant, wired as serve wires it, with a scripted model
// over HTTP, or with none.
type serving struct {
	*testing.T
	url, token string
}

func serve(t *testing.T, withModel bool) *serving {
	t.Helper()
	c := configDefaults(t)
	c.Zone, c.Models.Embedder, c.Memory.Sweep = "Europe/Berlin", "none", 50*time.Millisecond
	if withModel {
		model := httptest.NewServer(modelserver.New())
		t.Cleanup(model.Close)
		c.Models.OpenAIURL, c.Models.OpenAIKey = model.URL+"/v1", "scripted"
	}
	a, err := Open(t.Context(), t.TempDir(), c)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	user, err := a.Store.EnsureUser(t.Context(), "ana")
	if err != nil {
		t.Fatal(err)
	}
	token, err := a.Tokens.NewToken(t.Context(), user.ID, 0)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- a.Serve(ctx, listener) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return &serving{t, "http://" + listener.Addr().String(), token}
}

// configDefaults is the configuration of somebody who configured nothing.
func configDefaults(t *testing.T) config.Config {
	t.Helper()
	var c commands
	parser, err := kong.New(&c, kong.Vars{"data": t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parser.Parse([]string{"serve"}); err != nil {
		t.Fatal(err)
	}
	return c.Config
}

// request makes a request and returns the whole answer.
func (s *serving) request(method, path string, body any) []byte {
	s.Helper()
	var payload io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			s.Fatal(err)
		}
		payload = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(s.Context(), method, s.url+path, payload)
	if err != nil {
		s.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode >= 300 {
		s.Fatalf("%s %s: %s %s (%v)", method, path, resp.Status, data, err)
	}
	return data
}

// call makes a request and reads the answer into a value.
func (s *serving) call(method, path string, body, into any) {
	s.Helper()
	data := s.request(method, path, body)
	if into == nil {
		return
	}
	if err := json.Unmarshal(data, into); err != nil {
		s.Fatalf("%s %s: %v in %s", method, path, err, data)
	}
}

type conversation struct {
	ID       string `json:"conversation_id"`
	Title    string
	Overview string
	Category string
	Status   string
	Mentions struct{ People, Topics, Entities, Dates []string }
	Events   []struct{ Title string }
	Steps    []struct{ Name, State, Detail string }
	Memories []struct {
		Content    string
		SegmentIDs []string `json:"segment_ids"`
	}
	Tasks []struct {
		Description string
		DueAt       time.Time `json:"due_at"`
	}
}

// understood waits until a conversation is processed, by following its events.
func (s *serving) understood(id string) conversation {
	s.Helper()
	stream := s.request(http.MethodGet, "/api/conversations/"+id+"/events", nil)
	if !strings.Contains(string(stream), "event: turn.closed") {
		s.Fatalf("the stream ended early: %s", stream)
	}
	var c conversation
	s.call(http.MethodGet, "/api/conversations/"+id, nil, &c)
	return c
}

// spoken is a talk whose words tell the scripted model what to answer.
func spoken(at string, lines ...string) map[string]any {
	var segments []map[string]any
	for i, line := range lines {
		speaker, text, _ := strings.Cut(line, ": ")
		segments = append(segments, map[string]any{"speaker": speaker, "text": text, "start": 10 * i, "end": 10*i + 5})
	}
	return map[string]any{"started_at": at, "segments": segments}
}

func TestARecordingIsUnderstoodByAModelOverHTTP(t *testing.T) {
	s := serve(t, true)
	var c conversation
	s.call(http.MethodPost, "/api/conversations", spoken("2026-03-02T10:00:00+01:00",
		`Ana: Send me the budget tomorrow morning. [[answer:tasks {"tasks":[{"description":"Send Ana the budget","due_date":"2026-03-03","due_time":"morning","segment":0}]}]]`,
		`Ben: I moved to Porto. [[answer:facts {"facts":[{"content":"Lives in Porto","category":"system","segments":[1]}]}]]`,
		`Ana: The launch is in May. [[answer:structure {"title":"Budget and Launch","overview":"The launch is in May.","emoji":"🚀","category":"work","events":[]}]]`,
		`Ben: Fine. [[answer:metadata {"people":["Ana"],"topics":["Launch!"],"entities":["Acme"],"dates":["2026-05-01"]}]] [[answer:discard {"discard":false}]]`,
	), &c)
	c = s.understood(c.ID)
	if c.Title != "Budget and Launch" || c.Category != "work" || c.Status != "completed" || fmt.Sprint(c.Mentions.Topics, c.Mentions.Entities) != "[launch] [acme]" {
		t.Errorf("conversation %+v", c)
	}
	if len(c.Memories) != 1 || c.Memories[0].Content != "Lives in Porto" || !strings.HasSuffix(c.Memories[0].SegmentIDs[0], ".1") {
		t.Errorf("memories %+v", c.Memories)
	}
	if len(c.Tasks) != 1 || !c.Tasks[0].DueAt.Equal(time.Date(2026, 3, 3, 8, 0, 0, 0, time.UTC)) {
		t.Errorf("tasks %+v", c.Tasks)
	}

	// What is newer supersedes: a new talk says so, and the old fact can be seen.
	var newer conversation
	s.call(http.MethodPost, "/api/conversations", spoken("2026-04-02T10:00:00+02:00",
		`Ben: I moved again, from Porto to Rome. [[answer:facts {"facts":[{"content":"Lives in Rome, before in Porto","category":"system","segments":[0]}]}]]`), &newer)
	s.understood(newer.ID)
	var facts struct {
		Memories []struct {
			Content      string
			SupersededBy string `json:"superseded_by"`
		}
	}
	s.call(http.MethodGet, "/api/memories?all=1", nil, &facts)
	if len(facts.Memories) != 2 {
		t.Errorf("facts %+v", facts)
	}

	// Deleting the talk takes with it what came from it.
	s.call(http.MethodDelete, "/api/conversations/"+c.ID, nil, nil)
	s.call(http.MethodGet, "/api/memories?all=1", nil, &facts)
	if len(facts.Memories) != 1 {
		t.Errorf("after deleting its source: %+v", facts)
	}
}

func TestARecordingWithoutAModel(t *testing.T) {
	s := serve(t, false)
	var c conversation
	s.call(http.MethodPost, "/api/conversations", spoken("2026-03-02T10:00:00+01:00", "Ana: Send me the budget tomorrow morning, please, before the meeting.", "Ben: Sure."), &c)
	c = s.understood(c.ID)
	if c.Title != "Send me the budget tomorrow morning, please, before the meeting" || c.Overview != "" || len(c.Memories)+len(c.Tasks) != 0 {
		t.Errorf("conversation %+v", c)
	}
	if fmt.Sprint(c.Mentions.People, c.Mentions.Dates) != "[ana ben] [2026-03-03]" {
		t.Errorf("mentions %+v", c.Mentions)
	}
	waiting := 0
	for _, step := range c.Steps {
		if step.State == "waiting" && step.Detail != "" {
			waiting++
		}
	}
	if waiting != 5 {
		t.Errorf("steps %+v", c.Steps)
	}
}

// ask asks through the OpenAI format, which answers in one piece.
func (s *serving) ask(questions ...string) string {
	s.Helper()
	var messages []map[string]string
	for i, q := range questions {
		if i > 0 {
			messages = append(messages, map[string]string{"role": "assistant", "content": "I see."})
		}
		messages = append(messages, map[string]string{"role": "user", "content": q})
	}
	var answer struct {
		Choices []struct{ Message struct{ Content string } }
	}
	s.call(http.MethodPost, "/v1/chat/completions", map[string]any{"model": "confidant", "messages": messages}, &answer)
	return answer.Choices[0].Message.Content
}

// Without a model the lists of what is known can still be asked for, and a
// question of few words leans on the one before it.
func TestQuestionsWithoutAModel(t *testing.T) {
	s := serve(t, false)
	s.call(http.MethodPost, "/api/memories", map[string]any{"content": "Is allergic to peanuts"}, nil)
	s.call(http.MethodPost, "/api/tasks", map[string]any{"description": "Call the bank"}, nil)
	tomorrow := time.Now().Add(24 * time.Hour)
	s.call(http.MethodPost, "/api/calendar", map[string]any{"title": "Dentist", "start": tomorrow, "end": tomorrow.Add(time.Hour)}, nil)
	for _, talk := range []map[string]any{
		spoken("2026-03-02T10:00:00+01:00", "Ana: The harbour festival begins in June, they said.", "Ben: Tickets cost twelve euros."),
		spoken("2026-03-03T10:00:00+01:00", "Cem: The museum is closed on Mondays.", "Dora: Tickets for it are free."),
	} {
		var c conversation
		s.call(http.MethodPost, "/api/conversations", talk, &c)
		s.understood(c.ID)
	}
	for question, want := range map[string]string{
		"What do you know about me?":       "Is allergic to peanuts",
		"What do I still have to do?":      "Call the bank",
		"What is in my calendar tomorrow?": "Dentist",
		"When is the harbour festival?":    "begins in June",
		"What about purple submarines?":    "found nothing",
	} {
		if answer := s.ask(question); !strings.Contains(answer, want) {
			t.Errorf("%s\n%s\nwant %q", question, answer, want)
		}
	}
	first, _, _ := strings.Cut(s.ask("When is the harbour festival?", "And the tickets?"), "[1]")
	if !strings.Contains(first, "twelve euros") {
		t.Errorf("a follow-up question found first: %s", first)
	}
}
