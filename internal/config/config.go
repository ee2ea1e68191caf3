// Package config is what can be set: one struct, whose tags make the flags, the
// variables, the keys of the file and the reference in docs/configuration.md.
package config

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
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

	Access Access `embed:"" group:"Access"`
	Models Models `embed:"" group:"Models"`
	Turns  Turns  `embed:"" group:"Limits of a turn"`
	Chats  Chats  `embed:"" group:"Chats"`
	Memory Memory `embed:"" group:"Memory"`

	Library Library `embed:"" group:"Library"`

	Limits Limits `embed:"" group:"Limits of a request"`
	Log    Log    `embed:"" group:"Logs"`
}

// Log says what the server tells of itself. Traces are configured by
// OpenTelemetry's own variables.
type Log struct {
	Level  slog.Level `name:"log-level" help:"Least important lines to write: debug, info, warn or error." default:"info"`
	Format string     `name:"log-format" enum:"auto,text,json" help:"Form of the lines: text, json, or auto (text on a terminal, json elsewhere)." default:"auto"`
}

// Access says who may come in besides those with Confidant's own tokens.
type Access struct {
	OIDCIssuer   string `name:"oidc-issuer" help:"URL of an OpenID Connect issuer whose JWTs are accepted as tokens, such as https://securetoken.google.com/PROJECT."`
	OIDCAudience string `name:"oidc-audience" help:"Audience that those JWTs must be for."`
}

// Models says which language models and which embedder to use.
type Models struct {
	Agent     []string `help:"Models that answer, in order of preference, as provider:model (openai, compatible, anthropic, gemini)." sep:","`
	Fast      []string `help:"Models for small tasks, such as suggestions. Default: those that answer." sep:","`
	Persona   []string `help:"Models that speak as personas. Default: those that answer." sep:","`
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
	RouteTime  time.Duration `help:"How long an answer waits for a small model that chooses its route, and for one that summarises older messages." default:"2s"`
	AfterTime  time.Duration `help:"How long suggestions and the summary of older messages may take once the answer is stored." default:"10s"`
	Pinned     int           `name:"pinned-characters" help:"Characters of pinned memories that the model always sees." default:"2000"`
}

// Chats says how long chats keep what was put aside.
type Chats struct {
	Cleared time.Duration `name:"cleared-kept" help:"How long a cleared chat can be restored; then it is deleted." default:"720h"`
	Shared  time.Duration `name:"share-valid" help:"How long a link to shared messages works." default:"720h"`
}

// Memory says how recorded conversations are processed.
type Memory struct {
	AtOnce  int           `name:"processing-at-once" help:"Conversations that are processed at once; more wait." default:"4"`
	Silence time.Duration `help:"How long a conversation in progress may be silent before it counts as finished." default:"2m"`
	Sweep   time.Duration `help:"How often to look for conversations to finish and for steps to try again." default:"15s"`
}

// Library says where files are kept and how they are read.
type Library struct {
	Files       string  `help:"Where the bytes of files are kept: a folder, or a bucket such as s3://NAME?region=REGION. Default: a folder in the data folder."`
	AtOnce      int     `name:"reading-at-once" help:"Files that are read at once; more wait." default:"2"`
	Pages       int     `name:"file-pages" help:"Pages of one file; a file that has more is refused." default:"10000"`
	Threshold   float64 `name:"similarity" help:"Similarity that a passage of the knowledge base must exceed, from 0 to 1." default:"0.3"`
	ModelChunks int     `name:"classified-chunks" help:"Passages of one file that a model sorts into types; rules sort the others." default:"2000"`
}

// Limits bound what a client may send.
type Limits struct {
	Message int           `name:"message-bytes" help:"Bytes of one message." default:"262144"`
	Body    int64         `name:"body-bytes" help:"Bytes of a JSON body." default:"1048576"`
	Import  int64         `name:"import-bytes" help:"Bytes of one imported file." default:"67108864"`
	Archive int64         `name:"archive-bytes" help:"Bytes of one archive that is taken back." default:"4294967296"`
	File    int64         `name:"file-bytes" help:"Bytes of one file of the library." default:"1073741824"`
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
	if _, _, err := net.SplitHostPort(c.Listen); err != nil {
		return fmt.Errorf("listen is %q; it must be an address such as 127.0.0.1:8420", c.Listen)
	}
	if c.Grace < 0 {
		return fmt.Errorf("grace is %s; it must not be negative", c.Grace)
	}
	for _, v := range []struct {
		name  string
		value int64
	}{
		{"model-iterations", int64(c.Turns.Iterations)}, {"tool-calls", int64(c.Turns.ToolCalls)},
		{"tools-at-a-time", int64(c.Turns.Parallel)}, {"context-tokens", int64(c.Turns.Context)},
		{"history-messages", int64(c.Turns.History)}, {"processing-at-once", int64(c.Memory.AtOnce)}, {"model-failures", int64(c.Turns.Failures)},
		{"pinned-characters", int64(c.Turns.Pinned)}, {"turns-at-once", int64(c.Turns.AtOnce)}, {"turn-attempts", int64(c.Turns.Attempts)},
		{"message-bytes", int64(c.Limits.Message)}, {"body-bytes", c.Limits.Body},
		{"import-bytes", c.Limits.Import}, {"archive-bytes", c.Limits.Archive}, {"frame-bytes", c.Limits.Frame},
		{"file-bytes", c.Limits.File}, {"reading-at-once", int64(c.Library.AtOnce)}, {"file-pages", int64(c.Library.Pages)},
	} {
		if v.value < 1 {
			return fmt.Errorf("%s is %d; it must be at least 1", v.name, v.value)
		}
	}
	for _, v := range []struct {
		name  string
		value time.Duration
	}{
		{"model-idle-time", c.Models.IdleTime}, {"tool-time", c.Turns.ToolTime}, {"lease", c.Turns.Lease},
		{"route-time", c.Turns.RouteTime}, {"after-time", c.Turns.AfterTime}, {"silence", c.Memory.Silence}, {"sweep", c.Memory.Sweep}, {"write-time", c.Limits.Write},
		{"cleared-kept", c.Chats.Cleared}, {"share-valid", c.Chats.Shared},
	} {
		if v.value <= 0 {
			return fmt.Errorf("%s is %s; it must be longer than nothing, such as 30s", v.name, v.value)
		}
	}
	for _, v := range []struct{ name, value string }{
		{"openai-base-url", c.Models.OpenAIURL}, {"embed-url", c.Models.EmbedURL}, {"oidc-issuer", c.Access.OIDCIssuer},
	} {
		if u, err := url.Parse(v.value); v.value != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "") {
			return fmt.Errorf("%s is %q; it must be a URL such as https://example.org", v.name, v.value)
		}
	}
	if (c.Access.OIDCIssuer == "") != (c.Access.OIDCAudience == "") {
		return errors.New("oidc-issuer and oidc-audience belong together; only one of them is set")
	}
	if t := c.Library.Threshold; t < 0 || t >= 1 {
		return fmt.Errorf("similarity is %g; it must be from 0 to below 1", t)
	}
	if c.Library.ModelChunks < 0 {
		return fmt.Errorf("classified-chunks is %d; it must not be negative", c.Library.ModelChunks)
	}
	if c.Models.EmbedDims < 0 {
		return fmt.Errorf("embed-dims is %d; it must not be negative", c.Models.EmbedDims)
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
