// Package openai embeds text through any server that speaks OpenAI's
// POST {base}/embeddings: OpenAI itself, Ollama, vLLM, llama.cpp, LiteLLM.
package openai

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"confidant/internal/embed"
)

// Config describes the server and its model. Model is required; every other
// field has a default.
type Config struct {
	BaseURL string // of the API, up to and without /embeddings; https://api.openai.com/v1
	APIKey  string // may be empty for servers that want none
	Model   string // such as "text-embedding-3-small"
	// Dimensions of the vectors, asked for and checked. 0 leaves them to the model
	// and takes them from its first answer.
	Dimensions int
	MaxTokens  int           // that the model reads of one text; 8191
	BatchSize  int           // texts in one request; 96
	Parallel   int           // requests under way at once; 4
	Retries    int           // after 408, 409, 429, 5xx and broken connections; 2, negative for none
	Timeout    time.Duration // of one attempt; 30 s, as every outside call
	HTTPClient *http.Client  // http.DefaultClient
}

// LogValue implements slog.LogValuer; it leaves out the key.
func (c Config) LogValue() slog.Value {
	return slog.GroupValue(
		slog.String("base_url", c.BaseURL),
		slog.String("model", c.Model),
		slog.Int("dimensions", c.Dimensions),
	)
}

// withDefaults fills in what was left open.
func (c Config) withDefaults() Config {
	setDefault(&c.BaseURL, "https://api.openai.com/v1")
	setDefault(&c.MaxTokens, 8191)
	setDefault(&c.BatchSize, 96)
	setDefault(&c.Parallel, 4)
	setDefault(&c.Retries, 2)
	setDefault(&c.Timeout, 30*time.Second)
	setDefault(&c.HTTPClient, http.DefaultClient)
	c.Retries = max(c.Retries, 0)
	return c
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

const (
	// maxBatchBytes keeps a request below OpenAI's 300,000 tokens, a token having
	// two bytes or more in all but odd texts.
	maxBatchBytes = 600_000
	// bytesPerToken is fewer than natural text has, so that a text cut to so many
	// bytes fills what the model reads.
	bytesPerToken = 3
	// maxRetryDelay is how long a server's Retry-After is obeyed; beyond that the
	// call fails.
	maxRetryDelay = time.Minute
)

// ErrAnswer is wrapped by the error for an answer that is well-formed and wrong:
// another number of vectors, other dimensions, numbers without a direction.
var ErrAnswer = errors.New("unusable answer")

// Embedder asks a server for vectors. It is safe for concurrent use, and Parallel
// bounds the requests of all calls together.
type Embedder struct {
	config     Config
	service    openai.EmbeddingService
	slots      chan struct{}
	dimensions atomic.Int64
}

var _ embed.Embedder = (*Embedder)(nil)

// New makes an embedder; it does not call the server. Nothing is read from the
// environment.
func New(config Config) (*Embedder, error) {
	if config.Model == "" {
		return nil, errors.New("openai embedder: no model is named")
	}
	config = config.withDefaults()
	if config.MaxTokens < 0 || config.BatchSize < 0 || config.Parallel < 0 || config.Dimensions < 0 {
		return nil, errors.New("openai embedder: max tokens, batch size, parallel and dimensions cannot be negative")
	}
	options := []option.RequestOption{
		option.WithHTTPClient(config.HTTPClient),
		option.WithBaseURL(strings.TrimSuffix(config.BaseURL, "/") + "/"),
		option.WithMaxRetries(config.Retries),
		option.WithMaxRetryDelay(maxRetryDelay),
		option.WithRequestTimeout(config.Timeout),
	}
	if config.APIKey != "" {
		options = append(options, option.WithAPIKey(config.APIKey))
	}
	e := &Embedder{
		config:  config,
		service: openai.NewEmbeddingService(options...),
		slots:   make(chan struct{}, config.Parallel),
	}
	e.dimensions.Store(int64(config.Dimensions))
	return e, nil
}

// Model returns "openai/" and the model's name.
func (e *Embedder) Model() string { return "openai/" + e.config.Model }

// Dimensions returns the configured number, or that of the first answer; 0 as
// long as neither is known.
func (e *Embedder) Dimensions() int { return int(e.dimensions.Load()) }

// MaxTokens returns what the configuration says.
func (e *Embedder) MaxTokens() int { return e.config.MaxTokens }

// Embed asks for the vectors in batches, several at once. A text is cut to about
// MaxTokens; a blank one is sent as a space, since the API refuses the empty
// string. The first failure ends the call: with the context's error, ErrAnswer,
// or the SDK's *openai.Error.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	inputs := e.inputs(texts)
	vectors := make([][]float32, len(inputs))
	var group sync.WaitGroup
	for first := 0; first < len(inputs); {
		end := first + e.batch(inputs[first:])
		if !e.take(ctx) {
			break
		}
		into, batch := vectors[first:end], inputs[first:end]
		group.Go(func() {
			defer e.release()
			if err := e.request(ctx, into, batch); err != nil {
				fail(err)
			}
		})
		first = end
	}
	group.Wait()
	if err := context.Cause(ctx); err != nil {
		return nil, fmt.Errorf("embed %d texts with %s: %w", len(texts), e.Model(), err)
	}
	return vectors, nil
}

// take waits for a slot, and reports false when the context ends before.
func (e *Embedder) take(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return false
	case e.slots <- struct{}{}:
		return true
	}
}

func (e *Embedder) release() { <-e.slots }

// inputs returns the texts as the API takes them.
func (e *Embedder) inputs(texts []string) []string {
	inputs := make([]string, len(texts))
	for i, text := range texts {
		if limit := e.config.MaxTokens * bytesPerToken; len(text) > limit {
			for limit > 0 && !utf8.RuneStart(text[limit]) {
				limit--
			}
			text = text[:limit]
		}
		if strings.TrimSpace(text) == "" {
			text = " "
		}
		inputs[i] = text
	}
	return inputs
}

// batch is how many of the inputs go into one request; at least one.
func (e *Embedder) batch(inputs []string) int {
	bytes := 0
	for i, input := range inputs {
		bytes += len(input)
		if i == e.config.BatchSize || i > 0 && bytes > maxBatchBytes {
			return i
		}
	}
	return len(inputs)
}

// request fills vectors with those of the inputs.
func (e *Embedder) request(ctx context.Context, vectors [][]float32, inputs []string) error {
	params := openai.EmbeddingNewParams{
		Input:          openai.EmbeddingNewParamsInputUnion{OfArrayOfStrings: inputs},
		Model:          e.config.Model,
		EncodingFormat: openai.EmbeddingNewParamsEncodingFormatFloat,
	}
	if e.config.Dimensions > 0 {
		params.Dimensions = openai.Int(int64(e.config.Dimensions))
	}
	answer, err := e.service.New(ctx, params)
	if err != nil {
		return err
	}
	if len(answer.Data) != len(inputs) {
		return fmt.Errorf("%w: %d vectors of %d texts", ErrAnswer, len(answer.Data), len(inputs))
	}
	for _, item := range answer.Data {
		if item.Index < 0 || item.Index >= int64(len(inputs)) || vectors[item.Index] != nil {
			return fmt.Errorf("%w: index %d is out of range or comes twice", ErrAnswer, item.Index)
		}
		if vectors[item.Index], err = e.vector(item.Embedding); err != nil {
			return err
		}
	}
	return nil
}

// vector checks the dimensions, which the first answer settles if the
// configuration did not, and gives the vector unit length.
func (e *Embedder) vector(numbers []float64) ([]float32, error) {
	if len(numbers) > 0 {
		e.dimensions.CompareAndSwap(0, int64(len(numbers)))
	}
	if want := e.Dimensions(); len(numbers) != want || want == 0 {
		return nil, fmt.Errorf("%w: a vector of %d dimensions, want %d", ErrAnswer, len(numbers), want)
	}
	var squares float64
	for _, x := range numbers {
		squares += x * x
	}
	length := math.Sqrt(squares)
	if length == 0 || math.IsNaN(length) || math.IsInf(length, 0) {
		return nil, fmt.Errorf("%w: a vector of length %v", ErrAnswer, length)
	}
	vector := make([]float32, len(numbers))
	for i, x := range numbers {
		vector[i] = float32(x / length)
	}
	return vector, nil
}
