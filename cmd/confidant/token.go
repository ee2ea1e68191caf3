package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

type tokenCommand struct {
	Expires time.Duration `help:"How long it is valid, such as 24h. Default: for good." default:"0"`
}

// Run prints a token of the user, whose account is made when there is none. A
// server that is running knows it at once.
func (t *tokenCommand) Run(ctx context.Context, c *commands) error {
	if t.Expires < 0 {
		return fmt.Errorf("expires is %s; it must not be negative", t.Expires)
	}
	if c.Server != "" {
		return errors.New("tokens are made on the machine that has the data folder, without --server")
	}
	token, err := newToken(ctx, c.Data, c.User, t.Expires)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(c.streams.out, token)
	return err
}
