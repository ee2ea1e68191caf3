package llm

import (
	"context"
	"errors"
	"iter"
	"testing"
)

// fixed says the same at every call.
type fixed struct {
	name   string
	chunks []Chunk
	err    error
}

func (f fixed) Name() string { return f.name }

func (f fixed) Stream(context.Context, Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		for _, c := range f.chunks {
			if !yield(c, nil) {
				return
			}
		}
		if f.err != nil {
			yield(nil, f.err)
		}
	}
}

func TestLastResort(t *testing.T) {
	broken := &Error{Kind: Overloaded, Model: "first", Err: errors.New("down")}
	last := fixed{name: "last", chunks: []Chunk{TextDelta{Text: "quoted"}, Done{Stop: StopEnd}}}
	for name, test := range map[string]struct {
		first   fixed
		text    string
		model   string
		wantErr error
	}{
		"first answers":                {first: fixed{name: "first", chunks: []Chunk{TextDelta{Text: "hi"}, Done{Stop: StopEnd}}}, text: "hi"},
		"first fails at once":          {first: fixed{name: "first", err: broken}, text: "quoted", model: "last"},
		"first fails after first word": {first: fixed{name: "first", chunks: []Chunk{TextDelta{Text: "h"}}, err: broken}, text: "h", wantErr: broken},
	} {
		t.Run(name, func(t *testing.T) {
			var text, model string
			var failed error
			for chunk, err := range WithLastResort(test.first, last).Stream(t.Context(), Request{}) {
				switch c := chunk.(type) {
				case TextDelta:
					text += c.Text
				case Done:
					model = c.Model
				}
				failed = err
			}
			if text != test.text || model != test.model || !errors.Is(failed, test.wantErr) {
				t.Errorf("text %q, answered by %q, error %v; want %q, %q, %v", text, model, failed, test.text, test.model, test.wantErr)
			}
		})
	}
}
