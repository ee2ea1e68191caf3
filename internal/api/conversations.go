package api

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"confidant/internal/api/dialect"
	"confidant/internal/chat"
	"confidant/internal/memory"
)

// Memory is what the surface may do with recorded conversations; see memory.Memory.
type Memory interface {
	chat.Conversations
	chat.Processing
	chat.Queue
	Recorder
	Editor
}

// Recorder takes in what is recorded.
type Recorder interface {
	Record(ctx context.Context, userID string, r memory.Recording) (chat.Conversation, error)
	Append(ctx context.Context, userID, id string, segments []chat.Segment) ([]chat.Segment, error)
	Finish(ctx context.Context, userID, id string) (chat.Conversation, error)
}

// Editor changes what was recorded.
type Editor interface {
	Edit(ctx context.Context, userID, id string, revision int64, change func(*chat.Conversation) error) (chat.Conversation, error)
	Reprocess(ctx context.Context, userID, id string) (chat.Conversation, error)
	Combine(ctx context.Context, userID string, ids []string) (chat.Conversation, error)
	RelabelSpeaker(ctx context.Context, userID, id, from string, to chat.Speaker) (int, error)
	Erase(ctx context.Context, userID string, account bool) error
}

// conversationRoutes are the handlers of recorded conversations.
func (s *Server) conversationRoutes() map[string]handler {
	return map[string]handler{
		"GET /api/conversations":                 s.listConversations,
		"POST /api/conversations":                s.recordConversation,
		"POST /api/conversations/merge":          s.mergeConversations,
		"GET /api/conversations/{id}":            s.getConversation,
		"PATCH /api/conversations/{id}":          s.editConversation,
		"DELETE /api/conversations/{id}":         s.deleteConversation,
		"GET /api/conversations/{id}/segments":   s.listSegments,
		"POST /api/conversations/{id}/segments":  s.appendSegments,
		"POST /api/conversations/{id}/finish":    s.finishConversation,
		"POST /api/conversations/{id}/reprocess": s.reprocessConversation,
		"POST /api/conversations/{id}/speakers":  s.relabelSpeaker,
	}
}

func (s *Server) listConversations(_ http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	page, err := pageOf(r, 50, 200)
	if err != nil {
		return nil, err
	}
	q := r.URL.Query()
	query := chat.ConversationQuery{
		Discarded: q.Has("discarded"), Locked: true, Starred: q.Has("starred"), FolderID: q.Get("folder"),
		Before: page.Cursor, Limit: page.Limit + 1,
	}
	people, err := s.named(r.Context(), user.ID, q["person"])
	if err != nil {
		return nil, err
	}
	query.Mentions = memory.Normalise(chat.Mentions{People: people, Topics: q["topic"], Entities: q["entity"], Dates: q["date"]})
	if query.From, query.Until, err = windowOf(r); err != nil {
		return nil, err
	}
	for _, status := range q["status"] {
		query.Statuses = append(query.Statuses, chat.ConversationStatus(status))
	}
	found, err := s.memory.Conversations(r.Context(), user.ID, query)
	next := ""
	if len(found) > page.Limit {
		found = found[:page.Limit]
		next = found[page.Limit-1].ID
	}
	return list("conversations", found, next), err
}

// named adds to names those that the people who have one of them go by otherwise.
func (s *Server) named(ctx context.Context, userID string, names []string) ([]string, error) {
	if len(names) == 0 {
		return nil, nil
	}
	people, err := s.people.People(ctx, userID)
	if err != nil {
		return nil, err
	}
	all := slices.Clone(names)
	for _, p := range people {
		known := append([]string{p.Name}, p.Aliases...)
		if slices.ContainsFunc(known, func(k string) bool {
			return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(k, n) })
		}) {
			all = append(all, known...)
		}
	}
	return all, nil
}

// windowOf reads from and until, RFC 3339 times or nothing.
func windowOf(r *http.Request) (from, until time.Time, err error) {
	if from, err = timeOf(r, "from"); err == nil {
		until, err = timeOf(r, "until")
	}
	return from, until, err
}

// sentSegment is a segment as a client sends it; times are seconds from the start.
type sentSegment struct {
	Speaker  string   `json:"speaker"`
	Text     string   `json:"text"`
	Start    *float64 `json:"start"`
	End      *float64 `json:"end"`
	IsUser   bool     `json:"is_user"`
	PersonID string   `json:"person_id"`
	ClientID string   `json:"client_id"`
}

func segmentsOf(sent []sentSegment) []chat.Segment {
	list := make([]chat.Segment, len(sent))
	for i, s := range sent {
		list[i] = chat.Segment{Speaker: s.Speaker, Text: s.Text, Start: -1, End: -1, IsUser: s.IsUser, PersonID: s.PersonID, ClientID: s.ClientID}
		if s.Start != nil {
			list[i].Start = *s.Start
		}
		if s.End != nil {
			list[i].End = *s.End
		}
	}
	return list
}

func (s *Server) recordConversation(w http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	var in struct {
		Title     string         `json:"title"`
		Source    string         `json:"source"`
		Language  string         `json:"language"`
		StartedAt time.Time      `json:"started_at"`
		Live      bool           `json:"live"`
		Location  *chat.Location `json:"location"`
		Segments  []sentSegment  `json:"segments"`
	}
	if err := readWithin(w, r, "import_bytes", s.limits.Import, &in); err != nil {
		return nil, err
	}
	c, err := s.memory.Record(r.Context(), user.ID, memory.Recording{
		Title: in.Title, Source: in.Source, Language: in.Language, StartedAt: in.StartedAt, Location: in.Location,
		Live: in.Live, Segments: segmentsOf(in.Segments), Key: r.Header.Get("Idempotency-Key"),
	})
	return created{c}, err
}

// transcriptPage is how many segments are sent at once, half before and half
// after the one that is asked for.
const transcriptPage = 2000

func (s *Server) getConversation(_ http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	ctx, id := r.Context(), r.PathValue("id")
	c, err := s.memory.Conversation(ctx, user.ID, id)
	if err != nil {
		return nil, err
	}
	from := 0
	if position, ok := chat.SegmentPosition(r.URL.Query().Get("around")); ok {
		from = max(0, position-transcriptPage/2)
	}
	segments, err := s.memory.Segments(ctx, user.ID, id, from, from+transcriptPage)
	if err != nil {
		return nil, err
	}
	steps, err := s.memory.Steps(ctx, user.ID, id)
	if err != nil {
		return nil, err
	}
	facts, err := s.facts.Facts(ctx, user.ID, chat.FactQuery{All: true, ConversationID: id, Limit: 100})
	if err != nil {
		return nil, err
	}
	tasks, err := s.tasks.Tasks(ctx, user.ID, chat.TaskQuery{ConversationID: id, Limit: 100})
	if err != nil {
		return nil, err
	}
	return struct {
		chat.Conversation
		Transcript []shownSegment `json:"segments"`
		Steps      []chat.Step    `json:"steps"`
		Facts      []chat.Fact    `json:"memories"`
		Tasks      []chat.Task    `json:"tasks"`
	}{c, shown(segments), steps, facts, tasks}, nil
}

func (s *Server) listSegments(_ http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	page, err := pageOf(r, 500, transcriptPage)
	if err != nil {
		return nil, err
	}
	after := -1
	if text := r.URL.Query().Get("after"); text != "" {
		if after, err = strconv.Atoi(text); err != nil || after < -1 {
			return nil, chat.Fail(chat.CodeInvalid, "after must be the position of a segment.")
		}
	}
	segments, err := s.memory.Segments(r.Context(), user.ID, r.PathValue("id"), after+1, after+1+page.Limit)
	return map[string]any{"segments": shown(segments)}, err
}

// shownSegment is a segment whose unknown times are null.
type shownSegment struct {
	chat.Segment
	Start *float64 `json:"start"`
	End   *float64 `json:"end"`
}

func shown(segments []chat.Segment) []shownSegment {
	list := make([]shownSegment, len(segments))
	for i, seg := range segments {
		list[i].Segment = seg
		if seg.Start >= 0 {
			list[i].Start = &seg.Start
		}
		if seg.End >= 0 {
			list[i].End = &seg.End
		}
	}
	return list
}

func (s *Server) appendSegments(w http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	var in struct {
		Segments []sentSegment `json:"segments"`
	}
	if err := readWithin(w, r, "import_bytes", s.limits.Import, &in); err != nil {
		return nil, err
	}
	stored, err := s.memory.Append(r.Context(), user.ID, r.PathValue("id"), segmentsOf(in.Segments))
	return map[string]any{"stored": shown(stored)}, err
}

func (s *Server) finishConversation(_ http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	return s.memory.Finish(r.Context(), user.ID, r.PathValue("id"))
}

func (s *Server) reprocessConversation(_ http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	return s.memory.Reprocess(r.Context(), user.ID, r.PathValue("id"))
}

func (s *Server) mergeConversations(w http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	var in struct {
		IDs []string `json:"conversation_ids"`
	}
	if err := s.readJSON(w, r, &in); err != nil {
		return nil, err
	}
	return s.memory.Combine(r.Context(), user.ID, in.IDs)
}

func (s *Server) editConversation(w http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	var in struct {
		Title     field[string]               `json:"title"`
		Starred   field[bool]                 `json:"starred"`
		Folder    field[string]               `json:"folder_id"`
		Shown     field[chat.Visibility]      `json:"visibility"`
		Locked    field[bool]                 `json:"locked"`
		Discarded field[bool]                 `json:"discarded"`
		Language  field[string]               `json:"language"`
		Category  field[chat.Category]        `json:"category"`
		StartedAt field[time.Time]            `json:"started_at"`
		Events    field[[]chat.ProposedEvent] `json:"events"`
		Revision  int64                       `json:"revision"`
	}
	if err := s.readJSON(w, r, &in); err != nil {
		return nil, err
	}
	return s.memory.Edit(r.Context(), user.ID, r.PathValue("id"), in.Revision, func(c *chat.Conversation) error {
		if in.Title.given {
			title, err := line("title", in.Title.value, maxTitle)
			if err != nil {
				return err
			}
			c.Title, c.Named = title, true
		}
		if in.Category.given && !slices.Contains(chat.Categories, in.Category.value) {
			return chat.Fail(chat.CodeInvalid, "The category is none of the 33 that there are.")
		}
		if in.Shown.given && !slices.Contains([]chat.Visibility{chat.Private, chat.Shared, chat.Public}, in.Shown.value) {
			return chat.Fail(chat.CodeInvalid, "visibility is private, shared or public.")
		}
		if len(in.Language.value) > 35 {
			return chat.Fail(chat.CodeInvalid, "The language is not a tag such as en or pt-BR.")
		}
		in.Starred.set(&c.Starred)
		in.Folder.set(&c.FolderID)
		in.Shown.set(&c.Shown)
		in.Locked.set(&c.Locked)
		in.Discarded.set(&c.Discarded)
		in.Language.set(&c.Language)
		in.Category.set(&c.Category)
		in.StartedAt.set(&c.StartedAt)
		in.Events.set(&c.Events)
		return nil
	})
}

func (s *Server) relabelSpeaker(w http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	var in struct {
		From string `json:"from"`
		chat.Speaker
	}
	if err := s.readJSON(w, r, &in); err != nil {
		return nil, err
	}
	var err error
	if in.Name, err = line("name", in.Name, 200); err != nil {
		return nil, err
	}
	if in.PersonID != "" {
		if _, err := s.people.Person(r.Context(), user.ID, in.PersonID); err != nil {
			return nil, err
		}
	}
	changed, err := s.memory.RelabelSpeaker(r.Context(), user.ID, r.PathValue("id"), in.From, in.Speaker)
	if err == nil && changed == 0 {
		return nil, chat.Fail(chat.CodeNotFound, "Nobody of that name speaks in this conversation.")
	}
	return map[string]int{"changed": changed}, err
}

func (s *Server) deleteConversation(_ http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	return nil, s.memory.DeleteConversation(r.Context(), user.ID, r.PathValue("id"))
}

// followProcessing streams the log of the conversation's newest job in the native
// format; a job is followed as a turn is.
func (s *Server) followProcessing(w http.ResponseWriter, r *http.Request) {
	stream, err := s.processing(r)
	if err != nil {
		fail(w, r, nativeDialect, err)
		return
	}
	s.stream(w, r, stream)
}

func (s *Server) processing(r *http.Request) (dialect.Stream, error) {
	user, err := s.user(r)
	if err != nil {
		return dialect.Stream{}, err
	}
	after, err := dialect.After(r.URL.Query(), r.Header.Get)
	if err != nil {
		return dialect.Stream{}, err
	}
	job, err := s.memory.LatestJob(r.Context(), user.ID, r.PathValue("id"))
	if err != nil {
		return dialect.Stream{}, err
	}
	return dialect.NativeStream(chat.Turn{ID: job.ID, UserID: user.ID}, after), nil
}
