package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"time"

	"confidant/internal/api/dialect"
	"confidant/internal/chat"
)

func writeJSON(w http.ResponseWriter, status int, body any) {
	writeJSONAs(w, "application/json", status, body)
}

func writeJSONAs(w http.ResponseWriter, contentType string, status int, body any) {
	data, err := json.Marshal(body)
	if err != nil {
		slog.Error("encode response", "error", err)
		http.Error(w, `{"code":"internal"}`, http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(append(data, '\n')) // the client is gone: nobody is left to tell
}

func writeProblem(w http.ResponseWriter, e *chat.Error) {
	status, body := dialect.Problem(e)
	writeJSONAs(w, "application/problem+json", status, body)
}

// fail answers with an error in a dialect's own shape. What a person must not
// see, the cause, goes to the log; what a client did wrong does not.
func fail(w http.ResponseWriter, r *http.Request, d dialect.Dialect, err error) {
	e := chat.AsError(err)
	status, body := d.Error(e)
	if status >= 500 && r.Context().Err() == nil {
		slog.ErrorContext(r.Context(), "request failed", "pattern", r.Pattern, "code", e.Code, "error", err)
	}
	if status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	contentType := "application/json"
	if d.Name == nativeName {
		contentType = "application/problem+json"
	}
	writeJSONAs(w, contentType, status, body)
}

// nativeName is the dialect whose errors are problem details.
const nativeName = "native"

// bodyTime is how long a client may take to send a body. It keeps one that sends
// a byte a minute from holding a connection for good.
const bodyTime = 5 * time.Minute

// readBody reads a body within a limit, whose name and value the error tells.
func readBody(w http.ResponseWriter, r *http.Request, name string, limit int64) ([]byte, error) {
	rc := http.NewResponseController(w)
	if err := rc.SetReadDeadline(time.Now().Add(bodyTime)); err == nil {
		defer func() { _ = rc.SetReadDeadline(time.Time{}) }()
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	if _, over := errors.AsType[*http.MaxBytesError](err); over {
		return nil, chat.Fail(chat.CodeTooLarge, fmt.Sprintf("The body is over the limit of %d bytes (%s).", limit, name))
	}
	if err != nil {
		return nil, chat.Fail(chat.CodeInvalid, "The body could not be read.").With(err)
	}
	return body, nil
}
