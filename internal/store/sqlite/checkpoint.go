package sqlite

import (
	"context"
	"database/sql"
	"log/slog"
	"time"
)

const (
	// checkpointEvery is how often the write-ahead log is copied back, when there
	// was a commit since.
	checkpointEvery = 2 * time.Second
	// checkpointRest is how many pages of log may stay until the writer is asked
	// to copy the last of them, so that the log begins anew: 16 MB.
	checkpointRest = 4000
)

// checkpointer copies the write-ahead log back into the database on a connection
// of its own. SQLite would do that within the commit that fills the log, and with
// 2,000 streams all of them stood still for it, for a fifth of a second every
// three.
type checkpointer struct {
	db     *sql.DB
	writer *writer
	cancel context.CancelFunc
	done   chan struct{}
}

func newCheckpointer(db *sql.DB, w *writer) *checkpointer {
	ctx, cancel := context.WithCancel(context.Background())
	c := &checkpointer{db: db, writer: w, cancel: cancel, done: make(chan struct{})}
	db.SetMaxOpenConns(1)
	go c.run(ctx)
	return c
}

func (c *checkpointer) close() error {
	c.cancel()
	<-c.done
	return c.db.Close()
}

func (c *checkpointer) run(ctx context.Context) {
	defer close(c.done)
	tick := time.NewTicker(checkpointEvery)
	defer tick.Stop()
	seen := int64(0)
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		commits := c.writer.commits.Load()
		if commits == seen {
			continue
		}
		seen = commits
		err := c.copyBack(ctx, checkpointRest)
		if err != nil && ctx.Err() == nil {
			// The log grows, and nothing is lost: the next one tries again.
			slog.WarnContext(ctx, "copy the write-ahead log back", "error", err)
		}
	}
}

// copyBack copies the log beside the writer, and its end between two commits when
// it has more than rest pages.
func (c *checkpointer) copyBack(ctx context.Context, rest int64) error {
	pages, err := checkpoint(ctx, c.db)
	if err != nil || pages <= rest {
		return err
	}
	// Commits went on meanwhile. Only where there are none can the log begin anew;
	// little is left to copy there.
	return c.writer.betweenCommits(func(conn *sql.Conn) error {
		_, err := checkpoint(ctx, conn)
		return err
	})
}

// checkpoint copies what it can without waiting for anybody, and returns how many
// pages the log has.
func checkpoint(ctx context.Context, db interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}) (pages int64, err error) {
	var busy, copied int64
	err = db.QueryRowContext(ctx, "PRAGMA wal_checkpoint(PASSIVE)").Scan(&busy, &pages, &copied)
	return pages, err
}
