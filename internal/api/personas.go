package api

import (
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"confidant/internal/chat"
	"confidant/internal/ident"
)

// personaRoutes are the handlers of a person's own personas.
func (s *Server) personaRoutes() map[string]handler {
	return map[string]handler{
		"GET /api/personas":         s.listPersonas,
		"POST /api/personas":        s.addPersona,
		"GET /api/personas/{id}":    s.getPersona,
		"PATCH /api/personas/{id}":  s.editPersona,
		"DELETE /api/personas/{id}": s.deletePersona,
	}
}

// The limits of a persona. The description's is Omi's (facts/omi.md section 10).
const (
	personaName        = 100
	personaDescription = 250
	personaPrompt      = 20_000
	personaTools       = 50
	personasMost       = 100
)

func (s *Server) listPersonas(_ http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	personas, err := s.backend.Personas.Personas(r.Context(), user.ID)
	return map[string]any{"personas": personas}, err
}

func (s *Server) getPersona(_ http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	return s.backend.Persona(r.Context(), user.ID, r.PathValue("id"))
}

// sentPersona is a persona as a client sends it; what is missing stays as it is.
type sentPersona struct {
	Name        field[string]   `json:"name"`
	Description field[string]   `json:"description"`
	Prompt      field[string]   `json:"prompt"`
	Tools       field[[]string] `json:"tools"`
	Revision    field[int64]    `json:"revision"`
}

// into takes over what was sent and checks what comes of it.
func (in sentPersona) into(p *chat.Persona) error {
	in.Name.set(&p.Name)
	in.Description.set(&p.Description)
	in.Prompt.set(&p.Prompt)
	in.Tools.set(&p.Tools)
	p.Name, p.Description = strings.TrimSpace(p.Name), strings.TrimSpace(p.Description)
	for _, text := range []struct {
		name, value string
		least, most int
	}{
		{"name", p.Name, 1, personaName},
		{"description", p.Description, 0, personaDescription},
		{"prompt", p.Prompt, 0, personaPrompt},
	} {
		if n := utf8.RuneCountInString(text.value); n < text.least || n > text.most || strings.ContainsRune(text.value, 0) {
			return chat.Fail(chat.CodeInvalid, "The "+text.name+" must have "+strconv.Itoa(text.least)+" to "+strconv.Itoa(text.most)+
				" characters (persona_"+text.name+"), and no NUL.")
		}
	}
	if len(p.Tools) > personaTools {
		return chat.Fail(chat.CodeInvalid, "A persona has at most "+strconv.Itoa(personaTools)+" tools (persona_tools).")
	}
	for _, name := range p.Tools {
		if n := utf8.RuneCountInString(name); n == 0 || n > personaName {
			return chat.Fail(chat.CodeInvalid, "The name of a tool must have 1 to "+strconv.Itoa(personaName)+" characters.")
		}
	}
	return nil
}

func (s *Server) addPersona(w http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	var in sentPersona
	if err := s.readJSON(w, r, &in); err != nil {
		return nil, err
	}
	others, err := s.backend.Personas.Personas(r.Context(), user.ID)
	if err != nil {
		return nil, err
	}
	if len(others) >= personasMost {
		return nil, chat.Fail(chat.CodeInvalid, "There are already "+strconv.Itoa(personasMost)+" personas, which is the limit (personas).")
	}
	now := time.Now().UTC().Truncate(time.Millisecond)
	p := chat.Persona{ID: ident.New(), CreatedAt: now, UpdatedAt: now}
	if err := in.into(&p); err != nil {
		return nil, err
	}
	if err := s.backend.SavePersonas(r.Context(), user.ID, chat.Changes[chat.Persona]{Put: []chat.Persona{p}}); err != nil {
		return nil, err
	}
	p.Revision = 1
	return created{p}, nil
}

func (s *Server) editPersona(w http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	var in sentPersona
	if err := s.readJSON(w, r, &in); err != nil {
		return nil, err
	}
	p, err := s.backend.Persona(r.Context(), user.ID, r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	if err := unchanged(in.Revision, p.Revision); err != nil {
		return nil, err
	}
	if err := in.into(&p); err != nil {
		return nil, err
	}
	p.UpdatedAt = time.Now().UTC().Truncate(time.Millisecond)
	if err := s.backend.SavePersonas(r.Context(), user.ID, chat.Changes[chat.Persona]{Put: []chat.Persona{p}}); err != nil {
		return nil, err
	}
	return s.backend.Persona(r.Context(), user.ID, p.ID)
}

func (s *Server) deletePersona(_ http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	p, err := s.backend.Persona(r.Context(), user.ID, r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	return nil, s.backend.SavePersonas(r.Context(), user.ID, chat.Changes[chat.Persona]{Remove: []string{p.ID}})
}
