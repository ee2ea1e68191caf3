package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"confidant/internal/chat"
	"confidant/internal/ident"
)

var _ chat.Accounts = (*Store)(nil)

func scanUser(u *chat.User) func(row) error {
	return func(r row) error {
		var created int64
		err := r.Scan(&u.ID, &u.Name, &created)
		u.CreatedAt = fromMillis(created)
		return err
	}
}

// EnsureUser implements chat.Accounts.
func (s *Store) EnsureUser(ctx context.Context, name string) (chat.User, error) {
	var u chat.User
	err := s.write(ctx, func(ctx context.Context, w *writer) error {
		const find = "SELECT id, name, created_at FROM users WHERE name = ?"
		err := w.one(ctx, find, scanUser(&u), name)
		if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		u = chat.User{ID: ident.New(), Name: name, CreatedAt: time.Now().UTC().Truncate(time.Millisecond)}
		return w.exec(ctx, "INSERT INTO users (id, name, created_at) VALUES (?, ?, ?)", u.ID, u.Name, millis(u.CreatedAt))
	})
	return u, err
}

// Owner implements chat.Accounts.
func (s *Store) Owner(ctx context.Context) (chat.User, error) {
	var u chat.User
	err := s.one(ctx, "SELECT id, name, created_at FROM users ORDER BY no LIMIT 1", scanUser(&u))
	return u, err
}

// AddToken implements chat.Accounts.
func (s *Store) AddToken(ctx context.Context, userID string, hash [32]byte, expires time.Time) error {
	user, err := s.userNo(ctx, userID)
	if err != nil {
		return err
	}
	return s.write(ctx, func(ctx context.Context, w *writer) error {
		return w.exec(ctx, "INSERT INTO tokens (hash, user, expires) VALUES (?, ?, ?)", hash[:], user, millis(expires))
	})
}

// TokenUser implements chat.Accounts.
func (s *Store) TokenUser(ctx context.Context, hash [32]byte, now time.Time) (chat.User, error) {
	var u chat.User
	err := s.one(ctx, `SELECT u.id, u.name, u.created_at FROM tokens t JOIN users u ON u.no = t.user
		WHERE t.hash = ? AND (t.expires = 0 OR t.expires > ?)`, scanUser(&u), hash[:], millis(now))
	return u, err
}

// RemoveToken implements chat.Accounts.
func (s *Store) RemoveToken(ctx context.Context, hash [32]byte) error {
	return s.write(ctx, func(ctx context.Context, w *writer) error {
		return w.exec(ctx, "DELETE FROM tokens WHERE hash = ?", hash[:])
	})
}
