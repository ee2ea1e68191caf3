package dialect

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"confidant/internal/chat"
)

// The limits of sessions (facts/omi.md section 3).
const (
	omiTitleRunes      = 500
	omiSessionsDefault = 50
	omiSessionsMost    = 500
	omiOffsetMost      = 100_000
)

// omiChatSession is ChatSession: a chat.
type omiChatSession struct {
	ID        string    `json:"id"`
	Title     string    `json:"title"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
	AppID     *string   `json:"app_id"`
	PluginID  *string   `json:"plugin_id"`
	Starred   bool      `json:"starred"`
	FileIDs   []string  `json:"file_ids"`
}

// omiSessionWith is a session with the files that were sent to it.
func omiSessionWith(ctx context.Context, b Backend, c chat.Chat) (omiChatSession, error) {
	s := omiSessionOf(c)
	files, err := b.Sent.OfChat(ctx, c.UserID, c.ID)
	for _, f := range files {
		s.FileIDs = append(s.FileIDs, f.ID)
	}
	return s, err
}

func omiSessionOf(c chat.Chat) omiChatSession {
	s := omiChatSession{
		ID: c.ID, Title: cmp.Or(c.Title, "New Chat"), CreatedAt: c.CreatedAt.UTC(), UpdatedAt: c.LastActivity.UTC(), Starred: c.Starred, FileIDs: []string{},
	}
	if app := omiAppOf(c); app != "" {
		s.AppID, s.PluginID = &app, &app
	}
	return s
}

// omiTitle checks a title that a client chose.
func omiTitle(title string) (string, error) {
	title = strings.Join(strings.Fields(title), " ")
	if utf8.RuneCountInString(title) > omiTitleRunes || strings.ContainsRune(title, 0) {
		return "", chat.Fail(chat.CodeInvalid, "The title may have 500 characters (title_characters), and no NUL.")
	}
	return title, nil
}

func omiNewSession(ctx context.Context, b Backend, r Request) (Reply, error) {
	var body struct {
		Title *string `json:"title"`
		AppID *string `json:"app_id"`
	}
	if err := readJSON(r.Body, &body); err != nil {
		return Reply{}, err
	}
	c := chat.Chat{UserID: r.User.ID}
	var err error
	if body.Title != nil {
		if c.Title, err = omiTitle(*body.Title); err != nil {
			return Reply{}, err
		}
	}
	if body.AppID != nil {
		r.Query = url.Values{"app_id": {*body.AppID}}
	}
	if c.AppID, err = omiApp(r); err != nil {
		return Reply{}, err
	}
	c, err = b.NewChat(ctx, c)
	return Reply{Body: omiSessionOf(c)}, err
}

// omiPaged reads limit and offset.
func omiPaged(r Request, standard, most int) (limit, offset int, err error) {
	limit = standard
	for _, v := range []struct {
		name        string
		to          *int
		least, most int
	}{{"limit", &limit, 1, most}, {"offset", &offset, 0, omiOffsetMost}} {
		text := r.Query.Get(v.name)
		if text == "" {
			continue
		}
		if *v.to, err = strconv.Atoi(text); err != nil || *v.to < v.least || *v.to > v.most {
			return 0, 0, chat.Fail(chat.CodeInvalid, v.name+" must be a number from "+strconv.Itoa(v.least)+" to "+strconv.Itoa(v.most)+".")
		}
	}
	return limit, offset, nil
}

// omiSessions lists chats, the last active first.
func omiSessions(ctx context.Context, b Backend, r Request) (Reply, error) {
	limit, offset, err := omiPaged(r, omiSessionsDefault, omiSessionsMost)
	if err != nil {
		return Reply{}, err
	}
	app, err := omiApp(r)
	if err != nil {
		return Reply{}, err
	}
	byStar, starred := omiFlag(r, "starred")
	byApp := r.Query.Has("app_id") || r.Query.Has("plugin_id")
	list := []omiChatSession{}
	page := chat.Page{Limit: omiSessionsMost}
	for {
		chats, next, err := b.Chats.Chats(ctx, r.User.ID, page)
		if err != nil {
			return Reply{}, err
		}
		for _, c := range chats {
			if byStar && c.Starred != starred || byApp && omiAppOf(c) != app {
				continue
			}
			if offset > 0 {
				offset--
				continue
			}
			s, err := omiSessionWith(ctx, b, c)
			if err != nil {
				return Reply{}, err
			}
			if list = append(list, s); len(list) == limit {
				return Reply{Body: list}, nil
			}
		}
		if next == "" {
			return Reply{Body: list}, nil
		}
		page.Cursor = next
	}
}

func omiSession(ctx context.Context, b Backend, r Request) (Reply, error) {
	c, err := b.Chat(ctx, r.User.ID, r.Value("id"))
	if err != nil {
		return Reply{}, err
	}
	s, err := omiSessionWith(ctx, b, c)
	return Reply{Body: s}, err
}

func omiEditSession(ctx context.Context, b Backend, r Request) (Reply, error) {
	var body struct {
		Title   *string `json:"title"`
		Starred *bool   `json:"starred"`
	}
	if err := readJSON(r.Body, &body); err != nil {
		return Reply{}, err
	}
	id := r.Value("id")
	c, err := b.Chat(ctx, r.User.ID, id)
	if err != nil {
		return Reply{}, err
	}
	if body.Title != nil {
		title, err := omiTitle(*body.Title)
		if err != nil {
			return Reply{}, err
		}
		if c, err = b.RenameChat(ctx, r.User.ID, id, title); err != nil {
			return Reply{}, err
		}
	}
	if body.Starred != nil {
		if c, err = b.StarChat(ctx, r.User.ID, id, *body.Starred); err != nil {
			return Reply{}, err
		}
	}
	s, err := omiSessionWith(ctx, b, c)
	return Reply{Body: s}, err
}

// omiDeleteSession deletes a chat for good, with its messages and the files that were
// sent to it: that all files of the person went was a bug (facts/omi.md section 3).
// The chat goes last, so that a client can try again.
func omiDeleteSession(ctx context.Context, b Backend, r Request) (Reply, error) {
	c, err := b.Chat(ctx, r.User.ID, r.Value("id"))
	if err != nil {
		return Reply{}, err
	}
	files, err := b.Sent.OfChat(ctx, r.User.ID, c.ID)
	if err != nil {
		return Reply{}, err
	}
	for _, f := range files {
		if err := b.Sent.Delete(ctx, r.User.ID, f.ID); err != nil && !errors.Is(err, chat.ErrNotFound) {
			return Reply{}, err
		}
	}
	return Reply{Body: map[string]string{"status": "ok"}}, b.DeleteChat(ctx, r.User.ID, r.Value("id"))
}
