package api

import (
	"io/fs"
	"net/http"
	"path"
	"strings"

	"confidant/internal/chat"
)

// page serves the built page. Paths that are no file are the page's own views;
// paths under /api/ or /v1/ that reach here are unknown endpoints.
func page(files fs.FS) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/api/") || strings.HasPrefix(r.URL.Path, "/v1/") || strings.HasPrefix(r.URL.Path, "/v2/") {
			writeProblem(w, chat.Fail(chat.CodeNotFound, "There is no such endpoint."))
			return
		}
		if files == nil {
			http.Error(w, "This binary was built without the page. Build it with: make assets build", http.StatusNotFound)
			return
		}
		name := strings.TrimPrefix(path.Clean(r.URL.Path), "/")
		if info, err := fs.Stat(files, name); name == "" || err != nil || info.IsDir() {
			name = "index.html"
		}
		if strings.HasPrefix(name, "assets/") {
			w.Header().Set("Cache-Control", "public, max-age=31536000, immutable") // their names hold a hash
		} else {
			w.Header().Set("Cache-Control", "no-cache")
		}
		http.ServeFileFS(w, r, files, name)
	}
}
