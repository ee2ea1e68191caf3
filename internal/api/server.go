// Package api is HTTP and WebSocket: who are you, may you, how much. It receives
// requests, hands them to a dialect or a native handler, and sends what comes
// back. Errors are rendered here and nowhere else.
package api

import (
	"cmp"
	"errors"
	"io/fs"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"

	"confidant/internal/api/dialect"
	"confidant/internal/chat"
)

// Limits bound what a client may send. A request over one is answered with the
// limit's name and value.
type Limits struct {
	Body   int64 // bytes of a JSON body
	Import int64 // bytes of an imported file
	// Archive is the bytes of an archive that is taken back.
	Archive int64
	File    int64 // bytes of a file of the library
	Frame   int64 // bytes of a WebSocket frame
	// Write is how long a client may take to accept what is sent to it.
	Write time.Duration
	// Ping is how often a WebSocket is pinged; 0 means the default. A client that
	// does not answer within Write is gone.
	Ping time.Duration
}

// DefaultLimits are generous for people and small for a server.
var DefaultLimits = Limits{Body: 1 << 20, Import: 64 << 20, Archive: 4 << 30, File: 1 << 30, Frame: 1 << 20, Write: 30 * time.Second, Ping: 25 * time.Second}

// Server answers requests.
type Server struct {
	backend  dialect.Backend
	identify Identifier
	memory   Memory
	facts    chat.Facts
	inbox    Inbox
	export   Exporter
	searcher Searcher
	tasks    chat.Tasks
	calendar Calendar
	people   chat.People
	folders  chat.Folders
	files    Files
	zone     *time.Location
	status   func(r *http.Request) Status
	limits   Limits
}

// Options are the rooms behind the surface.
type Options struct {
	Backend  dialect.Backend
	Identify Identifier
	Memory   Memory
	Facts    chat.Facts
	Inbox    Inbox
	Export   Exporter
	Searcher Searcher
	Tasks    chat.Tasks
	Calendar Calendar
	People   chat.People
	Folders  chat.Folders
	Files    Files
	// Zone is the person's when a request names none; nil for UTC.
	Zone *time.Location
	// Status tells what is connected; Ready whether to send traffic here.
	Status func(r *http.Request) Status
	Ready  func(r *http.Request) error
	// Page is the built page, nil when the binary was built without it.
	Page fs.FS
	// Metrics serves /metrics, nil for none.
	Metrics http.Handler
	// Instrument wraps every route for tracing and metrics; nil for nothing.
	Instrument func(pattern string, h http.Handler) http.Handler
	Limits     Limits
}

// New returns the handler of the whole surface.
func New(o Options) http.Handler {
	s := &Server{
		backend: o.Backend, identify: o.Identify, memory: o.Memory, facts: o.Facts, searcher: o.Searcher, inbox: o.Inbox, export: o.Export,
		tasks: o.Tasks, calendar: o.Calendar, people: o.People, folders: o.Folders, files: o.Files, zone: cmp.Or(o.Zone, time.UTC), status: o.Status, limits: o.Limits,
	}
	s.backend.Sent = sentFiles{o.Files}
	s.limits.Ping = cmp.Or(s.limits.Ping, DefaultLimits.Ping)
	mux := http.NewServeMux()
	route := func(pattern string, h http.Handler) {
		if o.Instrument != nil {
			h = o.Instrument(pattern, h)
		}
		mux.Handle(pattern, h)
	}
	for _, d := range dialect.All() {
		for _, e := range d.Endpoints {
			route(e.Pattern, s.endpoint(d, e, s.user))
		}
		for _, e := range d.Public {
			route(e.Pattern, s.endpoint(d, e, anybody))
		}
		for _, w := range d.Sockets {
			route("GET "+w.Pattern, s.socket(d, w))
		}
	}
	for pattern, h := range s.native() {
		route(pattern, h)
	}
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, map[string]string{"status": "ok"})
	})
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		if err := o.Ready(r); err != nil {
			writeProblem(w, chat.AsError(err))
			return
		}
		writeJSON(w, http.StatusOK, map[string]string{"status": "ready"})
	})
	if o.Metrics != nil {
		mux.Handle("GET /metrics", o.Metrics)
	}
	mux.Handle("GET /", page(o.Page))

	// The order in which a request passes: recovery, headers, origins, routes.
	// Tokens and limits are the routes' own business, since each renders errors
	// in its dialect.
	return recovered(secured(crossOrigin(sameOrigin(mux))))
}

// recovered turns a panic into a plain 500.
func recovered(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			p := recover()
			if p == nil || isAbort(p) {
				return
			}
			slog.ErrorContext(r.Context(), "panic in a handler", "panic", p, "stack", string(debug.Stack()))
			writeProblem(w, chat.ErrInternal)
		}()
		next.ServeHTTP(w, r)
	})
}

// isAbort reports whether a handler broke off on purpose.
func isAbort(p any) bool {
	err, ok := p.(error)
	return ok && errors.Is(err, http.ErrAbortHandler)
}

// policy lets the page load nothing that did not come with it.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

func secured(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		next.ServeHTTP(w, r)
	})
}

// crossOrigin lets apps on other origins use the server with a token. Browsers
// send no cookie there, because no origin is named and credentials are not allowed.
func crossOrigin(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Origin") == "" {
			next.ServeHTTP(w, r)
			return
		}
		h := w.Header()
		h.Set("Access-Control-Allow-Origin", "*")
		h.Set("Access-Control-Expose-Headers", "X-Chat-Id, X-Turn-Id, Retry-After, Location, Upload-Offset, Upload-Length, Tus-Resumable, Confidant-File, Confidant-Duplicate")
		if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
			h.Set("Access-Control-Allow-Methods", "GET, HEAD, POST, PATCH, DELETE")
			// Whatever an SDK wants to send: the token alone decides what it may do.
			h.Set("Access-Control-Allow-Headers", r.Header.Get("Access-Control-Request-Headers"))
			h.Set("Access-Control-Max-Age", "86400")
			w.WriteHeader(http.StatusNoContent)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// sameOrigin keeps other sites from using the page's cookie. A request with a
// token in its header cannot be forged by a site, so it may come from anywhere.
func sameOrigin(next http.Handler) http.Handler {
	protected := http.NewCrossOriginProtection()
	guarded := protected.Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			next.ServeHTTP(w, r)
			return
		}
		guarded.ServeHTTP(w, r)
	})
}
