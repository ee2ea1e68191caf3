package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"

	"confidant/internal/api"
	"confidant/internal/chat"
	"confidant/internal/store/sqlite"
)

// runningServer is what serve writes into the data folder, so that other
// commands find it. Who can read the file can read the database beside it.
type runningServer struct {
	URL   string `json:"url"`
	Token string `json:"token"`
}

func runningPath(data string) string { return filepath.Join(data, "server.json") }

// announce writes where the server is, with a token of the owner's. withdraw
// makes both invalid. What a killed server left behind is cleaned up first.
func announce(ctx context.Context, a *Assistant, data string, addr net.Addr) (withdraw func() error, err error) {
	if old, err := readRunning(data); err == nil {
		if err := a.Store.RemoveToken(ctx, sha256.Sum256([]byte(old.Token))); err != nil {
			return nil, fmt.Errorf("remove the token of a former server: %w", err)
		}
	}
	owner, err := a.Store.EnsureUser(ctx, ownerName)
	if err != nil {
		return nil, err
	}
	token, err := a.Tokens.NewToken(ctx, owner.ID, 0)
	if err != nil {
		return nil, err
	}
	content, err := json.Marshal(runningServer{URL: "http://" + reachable(addr), Token: token})
	if err != nil {
		return nil, err
	}
	path := runningPath(data)
	// Written beside and renamed, so that nobody reads half of it.
	if err := os.WriteFile(path+".new", content, 0o600); err != nil {
		return nil, fmt.Errorf("announce the server: %w", err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		return nil, fmt.Errorf("announce the server: %w", err)
	}
	return func() error {
		return errors.Join(os.Remove(path), a.Store.RemoveToken(context.WithoutCancel(ctx), sha256.Sum256([]byte(token))))
	}, nil
}

// reachable is an address as one on this machine would call it.
func reachable(addr net.Addr) string {
	tcp, ok := addr.(*net.TCPAddr)
	if !ok || !tcp.IP.IsUnspecified() {
		return addr.String()
	}
	return fmt.Sprintf("127.0.0.1:%d", tcp.Port)
}

func readRunning(data string) (runningServer, error) {
	var r runningServer
	content, err := os.ReadFile(runningPath(data))
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal(content, &r)
}

// guestValid is how long a token lasts that a command makes for itself.
const guestValid = 24 * time.Hour

// findServer returns the server that has the data folder, and a token for it.
// The caller knows that somebody has the folder.
func findServer(ctx context.Context, c *commands) (runningServer, string, error) {
	running, err := readRunning(c.Data)
	if err != nil {
		return running, "", fmt.Errorf("%w, and it is no server that could be asked: wait for it, or end it", sqlite.ErrInUse)
	}
	token := running.Token
	if c.User != ownerName {
		if token, err = newToken(ctx, c.Data, c.User, guestValid); err != nil {
			return running, "", err
		}
	}
	check, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if _, err := newRemote(running.URL, token).me(check); err != nil {
		return running, "", fmt.Errorf("the server that has the data folder does not answer at %s: %s", running.URL, friendly(err))
	}
	return running, token, nil
}

// newToken makes a token beside whoever has the data folder.
func newToken(ctx context.Context, data, name string, valid time.Duration) (string, error) {
	store, err := sqlite.OpenShared(ctx, data)
	if err != nil {
		return "", err
	}
	var accounts chat.Accounts = store
	user, err := accounts.EnsureUser(ctx, name)
	if err != nil {
		return "", errors.Join(err, store.Close())
	}
	token, err := api.Tokens{Accounts: accounts}.NewToken(ctx, user.ID, valid)
	return token, errors.Join(err, store.Close())
}
