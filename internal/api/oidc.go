package api

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"

	"confidant/internal/chat"
)

// OIDC identifies people by the JWTs of an OpenID Connect issuer, such as
// Firebase, Cognito, Supabase or Keycloak. An account is made when somebody comes
// for the first time, under their email if the issuer has verified it, else under
// the issuer's name for them, "ISSUER|SUBJECT": a bare subject such as "owner"
// would be let into an account of this machine. Confidant's own tokens are Own's
// business.
//
// The issuer is asked for its keys when the first JWT comes and not before, so
// that a server starts while its issuer is down.
type OIDC struct {
	Issuer, Audience string
	Accounts         chat.Accounts
	Own              Identifier

	mu       sync.Mutex
	verifier *oidc.IDTokenVerifier // nil until the issuer was reached
	retry    time.Time             // not asked again before
	failure  error                 // what it said the last time
}

var _ Identifier = (*OIDC)(nil)

const (
	// issuerTime is how long the issuer may take to answer.
	issuerTime = 10 * time.Second
	// discoverPause is how long a failure keeps us from asking again, so that
	// every request with a JWT is not one to a server that is in trouble.
	discoverPause = 5 * time.Second
)

var errIssuer = chat.Fail(chat.CodeUnavailable, "The server cannot reach the issuer of your token. Try again in a moment.")

// Identify implements Identifier. It fails with ErrUnauthenticated for a JWT
// that is wrong, old, or meant for others, and with ErrUnavailable while the
// issuer's keys are not known.
func (o *OIDC) Identify(ctx context.Context, token string) (chat.User, error) {
	if strings.HasPrefix(token, tokenPrefix) {
		return o.Own.Identify(ctx, token)
	}
	refused := chat.Fail(chat.CodeUnauthenticated, "Invalid or expired token")
	if strings.Count(token, ".") != 2 {
		return chat.User{}, refused
	}
	verifier, err := o.discover(ctx)
	if err != nil {
		return chat.User{}, errIssuer.With(err)
	}
	verified, err := verifier.Verify(ctx, token)
	if err != nil && strings.Contains(err.Error(), "fetching keys") { // the library wraps it as text only
		return chat.User{}, errIssuer.With(err)
	}
	if err != nil {
		slog.DebugContext(ctx, "JWT refused", "error", err)
		return chat.User{}, refused
	}
	var claims struct {
		Email    string `json:"email"`
		Verified any    `json:"email_verified"` // some issuers send it as a string
	}
	if err := verified.Claims(&claims); err != nil {
		return chat.User{}, refused.With(fmt.Errorf("read claims: %w", err))
	}
	if claims.Email != "" && (claims.Verified == true || claims.Verified == "true") {
		return o.Accounts.EnsureUser(ctx, claims.Email)
	}
	if verified.Subject == "" {
		return chat.User{}, refused
	}
	return o.Accounts.EnsureUser(ctx, o.Issuer+"|"+verified.Subject)
}

// discover returns what checks tokens, asking the issuer when that is not known.
func (o *OIDC) discover(ctx context.Context) (*oidc.IDTokenVerifier, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.verifier != nil {
		return o.verifier, nil
	}
	if time.Now().Before(o.retry) {
		return nil, o.failure
	}
	// The verifier fetches keys later too, so its context does not end with the request.
	lasting := oidc.ClientContext(context.WithoutCancel(ctx), &http.Client{Timeout: issuerTime})
	provider, err := oidc.NewProvider(lasting, o.Issuer)
	if err != nil {
		o.retry, o.failure = time.Now().Add(discoverPause), fmt.Errorf("discover issuer: %w", err)
		return nil, o.failure
	}
	o.verifier = provider.VerifierContext(lasting, &oidc.Config{ClientID: o.Audience})
	return o.verifier, nil
}
