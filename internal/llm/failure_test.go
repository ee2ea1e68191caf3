package llm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"testing"
	"time"
)

func TestKindOf(t *testing.T) {
	for status, want := range map[int]Kind{
		400: Rejected, 401: Unauthorized, 402: Unauthorized, 403: Unauthorized, 404: Unauthorized, 408: Overloaded,
		409: Overloaded, 413: TooLong, 422: Rejected, 429: RateLimited, 500: Overloaded, 503: Overloaded, 529: Overloaded,
	} {
		if got := KindOf(status); got != want {
			t.Errorf("%d is %s, want %s", status, got, want)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name, value string
		want        time.Duration
	}{
		{"Retry-After", "", 0},
		{"Retry-After", "7", 7 * time.Second},
		{"Retry-After", "0.5", 500 * time.Millisecond},
		{"Retry-After", "-3", 0},
		{"Retry-After", "NaN", 0},
		{"Retry-After", "1e300", math.MaxInt64},
		{"Retry-After", "soon", 0},
		{"Retry-After", "Fri, 01 May 2026 12:01:00 GMT", time.Minute},
		{"Retry-After", "Fri, 01 May 2026 11:00:00 GMT", 0},
		{"Retry-After-Ms", "250", 250 * time.Millisecond},
	} {
		h := http.Header{}
		h.Set(tt.name, tt.value)
		if got := retryAfter(h, now); got != tt.want {
			t.Errorf("%s: %s gives %v, want %v", tt.name, tt.value, got, tt.want)
		}
	}
}

func TestStreamFailure(t *testing.T) {
	ctx := t.Context()
	ended, cancel := context.WithCancel(ctx)
	cancel()
	refused := &Error{Kind: RateLimited}
	for _, tt := range []struct {
		name string
		ctx  context.Context
		err  error
		want Kind
	}{
		{"no error", ctx, nil, Cut},
		{"wrapped", ctx, fmt.Errorf("request: %w", refused), RateLimited},
		{"unknown", ctx, errors.New("invalid character"), Malformed},
	} {
		var e *Error
		if err := StreamFailure(tt.ctx, "m", tt.err); !errors.As(err, &e) || e.Kind != tt.want {
			t.Errorf("%s: got %v, want %s", tt.name, err, tt.want)
		}
	}
	if err := StreamFailure(ended, "m", refused); !errors.Is(err, context.Canceled) {
		t.Errorf("after the context ended: %v", err)
	}
}
