// Package uselite is the built-in embedder: the Universal Sentence Encoder Lite
// (English, 7 million parameters, 512 dimensions) in Go, equal to the published
// TensorFlow.js model but for the rounding of its weights.
package uselite

import (
	"context"
	"fmt"
	"io/fs"
	"sync"

	"confidant/internal/embed"
)

// Where the packer's two files stand in the assets. The binary embeds the first.
const (
	Int8File    = "use-lite/int8.weights"
	Float32File = "use-lite/f32.weights"
)

// Encoder is the loaded model. It is safe for concurrent use; each call works on
// one core.
type Encoder struct {
	precision Precision
	tokenizer *tokenizer
	network   *network
	scratches sync.Pool
}

var (
	_ embed.Embedder   = (*Encoder)(nil)
	_ embed.Counter    = (*Encoder)(nil)
	_ embed.Calibrated = (*Encoder)(nil)
)

// Load reads a weights file. Its error wraps fs.ErrNotExist when the program was
// built without the weights, and ErrCorrupt when the file is not usable.
func Load(files fs.FS, name string) (*Encoder, error) {
	file, err := files.Open(name)
	if err != nil {
		return nil, fmt.Errorf("the built-in embedder's weights are missing (run `make assets` and build again): %w", err)
	}
	defer file.Close()
	weights, precision, err := Read(file)
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", name, err)
	}
	return New(weights, precision), nil
}

// New makes an encoder of weights; the precision names the space of its vectors.
func New(weights *Weights, precision Precision) *Encoder {
	return &Encoder{
		precision: precision,
		tokenizer: newTokenizer(weights.Vocabulary),
		network:   newNetwork(weights),
		scratches: sync.Pool{New: func() any { return new(scratch) }},
	}
}

// Model returns "use-lite/int8", or "use-lite/f32" for the weights in full.
func (e *Encoder) Model() string { return "use-lite/" + e.precision.String() }

// Dimensions returns 512.
func (e *Encoder) Dimensions() int { return dimensions }

// MaxTokens returns 128.
func (e *Encoder) MaxTokens() int { return maxTokens }

// CountTokens counts the tokens of a text, of a very long one those of its beginning.
func (e *Encoder) CountTokens(text string) int { return len(e.tokenizer.all(text)) }

// Similarity implements embed.Calibrated. Two texts that have nothing to do with
// each other reach .41 here (facts/models-and-libraries.md), and right answers .39
// at the tenth percentile: .35 here is the .3 of that scale, and 1 is 1.
func (e *Encoder) Similarity(cosine float64) float64 { return 1 - (1-cosine)*(1-0.3)/(1-0.35) }

// Embed returns the vectors of the texts. Any string is a text: what the
// vocabulary does not know, invalid UTF-8 included, counts as unknown, and a
// blank text has the vector of one unknown token. It looks at the context
// between texts; one text takes milliseconds.
func (e *Encoder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	s := e.scratches.Get().(*scratch)
	defer e.scratches.Put(s)
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		vectors[i] = make([]float32, dimensions)
		e.network.run(s, e.tokenizer.encode(text), vectors[i])
	}
	return vectors, nil
}
