package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"

	"confidant/internal/chat"
	"confidant/internal/inbox"
	"confidant/internal/store/sqlite"
)

// assistant is what the commands ask for, of this process or of a server. Its
// errors are *chat.Error where a person can do something about them.
type assistant interface {
	answerer
	keeper
	librarian
}

// answerer answers questions.
type answerer interface {
	// Ask begins a turn.
	Ask(ctx context.Context, ask chat.Ask) (chat.Turn, error)
	// Follow yields the events of a turn one by one, otherwise as chat.Assistant does.
	Follow(ctx context.Context, turnID string) iter.Seq2[chat.Event, error]
	// Cancel stops a turn.
	Cancel(ctx context.Context, turnID string) error
}

// keeper takes in what is to be remembered, and gives it out.
type keeper interface {
	// Import takes in a file. What is good of a calendar is kept also when it fails.
	Import(ctx context.Context, f chat.Import) (inbox.Taken, error)
	// Restore takes back an archive of so many bytes.
	Restore(ctx context.Context, archive *os.File, size int64) (inbox.Taken, error)
	// Export writes everything that belongs to the person; see archive.Write.
	Export(ctx context.Context, to io.Writer) error
	// Pending counts the passages that cannot be found by their meaning yet, and the
	// conversations that are not understood yet.
	Pending(ctx context.Context) (int, error)
}

// connect finds the assistant: the server that was named, else the one that runs
// on the data folder, else the data folder itself in this process. release ends
// what connect began.
func connect(ctx context.Context, c *commands) (a assistant, release func() error, err error) {
	if c.Server != "" {
		if c.Key == "" {
			return nil, nil, errors.New("--server needs a token too: --server-token or CONFIDANT_SERVER_TOKEN, as printed by confidant token on that machine")
		}
		return newRemote(c.Server, string(c.Key)), func() error { return nil }, nil
	}
	opened, err := Open(ctx, c.Data, c.Config)
	if errors.Is(err, sqlite.ErrInUse) {
		// Somebody has the folder: a server, which says where it is.
		running, token, err := findServer(ctx, c)
		if err != nil {
			return nil, nil, err
		}
		return newRemote(running.URL, token), func() error { return nil }, nil
	}
	if err != nil {
		return nil, nil, err
	}
	user, err := opened.Store.EnsureUser(ctx, c.User)
	if err != nil {
		return nil, nil, errors.Join(err, opened.Close())
	}
	working, stop := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan error, 1)
	go func() { done <- opened.Run(working) }()
	return local{opened, user}, func() error {
		stop()
		return errors.Join(<-done, opened.Close())
	}, nil
}

// local is the assistant in this process.
type local struct {
	*Assistant
	user chat.User
}

var _ assistant = local{}

// Ask implements assistant.
func (l local) Ask(ctx context.Context, ask chat.Ask) (chat.Turn, error) {
	ask.UserID = l.user.ID
	return l.Engine.Ask(ctx, ask)
}

// Follow implements assistant.
func (l local) Follow(ctx context.Context, turnID string) iter.Seq2[chat.Event, error] {
	return func(yield func(chat.Event, error) bool) {
		for events, err := range l.Engine.Follow(ctx, l.user.ID, turnID, 0) {
			if err != nil {
				yield(chat.Event{}, err)
				return
			}
			for _, e := range events {
				if !yield(e, nil) {
					return
				}
			}
		}
	}
}

// Cancel implements assistant.
func (l local) Cancel(ctx context.Context, turnID string) error {
	return l.Engine.Cancel(ctx, l.user.ID, turnID, l.user.Name)
}

// Import implements assistant.
func (l local) Import(ctx context.Context, f chat.Import) (inbox.Taken, error) {
	if limit := l.config.Limits.Import; int64(len(f.Content)) > limit {
		return inbox.Taken{}, chat.Fail(chat.CodeTooLarge, fmt.Sprintf("The file has %d bytes; the limit is %d (import_bytes).", len(f.Content), limit))
	}
	taken, err := l.Inbox.Take(ctx, l.user.ID, f)
	return taken, cmp.Or(err, taken.Err())
}

// Restore implements assistant.
func (l local) Restore(ctx context.Context, archive *os.File, size int64) (inbox.Taken, error) {
	return l.Inbox.Restore(ctx, l.user.ID, archive, size)
}

// Export implements assistant.
func (l local) Export(ctx context.Context, to io.Writer) error {
	return l.Assistant.Export(ctx, l.user.ID, to)
}

// Pending implements assistant.
func (l local) Pending(ctx context.Context) (int, error) {
	passages, conversations, err := l.pending(ctx)
	return passages + conversations, err
}

// friendly is an error as a person reads it.
func friendly(err error) string {
	if e, ok := errors.AsType[*chat.Error](err); ok {
		return e.Detail
	}
	return err.Error()
}
