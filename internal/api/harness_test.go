package api

import (
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"confidant/internal/api/dialect"
	"confidant/internal/archive"
	"confidant/internal/bus"
	"confidant/internal/calendar"
	"confidant/internal/chat"
	"confidant/internal/inbox"
	"confidant/internal/journal"
	"confidant/internal/library"
	"confidant/internal/llm"
	"confidant/internal/memory"
	"confidant/internal/memory/process"
	"confidant/internal/search"
	"confidant/internal/store/sqlite"
	"confidant/internal/thread"
	"confidant/internal/tool"
	"confidant/internal/turn"
	"confidant/internal/turn/agent"
	"confidant/internal/turn/intake"
)

// harness is the real surface over the real engine and store; only the model is
// scripted.
type harness struct {
	URL        string
	Token      string
	User       chat.User
	OtherToken string // of another person

	Store  *sqlite.Store
	Tokens Tokens
	Keeper *thread.Keeper
	Shelf  *shelf
	// Greeting opens chats; empty for none.
	Greeting func(chatID, persona string) string
	// Stop stops the engine as a shutdown does, and waits for it.
	Stop func()
}

// testLimits are small enough to be exceeded.
var testLimits = Limits{Body: 64 << 10, Import: 64 << 10, Archive: 1 << 20, File: 128 << 10, Frame: 64 << 10, Write: 5 * time.Second}

func newHarness(t *testing.T, model llm.Model, tools ...tool.Tool) *harness {
	t.Helper()
	return assemble(t, model, func(*sqlite.Store, *shelf) []tool.Tool { return tools })
}

// assemble is newHarness for tools that need the store or the library.
func assemble(t *testing.T, model llm.Model, tools func(*sqlite.Store, *shelf) []tool.Tool) *harness {
	t.Helper()
	ctx := context.Background()
	store, err := sqlite.Open(ctx, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	core := search.New(store, store, nil)
	shelf := openShelf(t, store, core)
	registry, err := tool.NewRegistry(tools(store, shelf)...)
	if err != nil {
		t.Fatal(err)
	}
	jobs := journal.New(store, bus.NewLocal(), journal.Options{Worker: "test", Grace: 50 * time.Millisecond})
	engine := turn.New(store, jobs, turn.Options{
		Agent: model, Tools: registry, Limits: agent.DefaultLimits, Intake: intake.DefaultLimits, History: 10,
		Zone: time.UTC, Attempts: 3, AfterTime: time.Second, Name: "Confidant",
	})
	jobs.Handle(process.Kind, process.New(store, process.DefaultOptions).Handle)
	jobs.Handle(library.Kind, shelf.Handle)
	shelf.Wake = jobs.Wake
	working, cancel := context.WithCancel(ctx)
	stopped := make(chan error, 1)
	go func() { stopped <- jobs.Run(working) }()
	var sweeping sync.WaitGroup
	sweeping.Go(func() { shelf.Run(working) })

	h := &harness{Store: store, Shelf: shelf, Tokens: Tokens{Accounts: store}}
	h.Stop = sync.OnceFunc(func() {
		cancel()
		sweeping.Wait()
		if err := <-stopped; err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("engine: %v", err)
		}
	})
	h.Keeper = &thread.Keeper{Store: store, Turns: engine, Greeter: h, Cleared: 30 * 24 * time.Hour, Shared: 30 * 24 * time.Hour}
	server := httptest.NewServer(New(Options{
		Backend: dialect.Backend{
			Assistant: engine, Chats: store, Messages: store, Personas: store, Marks: store, Keeper: h.Keeper, Sharer: h.Keeper,
		},
		Identify: h.Tokens, Limits: testLimits, Memory: memory.New(store, nil), Facts: store, Export: func(ctx context.Context, userID string, to io.Writer) error {
			return archive.Write(ctx, store, shelf.Library, userID, to)
		},
		Inbox: inbox.Inbox{Memory: memory.New(store, nil), Calendar: calendar.New(store, store), Archive: store, Shelf: shelf.Library}, Searcher: core, Files: shelf.rooms(store),
		Tasks: store, Calendar: calendar.New(store, store), People: store, Folders: store, Zone: time.UTC,
	}))
	t.Cleanup(func() {
		server.Close()
		h.Stop()
		if err := store.Close(); err != nil {
			t.Errorf("close store: %v", err)
		}
	})
	h.URL = server.URL
	h.User, h.Token = h.person(t, "ada", 0)
	_, h.OtherToken = h.person(t, "grace", 0)
	return h
}

// Greet implements thread.Greeter.
func (h *harness) Greet(_ context.Context, _, chatID, persona string) (string, error) {
	if h.Greeting == nil {
		return "", nil
	}
	return h.Greeting(chatID, persona), nil
}

// person makes an account and a token of it.
func (h *harness) person(t *testing.T, name string, valid time.Duration) (chat.User, string) {
	t.Helper()
	user, err := h.Store.EnsureUser(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	token, err := h.Tokens.NewToken(t.Context(), user.ID, valid)
	if err != nil {
		t.Fatal(err)
	}
	return user, token
}

// expired makes a token that is valid no more.
func (h *harness) expired(t *testing.T) string {
	_, token := h.person(t, "ada", time.Millisecond)
	time.Sleep(5 * time.Millisecond)
	return token
}

// do sends a request; token "" sends none.
func (h *harness) do(t *testing.T, ctx context.Context, method, path, token, body string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, h.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { res.Body.Close() })
	return res
}

// send sends a request as the harness's person and reads the whole answer.
func (h *harness) send(t *testing.T, method, path, body string) (int, string) {
	t.Helper()
	return h.sendAs(t, h.Token, method, path, body)
}

func (h *harness) sendAs(t *testing.T, token, method, path, body string) (int, string) {
	t.Helper()
	res := h.do(t, t.Context(), method, path, token, body)
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(data)
}

// answer waits for the stored answer to the last message of a chat.
func (h *harness) answer(t *testing.T, chatID string) chat.Message {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		messages, _, err := h.Store.Messages(t.Context(), h.User.ID, chatID, chat.Page{Limit: 1})
		if err != nil {
			t.Fatal(err)
		}
		if len(messages) == 1 && messages[0].Role == chat.RoleAssistant && messages[0].Ready {
			return messages[0]
		}
	}
	t.Fatal("no answer was stored within 10 s")
	return chat.Message{}
}

// refusals runs the requests that every endpoint must refuse in the same cases;
// check looks at the dialect's own rendering. body makes a valid body of a text.
func (h *harness) refusals(t *testing.T, path string, body func(text string) string, check func(t *testing.T, name string, status int, answer string)) {
	t.Helper()
	for _, c := range []struct{ name, token, body string }{
		{"no token", "", body("hi")},
		{"wrong token", "confidant_nonsense", body("hi")},
		{"another server's token", "eyJhbGciOiJub25lIn0.e30.", body("hi")},
		{"expired token", h.expired(t), body("hi")},
		{"body over the limit", h.Token, body(strings.Repeat("x", int(testLimits.Body)))},
		{"NUL", h.Token, body(`a\u0000b`)},
		{"invalid UTF-8", h.Token, body("a\xffb")},
		{"no JSON", h.Token, "hello"},
		{"blank", h.Token, body(` \n`)},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, answer := h.sendAs(t, c.token, "POST", path, c.body)
			want := http.StatusBadRequest
			switch {
			case strings.Contains(c.name, "token"):
				want = http.StatusUnauthorized
			case strings.Contains(c.name, "limit"):
				want = http.StatusRequestEntityTooLarge
				if !strings.Contains(answer, "65536") || !strings.Contains(answer, "body_bytes") {
					t.Errorf("the answer does not name the limit and its value: %s", answer)
				}
			}
			if status != want {
				t.Errorf("status %d, want %d: %s", status, want, answer)
			}
			check(t, c.name, status, answer)
		})
	}
}

// script is an llm.Model that plays its steps, one a call, and fails after the last.
type script struct {
	mu    sync.Mutex
	steps [][]any // llm.Chunk, error, or <-chan struct{} to wait for
	seen  []llm.Request
}

var _ llm.Model = (*script)(nil)

func (s *script) Name() string { return "scripted:model" }

// requests are those made so far.
func (s *script) requests() []llm.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]llm.Request(nil), s.seen...)
}

// Stream implements llm.Model.
func (s *script) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	s.mu.Lock()
	s.seen = append(s.seen, req)
	step := []any{&llm.Error{Kind: llm.Rejected, Model: s.Name(), Err: errors.New("the script is at its end")}}
	if len(s.steps) > 0 {
		step, s.steps = s.steps[0], s.steps[1:]
	}
	s.mu.Unlock()
	return func(yield func(llm.Chunk, error) bool) {
		for _, item := range step {
			switch item := item.(type) {
			case <-chan struct{}:
				select {
				case <-item:
				case <-ctx.Done():
					yield(nil, ctx.Err())
					return
				}
			case error:
				yield(nil, item)
				return
			case llm.Chunk:
				if !yield(item, nil) {
					return
				}
			}
		}
	}
}

// says is a step that answers; asks one that calls a tool.
func says(texts ...string) []any {
	var step []any
	for _, text := range texts {
		step = append(step, llm.TextDelta{Text: text})
	}
	return append(step, llm.Done{Stop: llm.StopEnd, Usage: chat.Usage{Input: 20, Cached: 4, Output: 6, Total: 26}})
}

func asks(name, arguments string) []any {
	return []any{
		llm.ReasoningStarted{}, llm.ReasoningDelta{Text: "Let me see."}, llm.ReasoningEnded{},
		llm.ToolCall{Call: chat.Call{ID: "call_1", Name: name, Arguments: arguments}},
		llm.Done{Stop: llm.StopTools, Usage: chat.Usage{Input: 10, Output: 5, Total: 15}},
	}
}

// breaks is a step that says something and fails for good.
func breaks(text string) []any {
	return []any{llm.TextDelta{Text: text}, &llm.Error{Kind: llm.Unauthorized, Model: "scripted:model", Err: errors.New("secret reason")}}
}
