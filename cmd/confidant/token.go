package main

import (
	"context"
	"fmt"

	"confidant/internal/api"
	"confidant/internal/store/sqlite"
)

type tokenCommand struct {
	User string `help:"Whose token; the account is made when there is none." default:"owner"`
}

// Run prints a token.
func (t *tokenCommand) Run(ctx context.Context, c *commands) error {
	store, err := sqlite.OpenShared(ctx, c.Data)
	if err != nil {
		return err
	}
	defer store.Close()
	user, err := store.EnsureUser(ctx, t.User)
	if err != nil {
		return err
	}
	token, err := api.Tokens{Accounts: store}.NewToken(ctx, user.ID, 0)
	if err != nil {
		return err
	}
	fmt.Println(token)
	return nil
}
