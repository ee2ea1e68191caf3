package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"time"

	"golang.org/x/term"

	"confidant/internal/chat"
	"confidant/internal/config"
	"confidant/internal/obs"
)

type serveCommand struct {
	Config config.Config `embed:""`
}

// signInValid is how long a printed sign-in link works.
const signInValid = 365 * 24 * time.Hour

// Run serves until the context ends.
func (s *serveCommand) Run(ctx context.Context, c *commands) error {
	watch, err := obs.Start(ctx, version)
	if err != nil {
		return err
	}
	defer func() {
		if err := watch.Close(context.WithoutCancel(ctx)); err != nil {
			slog.Warn("send what is left of traces", "error", err)
		}
	}()
	a, err := Open(ctx, c.Data, s.Config)
	if err != nil {
		return err
	}
	defer a.Close()
	a.metrics = watch.Metrics
	listener, err := net.Listen("tcp", s.Config.Listen)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	if err := welcome(ctx, a, listener.Addr()); err != nil {
		return errors.Join(err, listener.Close())
	}
	return a.Serve(ctx, listener)
}

// welcome makes the owner's account on an empty folder and prints a link that
// signs them in: the first time always, later only to a terminal, so that no
// log collects links.
func welcome(ctx context.Context, a *Assistant, addr net.Addr) error {
	_, err := a.Store.Owner(ctx)
	first := errors.Is(err, chat.ErrNotFound)
	if err != nil && !first {
		return err
	}
	if !first && !term.IsTerminal(int(os.Stdout.Fd())) {
		fmt.Printf("Confidant is ready at http://%s/\n", addr)
		return nil
	}
	owner, err := a.Store.EnsureUser(ctx, ownerName)
	if err != nil {
		return err
	}
	token, err := a.Tokens.NewToken(ctx, owner.ID, signInValid)
	if err != nil {
		return err
	}
	fmt.Printf("Confidant is ready. Open this link to sign in:\n\n  http://%s/#token=%s\n\n", addr, token)
	return nil
}

const ownerName = "owner"
