package main

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"sync"
	"time"

	"confidant/internal/config"
	"confidant/internal/llm"
	"confidant/internal/llm/anthropic"
	"confidant/internal/llm/builtin"
	"confidant/internal/llm/gemini"
	"confidant/internal/llm/openai"
)

// The models that a key alone selects.
const (
	openAIAgent    = "openai:gpt-5.1"
	openAIFast     = "openai:gpt-4.1-mini"
	anthropicAgent = "anthropic:claude-sonnet-4-5"
	anthropicFast  = "anthropic:claude-haiku-4-5"
	geminiAgent    = "gemini:gemini-2.5-pro"
	geminiFast     = "gemini:gemini-2.5-flash"
)

// models are the roles, filled.
type models struct {
	agent   llm.Model
	persona llm.Model
	fast    llm.Model // nil without a language model
	names   []string  // those that answer, in order of preference
}

// newModels fills the roles. The built-in responder is what is left when no
// model is configured, or when none can be reached.
func newModels(c config.Models, zone *time.Location, observe func(llm.CallReport)) (models, error) {
	agentNames, fastNames := c.Agent, c.Fast
	if len(agentNames) == 0 {
		agentNames, fastNames = defaults(c, fastNames)
	}
	agents, err := open(c, agentNames)
	if err != nil {
		return models{}, err
	}
	responder := &builtin.Responder{Zone: zone, Fallback: len(agents) > 0}
	if len(agents) == 0 {
		return models{agent: responder, persona: responder, names: []string{responder.Name()}}, nil
	}
	fast, err := open(c, fastNames)
	if err != nil {
		return models{}, err
	}
	personas, err := open(c, c.Persona)
	if err != nil {
		return models{}, err
	}
	roles := llm.NewRoles(llm.RolesConfig{
		Models:  map[llm.ModelRole][]llm.Model{llm.Agent: agents, llm.Fast: fast, llm.Persona: personas},
		Observe: observe,
	})
	return models{
		agent:   llm.WithLastResort(roles.For(llm.Agent), responder),
		persona: llm.WithLastResort(roles.For(llm.Persona), responder),
		fast:    roles.For(llm.Fast), names: agentNames,
	}, nil
}

// defaults are the models that the keys alone select.
func defaults(c config.Models, fast []string) (agentNames, fastNames []string) {
	chosen := fast
	add := func(agent, small string) {
		agentNames = append(agentNames, agent)
		if len(chosen) == 0 && small != "" {
			fast = append(fast, small)
		}
	}
	switch {
	case ownServer(c):
		add("compatible:", "")
	case c.OpenAIKey != "":
		add(openAIAgent, openAIFast)
	}
	if c.AnthropicKey != "" {
		add(anthropicAgent, anthropicFast)
	}
	if c.GeminiKey != "" {
		add(geminiAgent, geminiFast)
	}
	return agentNames, fast
}

// ownServer reports whether a base URL is set that is not OpenAI's.
func ownServer(c config.Models) bool {
	return c.OpenAIURL != "" && !strings.Contains(c.OpenAIURL, "//api.openai.com/")
}

// open returns the models of the given names, each provider:model.
func open(c config.Models, names []string) ([]llm.Model, error) {
	list := make([]llm.Model, 0, len(names))
	for _, name := range names {
		provider, model, ok := strings.Cut(name, ":")
		if !ok {
			return nil, fmt.Errorf("model %q is not of the form provider:model", name)
		}
		opened, err := openModel(c, provider, model)
		if err != nil {
			return nil, err
		}
		list = append(list, opened)
	}
	return list, nil
}

func openModel(c config.Models, provider, model string) (llm.Model, error) {
	oai := openai.Config{
		Name: provider, Model: model, APIKey: llm.Secret(c.OpenAIKey), BaseURL: c.OpenAIURL, IdleTimeout: c.IdleTime,
	}
	speak := func(oai openai.Config) llm.Model {
		if c.OpenAIAPI == "responses" || c.OpenAIAPI == "auto" && provider == "openai" && !ownServer(c) {
			return openai.NewResponses(oai)
		}
		return openai.NewChat(oai)
	}
	switch provider {
	case "openai", "compatible":
		if model == "" {
			return &discovered{config: oai, speak: speak}, nil
		}
		return speak(oai), nil
	case "anthropic":
		return anthropic.New(anthropic.Config{Model: model, APIKey: llm.Secret(c.AnthropicKey), IdleTimeout: c.IdleTime}), nil
	case "gemini":
		opened, err := gemini.New(gemini.Config{Model: model, APIKey: llm.Secret(c.GeminiKey), IdleTimeout: c.IdleTime})
		if err != nil {
			return nil, fmt.Errorf("model gemini:%s: %w", model, err)
		}
		return opened, nil
	}
	return nil, fmt.Errorf("model %s:%s: the provider is unknown; there are openai, compatible, anthropic and gemini", provider, model)
}

// discovered is the first model that a compatible server offers. It is looked up
// at the first call, so that the server may start after us.
type discovered struct {
	config openai.Config
	speak  func(openai.Config) llm.Model

	mu    sync.Mutex
	model llm.Model
}

var _ llm.Model = (*discovered)(nil)

// Name implements llm.Model.
func (d *discovered) Name() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.model == nil {
		return d.config.Name + ":(first)"
	}
	return d.model.Name()
}

// Stream implements llm.Model.
func (d *discovered) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		model, err := d.find(ctx)
		if err != nil {
			yield(nil, err)
			return
		}
		model.Stream(ctx, req)(yield)
	}
}

// find returns the model, asking the server when that has not been done. Several
// first calls ask once.
func (d *discovered) find(ctx context.Context) (llm.Model, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.model != nil {
		return d.model, nil
	}
	names, err := openai.Models(ctx, d.config)
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, &llm.Error{Kind: llm.Rejected, Model: d.config.Name, Err: fmt.Errorf("the server offers no model")}
	}
	d.config.Model = names[0]
	d.model = d.speak(d.config)
	return d.model, nil
}
