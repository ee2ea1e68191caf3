package main

import (
	"time"

	"confidant/internal/config"
	"confidant/internal/llm"
	"confidant/internal/llm/builtin"
)

// models are the roles, filled.
type models struct {
	agent llm.Model
	fast  llm.Model // nil without a language model
	names []string
}

func newModels(_ config.Models, zone *time.Location) (models, error) {
	responder := &builtin.Responder{Zone: zone}
	return models{agent: responder, names: []string{responder.Name()}}, nil
}
