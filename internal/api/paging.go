package api

import (
	"net/http"
	"strconv"

	"confidant/internal/chat"
)

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

// offsetPage reads cursor and limit of a list whose cursor is how many come before.
func offsetPage(r *http.Request, standard, most int) (offset, limit int, err error) {
	page, err := pageOf(r, standard, most)
	if err != nil || page.Cursor == "" {
		return 0, page.Limit, err
	}
	offset, err = strconv.Atoi(page.Cursor)
	if err != nil || offset < 0 {
		return 0, 0, chat.Fail(chat.CodeInvalid, "cursor is not one that this list has given.")
	}
	return offset, page.Limit, nil
}

// pageFrom is a page of a list of which one more than the limit was read.
func pageFrom[T any](name string, found []T, offset, limit int) map[string]any {
	next := ""
	if len(found) > limit {
		found, next = found[:limit], strconv.Itoa(offset+limit)
	}
	return list(name, found, next)
}
