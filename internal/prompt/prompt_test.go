package prompt

import (
	"context"
	"errors"
	"iter"
	"strings"
	"testing"
	"testing/fstest"

	"confidant/internal/chat"
	"confidant/internal/llm"
)

func folder(text, schema string) fstest.MapFS {
	return fstest.MapFS{"count.v1.md": {Data: []byte(text)}, "count.v1.schema.json": {Data: []byte(schema)}}
}

const counted = `{"type":"object","properties":{"n":{"type":"integer","maximum":9}},"required":["n"],"additionalProperties":false}`

// replies is a model that says the same to everything.
type replies struct {
	text string
	err  error
	seen llm.Request
}

func (*replies) Name() string { return "test:replies" }

func (r *replies) Stream(_ context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	r.seen = req
	return func(yield func(llm.Chunk, error) bool) {
		for _, part := range strings.SplitAfter(r.text, ",") {
			if !yield(llm.TextDelta{Text: part}, nil) {
				return
			}
		}
		if r.err != nil {
			yield(nil, r.err)
			return
		}
		yield(llm.Done{Stop: llm.StopEnd, Usage: chat.Usage{Total: 7}}, nil)
	}
}

func TestAsk(t *testing.T) {
	p, err := Read(folder("Count for {{.Name}}.", counted), "count.v1")
	if err != nil {
		t.Fatal(err)
	}
	type answer struct{ N int }
	m := &replies{text: `{"n": 3}`}
	got, usage, err := Ask[answer](t.Context(), m, p, map[string]string{"Name": "<Ana>"}, "one two three")
	if err != nil || got.N != 3 || usage.Total != 7 {
		t.Errorf("%+v, %+v, %v", got, usage, err)
	}
	if m.seen.System != "Count for <Ana>." || m.seen.Messages[0].Text != "one two three" || m.seen.Schema.Name != "count_v1" || m.seen.MaxOutput == 0 {
		t.Errorf("asked %+v", m.seen)
	}
	for text, want := range map[string]string{
		"": "not JSON", "three": "not JSON", `{"n":3} {}`: "not JSON", `{"n":"3"}`: "another schema", `{"n":10}`: "another schema", `{"n":1,"m":2}`: "another schema",
		`{"n":1` + strings.Repeat(" ", maxBytes) + "}": "over",
	} {
		var bad BadAnswer
		if _, _, err := Ask[answer](t.Context(), &replies{text: text}, p, map[string]string{"Name": ""}, ""); !errors.As(err, &bad) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.30q: %v, want %q", text, err, want)
		}
	}
	failed := &llm.Error{Kind: llm.Stalled}
	if _, _, err := Ask[answer](t.Context(), &replies{text: `{"n":3}`, err: failed}, p, map[string]string{"Name": ""}, ""); !errors.Is(err, failed) {
		t.Errorf("a model that failed: %v", err)
	}
	if _, _, err := Ask[answer](t.Context(), m, p, map[string]string{}, ""); err == nil {
		t.Error("a prompt without its data was asked")
	}
}

func TestRead(t *testing.T) {
	for name, files := range map[string]fstest.MapFS{
		"no file": {}, "no schema": {"count.v1.md": {}}, "bad template": folder("{{", counted), "bad JSON": folder("", "{"), "bad schema": folder("", `{"type":"number of"}`),
	} {
		if _, err := Read(files, "count.v1"); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
