// Package anthropic provides Anthropic's models through the Messages API.
package anthropic

import (
	"context"
	"iter"
	"net/http"
	"time"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"confidant/internal/llm"
)

// Config says which model to use and where.
type Config struct {
	// Name is the provider's part of the model's name; "" is "anthropic".
	Name string
	// Model is the model's name at the provider, such as "claude-sonnet-4-6".
	Model  string
	APIKey llm.Secret
	// BaseURL is without the API's version; "" is https://api.anthropic.com.
	BaseURL string
	// HTTPClient makes the requests; nil is a client without a timeout.
	HTTPClient *http.Client
	// IdleTimeout is how long the server may send nothing before the call counts
	// as stalled; 0 is llm.DefaultIdleTimeout.
	IdleTimeout time.Duration
}

// defaultBaseURL is Anthropic's own.
const defaultBaseURL = "https://api.anthropic.com"

// Model is a model behind the Messages API.
type Model struct {
	name    string
	model   string
	service anthropic.MessageService
}

var _ llm.Model = (*Model)(nil)

// New returns the model of a configuration. The SDK's own retries are off,
// because llm.Roles knows what else could be tried.
func New(c Config) *Model {
	if c.Name == "" {
		c.Name = "anthropic"
	}
	if c.BaseURL == "" {
		c.BaseURL = defaultBaseURL
	}
	name := c.Name + ":" + c.Model
	transport := llm.Transport{Model: name, Key: c.APIKey, IdleTimeout: c.IdleTimeout, Refine: refine}
	return &Model{name: name, model: c.Model, service: anthropic.NewMessageService(
		option.WithBaseURL(c.BaseURL),
		option.WithAPIKey(string(c.APIKey)),
		option.WithHTTPClient(transport.Client(c.HTTPClient)),
		option.WithMaxRetries(0),
	)}
}

// Name implements llm.Model.
func (m *Model) Name() string { return m.name }

// Stream implements llm.Model.
func (m *Model) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		out := llm.NewEmitter(yield)
		params, err := m.params(req)
		if err != nil {
			out.Fail(&llm.Error{Kind: llm.Rejected, Model: m.name, Err: err})
			return
		}
		stream := m.service.NewStreaming(ctx, params)
		defer stream.Close()
		answer := answer{state: llm.State{Model: m.name}}
		for stream.Next() {
			answer.event(stream.Current(), out)
			if out.Stopped() {
				return
			}
		}
		out.Fail(llm.StreamFailure(ctx, m.name, streamError(m.name, stream.Err())))
	}
}
