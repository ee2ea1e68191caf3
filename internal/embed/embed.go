// Package embed turns text into vectors of unit length.
package embed

import "context"

// Embedder maps texts to vectors in one space. Vectors of different models are
// never compared, so every stored vector carries the Model that made it.
type Embedder interface {
	// Model names the space, such as "use-lite/int8". It is stored with each vector.
	Model() string
	// Dimensions is the length of every vector that Embed returns.
	Dimensions() int
	// MaxTokens is how much of one text the model reads; the rest is ignored.
	MaxTokens() int
	// Embed returns one L2-normalised vector per text, in order. It fails as a
	// whole: with the context's error, or the provider's.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}
