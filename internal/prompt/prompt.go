// Package prompt puts a prompt that lies in a file to a model and reads the
// answer, which has the JSON schema that lies beside it.
package prompt

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"text/template"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"confidant/internal/chat"
	"confidant/internal/llm"
)

// Prompt is an instruction with the schema of its answer. Its name ends in its
// version: what a prompt made can be told from what its successor makes.
type Prompt struct {
	Name   string
	text   *template.Template
	raw    json.RawMessage
	schema *jsonschema.Schema
}

// Must reads NAME.md and NAME.schema.json of a folder. It panics when they are
// not there or not valid, because they are part of the program.
func Must(files fs.FS, name string) Prompt {
	p, err := Read(files, name)
	if err != nil {
		panic(err)
	}
	return p
}

// Read is Must with an error.
func Read(files fs.FS, name string) (Prompt, error) {
	text, err := fs.ReadFile(files, name+".md")
	if err != nil {
		return Prompt{}, err
	}
	raw, err := fs.ReadFile(files, name+".schema.json")
	if err != nil {
		return Prompt{}, err
	}
	parsed, err := template.New(name).Option("missingkey=error").Parse(string(text))
	if err != nil {
		return Prompt{}, err
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return Prompt{}, fmt.Errorf("schema of %s: %w", name, err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource(name, doc); err != nil {
		return Prompt{}, fmt.Errorf("schema of %s: %w", name, err)
	}
	schema, err := compiler.Compile(name)
	if err != nil {
		return Prompt{}, fmt.Errorf("schema of %s: %w", name, err)
	}
	return Prompt{Name: name, text: parsed, raw: raw, schema: schema}, nil
}

// BadAnswer says that a model's answer is not what was asked for. It never
// quotes the answer.
type BadAnswer string

// Error implements error.
func (b BadAnswer) Error() string { return "answer of the model: " + string(b) }

// The bounds of an answer.
const (
	maxBytes  = 256 << 10
	maxTokens = 8000 // where the provider counts
)

// Ask puts a prompt about a text to the model. It fails with a BadAnswer or with
// the error of the model. The usage is what the call cost, also when its answer
// was of no use.
func Ask[T any](ctx context.Context, model llm.Model, p Prompt, data any, text string) (T, chat.Usage, error) {
	var answer T
	var system strings.Builder
	if err := p.text.Execute(&system, data); err != nil {
		return answer, chat.Usage{}, fmt.Errorf("prompt %s: %w", p.Name, err)
	}
	reply, usage, err := say(ctx, model, llm.Request{
		System: system.String(), Messages: []llm.Message{{Role: llm.User, Text: text}}, MaxOutput: maxTokens,
		// Underscores: providers allow no dots in a schema's name.
		Schema: &llm.Schema{Name: strings.ReplaceAll(p.Name, ".", "_"), JSON: p.raw},
	})
	if err != nil {
		return answer, usage, err
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(reply))
	if err != nil {
		return answer, usage, BadAnswer("not JSON")
	}
	if err := p.schema.Validate(value); err != nil {
		return answer, usage, BadAnswer("another schema than " + p.Name)
	}
	if err := json.Unmarshal([]byte(reply), &answer); err != nil {
		return answer, usage, BadAnswer("values that do not fit")
	}
	return answer, usage, nil
}

// say returns the model's whole answer as text.
func say(ctx context.Context, model llm.Model, req llm.Request) (string, chat.Usage, error) {
	var text strings.Builder
	for chunk, err := range model.Stream(ctx, req) {
		if err != nil {
			return "", chat.Usage{}, err
		}
		switch c := chunk.(type) {
		case llm.TextDelta:
			if text.WriteString(c.Text); text.Len() > maxBytes {
				return "", chat.Usage{}, BadAnswer(fmt.Sprintf("over %d bytes", maxBytes))
			}
		case llm.Done:
			return text.String(), c.Usage, nil
		}
	}
	if err := context.Cause(ctx); err != nil {
		return "", chat.Usage{}, err
	}
	return "", chat.Usage{}, errors.New("the model's stream has no end")
}
