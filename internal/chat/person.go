package chat

import (
	"context"
	"time"
)

// Person is somebody whom the user knows.
type Person struct {
	ID        string    `json:"person_id"`
	UserID    string    `json:"-"`
	Name      string    `json:"name"`
	Aliases   []string  `json:"aliases,omitempty"`
	Email     string    `json:"email,omitempty"`
	Notes     string    `json:"notes,omitempty"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
	// Revision counts the changes. A save that carries an older one is ErrConflict.
	Revision int64 `json:"revision"`
}

// People keeps persons. A person of another user is ErrNotFound.
type People interface {
	Person(ctx context.Context, userID, id string) (Person, error)
	// People returns all of them, by name.
	People(ctx context.Context, userID string) ([]Person, error)
	// Spoke counts by the id of a person the conversations that they speak in.
	Spoke(ctx context.Context, userID string) (map[string]int, error)
	// SavePeople stores changes in one transaction. A person that is removed is
	// taken off the segments that named them.
	SavePeople(ctx context.Context, userID string, changes Changes[Person]) error
}

// Folder is where conversations are put.
type Folder struct {
	ID     string `json:"folder_id"`
	UserID string `json:"-"`
	Name   string `json:"name"`
	// Description tells the model what belongs here.
	Description string    `json:"description,omitempty"`
	CreatedAt   time.Time `json:"created_at"`
	Revision    int64     `json:"revision"`
}

// Folders keeps folders.
type Folders interface {
	// Folders returns all of them, by name.
	Folders(ctx context.Context, userID string) ([]Folder, error)
	// SaveFolders stores changes in one transaction. The conversations of a folder
	// that is removed are in none.
	SaveFolders(ctx context.Context, userID string, changes Changes[Folder]) error
}
