package modelserver

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Request is a model call in the words of neither API.
type Request struct {
	// Number counts the calls of the server from 1.
	Number int
	// API is "chat" or "responses".
	API    string
	Model  string
	System string
	// Messages are the conversation after the system's message.
	Messages []Message
	Tools    []Tool
	// SchemaName is what the client calls it.
	SchemaName string
	// Schema is the JSON Schema that the answer must follow, nil for free text.
	Schema json.RawMessage
	Stream bool
	// WithUsage asks for the usage at the end of a stream.
	WithUsage bool
	// Raw is the request's body.
	Raw json.RawMessage
}

// Message is one message. Calls are set for the assistant, CallID for a tool.
type Message struct {
	Role   string
	Text   string
	Calls  []Call
	CallID string
}

// Tool is an offered tool.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      bool            `json:"strict"`
}

// lastUser is the index of the last message by the user, -1 without one.
func (r *Request) lastUser() int {
	for i := len(r.Messages) - 1; i >= 0; i-- {
		if r.Messages[i].Role == "user" {
			return i
		}
	}
	return -1
}

// question is what the user said last.
func (r *Request) question() string {
	if i := r.lastUser(); i >= 0 {
		return r.Messages[i].Text
	}
	return ""
}

// since returns the tool results and the number of the model's own steps since
// the question.
func (r *Request) since() (results []string, steps int) {
	for _, m := range r.Messages[r.lastUser()+1:] {
		switch m.Role {
		case "tool":
			results = append(results, m.Text)
		case "assistant":
			steps++
		}
	}
	return results, steps
}

// earlier counts the messages before the question by the user and the
// assistant; the assistant's calls without words are not messages.
func (r *Request) earlier() int {
	n := 0
	for _, m := range r.Messages[:max(0, r.lastUser())] {
		if m.Role == "user" || m.Role == "assistant" && m.Text != "" {
			n++
		}
	}
	return n
}

// offers reports whether a tool is offered.
func (r *Request) offers(name string) bool {
	for _, t := range r.Tools {
		if t.Name == name {
			return true
		}
	}
	return false
}

// content is a message's text: a string, or a list of parts.
type content string

// UnmarshalJSON implements json.Unmarshaler.
func (c *content) UnmarshalJSON(data []byte) error {
	var text *string
	if json.Unmarshal(data, &text) == nil {
		if text != nil {
			*c = content(*text)
		}
		return nil
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if err := json.Unmarshal(data, &parts); err != nil {
		return fmt.Errorf("content is neither text nor a list of parts: %w", err)
	}
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.Text)
	}
	*c = content(b.String())
	return nil
}
