package llm

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// events is a body that has more to give at every read.
type events struct{ left int }

func (e *events) Read(p []byte) (int, error) {
	if e.left--; e.left < 0 {
		return 0, io.EOF
	}
	return copy(p, "data: 1\n\n"), nil
}

func (e *events) Close() error { return nil }

type answering struct{ events int }

func (a answering) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Body: &events{left: a.events}}, nil
}

func TestOnlyManyStreamsAreReadInSteps(t *testing.T) {
	for name, test := range map[string]struct {
		open int64
		want time.Duration
	}{
		"few":  {open: paceFree - 1, want: 0},
		"many": {open: 10_000, want: 2 * paceMost}, // the first read does not wait
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				openStreams.Add(test.open)
				defer openStreams.Add(-test.open)
				before := openStreams.Load()
				req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://model", strings.NewReader(""))
				if err != nil {
					t.Fatal(err)
				}
				resp, err := (&Transport{Next: answering{events: 2}}).RoundTrip(req)
				if err != nil {
					t.Fatal(err)
				}
				start := time.Now()
				data, err := io.ReadAll(resp.Body)
				if err != nil || strings.Count(string(data), "data:") != 2 {
					t.Errorf("read %q, %v", data, err)
				}
				if took := time.Since(start); took != test.want {
					t.Errorf("three reads took %v, want %v", took, test.want)
				}
				for range 2 { // a body may be closed twice
					if err := resp.Body.Close(); err != nil {
						t.Fatal(err)
					}
				}
				if now := openStreams.Load(); now != before {
					t.Errorf("%d streams count as open, want %d", now, before)
				}
			})
		})
	}
}
