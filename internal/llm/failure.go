package llm

import (
	"context"
	"errors"
	"math"
	"net/http"
	"strconv"
	"time"
)

// errNoEnd is the reason of a stream that was cut without any other error.
var errNoEnd = errors.New("the stream ended before the answer was complete")

// StreamFailure turns the error that ended a provider's stream into what
// Model.Stream promises: the context's error when ctx has ended, the *Error in
// err's chain, Cut when there is no error at all, and Malformed for the rest,
// since the Transport has already sorted everything but the decoding.
func StreamFailure(ctx context.Context, model string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err == nil {
		return &Error{Kind: Cut, Model: model, Err: errNoEnd}
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return &Error{Kind: Malformed, Model: model, Err: err}
}

// KindOf sorts an HTTP status over 399. A 404 counts as Unauthorized because providers
// answer it for a model that the key may not use as well as for one that does
// not exist, and in both cases another model may do.
func KindOf(status int) Kind {
	switch {
	case status == http.StatusTooManyRequests:
		return RateLimited
	case status == http.StatusUnauthorized, status == http.StatusPaymentRequired,
		status == http.StatusForbidden, status == http.StatusNotFound:
		return Unauthorized
	case status == http.StatusRequestEntityTooLarge:
		return TooLong
	case status == http.StatusRequestTimeout, status == http.StatusConflict, status >= 500:
		return Overloaded
	}
	return Rejected
}

// retryAfter reads the headers in which providers say when to come back:
// Retry-After-Ms, and Retry-After in seconds or as a date (RFC 9110, 10.2.3).
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil {
		return duration(ms, time.Millisecond)
	}
	value := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(value, 64); err == nil {
		return duration(s, time.Second)
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}

// duration is n units, 0 when n is negative or not a number, and never more
// than fits.
func duration(n float64, unit time.Duration) time.Duration {
	switch d := n * float64(unit); {
	case !(d > 0):
		return 0
	case d >= math.MaxInt64:
		return math.MaxInt64
	default:
		return time.Duration(d)
	}
}
