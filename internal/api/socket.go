package api

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"

	"github.com/coder/websocket"

	"confidant/internal/api/dialect"
	"confidant/internal/chat"
)

// maxQueued is how many prompts may wait on one socket for their answers.
const maxQueued = 32

// socket serves a dialect's WebSocket.
func (s *Server) socket(d dialect.Dialect, def dialect.Socket) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, err := s.user(r)
		// Browsers of other sites can open sockets but cannot know the token; only
		// the cookie would betray us, and a cookie is not taken across origins.
		options := &websocket.AcceptOptions{InsecureSkipVerify: tokenInQueryOrHeader(r)}
		conn, acceptErr := websocket.Accept(w, r, options)
		if acceptErr != nil {
			return // Accept has answered
		}
		defer conn.CloseNow()
		if err != nil {
			_ = conn.Close(websocket.StatusPolicyViolation, def.Refused(chat.AsError(err)))
			return
		}
		conn.SetReadLimit(s.limits.Frame)
		session := def.Open(dialect.Request{User: user, Value: r.PathValue, Header: r.Header.Get, Query: r.URL.Query()})
		c := &connection{server: s, conn: conn, session: session, user: user, turns: make(chan chat.Turn, maxQueued)}
		c.run(r.Context())
	})
}

func tokenInQueryOrHeader(r *http.Request) bool {
	return r.Header.Get("Authorization") != "" || r.URL.Query().Get("token") != ""
}

// connection is one open socket: one goroutine reads prompts, one answers them
// in their order.
type connection struct {
	server  *Server
	conn    *websocket.Conn
	session dialect.Session
	user    chat.User
	turns   chan chat.Turn

	mu      sync.Mutex
	current string // the turn being answered, which a cancel is for
}

func (c *connection) run(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		c.answer(ctx)
	}()
	err := c.read(ctx)
	cancel() // the turns go on; nobody is left to tell
	<-answered
	if status := websocket.CloseStatus(err); status == -1 && !errors.Is(err, context.Canceled) {
		slog.Debug("socket closed", "error", err)
	}
	_ = c.conn.Close(websocket.StatusNormalClosure, "")
}

// read takes prompts until the socket closes.
func (c *connection) read(ctx context.Context) error {
	for {
		_, data, err := c.conn.Read(ctx)
		if err != nil {
			return err
		}
		if err := c.obey(ctx, data); err != nil {
			if err := c.send(ctx, c.session.Fail(chat.AsError(err))); err != nil {
				return err
			}
		}
	}
}

func (c *connection) obey(ctx context.Context, data []byte) error {
	command, err := c.session.Read(data)
	if err != nil {
		return err
	}
	if command.Cancel {
		if id := c.answering(); id != "" {
			return c.server.backend.Cancel(ctx, c.user.ID, id, c.user.Name)
		}
		return nil
	}
	if len(c.turns) == maxQueued {
		return chat.Fail(chat.CodeRateLimited, "There are 32 prompts waiting on this connection, which is the limit (queued_prompts). Wait for an answer.")
	}
	turn, err := c.server.backend.Ask(ctx, command.Ask)
	if err != nil {
		return err
	}
	if c.answering() == "" && len(c.turns) == 0 {
		c.setAnswering(turn.ID) // so that a cancel right behind it finds it
	}
	c.turns <- turn // never full: only this goroutine fills it
	return nil
}

// answer follows the turns one after another.
func (c *connection) answer(ctx context.Context) {
	for {
		select {
		case turn := <-c.turns:
			c.setAnswering(turn.ID)
			if c.follow(ctx, turn) != nil {
				c.conn.CloseNow() // wakes read
				return
			}
			c.setAnswering("")
		case <-ctx.Done():
			return
		}
	}
}

func (c *connection) follow(ctx context.Context, turn chat.Turn) error {
	encoder := c.session.Encoder(turn)
	for e, err := range c.server.backend.Follow(ctx, turn.UserID, turn.ID, 0) {
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return c.send(ctx, encoder.Fail(chat.AsError(err)))
		}
		frames, done := encoder.Encode(e)
		if err := c.send(ctx, frames); err != nil || done {
			return err
		}
	}
	return nil
}

func (c *connection) answering() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.current
}

func (c *connection) setAnswering(turnID string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.current = turnID
}

// send writes frames, one a line, as text messages.
func (c *connection) send(ctx context.Context, frames []byte) error {
	ctx, cancel := context.WithTimeout(ctx, c.server.limits.Write)
	defer cancel()
	for line := range bytes.Lines(frames) {
		if err := c.conn.Write(ctx, websocket.MessageText, bytes.TrimSuffix(line, []byte{'\n'})); err != nil {
			return err
		}
	}
	return nil
}
