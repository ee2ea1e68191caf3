package api

import (
	"cmp"
	"log/slog"
	"net/http"
	"runtime/debug"
	"sync"
	"time"

	"confidant/internal/api/dialect"
	"confidant/internal/chat"
)

// endpoint serves a dialect's endpoint: it finds out who asks, reads the body,
// and sends the reply or the stream.
func (s *Server) endpoint(d dialect.Dialect, e dialect.Endpoint, who func(*http.Request) (chat.User, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, err := who(r)
		if err != nil {
			fail(w, r, d, err)
			return
		}
		body, err := readBody(w, r, "body_bytes", s.limits.Body)
		if err != nil {
			fail(w, r, d, err)
			return
		}
		reply, err := e.Serve(r.Context(), s.backend, dialect.Request{
			User: user, Body: body, Value: r.PathValue, Header: r.Header.Get, Query: r.URL.Query(),
			Origin: func() string { return origin(r) },
		})
		if err != nil {
			fail(w, r, d, err)
			return
		}
		for name, value := range reply.Header {
			w.Header().Set(name, value)
		}
		switch {
		case reply.Stream != nil:
			s.stream(w, r, *reply.Stream)
		case reply.Body == nil:
			w.WriteHeader(cmp.Or(reply.Status, http.StatusNoContent))
		default:
			writeJSON(w, cmp.Or(reply.Status, http.StatusOK), reply.Body)
		}
	})
}

// anybody is who asks a public endpoint.
func anybody(*http.Request) (chat.User, error) { return chat.User{}, nil }

// origin is the server as the client names it.
func origin(r *http.Request) string {
	if r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https" {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// stream sends a turn's events as the dialect encodes them, until the encoder is
// done, the client leaves, or the server stops. The turn does not care.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, st dialect.Stream) {
	h := w.Header()
	h.Set("Content-Type", st.ContentType)
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Accel-Buffering", "no") // for proxies that would hold the stream back
	w.WriteHeader(http.StatusOK)
	out := &patientWriter{rc: http.NewResponseController(w), w: w, limit: s.limits.Write}
	if out.send(nil) != nil { // not every dialect has a word for the turn's start
		return
	}
	if st.Every > 0 {
		stop := out.pingWhenQuiet(st.Ping, st.Every)
		defer stop() // when it has returned, nothing is written any more
	}
	defer func() {
		if p := recover(); p != nil { // an encoder's mistake must not end the process
			slog.ErrorContext(r.Context(), "panic in a stream", "panic", p, "stack", string(debug.Stack()))
			_ = out.send(st.Encoder.Fail(chat.ErrInternal))
		}
	}()
	var frames []byte
	for events, err := range s.backend.Follow(r.Context(), st.Turn.UserID, st.Turn.ID, st.After) {
		if err != nil {
			if r.Context().Err() == nil {
				_ = out.send(st.Encoder.Fail(chat.AsError(err)))
			}
			return
		}
		done := false
		frames = frames[:0]
		for _, e := range events {
			var frame []byte
			frame, done = st.Encoder.Encode(e)
			frames = append(frames, frame...)
			if done {
				break
			}
		}
		if len(frames) > 0 && out.send(frames) != nil || done {
			return
		}
	}
}

// patientWriter writes to a client that may be slow, up to a limit.
type patientWriter struct {
	w     http.ResponseWriter
	rc    *http.ResponseController
	limit time.Duration

	mu    sync.Mutex // send and a ping
	until time.Time  // the deadline that is set
	quiet *time.Timer
	every time.Duration
	ended bool
}

// send writes in one packet, where it fits.
func (p *patientWriter) send(data []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.write(data)
}

func (p *patientWriter) write(data []byte) error {
	if p.quiet != nil {
		p.quiet.Reset(p.every)
	}
	// Not for every event: the deadline is a timer, and most clients are fast.
	if now := time.Now(); p.until.Sub(now) < p.limit*3/4 {
		p.until = now.Add(p.limit)
		if err := p.rc.SetWriteDeadline(p.until); err != nil {
			return err
		}
	}
	if _, err := p.w.Write(data); err != nil { //nolint:gosec // never HTML: event streams and archives, sent with nosniff
		return err
	}
	return p.rc.Flush()
}

// Write implements io.Writer.
func (p *patientWriter) Write(data []byte) (int, error) {
	if err := p.send(data); err != nil {
		return 0, err
	}
	return len(data), nil
}

// pingWhenQuiet sends ping whenever nothing was sent for that long, until stop.
func (p *patientWriter) pingWhenQuiet(ping []byte, every time.Duration) (stop func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.every = every
	p.quiet = time.AfterFunc(every, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if !p.ended {
			_ = p.write(ping) // a client that is gone ends the request's context
		}
	})
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.ended = true
		p.quiet.Stop()
	}
}
