// Package openai provides OpenAI's models through the Responses API, and the
// models of any compatible server through Chat Completions.
package openai

import (
	"net/http"
	"time"

	"github.com/openai/openai-go/v3/option"

	"confidant/internal/llm"
)

// Config says which model to use and where.
type Config struct {
	// Name is the provider's part of the model's name; "" is "openai".
	Name string
	// Model is the model's name at the provider, such as "gpt-5.1".
	Model string
	// APIKey may be empty for servers that ask for none.
	APIKey llm.Secret
	// BaseURL ends in the API's version; "" is https://api.openai.com/v1.
	BaseURL string
	// HTTPClient makes the requests; nil is a client without a timeout.
	HTTPClient *http.Client
	// IdleTimeout is how long the server may send nothing before the call counts
	// as stalled; 0 is llm.DefaultIdleTimeout.
	IdleTimeout time.Duration
}

// defaultBaseURL is OpenAI's own.
const defaultBaseURL = "https://api.openai.com/v1"

// name is the model's name for logs and errors.
func (c Config) name() string {
	if c.Name == "" {
		return "openai:" + c.Model
	}
	return c.Name + ":" + c.Model
}

// options configures the SDK. Its own retries are off, because llm.Roles knows
// what else could be tried; its variables of the environment are not read,
// because the configuration has been.
func (c Config) options() []option.RequestOption {
	transport := llm.Transport{Model: c.name(), Key: c.APIKey, IdleTimeout: c.IdleTimeout, Refine: refine}
	base := c.BaseURL
	if base == "" {
		base = defaultBaseURL
	}
	options := []option.RequestOption{
		option.WithBaseURL(base),
		option.WithHTTPClient(transport.Client(c.HTTPClient)),
		option.WithMaxRetries(0),
	}
	if c.APIKey != "" {
		options = append(options, option.WithAPIKey(string(c.APIKey)))
	}
	return options
}
