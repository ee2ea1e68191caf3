package llm

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// roundTrip is a function that makes round trips.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// answer is a round trip that answers at once.
func answer(status int, body io.Reader) roundTrip {
	return func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(body)}, nil
	}
}

// get makes a request through a Transport above next and reads the whole body.
func get(ctx context.Context, transport Transport, next roundTrip) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://model.invalid/", nil)
	if err != nil {
		return "", err
	}
	resp, err := transport.Client(&http.Client{Transport: next}).Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return string(body), err
}

func wantKind(t *testing.T, err error, want Kind) *Error {
	t.Helper()
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Kind != want {
		t.Fatalf("got %v, want the kind %s", err, want)
	}
	return e
}

func TestTransportSortsWhatFailsBelowTheSDK(t *testing.T) {
	refused := errors.New("connection refused")
	_, err := get(t.Context(), Transport{Model: "m"}, func(*http.Request) (*http.Response, error) { return nil, refused })
	if e := wantKind(t, err, Overloaded); !errors.Is(e, refused) || e.Model != "m" {
		t.Errorf("got %+v", e)
	}
	_, err = get(t.Context(), Transport{}, answer(200, io.MultiReader(strings.NewReader("half"), errReader{io.ErrUnexpectedEOF})))
	wantKind(t, err, Cut)
	body, err := get(t.Context(), Transport{}, answer(200, strings.NewReader("whole")))
	if err != nil || body != "whole" {
		t.Errorf("got %q, %v", body, err)
	}
}

func TestTransportKeepsTheKeyOutOfErrors(t *testing.T) {
	_, err := get(t.Context(), Transport{Key: "sk-1234"}, answer(401, strings.NewReader(`Incorrect API key: sk-1234.`)))
	e := wantKind(t, err, Unauthorized)
	if strings.Contains(e.Error(), "sk-1234") || !strings.Contains(e.Error(), "Incorrect API key: ***.") {
		t.Errorf("the error says %q", e.Error())
	}
}

func TestTransportLetsTheProviderRefine(t *testing.T) {
	refine := func(e *Error, body []byte) {
		if string(body) == "too long" {
			e.Kind = TooLong
		}
	}
	_, err := get(t.Context(), Transport{Refine: refine}, answer(400, strings.NewReader("too long")))
	wantKind(t, err, TooLong)
}

func TestTransportGivesUpOnSilence(t *testing.T) {
	silent := func(req *http.Request) (*http.Response, error) {
		<-req.Context().Done()
		return nil, req.Context().Err()
	}
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		_, err := get(t.Context(), Transport{IdleTimeout: time.Minute}, silent)
		wantKind(t, err, Stalled)
		if waited := time.Since(start); waited != time.Minute {
			t.Errorf("gave up after %v", waited)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := get(ctx, Transport{}, silent); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want the context's error", err)
		}
	})
}

func TestTransportWatchesTheBodyButNotTheConsumer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := Transport{IdleTimeout: time.Minute}
		pr, pw := io.Pipe()
		client := transport.Client(&http.Client{Transport: roundTrip(func(req *http.Request) (*http.Response, error) {
			context.AfterFunc(req.Context(), func() { pw.CloseWithError(req.Context().Err()) })
			return answer(200, pr)(req)
		})})
		resp, err := client.Get("http://model.invalid/")
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		go pw.Write([]byte("ab"))
		one := make([]byte, 1)
		for range 2 {
			if _, err := resp.Body.Read(one); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Hour) // a slow consumer
		}
		_, err = resp.Body.Read(one)
		wantKind(t, err, Stalled)
	})
}

// errReader fails every read.
type errReader struct{ err error }

func (r errReader) Read([]byte) (int, error) { return 0, r.err }
