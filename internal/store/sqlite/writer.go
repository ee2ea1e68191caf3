package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync/atomic"

	"confidant/internal/chat"
)

// writer is the only one who writes. Whoever wants to write hands it a function;
// it runs all that wait in one transaction and commits once for all of them, so
// the cost of a durable commit is shared: natural group commit.
type writer struct {
	db       *sql.DB
	conn     *sql.Conn
	prepared map[string]*sql.Stmt
	indexed  map[int64]bool // users whose full-text table exists
	commits  atomic.Int64   // how many there were
	queue    chan *write
	between  chan func() // to be run outside any transaction
	stop     chan struct{}
	done     chan struct{}
}

type write struct {
	ctx    context.Context
	do     func(context.Context, *writer) error
	result chan error
}

// maxGroup bounds how many writes share a transaction, so that one commit stays short.
const maxGroup = 256

func newWriter(ctx context.Context, db *sql.DB) (*writer, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, fmt.Errorf("open writing connection: %w", err)
	}
	w := &writer{
		db: db, conn: conn, prepared: map[string]*sql.Stmt{}, indexed: map[int64]bool{},
		queue: make(chan *write, maxGroup), between: make(chan func()), stop: make(chan struct{}), done: make(chan struct{}),
	}
	go w.run()
	return w, nil
}

func (w *writer) close() error {
	close(w.stop)
	<-w.done
	return errors.Join(w.conn.Close(), w.db.Close())
}

// write runs do inside a transaction and returns when that is durable. What do
// wrote is undone when it fails, without harm to its neighbours in the group.
func (s *Store) write(ctx context.Context, do func(context.Context, *writer) error) error {
	job := &write{ctx: ctx, do: do, result: make(chan error, 1)}
	select {
	case s.writer.queue <- job:
	case <-ctx.Done():
		return ctx.Err()
	case <-s.writer.stop:
		return chat.ErrUnavailable
	}
	select {
	case err := <-job.result:
		return storeError(err)
	case <-s.writer.done:
		return chat.ErrUnavailable
	}
}

func (w *writer) run() {
	defer close(w.done)
	group := make([]*write, 0, maxGroup)
	for {
		select {
		case first := <-w.queue:
			group = append(group[:0], first)
		case do := <-w.between:
			do()
			continue
		case <-w.stop:
			return
		}
	gather:
		for len(group) < maxGroup {
			select {
			case next := <-w.queue:
				group = append(group, next)
			default:
				break gather
			}
		}
		w.commit(group)
	}
}

// commit runs a group in one transaction. Writes are not interrupted half-way by
// their contexts: the wait is short, and an interrupt would void the group.
func (w *writer) commit(group []*write) {
	ctx := context.Background()
	results := make([]error, len(group))
	err := w.exec(ctx, "BEGIN IMMEDIATE")
	if err == nil {
		for i, job := range group {
			if results[i] = job.ctx.Err(); results[i] == nil {
				results[i] = w.isolated(ctx, job.do, len(group) == 1)
			}
		}
		if len(group) == 1 {
			err = results[0]
		}
		if err == nil {
			err = w.exec(ctx, "COMMIT")
			w.commits.Add(1)
		}
		if err != nil {
			// A full disk may have rolled back already; then this one fails, harmlessly.
			_ = w.exec(ctx, "ROLLBACK")
			clear(w.indexed)
		}
	}
	for i, job := range group {
		if results[i] == nil {
			results[i] = err
		}
		job.result <- results[i]
	}
}

// isolated runs one write so that its failure harms no neighbour. Alone it has
// none, and the copies that a savepoint makes of every page are saved.
func (w *writer) isolated(ctx context.Context, do func(context.Context, *writer) error, alone bool) error {
	if alone {
		return do(ctx, w)
	}
	if err := w.exec(ctx, "SAVEPOINT one"); err != nil {
		return err
	}
	if err := do(ctx, w); err != nil {
		clear(w.indexed) // a table made by do is gone again
		return errors.Join(err, w.exec(ctx, "ROLLBACK TO one"), w.exec(ctx, "RELEASE one"))
	}
	return w.exec(ctx, "RELEASE one")
}

// betweenCommits runs do on the writing connection outside any transaction.
func (w *writer) betweenCommits(do func(*sql.Conn) error) error {
	result := make(chan error, 1)
	select {
	case w.between <- func() { result <- do(w.conn) }:
		return <-result
	case <-w.stop:
		return chat.ErrUnavailable
	}
}

func (w *writer) stmt(ctx context.Context, text string) (*sql.Stmt, error) {
	if stmt, ok := w.prepared[text]; ok {
		return stmt, nil
	}
	stmt, err := w.conn.PrepareContext(ctx, text)
	if err != nil {
		return nil, err
	}
	w.prepared[text] = stmt
	return stmt, nil
}

func (w *writer) exec(ctx context.Context, text string, args ...any) error {
	_, err := w.affected(ctx, text, args...)
	return err
}

// affected is exec that also tells how many rows were changed.
func (w *writer) affected(ctx context.Context, text string, args ...any) (int64, error) {
	stmt, err := w.stmt(ctx, text)
	if err != nil {
		return 0, err
	}
	res, err := stmt.ExecContext(ctx, args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// one runs a query with at most one row; none is sql.ErrNoRows.
func (w *writer) one(ctx context.Context, text string, scan func(row) error, args ...any) error {
	stmt, err := w.stmt(ctx, text)
	if err != nil {
		return err
	}
	return scan(stmt.QueryRowContext(ctx, args...))
}

// each calls scan for every row of a query.
func (w *writer) each(ctx context.Context, text string, scan func(row) error, args ...any) error {
	stmt, err := w.stmt(ctx, text)
	if err != nil {
		return err
	}
	rows, err := stmt.QueryContext(ctx, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}
