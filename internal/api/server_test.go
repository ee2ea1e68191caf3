package api

import (
	"net/http"
	"strings"
	"testing"
)

// send makes a request with headers given as "Name: value".
func send(t *testing.T, method, url string, headers ...string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(`{"message":"hello"}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	return resp
}

func TestOtherOrigins(t *testing.T) {
	h := newHarness(t, nil)
	preflight := send(t, http.MethodOptions, h.URL+"/api/chat/stream", "Origin: https://app.example",
		"Access-Control-Request-Method: POST", "Access-Control-Request-Headers: authorization,content-type")
	if preflight.StatusCode != http.StatusNoContent || preflight.Header.Get("Access-Control-Allow-Origin") != "*" ||
		preflight.Header.Get("Access-Control-Allow-Headers") != "authorization,content-type" {
		t.Errorf("preflight: %s %v", preflight.Status, preflight.Header)
	}
	if got := preflight.Header.Get("Access-Control-Allow-Credentials"); got != "" {
		t.Errorf("cookies are allowed from other origins: %q", got)
	}
	withToken := send(t, http.MethodGet, h.URL+"/api/me", "Origin: https://app.example", "Authorization: Bearer "+h.Token)
	if withToken.StatusCode != http.StatusOK || withToken.Header.Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("with a token: %s %v", withToken.Status, withToken.Header)
	}
	forged := send(t, http.MethodPost, h.URL+"/api/turns", "Origin: https://evil.example", "Sec-Fetch-Site: cross-site",
		"Cookie: "+sessionCookie+"="+h.Token)
	if forged.StatusCode != http.StatusForbidden {
		t.Errorf("a forged request with the page's cookie: %s, want 403", forged.Status)
	}
}

func TestHeaders(t *testing.T) {
	h := newHarness(t, nil)
	resp := send(t, http.MethodGet, h.URL+"/")
	for name, want := range map[string]string{
		"Content-Security-Policy": "script-src 'self'", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
	} {
		if got := resp.Header.Get(name); !strings.Contains(got, want) {
			t.Errorf("%s is %q, want %q in it", name, got, want)
		}
	}
}
