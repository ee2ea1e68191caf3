package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/gif"
	"image/jpeg"
	"image/png"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"confidant/internal/chat"
)

// omiFile is what the Omi app reads of a file.
type omiFile struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Thumbnail *string   `json:"thumbnail"`
	MIMEType  string    `json:"mime_type"`
	OpenAI    string    `json:"openai_file_id"`
	CreatedAt time.Time `json:"created_at"`
}

// omiPost sends files as the app does.
func (h *harness) omiPost(t *testing.T, token, path string, files ...sent) (int, string) {
	t.Helper()
	body, contentType := form(t, "files", files...)
	res, answer := h.request(t, token, "POST", path, bytes.NewReader(body), map[string]string{"Content-Type": contentType})
	return res.StatusCode, answer
}

func (h *harness) omiFiles(t *testing.T, files ...sent) []omiFile {
	t.Helper()
	status, answer := h.omiPost(t, h.Token, "/v2/files", files...)
	var list []omiFile
	if err := json.Unmarshal([]byte(answer), &list); err != nil || status != http.StatusOK || len(list) != len(files) {
		t.Fatalf("%d %s", status, answer)
	}
	return list
}

func TestOmiFilesOfAChat(t *testing.T) {
	model := &script{}
	h := newKnowledge(t, model)
	var picture bytes.Buffer
	if err := png.Encode(&picture, drawn(300, 200)); err != nil {
		t.Fatal(err)
	}
	list := h.omiFiles(t, sent{"almanac.pdf", almanac}, sent{"../left.png", picture.String()})
	doc, pic := list[0], list[1]
	if doc.Name != "almanac.pdf" || doc.MIMEType != "application/pdf" || doc.Thumbnail == nil || *doc.Thumbnail != "" || doc.OpenAI == "" || doc.CreatedAt.IsZero() {
		t.Errorf("document %+v", doc)
	}
	if pic.Name != "left.png" || pic.MIMEType != "image/png" || pic.Thumbnail == nil || *pic.Thumbnail != h.URL+"/v2/files/"+pic.ID+"/thumbnail" {
		t.Errorf("picture %+v", pic)
	}
	h.read(t, doc.ID)

	session := decoded[map[string]any](t, h, h.Token, "POST", "/v2/chat-sessions", `{"title":"Sea"}`, http.StatusOK)["id"].(string)
	model.plays(asks("search_files_tool", `{"question":"when are harbours dredged"}`), says("In spring, harbours are dredged."))
	body := fmt.Sprintf(`{"text":"When are harbours dredged?","file_ids":[%q,%q]}`, doc.ID, pic.ID)
	res := h.do(t, t.Context(), "POST", "/v2/messages?chat_session_id="+session, h.Token, body)
	if think, text, _ := omiRead(t, res.Body); !slices.Contains(think, "Searching files") || text != "In spring, harbours are dredged." {
		t.Errorf("answered %v %q", think, text)
	}
	if result := model.requests()[1].Messages; !strings.Contains(fmt.Sprint(result[len(result)-1].Results), "dredged in spring") {
		t.Errorf("the tool found %+v", result[len(result)-1])
	}
	type message struct {
		Sender  string
		FilesID []string  `json:"files_id"`
		Files   []omiFile `json:"files"`
	}
	messages := decoded[[]message](t, h, h.Token, "GET", "/v2/messages?chat_session_id="+session, "", http.StatusOK)
	if len(messages) != 2 || !slices.Equal(messages[1].FilesID, []string{doc.ID, pic.ID}) || len(messages[1].Files) != 2 || *messages[1].Files[1].Thumbnail != *pic.Thumbnail ||
		len(messages[0].FilesID) != 0 || messages[0].Files == nil {
		t.Errorf("messages %+v", messages)
	}
	filesOf := func(path string) (ids []string) {
		for _, id := range decoded[map[string]any](t, h, h.Token, "GET", path, "", http.StatusOK)["file_ids"].([]any) {
			ids = append(ids, id.(string))
		}
		slices.Sort(ids)
		return ids
	}
	if got := filesOf("/v2/chat-sessions/" + session); !slices.Equal(got, []string{doc.ID, pic.ID}) {
		t.Errorf("file_ids %v", got)
	}
	// Another turn of the session knows them without naming them.
	model.plays(asks("search_files_tool", `{"question":"when are harbours dredged"}`), says("In spring."))
	h.omiAsk(t, "/v2/messages?chat_session_id="+session, "And once more, when are my harbours dredged?")
	if result := model.requests()[3].Messages; !strings.Contains(fmt.Sprint(result[len(result)-1].Results), "dredged in spring") {
		t.Errorf("the next turn found %+v", result[len(result)-1])
	}
}

// With a session go the files that were sent to it, and no others: in the original
// all of the person did (facts/omi.md section 3).
func TestOmiDeletingASessionDeletesItsFiles(t *testing.T) {
	model := &script{}
	h := newKnowledge(t, model)
	kept := h.add(t, "library.txt", "A tide of the library.")
	mine := h.omiFiles(t, sent{"sent.txt", "A tide that was sent."}, sent{"again.txt", "A tide of the library."})
	other := h.omiFiles(t, sent{"other.txt", "A tide for another chat."})
	later := h.omiFiles(t, sent{"later.txt", "A tide that nobody asked about."})
	if mine[1].ID != kept {
		t.Fatalf("the same content is %s and %s", mine[1].ID, kept)
	}
	session := decoded[map[string]any](t, h, h.Token, "POST", "/v2/chat-sessions", `{}`, http.StatusOK)["id"].(string)
	model.plays(says("One."), says("Two."))
	ask := func(path string, ids ...string) {
		t.Helper()
		named, err := json.Marshal(ids)
		if err != nil {
			t.Fatal(err)
		}
		omiRead(t, h.do(t, t.Context(), "POST", path, h.Token, `{"text":"What is this?","file_ids":`+string(named)+`}`).Body)
	}
	ask("/v2/messages?chat_session_id="+session, mine[0].ID, mine[1].ID)
	ask("/v2/messages", other[0].ID)
	there := func(id string) bool {
		_, err := h.Store.File(t.Context(), h.User.ID, id)
		return err == nil
	}

	// Clearing keeps them, for the restoration.
	decoded[omiReply](t, h, h.Token, "DELETE", "/v2/messages?chat_session_id="+session, "", http.StatusOK)
	if !there(mine[0].ID) {
		t.Error("clearing deleted a file")
	}
	if got := decoded[map[string]int](t, h, h.Token, "POST", "/api/chats/"+session+"/restore", "", http.StatusOK); got["restored"] != 2 {
		t.Errorf("restored %v", got)
	}
	if status, _ := h.sendAs(t, h.OtherToken, "DELETE", "/v2/chat-sessions/"+session, ""); status != http.StatusNotFound || !there(mine[0].ID) {
		t.Errorf("by somebody else: %d", status)
	}
	decoded[map[string]string](t, h, h.Token, "DELETE", "/v2/chat-sessions/"+session, "", http.StatusOK)
	if there(mine[0].ID) {
		t.Error("the file that was sent to the session is still there")
	}
	for name, id := range map[string]string{"of the library": kept, "of another chat": other[0].ID, "of no chat yet": later[0].ID} {
		if !there(id) {
			t.Errorf("the file %s is gone", name)
		}
	}
	// A file that is gone is still named where it was asked about, and shown no more.
	if status, _ := h.send(t, "DELETE", "/api/files/"+other[0].ID, ""); status != http.StatusNoContent {
		t.Fatalf("delete: %d", status)
	}
	messages := decoded[[]struct {
		FilesID []string  `json:"files_id"`
		Files   []omiFile `json:"files"`
	}](t, h, h.Token, "GET", "/v2/messages", "", http.StatusOK)
	if len(messages) != 2 || !slices.Equal(messages[1].FilesID, []string{other[0].ID}) || len(messages[1].Files) != 0 {
		t.Errorf("messages %+v", messages)
	}
}

func TestOmiThumbnails(t *testing.T) {
	h := newHarness(t, &script{})
	encode := map[string]func(*bytes.Buffer) error{
		"wide.png":  func(b *bytes.Buffer) error { return png.Encode(b, drawn(300, 200)) },
		"tall.jpg":  func(b *bytes.Buffer) error { return jpeg.Encode(b, drawn(90, 400), nil) },
		"small.gif": func(b *bytes.Buffer) error { return gif.Encode(b, drawn(20, 20), nil) },
	}
	for name, write := range encode {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := write(&b); err != nil {
				t.Fatal(err)
			}
			f := h.omiFiles(t, sent{name, b.String()})[0]
			res, body := h.request(t, h.Token, "GET", strings.TrimPrefix(*f.Thumbnail, h.URL), nil, nil)
			m, err := jpeg.Decode(strings.NewReader(body))
			if err != nil || res.Header.Get("Content-Type") != "image/jpeg" || m.Bounds().Dx() != 128 || m.Bounds().Dy() != 128 {
				t.Fatalf("%d %v, %v", res.StatusCode, res.Header, err)
			}
			// The middle of the picture is the middle of the thumbnail: red, then blue.
			left, _, _, _ := m.At(20, 64).RGBA()
			_, _, right, _ := m.At(108, 64).RGBA()
			if left>>8 < 200 || right>>8 < 200 {
				t.Errorf("left %v, right %v", m.At(20, 64), m.At(108, 64))
			}
			if status, answer := h.sendAs(t, h.OtherToken, "GET", "/v2/files/"+f.ID+"/thumbnail", ""); status != http.StatusNotFound || !strings.HasPrefix(answer, `{"detail":`) {
				t.Errorf("of somebody else: %d %s", status, answer)
			}
		})
	}
	var whole bytes.Buffer
	if err := png.Encode(&whole, drawn(50, 50)); err != nil {
		t.Fatal(err)
	}
	huge := bytes.Clone(whole.Bytes())
	copy(huge[16:24], []byte{0, 1, 0, 0, 0, 1, 0, 0}) // 65,536 × 65,536 pixels
	for name, content := range map[string]string{"a.txt": "No picture.", "a.svg": `<svg xmlns="http://www.w3.org/2000/svg"/>`, "half.png": whole.String()[:60], "huge.png": string(huge)} {
		f := h.omiFiles(t, sent{name, content})[0]
		if status, answer := h.send(t, "GET", "/v1/files/"+f.ID+"/thumbnail", ""); status != http.StatusNotFound || answer != `{"detail":"This file has no thumbnail."}`+"\n" {
			t.Errorf("%s: %d %s", name, status, answer)
		}
	}
}

// With one file that is refused none is kept: the answer has no place to say which.
func TestOmiFilesThatAreRefused(t *testing.T) {
	h := newHarness(t, &script{})
	large := sent{"large.txt", strings.Repeat("x", int(testLimits.File)+1)}
	for name, c := range map[string]struct {
		token  string
		files  []sent
		status int
		detail string
	}{
		"no token":       {"", []sent{{"a.txt", "The tide."}}, 401, "token"},
		"no file":        {h.Token, nil, 400, "no file"},
		"over the limit": {h.Token, []sent{{"a.txt", "The tide."}, large, {"b.txt", "The ebb."}}, 413, "131072 bytes (file_bytes)"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, path := range []string{"/v1/files", "/v2/files"} {
				status, answer := h.omiPost(t, c.token, path, c.files...)
				var got map[string]string
				if err := json.Unmarshal([]byte(answer), &got); err != nil || status != c.status || len(got) != 1 || !strings.Contains(got["detail"], c.detail) {
					t.Errorf("%s: %d %s", path, status, answer)
				}
			}
		})
	}
	if status, answer := h.send(t, "POST", "/v2/files", `{}`); status != 400 || !strings.HasPrefix(answer, `{"detail":`) {
		t.Errorf("no form: %d %s", status, answer)
	}
	h.Shelf.full.Store(true)
	if status, answer := h.omiPost(t, h.Token, "/v2/files", sent{"a.txt", "The tide."}); status != http.StatusInsufficientStorage || !strings.HasPrefix(answer, `{"detail":`) {
		t.Errorf("full disk: %d %s", status, answer)
	}
	h.Shelf.full.Store(false)
	h.Shelf.empty(t, h)

	// What was there before stays, though its form was refused.
	id := h.add(t, "a.txt", "The tide.")
	if status, _ := h.omiPost(t, h.Token, "/v2/files", sent{"a.txt", "The tide."}, large); status != 413 {
		t.Errorf("over the limit: %d", status)
	}
	if f := h.read(t, id); f.State != chat.FileSuccess {
		t.Errorf("%+v", f)
	}
}
