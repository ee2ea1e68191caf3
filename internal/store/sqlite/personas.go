package sqlite

import (
	"context"

	"confidant/internal/chat"
)

var _ chat.Personas = (*Store)(nil)

var personas = records[chat.Persona]{
	table:    "personas",
	columns:  "name",
	values:   func(p chat.Persona) []any { return []any{p.Name} },
	id:       func(p *chat.Persona) *string { return &p.ID },
	revision: func(p *chat.Persona) *int64 { return &p.Revision },
	owner:    func(p *chat.Persona) *string { return &p.UserID },
}

// Persona implements chat.Personas.
func (s *Store) Persona(ctx context.Context, userID, id string) (chat.Persona, error) {
	return personas.one(ctx, s, userID, id)
}

// Personas implements chat.Personas.
func (s *Store) Personas(ctx context.Context, userID string) ([]chat.Persona, error) {
	return personas.list(ctx, s, userID, "true ORDER BY r.name, r.id")
}

// SavePersonas implements chat.Personas.
func (s *Store) SavePersonas(ctx context.Context, userID string, changes chat.Changes[chat.Persona]) error {
	return personas.save(ctx, s, userID, changes)
}
