// Package modelserver is a language model that needs no model: an HTTP server
// that speaks OpenAI's Chat Completions, Responses, Models and Embeddings APIs
// and answers by rules. Tests script it and make it fail; people can play with
// the whole product against it; load tests use it as a model that never tires.
//
// Without a script it adds numbers and searches conversations through the tools
// it is offered, fills JSON schemas, and otherwise chats. A message may contain
// directives that it obeys; they are listed at Directive.
package modelserver

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"
)

const (
	// maxBody limits a request.
	maxBody = 32 << 20
	// kept is how many requests are remembered.
	kept = 1000
)

// Server is the scripted model server. Use New.
type Server struct {
	// Key, when set, is the only API key that is let in.
	Key string
	// Pace is the pause between the deltas of answers without a script, so that
	// they stream at a speed at which people can watch.
	Pace time.Duration

	mux *http.ServeMux

	mu       sync.Mutex
	script   []Step
	requests []*Request
	calls    int
	onced    map[string]bool
}

var _ http.Handler = (*Server)(nil)

// New returns a server that answers by rules.
func New() *Server {
	s := &Server{mux: http.NewServeMux(), onced: map[string]bool{}}
	s.mux.HandleFunc("POST /v1/chat/completions", s.model(parseChat, writeChat, newChatStream))
	s.mux.HandleFunc("POST /v1/responses", s.model(parseResponses, writeResponse, newResponsesStream))
	s.mux.HandleFunc("POST /v1/embeddings", embeddings)
	s.mux.HandleFunc("GET /v1/models", models)
	return s
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.Key != "" && r.Header.Get("Authorization") != "Bearer "+s.Key {
		writeError(w, Fault{Status: http.StatusUnauthorized, Code: "invalid_api_key", Message: "Incorrect API key provided."})
		return
	}
	s.mux.ServeHTTP(w, r)
}

// Script is a list of answers.
type Script struct{ Steps []Step }

// Play appends the script's steps to those that wait. Each answers one request;
// a request that none of them fits is answered by the rules.
func (s *Server) Play(script Script) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.script = append(s.script, script.Steps...)
}

// Calls returns how many model calls were received.
func (s *Server) Calls() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls
}

// Requests returns the last thousand model calls, the oldest first.
func (s *Server) Requests() []*Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// model returns the handler of one API: how it reads, answers whole, and streams.
func (s *Server) model(
	parse func([]byte) (*Request, error),
	whole func(*Request, Step) any,
	stream func(*Request) dialect,
) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		if err != nil {
			writeError(w, Fault{Status: http.StatusRequestEntityTooLarge, Message: err.Error()})
			return
		}
		req, err := parse(body)
		if err != nil {
			writeError(w, Fault{Status: http.StatusBadRequest, Code: "invalid_request_error", Message: err.Error()})
			return
		}
		req.Raw = body
		step := s.next(req)
		if step.Fault != nil && step.Fault.Status != 0 {
			writeError(w, *step.Fault)
			return
		}
		if !req.Stream {
			writeJSON(w, http.StatusOK, whole(req, step))
			return
		}
		play(w, r, req, step, stream(req))
	}
}

// next records a request and picks the step that answers it.
func (s *Server) next(req *Request) Step {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	req.Number = s.calls
	if len(s.requests) == kept {
		s.requests = slices.Delete(s.requests, 0, 1)
	}
	s.requests = append(s.requests, req)
	for i, step := range s.script {
		if step.fits(req) {
			s.script = slices.Delete(s.script, i, i+1)
			return step
		}
	}
	step := think(req)
	if step.Every == 0 {
		step.Every = s.Pace
	}
	if f := step.Fault; f != nil && f.Once {
		if s.onced[req.question()] {
			step.Fault = nil
		}
		s.onced[req.question()] = true
	}
	return step
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the client may be gone
}
