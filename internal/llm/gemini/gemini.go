// Package gemini provides Google's models through the Gemini API.
package gemini

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"time"

	"google.golang.org/genai"

	"confidant/internal/llm"
)

// Config says which model to use and where.
type Config struct {
	// Name is the provider's part of the model's name; "" is "gemini".
	Name string
	// Model is the model's name at the provider, such as "gemini-2.5-flash".
	Model  string
	APIKey llm.Secret
	// BaseURL is without the API's version; "" is Google's own.
	BaseURL string
	// HTTPClient makes the requests; nil is a client without a timeout.
	HTTPClient *http.Client
	// IdleTimeout is how long the server may send nothing before the call counts
	// as stalled; 0 is llm.DefaultIdleTimeout.
	IdleTimeout time.Duration
}

// defaultBaseURL is Google's own.
const defaultBaseURL = "https://generativelanguage.googleapis.com/"

// Model is a model behind the Gemini API.
type Model struct {
	name   string
	model  string
	client *genai.Client
}

var _ llm.Model = (*Model)(nil)

// New returns the model of a configuration. It fails without a key, for which
// the SDK would otherwise search the environment.
func New(c Config) (*Model, error) {
	if c.APIKey == "" {
		return nil, errors.New("gemini: an API key is needed")
	}
	if c.Name == "" {
		c.Name = "gemini"
	}
	if c.BaseURL == "" {
		c.BaseURL = defaultBaseURL
	}
	name := c.Name + ":" + c.Model
	transport := llm.Transport{Model: name, Key: c.APIKey, IdleTimeout: c.IdleTimeout, Refine: refine}
	client, err := genai.NewClient(context.Background(), &genai.ClientConfig{
		APIKey:      string(c.APIKey),
		Backend:     genai.BackendGeminiAPI,
		HTTPClient:  transport.Client(c.HTTPClient),
		HTTPOptions: genai.HTTPOptions{BaseURL: c.BaseURL},
	})
	if err != nil {
		// The SDK prints its whole configuration into its errors, key included.
		return nil, fmt.Errorf("gemini: the client for %s cannot be made with this base URL and environment", name)
	}
	return &Model{name: name, model: c.Model, client: client}, nil
}

// Name implements llm.Model.
func (m *Model) Name() string { return m.name }

// Stream implements llm.Model.
func (m *Model) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		out := llm.NewEmitter(yield)
		config, err := m.config(req)
		if err != nil {
			out.Fail(&llm.Error{Kind: llm.Rejected, Model: m.name, Err: err})
			return
		}
		answer := answer{state: llm.State{Model: m.name}}
		for response, err := range m.client.Models.GenerateContentStream(ctx, m.model, m.contents(req.Messages), config) {
			if err != nil {
				out.Fail(llm.StreamFailure(ctx, m.name, streamError(m.name, err)))
				return
			}
			answer.response(response, out)
			if out.Stopped() {
				return
			}
		}
		// The usage may follow the finish reason, so only the end of the stream is its end.
		if answer.finish == "" || ctx.Err() != nil {
			out.Fail(llm.StreamFailure(ctx, m.name, nil))
			return
		}
		answer.end(m.name, out)
	}
}
