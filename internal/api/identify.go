package api

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"strings"
	"time"

	"confidant/internal/api/dialect"
	"confidant/internal/chat"
)

// Identifier tells whose token it is. A wrong, expired or foreign one is
// chat.ErrUnauthenticated.
type Identifier interface {
	Identify(ctx context.Context, token string) (chat.User, error)
}

// sessionCookie holds the page's token, out of reach of scripts.
const sessionCookie = "confidant_session"

// user identifies who sent a request: by header, by the page's cookie, or, where
// a browser cannot set a header, by the query of a WebSocket.
func (s *Server) user(r *http.Request) (chat.User, error) {
	token := token(r)
	if token == "" {
		return chat.User{}, dialect.ErrNoToken
	}
	return s.identify.Identify(r.Context(), token)
}

func token(r *http.Request) string {
	if header := r.Header.Get("Authorization"); header != "" {
		scheme, token, _ := strings.Cut(header, " ")
		if !strings.EqualFold(scheme, "Bearer") {
			return ""
		}
		return strings.TrimSpace(token)
	}
	if r.Header.Get("Upgrade") != "" {
		if token := r.URL.Query().Get("token"); token != "" {
			return token
		}
	}
	if cookie, err := r.Cookie(sessionCookie); err == nil {
		return cookie.Value
	}
	return ""
}

// Tokens makes and checks Confidant's own tokens.
type Tokens struct{ Accounts chat.Accounts }

var _ Identifier = Tokens{}

// tokenPrefix makes tokens easy to recognise, for people and for scanners.
const tokenPrefix = "confidant_"

// NewToken makes a token of a user, valid for a time; zero means for good. Only
// its hash is stored.
func (t Tokens) NewToken(ctx context.Context, userID string, valid time.Duration) (string, error) {
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // never fails
	token := tokenPrefix + base64.RawURLEncoding.EncodeToString(secret)
	var expires time.Time
	if valid > 0 {
		expires = time.Now().Add(valid)
	}
	return token, t.Accounts.AddToken(ctx, userID, sha256.Sum256([]byte(token)), expires)
}

// Identify implements Identifier.
func (t Tokens) Identify(ctx context.Context, token string) (chat.User, error) {
	if !strings.HasPrefix(token, tokenPrefix) {
		return chat.User{}, chat.Fail(chat.CodeUnauthenticated, "Invalid or expired token")
	}
	user, err := t.Accounts.TokenUser(ctx, sha256.Sum256([]byte(token)), time.Now())
	if errors.Is(err, chat.ErrNotFound) {
		return chat.User{}, chat.Fail(chat.CodeUnauthenticated, "Invalid or expired token")
	}
	return user, err
}
