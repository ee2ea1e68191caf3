// Package sqlite is the embedded store: one file, one writer, many readers. It
// implements every store interface of package chat.
package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"confidant/internal/chat"
)

// schemas has a file for every version of the schema: what it changes in the one before.
//
//go:embed schema/*.sql
var schemas embed.FS

// schemaVersion is kept in the file's user_version.
const schemaVersion = 4

// Store is an open database file. It is safe for concurrent use.
type Store struct {
	writer      *writer
	checkpoints *checkpointer
	read        *sql.DB
	lock        *os.File

	mu       sync.Mutex
	prepared map[string]*sql.Stmt
	users    map[string]int64 // id → no
	embedded map[string]int64 // model → all passages up to here have a vector
}

// ErrInUse says that another process has the data folder open.
var ErrInUse = errors.New("the data folder is in use by another process")

// Open opens or makes the database in folder dir and takes it for this process
// alone: it fails with ErrInUse when another has it. Leases that a dead process
// left behind are void from then on.
func Open(ctx context.Context, dir string) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make data folder: %w", err)
	}
	lock, err := lockFolder(dir)
	if err != nil {
		return nil, err
	}
	s, err := open(ctx, filepath.Join(dir, "confidant.db"))
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	s.lock = lock
	// The lock is ours, so nobody alive holds a lease.
	err = s.write(ctx, func(ctx context.Context, w *writer) error {
		return w.exec(ctx, "UPDATE jobs SET lease_until = 0 WHERE state = 'running'")
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("void old leases: %w", err), s.Close())
	}
	return s, nil
}

// OpenShared opens an existing or new database beside another process that may
// have it open: for small changes to accounts, not for running jobs.
func OpenShared(ctx context.Context, dir string) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make data folder: %w", err)
	}
	return open(ctx, filepath.Join(dir, "confidant.db"))
}

func lockFolder(dir string) (*os.File, error) {
	lock, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open lock file: %w", err)
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		lock.Close()
		return nil, ErrInUse
	}
	return lock, nil
}

func open(ctx context.Context, path string) (*Store, error) {
	// WAL lets readers go on while the writer commits. synchronous=FULL makes a
	// commit durable before anybody sees it: the journal promises that.
	source := func(extra ...string) string {
		q := url.Values{"_pragma": append([]string{
			"journal_mode(WAL)", "synchronous(FULL)", "busy_timeout(5000)", "temp_store(MEMORY)",
		}, extra...)}
		return "file:" + path + "?" + q.Encode()
	}
	// The writer copies the log back itself only when the checkpoints beside it
	// lag 400 MB behind. What it deletes it overwrites: deleted is deleted.
	write, err := sql.Open("sqlite", source("wal_autocheckpoint(100000)", "cache_size(-65536)", "secure_delete(1)"))
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	write.SetMaxOpenConns(1)
	if err := migrate(ctx, write); err != nil {
		return nil, errors.Join(err, write.Close())
	}
	read, err := sql.Open("sqlite", source("query_only(1)", "cache_size(-32768)", "mmap_size(1073741824)"))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open database for reading: %w", err), write.Close())
	}
	read.SetMaxOpenConns(4)
	read.SetMaxIdleConns(4)
	beside, err := sql.Open("sqlite", source())
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open database for checkpoints: %w", err), read.Close(), write.Close())
	}
	w, err := newWriter(ctx, write)
	if err != nil {
		return nil, errors.Join(err, beside.Close(), read.Close(), write.Close())
	}
	return &Store{
		writer: w, read: read, checkpoints: newCheckpointer(beside, w),
		prepared: map[string]*sql.Stmt{}, users: map[string]int64{}, embedded: map[string]int64{},
	}, nil
}

func migrate(ctx context.Context, db *sql.DB) error {
	var version int
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return fmt.Errorf("read schema version: %w", storeError(err))
	}
	if version > schemaVersion {
		return fmt.Errorf("the database has schema %d, this program knows up to %d: use a newer program", version, schemaVersion)
	}
	for version < schemaVersion {
		version++
		schema, err := schemas.ReadFile(fmt.Sprintf("schema/%d.sql", version))
		if err != nil {
			return fmt.Errorf("read schema %d: %w", version, err)
		}
		if _, err := db.ExecContext(ctx, fmt.Sprintf("BEGIN IMMEDIATE;\n%s\nPRAGMA user_version = %d;\nCOMMIT", schema, version)); err != nil {
			return fmt.Errorf("make schema %d: %w", version, storeError(err))
		}
	}
	return nil
}

// Close waits for writes under way and closes the file.
func (s *Store) Close() error {
	err := errors.Join(s.checkpoints.close(), s.writer.close(), s.read.Close())
	if s.lock != nil {
		err = errors.Join(err, s.lock.Close())
	}
	return err
}

// query returns the cached statement of a read-only query.
func (s *Store) query(ctx context.Context, text string) (*sql.Stmt, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if stmt, ok := s.prepared[text]; ok {
		return stmt, nil
	}
	stmt, err := s.read.PrepareContext(ctx, text)
	if err != nil {
		return nil, storeError(err)
	}
	s.prepared[text] = stmt
	return stmt, nil
}

// each runs a read-only query and calls scan for every row.
func (s *Store) each(ctx context.Context, text string, scan func(row) error, args ...any) error {
	stmt, err := s.query(ctx, text)
	if err != nil {
		return err
	}
	rows, err := stmt.QueryContext(ctx, args...)
	if err != nil {
		return storeError(err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return storeError(rows.Err())
}

// one runs a read-only query that has at most one row; none is ErrNotFound.
func (s *Store) one(ctx context.Context, text string, scan func(row) error, args ...any) error {
	stmt, err := s.query(ctx, text)
	if err != nil {
		return err
	}
	return storeError(scan(stmt.QueryRowContext(ctx, args...)))
}

// row is what sql.Row and sql.Rows share.
type row interface{ Scan(dest ...any) error }

// userNo returns the number of a user, or ErrNotFound.
func (s *Store) userNo(ctx context.Context, id string) (int64, error) {
	s.mu.Lock()
	no, ok := s.users[id]
	s.mu.Unlock()
	if ok {
		return no, nil
	}
	err := s.one(ctx, "SELECT no FROM users WHERE id = ?", func(r row) error { return r.Scan(&no) }, id)
	if err != nil {
		return 0, err
	}
	s.mu.Lock()
	s.users[id] = no
	s.mu.Unlock()
	return no, nil
}

// storeError turns what the driver says into the domain's errors.
func storeError(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if errors.Is(err, sql.ErrNoRows) {
		return chat.ErrNotFound
	}
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		switch e.Code() & 0xff {
		case sqlite3.SQLITE_FULL:
			return chat.ErrStorageFull.With(err)
		case sqlite3.SQLITE_CONSTRAINT:
			return chat.ErrConflict.With(err)
		case sqlite3.SQLITE_INTERRUPT:
			return context.Canceled
		}
	}
	return err
}

func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func fromMillis(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}
