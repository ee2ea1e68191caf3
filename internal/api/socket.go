package api

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"sync"
	"time"
	"unicode/utf8"

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
		// the cookie would betray us, and a cookie is not taken across origins. Who
		// is refused learns the reason from anywhere.
		options := &websocket.AcceptOptions{InsecureSkipVerify: err != nil || tokenInQueryOrHeader(r)}
		wire := &wire{ResponseWriter: w}
		conn, acceptErr := websocket.Accept(wire, r, options)
		if acceptErr != nil {
			return // Accept has answered
		}
		wire.socket = conn
		conn.SetReadLimit(-1) // see frame
		defer func() { _ = conn.CloseNow() }()
		if err != nil {
			e := chat.AsError(err)
			status := websocket.StatusPolicyViolation
			if dialect.Status(e.Code) >= http.StatusInternalServerError {
				slog.ErrorContext(r.Context(), "socket refused", "dialect", d.Name, "code", e.Code, "error", err)
				status = websocket.StatusInternalError // the token may well be good
			}
			wire.close(status, def.Refused(e))
			return
		}
		session := def.Open(dialect.Request{User: user, Value: r.PathValue, Header: r.Header.Get, Query: r.URL.Query()})
		c := &connection{server: s, conn: conn, wire: wire, session: session, user: user, answers: make(chan answer, maxQueued)}
		c.run(r.Context())
	})
}

func tokenInQueryOrHeader(r *http.Request) bool {
	return r.Header.Get("Authorization") != "" || r.URL.Query().Get("token") != ""
}

// wire keeps hold of the network connection under a socket.
type wire struct {
	http.ResponseWriter
	conn   net.Conn
	socket *websocket.Conn
}

// Hijack implements http.Hijacker.
func (w *wire) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffered, err := http.NewResponseController(w.ResponseWriter).Hijack()
	w.conn = conn
	return conn, buffered, err
}

// closeTime is how long a client may take to say goodbye.
const closeTime = 5 * time.Second

// close closes the socket with a reason. The library discards what the client
// still sends, without a limit of its own: a client that stops in the middle of
// a frame would keep it waiting for good.
func (w *wire) close(status websocket.StatusCode, reason string) {
	_ = w.conn.SetDeadline(time.Now().Add(closeTime)) // fails on one that is closed
	_ = w.socket.Close(status, closeReason(reason))
}

// closeReason cuts a reason to what a close frame holds (RFC 6455 section 5.5).
func closeReason(reason string) string {
	const most = 123
	if len(reason) <= most {
		return reason
	}
	cut := most - len("…")
	for !utf8.RuneStart(reason[cut]) {
		cut--
	}
	return reason[:cut] + "…"
}

// connection is one open socket: one goroutine reads prompts, one answers them
// in their order, one finds out whether the client is still there.
type connection struct {
	server  *Server
	conn    *websocket.Conn
	wire    *wire
	session dialect.Session
	user    chat.User
	answers chan answer

	writing sync.Mutex // the frames of one event go out together

	mu     sync.Mutex
	queued int      // answers that have not ended
	open   []string // their turns, the oldest first, which a cancel is for
}

// answer is what a prompt gets: its turn's events, or why there is no turn.
type answer struct {
	turn    chat.Turn
	refused *chat.Error
}

func (c *connection) run(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var others sync.WaitGroup
	others.Go(func() { c.answer(ctx) })
	others.Go(func() { c.ping(ctx) })
	err := c.read(ctx)
	cancel() // the turns go on; nobody is left to tell
	others.Wait()
	if status := websocket.CloseStatus(err); status == -1 && !errors.Is(err, context.Canceled) {
		slog.Debug("socket closed", "error", err)
	}
}

// read takes prompts until the socket closes.
func (c *connection) read(ctx context.Context) error {
	for {
		data, err := c.frame(ctx)
		if err != nil {
			return err
		}
		if err := c.obey(ctx, data); err != nil {
			if err := c.send(ctx, c.session.Fail(c.failure(ctx, err))); err != nil {
				return err
			}
		}
	}
}

// frame reads one message. The library's own limit would close the socket
// without telling which limit it was.
func (c *connection) frame(ctx context.Context) ([]byte, error) {
	_, r, err := c.conn.Reader(ctx)
	if err != nil {
		return nil, err
	}
	limit := c.server.limits.Frame
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > limit {
		reason := fmt.Sprintf("The frame is over the limit of %d bytes (frame_bytes).", limit)
		c.wire.close(websocket.StatusMessageTooBig, reason)
		return nil, websocket.CloseError{Code: websocket.StatusMessageTooBig, Reason: reason}
	}
	return data, nil
}

// obey does what a frame asks for. An error belongs to the frame; one that
// belongs to a prompt is answered when the prompt's turn has come.
func (c *connection) obey(ctx context.Context, data []byte) error {
	if !utf8.Valid(data) {
		// RFC 6455 would have the socket closed, and with it the answers that are
		// still to come on it. JSON decoders would replace the bytes in silence.
		return chat.Fail(chat.CodeInvalid, "The frame holds bytes that are not valid UTF-8.")
	}
	command, err := c.session.Read(data)
	if err != nil {
		return err
	}
	if command.Cancel {
		if id := c.oldest(); id != "" {
			return c.server.backend.Cancel(ctx, c.user.ID, id, c.user.Name)
		}
		return nil
	}
	if !c.enqueue() {
		return chat.Fail(chat.CodeRateLimited, fmt.Sprintf(
			"There are %d prompts waiting on this connection, which is the limit (queued_prompts). Wait for an answer.", maxQueued))
	}
	turn, err := c.server.backend.Ask(ctx, command.Ask)
	if err != nil {
		c.answers <- answer{refused: c.failure(ctx, err)}
		return nil
	}
	c.opened(turn.ID)
	c.answers <- answer{turn: turn} // never full: enqueue has counted
	return nil
}

// failure is an error as the client may read it. What went wrong in the server
// goes to the log.
func (c *connection) failure(ctx context.Context, err error) *chat.Error {
	e := chat.AsError(err)
	if dialect.Status(e.Code) >= http.StatusInternalServerError && ctx.Err() == nil {
		slog.ErrorContext(ctx, "socket request failed", "code", e.Code, "error", err)
	}
	return e
}

// answer answers the prompts one after another.
func (c *connection) answer(ctx context.Context) {
	defer func() { _ = c.conn.CloseNow() }() // wakes read
	defer func() {
		if p := recover(); p != nil { // an encoder's mistake must not end the process
			slog.ErrorContext(ctx, "panic on a socket", "panic", p, "stack", string(debug.Stack()))
			c.wire.close(websocket.StatusInternalError, chat.ErrInternal.Detail)
		}
	}()
	for {
		select {
		case a := <-c.answers:
			if err := c.follow(ctx, a); err != nil {
				return
			}
			c.dequeue()
		case <-ctx.Done():
			return
		}
	}
}

// follow sends one answer. An error means that the socket is of no more use.
func (c *connection) follow(ctx context.Context, a answer) error {
	encoder := c.session.Encoder(a.turn)
	if a.refused != nil {
		return c.send(ctx, encoder.Fail(a.refused))
	}
	defer c.closed(a.turn.ID)
	for events, err := range c.server.backend.Follow(ctx, a.turn.UserID, a.turn.ID, 0) {
		if err != nil {
			return c.broken(ctx, encoder, err)
		}
		for _, e := range events {
			if chat.Terminal(e.Body) {
				c.closed(a.turn.ID) // before the client learns it: its next cancel is for the next prompt
			}
			frames, done := encoder.Encode(e)
			if err := c.send(ctx, frames); err != nil || done {
				return err
			}
		}
	}
	return nil
}

// broken ends an answer whose turn cannot be followed. When the server stops it
// ends the socket as well, with the status that asks clients to come back.
func (c *connection) broken(ctx context.Context, encoder dialect.Encoder, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	e := c.failure(ctx, err)
	if err := c.send(ctx, encoder.Fail(e)); err != nil || e.Code != chat.CodeUnavailable {
		return err
	}
	c.wire.close(websocket.StatusServiceRestart, e.Detail)
	return e
}

// ping keeps proxies from closing a silent socket, and finds clients that are gone.
func (c *connection) ping(ctx context.Context) {
	ticker := time.NewTicker(c.server.limits.Ping)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
		pong, cancel := context.WithTimeout(ctx, c.server.limits.Write)
		err := c.conn.Ping(pong)
		cancel()
		if err != nil {
			_ = c.conn.CloseNow() // wakes read
			return
		}
	}
}

// enqueue reserves a place in the queue, false when there is none.
func (c *connection) enqueue() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.queued == maxQueued {
		return false
	}
	c.queued++
	return true
}

func (c *connection) dequeue() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.queued--
}

func (c *connection) opened(turnID string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open = append(c.open, turnID)
}

// closed takes the turn off when it is the oldest; it may be told twice.
func (c *connection) closed(turnID string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.open) > 0 && c.open[0] == turnID {
		c.open = c.open[1:]
	}
}

// oldest is the turn that a cancel is for, "" when all answers have ended.
func (c *connection) oldest() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.open) == 0 {
		return ""
	}
	return c.open[0]
}

// send writes frames, one a line, as text messages.
func (c *connection) send(ctx context.Context, frames []byte) error {
	if len(frames) == 0 {
		return nil
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	ctx, cancel := context.WithTimeout(ctx, c.server.limits.Write)
	defer cancel()
	for line := range bytes.Lines(frames) {
		if err := c.conn.Write(ctx, websocket.MessageText, bytes.TrimSuffix(line, []byte{'\n'})); err != nil {
			return err
		}
	}
	return nil
}
