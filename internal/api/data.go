package api

import (
	"context"
	"net/http"

	"confidant/internal/chat"
)

// confirmation is what a person must send to lose everything.
const confirmation = "delete everything"

// eraseEverything deletes all that belongs to the person. What has begun goes on
// when the client leaves, and when the server dies.
func (s *Server) eraseEverything(w http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	var in struct {
		Confirm string `json:"confirm"`
		Account bool   `json:"account"`
	}
	if err := s.decodeBody(w, r, &in); err != nil {
		return nil, err
	}
	if in.Confirm != confirmation {
		return nil, chat.Fail(chat.CodeInvalid, `To delete everything, send {"confirm":"`+confirmation+`"}.`)
	}
	return nil, s.memory.Erase(context.WithoutCancel(r.Context()), user.ID, in.Account)
}
