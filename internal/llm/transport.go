package llm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

// DefaultIdleTimeout is how long a provider may send nothing before its stream
// counts as stalled.
const DefaultIdleTimeout = 60 * time.Second

// maxErrorBody limits what is read of a failed response.
const maxErrorBody = 64 << 10

// errIdle is the cause of a request that the idle watch gave up.
var errIdle = errors.New("nothing received within the idle limit")

// shared keeps a connection for every turn of a busy server: the default of two
// a host makes most calls shake hands anew before their first token.
var shared = func() http.RoundTripper {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConns, t.MaxIdleConnsPerHost = 512, 256
	return t
}()

// Transport lies between a provider's SDK and the network. Whatever fails below
// the SDK leaves it as an *Error: a connection that could not be made, a status
// over 399, a body that breaks off, and a server that sends nothing for the idle
// limit. Time that the consumer takes between reads does not count as idle.
type Transport struct {
	// Model is the name for errors.
	Model string
	// Key is struck out of whatever the provider says about a failed call.
	Key Secret
	// IdleTimeout is the idle limit; 0 is DefaultIdleTimeout.
	IdleTimeout time.Duration
	// Refine, when set, may correct the kind of failure by the response's body.
	Refine func(e *Error, body []byte)
	// Next makes the round trips; nil is a transport that all providers share.
	Next http.RoundTripper
}

// Client returns an http.Client that uses t above the transport of c, which may
// be nil.
func (t Transport) Client(c *http.Client) *http.Client {
	wrapped := http.Client{}
	if c != nil {
		wrapped = *c
	}
	t.Next = wrapped.Transport
	wrapped.Transport = &t
	return &wrapped
}

// RoundTrip implements http.RoundTripper.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	next, limit := t.Next, t.IdleTimeout
	if next == nil {
		next = shared
	}
	if limit == 0 {
		limit = DefaultIdleTimeout
	}
	ctx, cancel := context.WithCancelCause(req.Context())
	idle := time.AfterFunc(limit, func() { cancel(errIdle) })
	resp, err := next.RoundTrip(req.WithContext(ctx))
	if err != nil {
		idle.Stop()
		err = t.failure(ctx, Overloaded, err)
		cancel(nil)
		return nil, err
	}
	idle.Stop()
	openStreams.Add(1)
	resp.Body = &watchedBody{body: resp.Body, transport: t, ctx: ctx, cancel: cancel, idle: idle, limit: limit}
	if resp.StatusCode < 400 {
		return resp, nil
	}
	defer resp.Body.Close()
	return nil, t.refused(resp)
}

// failure sorts an error of the network: the end of the context stays what it
// is, the idle limit is a stall, and anything else is of the given kind.
func (t *Transport) failure(ctx context.Context, kind Kind, err error) error {
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errIdle):
		return &Error{Kind: Stalled, Model: t.Model, Err: errIdle}
	case cause != nil:
		return err
	}
	return &Error{Kind: kind, Model: t.Model, Err: err}
}

// refused turns a response over 399 into an error.
func (t *Transport) refused(resp *http.Response) error {
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	if err != nil {
		body = fmt.Appendf(nil, "unreadable answer: %v", err)
	}
	text := strings.TrimSpace(string(body))
	if t.Key != "" {
		text = strings.ReplaceAll(text, string(t.Key), masked)
	}
	if text == "" {
		text = http.StatusText(resp.StatusCode)
	}
	e := &Error{
		Kind:       KindOf(resp.StatusCode),
		Model:      t.Model,
		Status:     resp.StatusCode,
		RetryAfter: retryAfter(resp.Header, time.Now()),
		Err:        errors.New(text),
	}
	if t.Refine != nil {
		t.Refine(e, body)
	}
	return e
}

// watchedBody is a response's body under the idle watch, read in steps when many
// are open.
type watchedBody struct {
	body      io.ReadCloser
	transport *Transport
	ctx       context.Context
	cancel    context.CancelCauseFunc
	idle      *time.Timer
	limit     time.Duration
	lastRead  time.Time
	closed    atomic.Bool
}

// Read implements io.Reader. The watch runs only while it waits for bytes.
func (b *watchedBody) Read(p []byte) (int, error) {
	if apart := readsApart(openStreams.Load()); apart > 0 {
		time.Sleep(apart - time.Since(b.lastRead))
	}
	b.idle.Reset(b.limit)
	n, err := b.body.Read(p)
	b.idle.Stop()
	b.lastRead = time.Now()
	if err != nil && !errors.Is(err, io.EOF) {
		err = b.transport.failure(b.ctx, Cut, err)
	}
	return n, err
}

// Close implements io.Closer and ends the request.
func (b *watchedBody) Close() error {
	if !b.closed.Swap(true) {
		openStreams.Add(-1)
	}
	b.idle.Stop()
	b.cancel(nil)
	return b.body.Close()
}
