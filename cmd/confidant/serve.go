package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"

	"confidant/internal/chat"
	"confidant/internal/obs"
)

type serveCommand struct{}

// signInValid is how long a printed sign-in link works.
const signInValid = 365 * 24 * time.Hour

// Run serves until the context ends.
func (s *serveCommand) Run(ctx context.Context, c *commands) (err error) {
	watch, err := obs.Start(ctx, version)
	if err != nil {
		return err
	}
	defer func() {
		if err := watch.Close(context.WithoutCancel(ctx)); err != nil {
			slog.Warn("send what is left of traces", "error", err)
		}
	}()
	a, err := Open(ctx, c.Data, c.Config)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	a.metrics = watch.Metrics
	listener, err := net.Listen("tcp", c.Config.Listen)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	greeting, err := welcome(ctx, a, c.streams, reachable(listener.Addr()))
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	withdraw, err := announce(ctx, a, c.Data, listener.Addr())
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	fmt.Fprint(c.streams.out, greeting)
	return errors.Join(a.Serve(ctx, listener), withdraw())
}

// welcome makes the owner's account on an empty folder and returns a greeting
// with a link that signs them in: the first time always, later only for a
// terminal, so that no log collects links.
func welcome(ctx context.Context, a *Assistant, s streams, addr string) (string, error) {
	_, err := a.Store.Owner(ctx)
	first := errors.Is(err, chat.ErrNotFound)
	if err != nil && !first {
		return "", err
	}
	if !first && !isTerminal(s.out) {
		return fmt.Sprintf("Confidant is ready at http://%s/\n", addr), nil
	}
	owner, err := a.Store.EnsureUser(ctx, ownerName)
	if err != nil {
		return "", err
	}
	token, err := a.Tokens.NewToken(ctx, owner.ID, signInValid)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("Confidant is ready. Open this link to sign in:\n\n  http://%s/#token=%s\n\n", addr, token), nil
}

const ownerName = "owner"
