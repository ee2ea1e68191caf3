package process

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"text/template"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"confidant/internal/llm"
)

//go:embed prompts
var promptFiles embed.FS

// prompt is an instruction with the schema of its answer. Both stand in prompts
// under the prompt's name, which ends in its version: what a prompt made can be
// told from what its successor makes.
type prompt struct {
	name   string
	text   *template.Template
	raw    json.RawMessage
	schema *jsonschema.Schema
}

// The prompts in use. Another version is another pair of files and another name here.
var (
	discardPrompt   = mustPrompt("discard.v1")
	digestPrompt    = mustPrompt("digest.v1")
	structurePrompt = mustPrompt("structure.v1")
	folderPrompt    = mustPrompt("folder.v1")
	metadataPrompt  = mustPrompt("metadata.v1")
	factsPrompt     = mustPrompt("facts.v1")
	meetPrompt      = mustPrompt("meet.v1")
	tasksPrompt     = mustPrompt("tasks.v1")
)

func mustPrompt(name string) prompt {
	p, err := readPrompt(name)
	if err != nil {
		panic(err) // the files are part of the program
	}
	return p
}

func readPrompt(name string) (prompt, error) {
	text, err := promptFiles.ReadFile("prompts/" + name + ".md")
	if err != nil {
		return prompt{}, err
	}
	raw, err := promptFiles.ReadFile("prompts/" + name + ".schema.json")
	if err != nil {
		return prompt{}, err
	}
	parsed, err := template.New(name).Option("missingkey=error").Parse(string(text))
	if err != nil {
		return prompt{}, err
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return prompt{}, fmt.Errorf("schema of %s: %w", name, err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource(name, doc); err != nil {
		return prompt{}, fmt.Errorf("schema of %s: %w", name, err)
	}
	schema, err := compiler.Compile(name)
	if err != nil {
		return prompt{}, fmt.Errorf("schema of %s: %w", name, err)
	}
	return prompt{name: name, text: parsed, raw: raw, schema: schema}, nil
}

// badAnswer says that a model's answer is not what was asked for. It never
// quotes the answer.
type badAnswer string

// Error implements error.
func (b badAnswer) Error() string { return "answer of the model: " + string(b) }

const (
	// maxAnswer bounds an answer in bytes: ten thousand facts are no answer.
	maxAnswer = 256 << 10
	// maxOutput bounds it in tokens, where the provider counts.
	maxOutput = 8000
)

// ask puts a prompt about a text to the model and reads the answer. It fails
// with an *llm.Error, or with a badAnswer.
func ask[T any](ctx context.Context, model llm.Model, p prompt, data any, text string) (T, error) {
	var answer T
	var system strings.Builder
	if err := p.text.Execute(&system, data); err != nil {
		return answer, fmt.Errorf("prompt %s: %w", p.name, err)
	}
	// Underscores: providers allow no dots in a schema's name.
	schema := &llm.Schema{Name: strings.ReplaceAll(p.name, ".", "_"), JSON: p.raw}
	reply, err := say(ctx, model, llm.Request{
		System: system.String(), Messages: []llm.Message{{Role: llm.User, Text: text}}, Schema: schema, MaxOutput: maxOutput,
	})
	if err != nil {
		return answer, err
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(reply))
	if err != nil {
		return answer, badAnswer("not JSON")
	}
	if err := p.schema.Validate(value); err != nil {
		return answer, badAnswer("another schema than " + p.name)
	}
	if err := json.Unmarshal([]byte(reply), &answer); err != nil {
		return answer, badAnswer("values that do not fit")
	}
	return answer, nil
}

// say returns the model's whole answer as text.
func say(ctx context.Context, model llm.Model, req llm.Request) (string, error) {
	var text strings.Builder
	finished := false
	for chunk, err := range model.Stream(ctx, req) {
		if err != nil {
			return "", err
		}
		switch c := chunk.(type) {
		case llm.TextDelta:
			if text.WriteString(c.Text); text.Len() > maxAnswer {
				return "", badAnswer(fmt.Sprintf("over %d bytes", maxAnswer))
			}
		case llm.Done:
			finished = true
		}
	}
	if !finished {
		return "", errors.New("the model's stream has no end")
	}
	return text.String(), nil
}
