package api_test

import (
	"context"
	"encoding/json"
	"iter"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"

	"confidant/internal/api"
	"confidant/internal/api/dialect"
	"confidant/internal/bus"
	"confidant/internal/chat"
	"confidant/internal/journal"
	"confidant/internal/llm"
	"confidant/internal/store/sqlite"
	"confidant/internal/tool"
	"confidant/internal/tool/arithmetic"
	"confidant/internal/turn"
	"confidant/internal/turn/agent"
	"confidant/internal/turn/intake"
)

// socketModel is a model that a test scripts: say passes on a chunk and reports
// whether to go on. Asked for a schema, it suggests one prompt.
type socketModel func(ctx context.Context, req llm.Request, say func(llm.Chunk) bool) error

func (socketModel) Name() string { return "scripted:model" }

func (m socketModel) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		var err error
		if req.Schema != nil {
			err = sayText("", `{"follow_ups":["Go on"]}`)(ctx, req, func(c llm.Chunk) bool { return yield(c, nil) })
		} else {
			err = m(ctx, req, func(c llm.Chunk) bool { return yield(c, nil) })
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

// sayText answers with a text, in pieces that end at a separator.
func sayText(separator, text string) socketModel {
	return func(_ context.Context, _ llm.Request, say func(llm.Chunk) bool) error {
		pieces := []string{text}
		if separator != "" {
			pieces = strings.SplitAfter(text, separator)
		}
		for _, piece := range pieces {
			if !say(llm.TextDelta{Text: piece}) {
				return nil
			}
		}
		say(llm.Done{Stop: llm.StopEnd, Usage: chat.Usage{Input: 3, Output: 2, Total: 5}})
		return nil
	}
}

// hang says a text and no more until the turn is stopped.
func hang(text string) socketModel {
	return func(ctx context.Context, _ llm.Request, say func(llm.Chunk) bool) error {
		if text == "" || say(llm.TextDelta{Text: text}) {
			<-ctx.Done()
		}
		return ctx.Err()
	}
}

// callThen calls a tool once and then answers.
func callThen(name, arguments string, then socketModel) socketModel {
	return func(ctx context.Context, req llm.Request, say func(llm.Chunk) bool) error {
		if req.Messages[len(req.Messages)-1].Role == llm.Tool {
			return then(ctx, req, say)
		}
		if say(llm.ToolCall{Call: chat.Call{ID: "call_1", Name: name, Arguments: arguments}}) {
			say(llm.Done{Stop: llm.StopTools})
		}
		return nil
	}
}

// note is a tool without a label.
type note struct{}

func (note) Spec() tool.Spec {
	return tool.Spec{Name: "store_location", Parameters: json.RawMessage(`{"type":"object"}`), Idempotent: true}
}

func (note) Run(context.Context, tool.Call) (tool.Result, error) {
	return tool.Result{Content: map[string]bool{"stored": true}}, nil
}

// socketHarness is a server with everything behind it but a language model.
type socketHarness struct {
	t          *testing.T
	store      *sqlite.Store
	server     *httptest.Server
	ann, bob   chat.User
	annT, bobT string
	stop       func() // stops the engine as the program does when it ends
	fail       atomic.Pointer[chat.Error]
}

// Begin fails when the test wants the store to.
func (h *socketHarness) Begin(ctx context.Context, n chat.NewTurn) (chat.Turn, bool, error) {
	if err := h.fail.Load(); err != nil {
		return chat.Turn{}, false, err
	}
	return h.store.Begin(ctx, n)
}

type failingStore struct {
	*sqlite.Store
	h *socketHarness
}

func (f failingStore) Begin(ctx context.Context, n chat.NewTurn) (chat.Turn, bool, error) {
	return f.h.Begin(ctx, n)
}

func newSocketHarness(t *testing.T, model socketModel) *socketHarness {
	t.Helper()
	ctx := t.Context()
	store, err := sqlite.Open(ctx, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	tools, err := tool.NewRegistry(arithmetic.AddNumbers{}, note{})
	if err != nil {
		t.Fatal(err)
	}
	h := &socketHarness{t: t, store: store}
	failing := failingStore{store, h}
	jobs := journal.New(failing, bus.NewLocal(), journal.Options{Worker: "test", Grace: 50 * time.Millisecond})
	engine := turn.New(failing, jobs, turn.Options{
		Agent: model, Fast: model, Tools: tools, Limits: agent.DefaultLimits, Intake: intake.DefaultLimits,
		History: 10, Zone: time.UTC, Attempts: 3, AfterTime: 5 * time.Second, Name: "Confidant",
	})
	working, stop := context.WithCancel(context.WithoutCancel(ctx))
	stopped := make(chan error, 1)
	go func() { stopped <- jobs.Run(working) }()
	tokens := api.Tokens{Accounts: store}
	limits := api.DefaultLimits
	limits.Frame, limits.Ping = 64<<10, 50*time.Millisecond
	h.stop = stop
	h.server = httptest.NewServer(api.New(api.Options{
		Backend: dialect.Backend{Assistant: engine, Chats: store, Messages: store, Personas: store}, Identify: tokens, Limits: limits,
	}))
	for name, to := range map[string]struct {
		user  *chat.User
		token *string
	}{"ann": {&h.ann, &h.annT}, "bob": {&h.bob, &h.bobT}} {
		if *to.user, err = store.EnsureUser(ctx, name); err != nil {
			t.Fatal(err)
		}
		if *to.token, err = tokens.NewToken(ctx, to.user.ID, time.Hour); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		stop()
		if err := <-stopped; err != nil {
			t.Errorf("engine: %v", err)
		}
		h.server.CloseClientConnections()
		h.server.Close()
		if err := store.Close(); err != nil {
			t.Errorf("store: %v", err)
		}
	})
	return h
}

// dial opens a socket as a browser does; the path has its query.
func (h *socketHarness) dial(path string) *websocket.Conn {
	h.t.Helper()
	conn, _, err := websocket.Dial(h.t.Context(), "ws"+strings.TrimPrefix(h.server.URL, "http")+path, &websocket.DialOptions{
		HTTPHeader: map[string][]string{"Origin": {"https://app.example"}},
	})
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { conn.CloseNow() })
	conn.SetReadLimit(1 << 20)
	return conn
}

// chats counts what a person has stored.
func (h *socketHarness) chats(user chat.User) []chat.Chat {
	h.t.Helper()
	chats, _, err := h.store.Chats(h.t.Context(), user.ID, chat.Page{Limit: 100})
	if err != nil {
		h.t.Fatal(err)
	}
	return chats
}

// messages are those of a chat, the newest first.
func (h *socketHarness) messages(user chat.User, chatID string) []chat.Message {
	h.t.Helper()
	messages, _, err := h.store.Messages(h.t.Context(), user.ID, chatID, chat.Page{Limit: 100})
	if err != nil {
		h.t.Fatal(err)
	}
	return messages
}

// eventually waits for a condition.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s did not come true", what)
		}
	}
}
