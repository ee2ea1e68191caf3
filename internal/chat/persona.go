package chat

import (
	"context"
	"time"
)

// Persona is a character made of what a person recorded, which answers in their
// manner (seeds/omi-chat-system.txt, "Persona path").
type Persona struct {
	ID     string `json:"persona_id"`
	UserID string `json:"-"`
	Name   string `json:"name"`
	// Description has 250 characters at most.
	Description string `json:"description"`
	// Prompt, when not empty, stands for the built-in one. {name}, {description},
	// {facts} and {conversations} in it are filled in.
	Prompt string `json:"prompt,omitempty"`
	// Tools are the names of those that the persona may call; none is the rule.
	Tools     []string  `json:"tools,omitempty"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
	// Revision counts the changes. A save that carries an older one is ErrConflict.
	Revision int64 `json:"revision"`
}

// Personas keeps personas. A persona of another person is ErrNotFound.
type Personas interface {
	Persona(ctx context.Context, userID, id string) (Persona, error)
	// Personas returns all of them, by name.
	Personas(ctx context.Context, userID string) ([]Persona, error)
	// SavePersonas stores changes in one transaction.
	SavePersonas(ctx context.Context, userID string, changes Changes[Persona]) error
}
