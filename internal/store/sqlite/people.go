package sqlite

import (
	"context"

	"confidant/internal/chat"
)

var (
	_ chat.People  = (*Store)(nil)
	_ chat.Folders = (*Store)(nil)
)

var people = records[chat.Person]{
	table:    "people",
	columns:  "name",
	values:   func(p chat.Person) []any { return []any{p.Name} },
	id:       func(p *chat.Person) *string { return &p.ID },
	revision: func(p *chat.Person) *int64 { return &p.Revision },
	owner:    func(p *chat.Person) *string { return &p.UserID },
	removed: func(ctx context.Context, w *writer, _ int64, id string) error {
		return w.exec(ctx, "UPDATE segments SET person = '' WHERE person = ? AND person <> ''", id)
	},
}

var folders = records[chat.Folder]{
	table:    "folders",
	columns:  "name",
	values:   func(f chat.Folder) []any { return []any{f.Name} },
	id:       func(f *chat.Folder) *string { return &f.ID },
	revision: func(f *chat.Folder) *int64 { return &f.Revision },
	owner:    func(f *chat.Folder) *string { return &f.UserID },
	removed: func(ctx context.Context, w *writer, user int64, id string) error {
		return w.exec(ctx, "UPDATE conversations SET folder = '', revision = revision + 1 WHERE user = ? AND folder = ?", user, id)
	},
}

// Person implements chat.People.
func (s *Store) Person(ctx context.Context, userID, id string) (chat.Person, error) {
	return people.one(ctx, s, userID, id)
}

// People implements chat.People.
func (s *Store) People(ctx context.Context, userID string) ([]chat.Person, error) {
	return people.list(ctx, s, userID, "true ORDER BY r.name, r.id")
}

// Spoke implements chat.People. The few segments that name a person are read
// first, not all passages.
func (s *Store) Spoke(ctx context.Context, userID string) (map[string]int, error) {
	user, err := s.userNo(ctx, userID)
	if err != nil {
		return nil, err
	}
	spoke := map[string]int{}
	err = s.each(ctx, `SELECT g.person, COUNT(DISTINCT p.grp) FROM segments g CROSS JOIN passages p ON p.id = g.passage
		WHERE g.person <> '' AND p.user = ? GROUP BY g.person`, func(r row) error {
		var person string
		var n int
		if err := r.Scan(&person, &n); err != nil {
			return err
		}
		spoke[person] = n
		return nil
	}, user)
	return spoke, err
}

// SavePeople implements chat.People.
func (s *Store) SavePeople(ctx context.Context, userID string, changes chat.Changes[chat.Person]) error {
	return people.save(ctx, s, userID, changes)
}

// Folders implements chat.Folders.
func (s *Store) Folders(ctx context.Context, userID string) ([]chat.Folder, error) {
	return folders.list(ctx, s, userID, "true ORDER BY r.name, r.id")
}

// SaveFolders implements chat.Folders.
func (s *Store) SaveFolders(ctx context.Context, userID string, changes chat.Changes[chat.Folder]) error {
	return folders.save(ctx, s, userID, changes)
}
