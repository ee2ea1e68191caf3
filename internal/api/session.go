package api

import (
	"encoding/json"
	"net/http"
	"time"

	"confidant/internal/chat"
)

// Status is what the page tells about the server.
type Status struct {
	Version  string `json:"version"`
	Model    string `json:"model"`
	Embedder string `json:"embedder"`
	Indexing struct {
		Pending int `json:"pending"` // passages that are not found by meaning yet
	} `json:"indexing"`
	Processing struct {
		Pending int `json:"pending"` // conversations that are not understood yet
	} `json:"processing"`
}

// signIn turns a token into the page's cookie.
func (s *Server) signIn(w http.ResponseWriter, r *http.Request) {
	body, err := readBody(w, r, "body_bytes", s.limits.Body)
	var in struct {
		Token string `json:"token"`
	}
	if err == nil && json.Unmarshal(body, &in) != nil {
		err = chat.Fail(chat.CodeInvalid, "The body must be {\"token\":\"…\"}.")
	}
	if err == nil {
		_, err = s.identify.Identify(r.Context(), in.Token)
	}
	if err != nil {
		fail(w, r, nativeDialect, err)
		return
	}
	http.SetCookie(w, &http.Cookie{
		Name: sessionCookie, Value: in.Token, Path: "/", MaxAge: int((365 * 24 * time.Hour).Seconds()),
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https",
	})
	w.WriteHeader(http.StatusNoContent)
}

func signOut(w http.ResponseWriter, _ *http.Request) {
	http.SetCookie(w, &http.Cookie{Name: sessionCookie, Path: "/", MaxAge: -1, HttpOnly: true, SameSite: http.SameSiteStrictMode})
	w.WriteHeader(http.StatusNoContent)
}

func (s *Server) me(_ http.ResponseWriter, _ *http.Request, user chat.User) (any, error) {
	return user, nil
}

func (s *Server) getStatus(_ http.ResponseWriter, r *http.Request, _ chat.User) (any, error) {
	return s.status(r), nil
}
