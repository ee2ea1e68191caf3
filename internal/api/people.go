package api

import (
	"net/http"
	"net/mail"
	"time"

	"confidant/internal/chat"
	"confidant/internal/ident"
)

// The limits of a person. Texts are counted in characters.
const (
	maxPersonName = 200
	maxAliases    = 50
	maxNotes      = 10_000
)

func (s *Server) peopleRoutes() map[string]handler {
	return map[string]handler{
		"GET /api/people":         s.listPeople,
		"POST /api/people":        s.createPerson,
		"PATCH /api/people/{id}":  s.changePerson,
		"DELETE /api/people/{id}": s.deletePerson,
	}
}

// knownPerson is a person and how many conversations they speak in.
type knownPerson struct {
	chat.Person
	Conversations int `json:"conversations"`
}

func (s *Server) listPeople(_ http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	all, err := s.people.People(r.Context(), user.ID)
	if err != nil {
		return nil, err
	}
	spoke, err := s.people.Spoke(r.Context(), user.ID)
	people := make([]knownPerson, len(all))
	for i, p := range all {
		people[i] = knownPerson{p, spoke[p.ID]}
	}
	return list("people", people, ""), err
}

type personBody struct {
	Name     field[string]   `json:"name"`
	Aliases  field[[]string] `json:"aliases"`
	Email    field[string]   `json:"email"`
	Notes    field[string]   `json:"notes"`
	Revision field[int64]    `json:"revision"`
}

// savePerson stores a person with what a body says of them.
func (s *Server) savePerson(r *http.Request, p chat.Person, in personBody) (chat.Person, error) {
	in.Name.set(&p.Name)
	in.Aliases.set(&p.Aliases)
	in.Email.set(&p.Email)
	in.Notes.set(&p.Notes)
	var err error
	if p.Name, err = line("name", p.Name, maxPersonName); err != nil {
		return p, err
	}
	if len(p.Aliases) > maxAliases {
		return p, chat.Fail(chat.CodeInvalid, "A person may have 50 aliases at most (aliases).")
	}
	for i := range p.Aliases {
		if p.Aliases[i], err = line("alias", p.Aliases[i], maxPersonName); err != nil {
			return p, err
		}
	}
	if p.Email != "" {
		address, err := mail.ParseAddress(p.Email)
		if err != nil {
			return p, chat.Fail(chat.CodeInvalid, "email is not an e-mail address.")
		}
		p.Email = address.Address
	}
	if err := within("notes", p.Notes, maxNotes); err != nil {
		return p, err
	}
	p.UpdatedAt = time.Now().UTC()
	if err := s.people.SavePeople(r.Context(), p.UserID, chat.Changes[chat.Person]{Put: []chat.Person{p}}); err != nil {
		return p, err
	}
	p.Revision++
	return p, nil
}

func (s *Server) createPerson(w http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	var in personBody
	if err := s.readJSON(w, r, &in); err != nil {
		return nil, err
	}
	p, err := s.savePerson(r, chat.Person{ID: ident.New(), UserID: user.ID, CreatedAt: time.Now().UTC()}, in)
	return created{p}, err
}

func (s *Server) changePerson(w http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	var in personBody
	if err := s.readJSON(w, r, &in); err != nil {
		return nil, err
	}
	p, err := s.people.Person(r.Context(), user.ID, r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	if err := unchanged(in.Revision, p.Revision); err != nil {
		return nil, err
	}
	return s.savePerson(r, p, in)
}

func (s *Server) deletePerson(_ http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	p, err := s.people.Person(r.Context(), user.ID, r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	return nil, s.people.SavePeople(r.Context(), user.ID, chat.Changes[chat.Person]{Remove: []string{p.ID}})
}
