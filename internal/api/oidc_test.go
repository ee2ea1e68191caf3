package api

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"confidant/internal/chat"
)

// people is chat.Accounts, as far as an Identifier needs it.
type people struct{ chat.Accounts }

// EnsureUser implements chat.Accounts.
func (people) EnsureUser(_ context.Context, name string) (chat.User, error) {
	return chat.User{ID: "id of " + name, Name: name}, nil
}

type ownTokens struct{}

// Identify implements Identifier.
func (ownTokens) Identify(context.Context, string) (chat.User, error) {
	return chat.User{Name: "own"}, nil
}

// issuer is an OpenID Connect issuer on this machine.
type issuer struct {
	*httptest.Server
	key  *rsa.PrivateKey
	down atomic.Bool
	asks atomic.Int32
}

func newKey(t *testing.T) *rsa.PrivateKey {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func newIssuer(t *testing.T) *issuer {
	i := &issuer{key: newKey(t)}
	answer := func(w http.ResponseWriter, body any) {
		i.asks.Add(1)
		if i.down.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(w).Encode(body); err != nil {
			t.Error(err)
		}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, map[string]any{"issuer": i.URL, "jwks_uri": i.URL + "/keys", "id_token_signing_alg_values_supported": []string{"RS256"}})
	})
	mux.HandleFunc("/keys", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: i.key.Public(), KeyID: "1", Algorithm: "RS256", Use: "sig"}}})
	})
	i.Server = httptest.NewServer(mux)
	t.Cleanup(i.Close)
	return i
}

// token signs claims, those given over good ones. A nil value removes a claim.
func (i *issuer) token(t *testing.T, key *rsa.PrivateKey, claims map[string]any) string {
	t.Helper()
	all := map[string]any{
		"iss": i.URL, "aud": "confidant-app", "sub": "subject-7", "email": "ana@example.org", "email_verified": true,
		"iat": time.Now().Unix(), "exp": time.Now().Add(time.Hour).Unix(),
	}
	for name, value := range claims {
		all[name] = value
		if value == nil {
			delete(all, name)
		}
	}
	payload, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: key}, (&jose.SignerOptions{}).WithHeader("kid", "1"))
	if err != nil {
		t.Fatal(err)
	}
	signed, err := signer.Sign(payload)
	if err != nil {
		t.Fatal(err)
	}
	compact, err := signed.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	return compact
}

func TestOIDCIdentifies(t *testing.T) {
	i := newIssuer(t)
	o := &OIDC{Issuer: i.URL, Audience: "confidant-app", Accounts: people{}, Own: ownTokens{}}
	for about, c := range map[string]struct {
		token, want string
	}{
		"verified email":     {i.token(t, i.key, nil), "ana@example.org"},
		"verified in words":  {i.token(t, i.key, map[string]any{"email_verified": "true"}), "ana@example.org"},
		"email not verified": {i.token(t, i.key, map[string]any{"email_verified": false}), i.URL + "|subject-7"},
		"no email":           {i.token(t, i.key, map[string]any{"email": nil}), i.URL + "|subject-7"},
		"subject of a local": {i.token(t, i.key, map[string]any{"email": nil, "sub": "owner"}), i.URL + "|owner"},
		"several audiences":  {i.token(t, i.key, map[string]any{"aud": []string{"other", "confidant-app"}}), "ana@example.org"},
		"own token":          {tokenPrefix + "x", "own"},
	} {
		if user, err := o.Identify(t.Context(), c.token); err != nil || user.Name != c.want {
			t.Errorf("%s: got %q, %v, want %q", about, user.Name, err, c.want)
		}
	}
}

func TestOIDCRefuses(t *testing.T) {
	i, foreign := newIssuer(t), newIssuer(t)
	o := &OIDC{Issuer: i.URL, Audience: "confidant-app", Accounts: people{}, Own: ownTokens{}}
	good := i.token(t, i.key, nil)
	for about, token := range map[string]string{
		"wrong signature":          i.token(t, newKey(t), nil),
		"wrong audience":           i.token(t, i.key, map[string]any{"aud": "another-app"}),
		"expired":                  i.token(t, i.key, map[string]any{"exp": time.Now().Add(-time.Hour).Unix()}),
		"foreign issuer":           foreign.token(t, foreign.key, nil),
		"foreign issuer, our name": foreign.token(t, foreign.key, map[string]any{"iss": i.URL}),
		"not yet valid":            i.token(t, i.key, map[string]any{"nbf": time.Now().Add(time.Hour).Unix()}),
		"nobody":                   i.token(t, i.key, map[string]any{"email": nil, "sub": ""}),
		"cut":                      good[:len(good)-10],
		"no algorithm":             "eyJhbGciOiJub25lIn0.e30.",
		"no JWT":                   "abc",
		"empty":                    "",
	} {
		if user, err := o.Identify(t.Context(), token); !errors.Is(err, chat.ErrUnauthenticated) {
			t.Errorf("%s: got %q, %v", about, user.Name, err)
		}
	}
}

func TestOIDCOutlivesItsIssuer(t *testing.T) {
	i := newIssuer(t)
	i.down.Store(true)
	o := &OIDC{Issuer: i.URL, Audience: "confidant-app", Accounts: people{}, Own: ownTokens{}}
	token := i.token(t, i.key, nil)
	for range 3 {
		if _, err := o.Identify(t.Context(), token); !errors.Is(err, chat.ErrUnavailable) {
			t.Fatalf("issuer down: got %v", err)
		}
	}
	if n := i.asks.Load(); n != 1 {
		t.Errorf("an issuer in trouble was asked %d times", n)
	}
	if user, err := o.Identify(t.Context(), tokenPrefix+"x"); err != nil || user.Name != "own" {
		t.Errorf("own tokens do not work while the issuer is down: %v", err)
	}

	o.retry = time.Time{} // the pause is over
	if _, err := o.discover(t.Context()); err == nil {
		t.Fatal("discovered a server that is down")
	}
	i.down.Store(false)
	o.retry = time.Time{}
	if _, err := o.discover(t.Context()); err != nil {
		t.Fatal(err)
	}
	i.down.Store(true) // known, but its keys are not yet
	if _, err := o.Identify(t.Context(), token); !errors.Is(err, chat.ErrUnavailable) {
		t.Errorf("keys cannot be fetched: got %v", err)
	}
	i.down.Store(false)
	// Whoever comes while a fetch ends shares its outcome, so the failure above may be told once more.
	var user chat.User
	var err error = errIssuer
	for until := time.Now().Add(time.Minute); errors.Is(err, chat.ErrUnavailable) && time.Now().Before(until); {
		user, err = o.Identify(t.Context(), token)
	}
	if err != nil || user.Name != "ana@example.org" {
		t.Errorf("the issuer is back: got %q, %v", user.Name, err)
	}
	i.down.Store(true) // keys are kept
	if _, err := o.Identify(t.Context(), token); err != nil {
		t.Errorf("known keys are not used: %v", err)
	}
}
