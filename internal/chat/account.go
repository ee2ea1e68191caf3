package chat

import (
	"context"
	"time"
)

// User is a person with an account.
type User struct {
	ID        string    `json:"user_id"`
	Name      string    `json:"name"`
	CreatedAt time.Time `json:"-"`
}

// Accounts keeps people and the hashes of their tokens. A token itself is never stored.
type Accounts interface {
	// EnsureUser returns the person of that name, made now when there is none.
	EnsureUser(ctx context.Context, name string) (User, error)
	// Owner returns the first person, or ErrNotFound on an empty store.
	Owner(ctx context.Context) (User, error)
	// AddToken stores the SHA-256 of a token, valid until expires (zero: for good).
	AddToken(ctx context.Context, userID string, hash [32]byte, expires time.Time) error
	// TokenUser returns whose token has that hash. ErrNotFound covers expired ones.
	TokenUser(ctx context.Context, hash [32]byte, now time.Time) (User, error)
	// RemoveToken makes a token invalid.
	RemoveToken(ctx context.Context, hash [32]byte) error
}
