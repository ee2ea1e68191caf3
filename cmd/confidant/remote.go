package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"confidant/internal/api"
	"confidant/internal/chat"
	"confidant/internal/inbox"
)

// remote is the assistant on a server, over the native API.
type remote struct {
	url, token string
	client     *http.Client
}

var _ assistant = (*remote)(nil)

func newRemote(server, token string) *remote {
	if !strings.Contains(server, "://") {
		server = "http://" + server
	}
	return &remote{url: strings.TrimRight(server, "/"), token: token, client: &http.Client{}}
}

// send makes one request and returns its response when that is a success. A
// refusal is the server's own *chat.Error.
func (r *remote) send(ctx context.Context, method, path string, body []byte, header ...string) (*http.Response, error) {
	return r.sendFrom(ctx, method, path, bytes.NewReader(body), header...)
}

// sendFrom is send with a body that is read as it is sent.
func (r *remote) sendFrom(ctx context.Context, method, path string, body io.Reader, header ...string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, r.url+path, body)
	if err != nil {
		return nil, fmt.Errorf("address of the server: %w", err)
	}
	req.Header.Set("Authorization", "Bearer "+r.token)
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := r.client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("ask the server: %w", err)
	}
	if resp.StatusCode < 300 {
		return resp, nil
	}
	defer resp.Body.Close()
	var problem struct {
		Code   chat.Code `json:"code"`
		Detail string    `json:"detail"`
	}
	data, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<16))
	if json.Unmarshal(data, &problem) != nil || problem.Code == "" {
		return nil, fmt.Errorf("%s is no Confidant: it answers %s", r.url, resp.Status)
	}
	return nil, chat.Fail(problem.Code, problem.Detail)
}

// call sends a request and decodes the answer into a value, unless it is nil.
func (r *remote) call(ctx context.Context, method, path string, body []byte, into any, header ...string) error {
	resp, err := r.send(ctx, method, path, body, header...)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if into == nil {
		return nil
	}
	if err := json.NewDecoder(resp.Body).Decode(into); err != nil {
		return fmt.Errorf("read the server's answer: %w", err)
	}
	return nil
}

// me tells whose token it is.
func (r *remote) me(ctx context.Context) (chat.User, error) {
	var user chat.User
	return user, r.call(ctx, http.MethodGet, "/api/me", nil, &user)
}

// Ask implements assistant. It may be called again with the same key after a
// connection broke: the turn is begun once.
func (r *remote) Ask(ctx context.Context, ask chat.Ask) (chat.Turn, error) {
	body, err := json.Marshal(map[string]any{"message": ask.Text, "chat_id": ask.ChatID, "zone": ask.Zone, "file_ids": ask.FileIDs})
	if err != nil {
		return chat.Turn{}, err
	}
	var turn chat.Turn
	return turn, r.call(ctx, http.MethodPost, "/api/turns", body, &turn, "Content-Type", "application/json", "Idempotency-Key", ask.IdempotencyKey)
}

// Cancel implements assistant.
func (r *remote) Cancel(ctx context.Context, turnID string) error {
	return r.call(ctx, http.MethodPost, "/api/turns/"+url.PathEscape(turnID)+"/cancel", nil, nil)
}

// Import implements assistant.
func (r *remote) Import(ctx context.Context, f chat.Import) (inbox.Taken, error) {
	q := url.Values{"name": {f.Name}}
	if f.Kind != "" {
		q.Set("kind", f.Kind)
	}
	if !f.Modified.IsZero() {
		q.Set("modified", f.Modified.UTC().Format(time.RFC3339))
	}
	var taken inbox.Taken
	err := r.call(ctx, http.MethodPost, "/api/import?"+q.Encode(), f.Content, &taken, "Content-Type", "application/octet-stream")
	return taken, cmp.Or(err, taken.Err())
}

// Restore implements assistant.
func (r *remote) Restore(ctx context.Context, archive *os.File, _ int64) (inbox.Taken, error) {
	var taken inbox.Taken
	resp, err := r.sendFrom(ctx, http.MethodPost, "/api/import?name=archive.zip", archive, "Content-Type", "application/zip")
	if err != nil {
		return taken, err
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(&taken); err != nil {
		return taken, fmt.Errorf("read the server's answer: %w", err)
	}
	return taken, nil
}

// Export implements assistant.
func (r *remote) Export(ctx context.Context, to io.Writer) error {
	resp, err := r.send(ctx, http.MethodGet, "/api/export", nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(to, resp.Body); err != nil {
		return fmt.Errorf("read the server's answer: %w", err)
	}
	return nil
}

// Pending implements assistant.
func (r *remote) Pending(ctx context.Context) (int, error) {
	var status api.Status
	err := r.call(ctx, http.MethodGet, "/api/status", nil, &status)
	return status.Indexing.Pending + status.Processing.Pending, err
}

// A stream that broke is taken up again after followPause, longer each time, and
// given up when followTries in a row brought nothing new.
const (
	followPause     = 200 * time.Millisecond
	followPauseMost = 5 * time.Second
	followTries     = 8
)

// Follow implements assistant. A broken connection goes on after the last event
// that came.
func (r *remote) Follow(ctx context.Context, turnID string) iter.Seq2[chat.Event, error] {
	return func(yield func(chat.Event, error) bool) {
		var last int64
		for try := 0; ; try++ {
			before := last
			for e, err := range r.events(ctx, turnID, last) {
				if err != nil {
					if final(err) || ctx.Err() != nil || try >= followTries {
						yield(chat.Event{}, err)
						return
					}
					break
				}
				last = e.Seq
				_, closed := e.Body.(chat.TurnClosed)
				if !yield(e, nil) || closed {
					return
				}
			}
			if last > before {
				try = 0
			}
			select {
			case <-time.After(min(followPause<<try, followPauseMost)):
			case <-ctx.Done():
				yield(chat.Event{}, context.Cause(ctx))
				return
			}
		}
	}
}

// final reports whether the server has refused for good.
func final(err error) bool {
	e, ok := errors.AsType[*chat.Error](err)
	return ok && e.Code != chat.CodeUnavailable && e.Code != chat.CodeInternal
}

var errBroken = errors.New("the connection to the server broke")

// events yields what one connection brings, then an error unless the turn closed.
func (r *remote) events(ctx context.Context, turnID string, after int64) iter.Seq2[chat.Event, error] {
	return func(yield func(chat.Event, error) bool) {
		resp, err := r.send(ctx, http.MethodGet, "/api/turns/"+url.PathEscape(turnID)+"/events?after="+strconv.FormatInt(after, 10), nil, "Accept", "text/event-stream")
		if err != nil {
			yield(chat.Event{}, err)
			return
		}
		defer resp.Body.Close()
		lines := bufio.NewReader(resp.Body)
		kind := ""
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				yield(chat.Event{}, errBroken)
				return
			}
			name, value, _ := strings.Cut(strings.TrimRight(line, "\r\n"), ": ")
			switch {
			case name == "event":
				kind = value
			case name == "data" && kind == "error":
				var problem struct {
					Code   chat.Code `json:"code"`
					Detail string    `json:"detail"`
				}
				if json.Unmarshal([]byte(value), &problem) != nil {
					yield(chat.Event{}, errBroken)
					return
				}
				yield(chat.Event{}, chat.Fail(problem.Code, problem.Detail))
				return
			case name == "data":
				var e chat.Event
				if err := json.Unmarshal([]byte(value), &e); err != nil {
					// A newer server may have events that this program does not know.
					yield(chat.Event{}, chat.Fail(chat.CodeUnsupported, "The server is of another version than this program.").With(err))
					return
				}
				if _, closed := e.Body.(chat.TurnClosed); !yield(e, nil) || closed {
					return
				}
			}
		}
	}
}
