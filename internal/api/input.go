package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"confidant/internal/chat"
)

// field is a member of a JSON body that may be left out. null is the zero value.
type field[T any] struct {
	given bool
	value T
}

// UnmarshalJSON implements json.Unmarshaler.
func (f *field[T]) UnmarshalJSON(data []byte) error {
	f.given = true
	return json.Unmarshal(data, &f.value)
}

// set stores the value where it was given.
func (f field[T]) set(to *T) {
	if f.given {
		*to = f.value
	}
}

// readJSON reads a body into a value. A field that is not known is an error: one
// that is misspelt would else be lost silently.
func (s *Server) readJSON(w http.ResponseWriter, r *http.Request, into any) error {
	return readWithin(w, r, "body_bytes", s.limits.Body, into)
}

// readWithin is readJSON for a body with a limit of its own.
func readWithin(w http.ResponseWriter, r *http.Request, name string, limit int64, into any) error {
	body, err := readBody(w, r, name, limit)
	if err != nil {
		return err
	}
	if !utf8.Valid(body) {
		return chat.Fail(chat.CodeInvalid, "The body is not UTF-8.")
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	err = decoder.Decode(into)
	if err == nil && decoder.More() {
		return chat.Fail(chat.CodeInvalid, "The body has more than one JSON value.")
	}
	if err == nil {
		return nil
	}
	if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok && len(name) < 100 {
		return chat.Fail(chat.CodeInvalid, "The body has a field that is not known: "+strings.Trim(name, `"`)+".")
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && wrong.Field != "" {
		return chat.Fail(chat.CodeInvalid, "The body has a wrong kind of value in "+wrong.Field+".")
	}
	if wrong, ok := errors.AsType[*time.ParseError](err); ok && wrong.Layout != "" {
		return chat.Fail(chat.CodeInvalid, "The body has a time that is not of the form 2026-03-01T09:00:00Z.")
	}
	return chat.Fail(chat.CodeInvalid, "The body is not a JSON object.")
}

// unchanged is ErrConflict unless the revision that a client knows is the stored
// one, or it did not say.
func unchanged(known field[int64], stored int64) error {
	if known.given && known.value != stored {
		return chat.ErrConflict
	}
	return nil
}

// line is a text in one line, within 1 and so many characters.
func line(name, text string, most int) (string, error) {
	text = strings.Join(strings.Fields(text), " ")
	if text == "" {
		return "", chat.Fail(chat.CodeInvalid, name+" must not be empty.")
	}
	return text, within(name, text, most)
}

// within checks that a text is no longer than so many characters.
func within(name, text string, most int) error {
	if n := utf8.RuneCountInString(text); n > most {
		return chat.Fail(chat.CodeInvalid, name+" has "+strconv.Itoa(n)+" characters; the limit is "+strconv.Itoa(most)+" ("+name+"_characters).")
	}
	if strings.ContainsRune(text, 0) {
		return chat.Fail(chat.CodeInvalid, name+" has a NUL character.")
	}
	return nil
}

// timeOf reads a time of the query, zero when it is not given.
func timeOf(r *http.Request, name string) (time.Time, error) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return time.Time{}, nil
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return t, chat.Fail(chat.CodeInvalid, name+" is not a time such as 2026-03-01T09:00:00Z.")
	}
	return t, nil
}
