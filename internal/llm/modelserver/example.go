package modelserver

import (
	"encoding/json"
	"strings"
)

const (
	// maxDepth ends schemas that refer to themselves.
	maxDepth = 6
	// maxValues ends schemas that ask for arrays of arrays of arrays.
	maxValues = 1000
)

// schema is as much of JSON Schema as examples need.
type schema struct {
	Type       any                `json:"type"`
	Enum       []any              `json:"enum"`
	Const      any                `json:"const"`
	Format     string             `json:"format"`
	MaxLength  int                `json:"maxLength"`
	Minimum    float64            `json:"minimum"`
	MinItems   int                `json:"minItems"`
	Items      *schema            `json:"items"`
	Properties map[string]*schema `json:"properties"`
	AnyOf      []*schema          `json:"anyOf"`
	OneOf      []*schema          `json:"oneOf"`
	Ref        string             `json:"$ref"`
	Defs       map[string]*schema `json:"$defs"`
}

// example returns a small JSON value of a schema: every property, one string in
// an array of strings, no more objects in an array than are asked for. Strings
// say the topic in a few words, so that a title looks like one.
func example(raw json.RawMessage, topic string) string {
	var root schema
	if err := json.Unmarshal(raw, &root); err != nil {
		return "{}"
	}
	topic = strings.Join(firstWords(topic, 6), " ")
	if topic == "" {
		topic = "Nothing"
	}
	f := filler{root: &root, topic: topic}
	value, err := json.Marshal(f.value(&root, 0))
	if err != nil {
		return "{}"
	}
	return string(value)
}

func firstWords(text string, n int) []string {
	all := strings.Fields(text)
	return all[:min(n, len(all))]
}

// filler fills in one example.
type filler struct {
	root   *schema
	topic  string
	values int // made so far
}

func (f *filler) value(s *schema, depth int) any {
	if f.values++; s == nil || depth > maxDepth || f.values > maxValues {
		return nil
	}
	if name, ok := strings.CutPrefix(s.Ref, "#/$defs/"); ok {
		return f.value(f.root.Defs[name], depth+1)
	}
	if s.Const != nil {
		return s.Const
	}
	if len(s.Enum) > 0 {
		return s.Enum[0]
	}
	for _, option := range append(s.AnyOf, s.OneOf...) {
		return f.value(option, depth+1)
	}
	switch s.kind() {
	case "object":
		object := map[string]any{}
		for name, property := range s.Properties {
			object[name] = f.value(property, depth+1)
		}
		return object
	case "array":
		return f.array(s, depth)
	case "string":
		return s.text(f.topic)
	case "number", "integer":
		return s.Minimum
	case "boolean":
		return false
	}
	return nil
}

func (f *filler) array(s *schema, depth int) []any {
	n := s.MinItems
	if n == 0 && s.Items != nil && s.Items.kind() == "string" {
		n = 1
	}
	items := []any{}
	for len(items) < n && f.values < maxValues {
		items = append(items, f.value(s.Items, depth+1))
	}
	return items
}

// kind is the type, or the first of several, or what the keywords suggest.
func (s *schema) kind() string {
	switch t := s.Type.(type) {
	case string:
		return t
	case []any:
		if len(t) > 0 {
			first, _ := t[0].(string)
			return first
		}
	}
	if s.Properties != nil {
		return "object"
	}
	return ""
}

func (s *schema) text(topic string) string {
	switch s.Format {
	case "date-time":
		return "2026-01-01T00:00:00Z"
	case "date":
		return "2026-01-01"
	}
	if runes := []rune(topic); s.MaxLength > 0 && len(runes) > s.MaxLength {
		return string(runes[:s.MaxLength])
	}
	return topic
}
