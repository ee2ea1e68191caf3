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

// Counter is an Embedder that says how many tokens a text has for it.
type Counter interface {
	// CountTokens counts beyond MaxTokens, too.
	CountTokens(text string) int
}

// Calibrated is an Embedder whose cosines mean something else than those of
// OpenAI's text-embedding-3-small, for which the knowledge base's threshold was
// chosen (seeds/o3-chat-architecture.txt).
type Calibrated interface {
	// Similarity is what such a cosine would be on that scale.
	Similarity(cosine float64) float64
}
