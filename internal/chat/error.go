package chat

import "errors"

// Code names a kind of failure. Codes are part of the public interface: clients
// switch on them, so they are never renamed.
type Code string

// The codes that any interface of this package may answer with.
const (
	CodeInvalid         Code = "invalid_request"
	CodeUnauthenticated Code = "unauthenticated"
	CodeForbidden       Code = "forbidden"
	CodeNotFound        Code = "not_found"
	CodeConflict        Code = "conflict"
	CodeTooLarge        Code = "too_large"
	CodeUnsupported     Code = "unsupported_media"
	CodeRateLimited     Code = "rate_limited"
	CodeStorageFull     Code = "storage_full"
	CodeUnavailable     Code = "unavailable"
	CodeModel           Code = "model_failed"
	CodeInternal        Code = "internal"
)

// Error is a failure that a person may read: Detail names the cause or the
// limit, never a secret, a path or the text of a message. Err is for the log.
type Error struct {
	Code   Code
	Detail string
	Err    error
}

// Fail returns an Error with a finished sentence. It takes no format, because a
// format would invite message text into errors.
func Fail(code Code, detail string) *Error { return &Error{Code: code, Detail: detail} }

// Error implements error.
func (e *Error) Error() string {
	s := string(e.Code) + ": " + e.Detail
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns the cause, which is for logs only.
func (e *Error) Unwrap() error { return e.Err }

// Is reports whether target is an *Error of the same code, so that
// errors.Is(err, ErrNotFound) holds whatever the detail.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}

// With returns a copy of e that wraps the cause err.
func (e *Error) With(err error) *Error { return &Error{Code: e.Code, Detail: e.Detail, Err: err} }

// Sentinels to compare with errors.Is.
var (
	ErrNotFound        = Fail(CodeNotFound, "There is no such record.")
	ErrForbidden       = Fail(CodeForbidden, "This belongs to somebody else.")
	ErrUnauthenticated = Fail(CodeUnauthenticated, "A valid token is needed.")
	ErrConflict        = Fail(CodeConflict, "This was changed by somebody else.")
	ErrStorageFull     = Fail(CodeStorageFull, "The disk of the server is full. What was stored before is safe.")
	ErrUnavailable     = Fail(CodeUnavailable, "The server is shutting down. Try again in a moment.")
	ErrInternal        = Fail(CodeInternal, "Something went wrong on the server.")
)

// ErrFenced says that the caller's lease on a job has passed to another worker.
// It stays between the journal and its store.
var ErrFenced = errors.New("lease lost to another worker")

// AsError returns err as an *Error; anything unknown becomes a plain internal
// error that wraps it.
func AsError(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return ErrInternal.With(err)
}
