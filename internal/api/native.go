package api

import (
	"maps"
	"net/http"
	"strconv"

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

// pageOf reads cursor and limit, the latter within 1 and most.
func pageOf(r *http.Request, standard, most int) (chat.Page, error) {
	page := chat.Page{Cursor: r.URL.Query().Get("cursor"), Limit: standard}
	if text := r.URL.Query().Get("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > most {
			return page, chat.Fail(chat.CodeInvalid, "limit must be a number from 1 to "+strconv.Itoa(most)+".")
		}
		page.Limit = n
	}
	return page, nil
}

// list is a page of a list as JSON.
func list[T any](name string, items []T, next string) map[string]any {
	if items == nil {
		items = []T{}
	}
	body := map[string]any{name: items, "next_cursor": nil}
	if next != "" {
		body["next_cursor"] = next
	}
	return body
}
