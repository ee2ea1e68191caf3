package api

import (
	"maps"
	"net/http"

	"confidant/internal/api/dialect"
	"confidant/internal/chat"
)

// native lists the handlers of records; turns are the native dialect's.
func (s *Server) native() map[string]http.Handler {
	h := func(serve handler) http.Handler { return s.handle(serve) }
	all := map[string]http.Handler{
		"POST /api/session":                      http.HandlerFunc(s.signIn),
		"DELETE /api/session":                    http.HandlerFunc(signOut),
		"GET /api/me":                            h(s.me),
		"GET /api/status":                        h(s.getStatus),
		"GET /api/chats":                         h(s.listChats),
		"PATCH /api/chats/{id}":                  h(s.renameChat),
		"DELETE /api/chats/{id}":                 h(s.deleteChat),
		"POST /api/chats/{id}/clear":             h(s.clearChat),
		"POST /api/chats/{id}/restore":           h(s.restoreChat),
		"GET /api/chats/{id}/messages":           h(s.listMessages),
		"POST /api/import":                       h(s.importFile),
		"GET /api/export":                        http.HandlerFunc(s.exportEverything),
		"DELETE /api/data":                       h(s.eraseEverything),
		"GET /api/conversations/{id}/events":     http.HandlerFunc(s.followProcessing),
		"GET /api/files/{id}/events":             http.HandlerFunc(s.followReading),
		"GET /api/files/{id}/download":           http.HandlerFunc(s.downloadFile),
		"GET /api/files/{id}/pages/{page}/image": http.HandlerFunc(s.pagePicture),
		"GET /api/timeline":                      h(s.timeline),
		"GET /api/search":                        h(s.search),
	}
	for _, room := range []map[string]handler{
		s.conversationRoutes(), s.memoryRoutes(), s.personaRoutes(), s.taskRoutes(), s.calendarRoutes(), s.peopleRoutes(), s.folderRoutes(), s.fileRoutes(),
	} {
		for pattern, serve := range room {
			all[pattern] = h(serve)
		}
	}
	maps.Copy(all, s.uploadRoutes())
	maps.Copy(all, s.omiFileRoutes())
	return all
}

// handler answers a native request with a value for the body: nil for none,
// created for 201, or a download.
type handler func(w http.ResponseWriter, r *http.Request, user chat.User) (any, error)

// created is the body of an answer to a request that made something: 201.
type created struct{ record any }

// download is the body of an answer that is a file.
type download struct {
	contentType, name string
	data              []byte
}

func (d download) write(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Type", d.contentType)
	h.Set("Content-Disposition", `attachment; filename="`+d.name+`"`)
	h.Set("Cache-Control", "no-store")
	_, _ = w.Write(d.data) // the client is gone: nobody is left to tell
}

var nativeDialect = dialect.Dialect{Name: nativeName, Error: dialect.Problem}

func (s *Server) handle(serve handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, err := s.user(r)
		if err != nil {
			fail(w, r, nativeDialect, err)
			return
		}
		body, err := serve(w, r, user)
		if err != nil {
			fail(w, r, nativeDialect, err)
			return
		}
		switch body := body.(type) {
		case nil:
			w.WriteHeader(http.StatusNoContent)
		case created:
			writeJSON(w, http.StatusCreated, body.record)
		case download:
			body.write(w)
		default:
			writeJSON(w, http.StatusOK, body)
		}
	})
}
