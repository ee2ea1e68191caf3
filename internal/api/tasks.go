package api

import (
	"net/http"
	"strconv"
	"time"

	"confidant/internal/chat"
	"confidant/internal/ident"
)

// maxTask is how many characters a task may have.
const maxTask = 1000

func (s *Server) taskRoutes() map[string]handler {
	return map[string]handler{
		"GET /api/tasks":         s.listTasks,
		"POST /api/tasks":        s.createTask,
		"PATCH /api/tasks/{id}":  s.changeTask,
		"DELETE /api/tasks/{id}": s.deleteTask,
	}
}

func (s *Server) listTasks(_ http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	offset, limit, err := offsetPage(r, 50, 200)
	if err != nil {
		return nil, err
	}
	q := chat.TaskQuery{ConversationID: r.URL.Query().Get("conversation_id"), Offset: offset, Limit: limit + 1}
	if text := r.URL.Query().Get("completed"); text != "" {
		done, err := strconv.ParseBool(text)
		if err != nil {
			return nil, chat.Fail(chat.CodeInvalid, "completed must be true or false.")
		}
		q.Completed = &done
	}
	if q.DueFrom, err = timeOf(r, "due_from"); err != nil {
		return nil, err
	}
	if q.DueUntil, err = timeOf(r, "due_until"); err != nil {
		return nil, err
	}
	found, err := s.tasks.Tasks(r.Context(), user.ID, q)
	return pageFrom("tasks", found, offset, limit), err
}

func (s *Server) createTask(w http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	var in struct {
		Description    string    `json:"description"`
		DueAt          time.Time `json:"due_at"`
		ConversationID string    `json:"conversation_id"`
	}
	if err := s.readJSON(w, r, &in); err != nil {
		return nil, err
	}
	now := time.Now().UTC()
	t := chat.Task{ID: ident.New(), UserID: user.ID, DueAt: in.DueAt.UTC(), ConversationID: in.ConversationID, CreatedAt: now, UpdatedAt: now, Edited: true}
	var err error
	if t.Description, err = line("description", in.Description, maxTask); err != nil {
		return nil, err
	}
	if t.ConversationID != "" {
		if _, err := s.memory.Conversation(r.Context(), user.ID, t.ConversationID); err != nil {
			return nil, err
		}
	}
	if err := s.tasks.SaveTasks(r.Context(), user.ID, chat.Changes[chat.Task]{Put: []chat.Task{t}}); err != nil {
		return nil, err
	}
	t.Revision++
	return created{t}, nil
}

func (s *Server) changeTask(w http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	var in struct {
		Description field[string]    `json:"description"`
		Completed   field[bool]      `json:"completed"`
		DueAt       field[time.Time] `json:"due_at"`
		Revision    field[int64]     `json:"revision"`
	}
	if err := s.readJSON(w, r, &in); err != nil {
		return nil, err
	}
	t, err := s.tasks.Task(r.Context(), user.ID, r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	if err := unchanged(in.Revision, t.Revision); err != nil {
		return nil, err
	}
	now := time.Now().UTC()
	if in.Description.given {
		if t.Description, err = line("description", in.Description.value, maxTask); err != nil {
			return nil, err
		}
	}
	if in.DueAt.given {
		t.DueAt = in.DueAt.value.UTC()
	}
	if in.Completed.given {
		t.Complete(in.Completed.value, now)
	}
	t.Edited, t.UpdatedAt = true, now
	if err := s.tasks.SaveTasks(r.Context(), user.ID, chat.Changes[chat.Task]{Put: []chat.Task{t}}); err != nil {
		return nil, err
	}
	t.Revision++
	return t, nil
}

func (s *Server) deleteTask(_ http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	t, err := s.tasks.Task(r.Context(), user.ID, r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	return nil, s.tasks.SaveTasks(r.Context(), user.ID, chat.Changes[chat.Task]{Remove: []string{t.ID}})
}
