// Package config is what can be set: one struct, whose tags make the flags, the
// variables, the keys of the file and the reference in docs/configuration.md.
package config

import (
	"fmt"
	"log/slog"
	"time"
)

// Config is the whole configuration of a server. A value comes from its flag,
// else its variable (CONFIDANT_ and the flag's name, unless it names another),
// else the file, else the default.
type Config struct {
	Listen string        `help:"Address to serve on." default:"127.0.0.1:8420"`
	Zone   string        `help:"IANA time zone of people who did not say theirs; empty for the machine's." default:""`
	Grace  time.Duration `help:"How long running turns may go on when the server stops." default:"5s"`
	// ProbeFile is for tests that kill the server; see tool/probe.
	ProbeFile string `hidden:"" help:"Offer the probe tool, which writes to this file."`

	Models Models `embed:"" group:"Models"`
	Turns  Turns  `embed:"" group:"Limits of a turn"`
	Limits Limits `embed:"" group:"Limits of a request"`
}

// Models says which language models and which embedder to use.
type Models struct {
	Agent     []string `help:"Models that answer, in order of preference, as provider:model (openai, compatible, anthropic, gemini)." sep:","`
	Fast      []string `help:"Models for small tasks, such as suggestions. Default: those that answer." sep:","`
	Embedder  string   `help:"builtin, none, or compatible:MODEL for a server of OpenAI's embeddings API." default:"builtin"`
	EmbedURL  string   `help:"Base URL of the embeddings server. Default: OpenAI's, or OPENAI_BASE_URL."`
	EmbedDims int      `help:"Dimensions of the embeddings server's vectors; 0 to learn them from the first answer." default:"0"`

	OpenAIKey    Secret `name:"openai-api-key" env:"OPENAI_API_KEY" help:"Key of OpenAI, or of a compatible server."`
	OpenAIURL    string `name:"openai-base-url" env:"OPENAI_BASE_URL" help:"Base URL of a server that speaks OpenAI's API."`
	OpenAIAPI    string `name:"openai-api" enum:"auto,responses,chat" default:"auto" help:"Which of OpenAI's APIs to speak: responses, chat, or auto (responses at OpenAI, chat elsewhere)."`
	AnthropicKey Secret `name:"anthropic-api-key" env:"ANTHROPIC_API_KEY" help:"Key of Anthropic."`
	GeminiKey    Secret `name:"gemini-api-key" env:"GEMINI_API_KEY" help:"Key of Google's Gemini."`
	// IdleTime is how long a model may send nothing before it counts as hung.
	IdleTime time.Duration `name:"model-idle-time" help:"How long a model may send nothing before the call is given up." default:"60s"`
}

// Turns bound one turn. The defaults are the seeds' (DESIGN.md, section 12).
type Turns struct {
	Iterations int           `name:"model-iterations" help:"Model calls in a turn; the last is without tools." default:"10"`
	ToolCalls  int           `help:"Tool calls in a turn." default:"10"`
	Parallel   int           `name:"tools-at-a-time" help:"Tool calls of one step that run side by side." default:"8"`
	ToolTime   time.Duration `help:"How long one tool call may take." default:"30s"`
	Context    int           `name:"context-tokens" help:"Tokens sent to a model in one call, estimated." default:"500000"`
	History    int           `name:"history-messages" help:"Earlier messages that the model sees." default:"10"`
	Failures   int           `name:"model-failures" help:"How often a model call may break off before the turn fails." default:"5"`
	AtOnce     int           `name:"turns-at-once" help:"Turns that run at once; more wait." default:"4096"`
	Lease      time.Duration `help:"How long the turns of a dead server wait to be taken over." default:"10s"`
	Attempts   int           `name:"turn-attempts" help:"How often a turn is begun before it is given up." default:"5"`
	AfterTime  time.Duration `help:"How long suggestions may take once the answer is stored." default:"10s"`
}

// Limits bound what a client may send.
type Limits struct {
	Message int           `name:"message-bytes" help:"Bytes of one message." default:"262144"`
	Body    int64         `name:"body-bytes" help:"Bytes of a JSON body." default:"1048576"`
	Import  int64         `name:"import-bytes" help:"Bytes of one imported file." default:"67108864"`
	Frame   int64         `name:"frame-bytes" help:"Bytes of one WebSocket frame." default:"1048576"`
	Write   time.Duration `name:"write-time" help:"How long a client may take to accept what is sent to it." default:"30s"`
}

// Location is the configured time zone.
func (c Config) Location() (*time.Location, error) {
	if c.Zone == "" {
		return time.Local, nil
	}
	zone, err := time.LoadLocation(c.Zone)
	if err != nil {
		return nil, fmt.Errorf("zone %q is not an IANA time zone such as Europe/Berlin", c.Zone)
	}
	return zone, nil
}

// Validate names the first value that makes no sense.
func (c Config) Validate() error {
	if _, err := c.Location(); err != nil {
		return err
	}
	for name, n := range map[string]int{
		"model-iterations": c.Turns.Iterations, "tool-calls": c.Turns.ToolCalls, "tools-at-a-time": c.Turns.Parallel,
		"context-tokens": c.Turns.Context, "history-messages": c.Turns.History, "model-failures": c.Turns.Failures,
		"turns-at-once": c.Turns.AtOnce, "turn-attempts": c.Turns.Attempts, "message-bytes": c.Limits.Message,
		"body-bytes": int(c.Limits.Body), "import-bytes": int(c.Limits.Import), "frame-bytes": int(c.Limits.Frame),
	} {
		if n < 1 {
			return fmt.Errorf("%s is %d; it must be at least 1", name, n)
		}
	}
	return nil
}

// Secret is a value that is never shown.
type Secret string

// String implements fmt.Stringer.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return "***"
}

// LogValue implements slog.LogValuer.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText implements encoding.TextMarshaler.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }
