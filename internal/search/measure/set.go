// Package measure tells how well search finds: it imports documents as a person
// would, asks questions of which the answers are known, and counts.
package measure

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"time"
)

// Document is a turn of a conversation or a passage, one line of documents.jsonl.
// Only id and text are always there.
type Document struct {
	ID      string  `json:"id"`
	Text    string  `json:"text"`
	Time    instant `json:"time"`
	Session string  `json:"session"` // the conversation that it is part of
	Scope   string  `json:"scope"`   // the person whose it is
	Speaker string  `json:"speaker"`
	Title   string  `json:"title"`
}

// Question is one line of queries.jsonl. It is asked by the person of its scope.
type Question struct {
	ID       string   `json:"id"`
	Text     string   `json:"text"`
	Relevant []string `json:"relevant_ids"`
	Scope    string   `json:"scope"`
	Category string   `json:"category"`
}

// maxLine is how long a line may be, in bytes.
const maxLine = 64 << 20

// ReadDocuments reads JSON lines. An error names the line.
func ReadDocuments(r io.Reader) ([]Document, error) {
	list, err := readLines[Document](r)
	for i, d := range list {
		if d.ID == "" {
			return nil, fmt.Errorf("document %d has no id", i+1)
		}
	}
	return list, err
}

// ReadQuestions reads JSON lines. An error names the line.
func ReadQuestions(r io.Reader) ([]Question, error) { return readLines[Question](r) }

func readLines[T any](r io.Reader) ([]T, error) {
	var list []T
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	for n := 1; lines.Scan(); n++ {
		if len(lines.Bytes()) == 0 {
			continue
		}
		var one T
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		list = append(list, one)
	}
	return list, lines.Err()
}

// instant is a time with or without an offset, UTC without; zero when there is none.
type instant struct{ time.Time }

// UnmarshalJSON implements json.Unmarshaler.
func (t *instant) UnmarshalJSON(data []byte) error {
	var text *string
	if err := json.Unmarshal(data, &text); err != nil || text == nil || *text == "" {
		return err
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02"} {
		if parsed, err := time.Parse(layout, *text); err == nil {
			t.Time = parsed
			return nil
		}
	}
	return fmt.Errorf("%q is not a time such as 2026-03-14T09:00:00", *text)
}
