package dialect

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"confidant/internal/chat"
)

// encache is the question that is answered later, of
// seeds/encache-chat-flow.txt, in the newer form of facts/encache.md section 1:
// the placeholder's id comes at once, and clients poll until it is ready.
func encache() Dialect {
	return Dialect{
		Name:  "encache",
		Error: encacheError,
		Endpoints: []Endpoint{
			{"POST /memories/chat", encacheAsk(encacheWait)},
			{"POST /chats/messages", encacheMessages},
			{"GET /chats/messages", encacheMessages},
			{"POST /chats/list", encacheChats},
			{"GET /chats/list", encacheChats},
		},
	}
}

const (
	// encacheWait is how long a verbose question waits for its answer: the seed's
	// gateway gives up after 29 s.
	encacheWait = 25 * time.Second
	// encachePage is the seed's; encacheMost bounds what a client may ask for.
	encachePage, encacheMost = 20, 100
)

// encacheError renders {"error": …}. The seed answers 403 when a chat is not the
// person's own, be it somebody else's or nobody's: these two must look alike.
func encacheError(e *chat.Error) (int, any) {
	status, detail := Status(e.Code), e.Detail
	if e.Code == chat.CodeForbidden || e.Code == chat.CodeNotFound {
		status, detail = http.StatusForbidden, "Forbidden: this chat is not yours."
	}
	return status, map[string]string{"error": detail}
}

type encacheReply struct {
	ChatID    string          `json:"chat_id"`
	MessageID string          `json:"message_id"`
	Status    string          `json:"status"`
	Answer    *string         `json:"answer,omitempty"`
	Trace     *[]encacheRound `json:"trace,omitempty"`
}

// encacheAsk stores the question and answers at once, or, when it is verbose,
// as soon as the answer is there within a time.
func encacheAsk(wait time.Duration) func(context.Context, Backend, Request) (Reply, error) {
	return func(ctx context.Context, b Backend, r Request) (Reply, error) {
		var in struct {
			Question string `json:"question"`
			ChatID   string `json:"chat_id"`
			Verbose  bool   `json:"verbose"`
		}
		if err := readJSON(r.Body, &in); err != nil {
			return Reply{}, err
		}
		if !utf8.Valid(r.Body) { // readJSON has replaced it
			return Reply{}, chat.Fail(chat.CodeInvalid, "The body holds bytes that are not valid UTF-8.")
		}
		if strings.TrimSpace(in.Question) == "" {
			return Reply{}, chat.Fail(chat.CodeInvalid, "question is required.")
		}
		turn, err := b.Ask(ctx, chat.Ask{
			UserID: r.User.ID, Text: in.Question, ChatID: in.ChatID, IdempotencyKey: r.Header("Idempotency-Key"),
		})
		if err != nil {
			return Reply{}, err
		}
		reply := encacheReply{ChatID: turn.ChatID, MessageID: turn.AnswerID, Status: "thinking"}
		if !in.Verbose {
			return Reply{Body: reply}, nil
		}
		// Whatever goes wrong from here on, the question is stored and being
		// answered: "thinking" stays true, and polling finds the answer.
		waiting, cancel := context.WithTimeout(ctx, wait)
		defer cancel()
		var log encacheTrace
		for events, err := range b.Follow(waiting, r.User.ID, turn.ID, 0) {
			if err != nil {
				return Reply{Body: reply}, nil
			}
			if slices.ContainsFunc(events, log.read) { // the end
				break
			}
		}
		m, err := b.Message(ctx, r.User.ID, turn.AnswerID)
		if err != nil || !m.Ready {
			return Reply{Body: reply}, nil
		}
		return Reply{Body: reply.answered(m, log)}, nil
	}
}

func (r encacheReply) answered(m chat.Message, log encacheTrace) encacheReply {
	answer, trace := encacheContent(m), append([]encacheRound{}, log.rounds...)
	r.Status, r.Answer, r.Trace = "ready", &answer, &trace
	return r
}

// encacheContent is what the app shows in the answer's bubble, which has no
// other place for what went wrong.
func encacheContent(m chat.Message) string {
	switch {
	case m.State == chat.MessageFailed && m.Error != nil:
		return m.Error.Message
	case m.State == chat.MessageCancelled && m.Content == "":
		return "This answer was stopped."
	}
	return m.Content
}

// encacheRound is one search of the seed's ReasoningAgent.
type encacheRound struct {
	Round    int               `json:"round"`
	Decision string            `json:"decision"`
	Memory   string            `json:"memory_type"`
	Query    string            `json:"agent_query"`
	Results  []json.RawMessage `json:"results"`
	Count    int               `json:"result_count"`
	Error    string            `json:"error,omitempty"` // not in the seed
	callID   string
}

// encacheTrace reads the rounds from a log. Calls that a model made side by side
// are of one round.
type encacheTrace struct {
	rounds []encacheRound
	round  int
}

// read takes in one event and reports whether the turn has ended with it.
func (t *encacheTrace) read(e chat.Event) bool {
	switch b := e.Body.(type) {
	case chat.StepFinished:
		if len(b.Calls) > 0 {
			t.round++
		}
	case chat.ToolCalled:
		t.rounds = append(t.rounds, encacheRound{
			Round: t.round, Decision: "SEARCH", Memory: encacheMemory(b.Name), Query: encacheQuery(b.Arguments),
			Results: []json.RawMessage{}, callID: b.CallID,
		})
	case chat.ToolFinished:
		for i := range t.rounds {
			if r := &t.rounds[i]; r.callID == b.CallID {
				r.Results, r.Error = encacheResults(b.Result), b.Error
				r.Count = len(r.Results)
			}
		}
	}
	return chat.Terminal(e.Body)
}

// encacheMemory names the memory that a tool searches. Recordings are what the
// seed calls episodic, facts about the person semantic, frames visual; a tool
// that is no search goes by its own name.
func encacheMemory(tool string) string {
	for _, kind := range []struct{ word, memory string }{
		{"conversation", "episodic"}, {"memor", "semantic"}, {"fact", "semantic"}, {"image", "visual"}, {"photo", "visual"},
	} {
		if strings.Contains(tool, kind.word) {
			return kind.memory
		}
	}
	return tool
}

// encacheQuery is what was searched for, or all arguments of another tool.
func encacheQuery(arguments json.RawMessage) string {
	var in struct {
		Query *string `json:"query"`
	}
	if json.Unmarshal(arguments, &in) == nil && in.Query != nil {
		return *in.Query
	}
	var compact bytes.Buffer
	if json.Compact(&compact, arguments) != nil {
		return ""
	}
	return compact.String()
}

// encacheResults lists a result: the results of a search, the items of an array,
// or the one value that it is.
func encacheResults(result json.RawMessage) []json.RawMessage {
	var found struct {
		Results *[]json.RawMessage `json:"results"`
	}
	list := []json.RawMessage{}
	switch {
	case len(result) == 0 || string(result) == "null":
		return list
	case json.Unmarshal(result, &found) == nil && found.Results != nil:
		return append(list, *found.Results...)
	case json.Unmarshal(result, &list) == nil:
		return list
	}
	return []json.RawMessage{result}
}

// encacheList is what both lists take, from the body or from the query.
type encacheList struct {
	ChatID string `json:"chat_id"`
	Cursor string `json:"cursor"`
	Limit  *int   `json:"limit"`
}

func readEncacheList(body []byte, query url.Values) (encacheList, error) {
	in := encacheList{ChatID: query.Get("chat_id"), Cursor: query.Get("cursor")}
	if text := query.Get("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			return in, chat.Fail(chat.CodeInvalid, "limit must be a number.")
		}
		in.Limit = &n
	}
	if len(bytes.TrimSpace(body)) > 0 {
		if err := readJSON(body, &in); err != nil {
			return in, err
		}
	}
	if in.Limit != nil && *in.Limit < 1 {
		return in, chat.Fail(chat.CodeInvalid, "limit must be a number from 1 to "+strconv.Itoa(encacheMost)+".")
	}
	return in, nil
}

// page is the part of the list that is asked for, standard items when it does
// not say how many. More than may be is cut, since the cursor leads to the rest.
func (in encacheList) page(kind string, standard int) (chat.Page, error) {
	page := chat.Page{Limit: standard}
	if in.Limit != nil {
		page.Limit = min(*in.Limit, encacheMost)
	}
	if in.Cursor == "" {
		return page, nil
	}
	data, err := base64.RawURLEncoding.Strict().DecodeString(in.Cursor)
	id, ours := strings.CutPrefix(string(data), kind+":")
	if err != nil || !ours || id == "" || !utf8.ValidString(id) {
		return page, errEncacheCursor
	}
	page.Cursor = id
	return page, nil
}

var errEncacheCursor = chat.Fail(chat.CodeInvalid, "cursor is not one that this list gave out. Begin again without it.")

// encacheCursor wraps the id that ended a page, so that clients do not build on
// what it is; null at the end of the list.
func encacheCursor(kind, id string) *string {
	if id == "" {
		return nil
	}
	cursor := base64.RawURLEncoding.EncodeToString([]byte(kind + ":" + id))
	return &cursor
}

// The kinds of cursors: each fits its own list only.
const (
	encacheOfMessages = "m"
	encacheOfChats    = "c"
)

type encacheMessage struct {
	ID         string    `json:"message_id"`
	ChatID     string    `json:"chat_id"`
	Role       chat.Role `json:"role"`
	Content    string    `json:"content"`
	CreatedAt  time.Time `json:"created_at"`
	Ready      bool      `json:"ready"`
	GPUPending bool      `json:"gpu_pending"` // no answer waits for a GPU here
}

func encacheMessages(ctx context.Context, b Backend, r Request) (Reply, error) {
	in, err := readEncacheList(r.Body, r.Query)
	if err != nil {
		return Reply{}, err
	}
	if in.ChatID == "" {
		return Reply{}, chat.Fail(chat.CodeInvalid, "chat_id is required.")
	}
	page, err := in.page(encacheOfMessages, encachePage)
	if err != nil {
		return Reply{}, err
	}
	found, next, err := b.Messages.Messages(ctx, r.User.ID, in.ChatID, page)
	if err != nil {
		return Reply{}, err
	}
	messages := make([]encacheMessage, len(found))
	for i, m := range found {
		messages[i] = encacheMessage{m.ID, m.ChatID, m.Role, encacheContent(m), m.CreatedAt, m.Ready, false}
	}
	return Reply{Body: struct {
		Messages []encacheMessage `json:"messages"`
		Next     *string          `json:"next_cursor"`
	}{messages, encacheCursor(encacheOfMessages, next)}}, nil
}

type encacheChat struct {
	ID           string    `json:"chat_id"`
	Title        string    `json:"title"`
	CreatedAt    time.Time `json:"created_at"`
	LastActivity time.Time `json:"last_activity"`
}

// encacheChats lists as many chats as it may unless told otherwise: the seed's
// list had no pages, so its client shows what comes.
func encacheChats(ctx context.Context, b Backend, r Request) (Reply, error) {
	in, err := readEncacheList(r.Body, r.Query)
	if err != nil {
		return Reply{}, err
	}
	page, err := in.page(encacheOfChats, encacheMost)
	if err != nil {
		return Reply{}, err
	}
	if page.Cursor != "" {
		// A chat that was deleted since would end the list in silence.
		_, err := b.Chat(ctx, r.User.ID, page.Cursor)
		if errors.Is(err, chat.ErrNotFound) || errors.Is(err, chat.ErrForbidden) {
			return Reply{}, errEncacheCursor
		}
		if err != nil {
			return Reply{}, err
		}
	}
	found, next, err := b.Chats.Chats(ctx, r.User.ID, page)
	if err != nil {
		return Reply{}, err
	}
	chats := make([]encacheChat, len(found))
	for i, c := range found {
		chats[i] = encacheChat{c.ID, c.Title, c.CreatedAt, cmp.Or(c.LastActivity, c.CreatedAt)}
	}
	return Reply{Body: struct {
		Chats []encacheChat `json:"chats"`
		Next  *string       `json:"next_cursor"`
	}{chats, encacheCursor(encacheOfChats, next)}}, nil
}
