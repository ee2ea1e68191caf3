package api

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"

	"confidant/internal/api/dialect"
	"confidant/internal/chat"
)

// endpoint serves a dialect's endpoint: it finds out who asks, reads the body,
// and sends the reply or the stream.
func (s *Server) endpoint(d dialect.Dialect, e dialect.Endpoint) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, err := s.user(r)
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

// stream sends a turn's events as the dialect encodes them, until the encoder is
// done, the client leaves, or the server stops. The turn does not care.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, st dialect.Stream) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	h := w.Header()
	h.Set("Content-Type", st.ContentType)
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Accel-Buffering", "no") // for proxies that would hold the stream back
	w.WriteHeader(http.StatusOK)
	out := &patientWriter{rc: http.NewResponseController(w), w: w, limit: s.limits.Write}
	if out.flush() != nil { // not every dialect has a word for the turn's start
		return
	}

	frames := make(chan frame, 16)
	go s.encode(ctx, st, frames)
	var quiet <-chan time.Time
	var timer *time.Timer
	if st.Every > 0 {
		timer = time.NewTimer(st.Every)
		defer timer.Stop()
		quiet = timer.C
	}
	for {
		select {
		case f, ok := <-frames:
			if !ok {
				return
			}
			// What is there already goes out with it, in one packet.
			if out.write(f.data) != nil || (f.last || len(frames) == 0) && out.flush() != nil {
				return
			}
		case <-quiet:
			if out.write(st.Ping) != nil || out.flush() != nil {
				return
			}
		}
		if timer != nil {
			timer.Reset(st.Every)
		}
	}
}

type frame struct {
	data []byte
	last bool
}

// encode follows the turn and hands over its frames, then closes the channel.
func (s *Server) encode(ctx context.Context, st dialect.Stream, frames chan<- frame) {
	defer close(frames)
	defer func() {
		if p := recover(); p != nil { // an encoder's mistake must not end the process
			slog.ErrorContext(ctx, "panic in a stream", "panic", p, "stack", string(debug.Stack()))
			select {
			case frames <- frame{data: st.Encoder.Fail(chat.ErrInternal), last: true}:
			case <-ctx.Done():
			}
		}
	}()
	send := func(f frame) bool {
		select {
		case frames <- f:
			return !f.last
		case <-ctx.Done():
			return false
		}
	}
	for e, err := range s.backend.Follow(ctx, st.Turn.UserID, st.Turn.ID, st.After) {
		if err != nil {
			if ctx.Err() == nil {
				send(frame{data: st.Encoder.Fail(chat.AsError(err)), last: true})
			}
			return
		}
		data, done := st.Encoder.Encode(e)
		if (len(data) > 0 || done) && !send(frame{data: data, last: done}) {
			return
		}
	}
}

// patientWriter writes to a client that may be slow, up to a limit.
type patientWriter struct {
	w     http.ResponseWriter
	rc    *http.ResponseController
	limit time.Duration
	until time.Time // the deadline that is set
}

func (p *patientWriter) write(data []byte) error {
	// Not for every event: the deadline is a timer, and most clients are fast.
	if now := time.Now(); p.until.Sub(now) < p.limit*3/4 {
		p.until = now.Add(p.limit)
		if err := p.rc.SetWriteDeadline(p.until); err != nil {
			return err
		}
	}
	_, err := p.w.Write(data)
	return err
}

func (p *patientWriter) flush() error { return p.rc.Flush() }
