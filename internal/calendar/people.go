package calendar

import (
	"cmp"
	"context"
	"fmt"
	"net/mail"
	"slices"
	"strings"

	"golang.org/x/text/cases"

	"confidant/internal/chat"
)

// Attendees finds who is meant by names: e-mail addresses are taken as they are,
// others must be the name or an alias of one person whom the user knows, whatever
// the case. Names that fit nobody, or more than one, are unresolved.
func (c *Calendar) Attendees(ctx context.Context, userID string, names []string) (found []chat.Attendee, unresolved []string, err error) {
	known, err := c.people.People(ctx, userID)
	if err != nil {
		return nil, nil, fmt.Errorf("read people: %w", err)
	}
	for _, name := range names {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		if a, ok := attendee(known, name); ok {
			found = append(found, a)
		} else {
			unresolved = append(unresolved, name)
		}
	}
	return found, unresolved, nil
}

// Known completes attendees by what is known of them: those that have an address
// or a name of one person only. The others stay as they are.
func (c *Calendar) Known(ctx context.Context, userID string, list []chat.Attendee) ([]chat.Attendee, error) {
	known, err := c.people.People(ctx, userID)
	if err != nil {
		return nil, fmt.Errorf("read people: %w", err)
	}
	completed := make([]chat.Attendee, len(list))
	for i, a := range list {
		a.PersonID = ""
		if found, ok := attendee(known, cmp.Or(a.Email, a.Name)); ok && found.PersonID != "" {
			a = chat.Attendee{Name: cmp.Or(a.Name, found.Name), Email: cmp.Or(a.Email, found.Email), PersonID: found.PersonID}
		}
		completed[i] = a
	}
	return completed, nil
}

func attendee(known []chat.Person, name string) (chat.Attendee, bool) {
	if address, err := mail.ParseAddress(name); err == nil {
		a := chat.Attendee{Name: address.Name, Email: address.Address}
		for _, p := range known {
			if p.Email != "" && same(p.Email, a.Email) {
				a.Name, a.PersonID = p.Name, p.ID
			}
		}
		if a.Name == "" {
			a.Name = a.Email
		}
		return a, true
	}
	var fits []chat.Person
	for _, p := range known {
		if same(p.Name, name) || slices.ContainsFunc(p.Aliases, func(alias string) bool { return same(alias, name) }) {
			fits = append(fits, p)
		}
	}
	if len(fits) != 1 {
		return chat.Attendee{}, false
	}
	return chat.Attendee{Name: fits[0].Name, Email: fits[0].Email, PersonID: fits[0].ID}, true
}

func same(a, b string) bool {
	fold := cases.Fold()
	return fold.String(strings.TrimSpace(a)) == fold.String(strings.TrimSpace(b))
}
