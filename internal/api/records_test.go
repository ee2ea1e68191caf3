package api

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"confidant/internal/chat"
	"confidant/internal/ident"
)

// make posts a record and returns it with its id.
func (h *harness) make(t *testing.T, path, body, idName string) (map[string]any, string) {
	t.Helper()
	status, record := h.call(t, http.MethodPost, path, body)
	id, _ := record[idName].(string)
	if status != http.StatusCreated || id == "" || record["revision"] != 1.0 {
		t.Fatalf("POST %s: %d %v", path, status, record)
	}
	return record, id
}

// swap makes the other person the one who asks.
func (h *harness) swap() { h.Token, h.OtherToken = h.OtherToken, h.Token }

// items are the records of a list.
func (h *harness) items(t *testing.T, path, name string) []map[string]any {
	t.Helper()
	status, body := h.call(t, http.MethodGet, path, "")
	all, ok := body[name].([]any)
	if status != http.StatusOK || !ok {
		t.Fatalf("GET %s: %d %v", path, status, body)
	}
	var list []map[string]any
	for _, item := range all {
		list = append(list, item.(map[string]any))
	}
	return list
}

// wants sends requests and checks their status and a part of the answer.
func (h *harness) wants(t *testing.T, requests ...[4]string) {
	t.Helper()
	for _, r := range requests {
		status, body := h.send(t, r[0], r[1], r[2])
		if want, part, _ := strings.Cut(r[3], " "); fmt.Sprint(status) != want || !strings.Contains(body, part) {
			t.Errorf("%s %s %.80s: %d %.300s; want %s", r[0], r[1], r[2], status, body, r[3])
		}
	}
}

func TestTasks(t *testing.T) {
	h := newHarness(t, &script{})
	_, rent := h.make(t, "/api/tasks", `{"description":" Pay  rent ","due_at":"2026-03-02T09:00:00+01:00"}`, "task_id")
	_, bread := h.make(t, "/api/tasks", `{"description":"Buy bread"}`, "task_id")
	if list := h.items(t, "/api/tasks", "tasks"); len(list) != 2 || list[0]["task_id"] != rent || list[0]["description"] != "Pay rent" || list[0]["due_at"] != "2026-03-02T08:00:00Z" || list[1]["due_at"] != nil {
		t.Errorf("%v", list)
	}
	status, done := h.call(t, http.MethodPatch, "/api/tasks/"+rent, `{"completed":true,"due_at":null,"revision":1}`)
	if status != http.StatusOK || done["completed"] != true || done["completed_at"] == nil || done["due_at"] != nil || done["revision"] != 2.0 || done["description"] != "Pay rent" || done["edited"] != true {
		t.Errorf("%d %v", status, done)
	}
	for query, want := range map[string]string{"completed=true": rent, "completed=false": bread} {
		if list := h.items(t, "/api/tasks?"+query, "tasks"); len(list) != 1 || list[0]["task_id"] != want {
			t.Errorf("%s: %v", query, list)
		}
	}
	if list := h.items(t, "/api/tasks?due_from=2026-01-01T00:00:00Z", "tasks"); len(list) != 0 {
		t.Errorf("due: %v", list)
	}
	_, first := h.call(t, http.MethodGet, "/api/tasks?limit=1", "")
	if first["next_cursor"] != "1" || len(h.items(t, "/api/tasks?limit=1&cursor=1", "tasks")) != 1 || len(h.items(t, "/api/tasks?cursor=2", "tasks")) != 0 {
		t.Errorf("first page %v", first)
	}
	h.wants(t,
		[4]string{"PATCH", "/api/tasks/" + rent, `{"completed":false,"revision":1}`, "409 conflict"},
		[4]string{"PATCH", "/api/tasks/" + rent, `{"description":" "}`, "400 description must not be empty"},
		[4]string{"PATCH", "/api/tasks/" + rent, `{"completed":"yes"}`, "400 completed"},
		[4]string{"PATCH", "/api/tasks/nope", `{"completed":true}`, "404 not_found"},
		[4]string{"POST", "/api/tasks", `{"description":"` + strings.Repeat("x", 1001) + `"}`, "400 1000 (description_characters)"},
		[4]string{"POST", "/api/tasks", `{"description":"` + strings.Repeat("x", 70<<10) + `"}`, "413 body_bytes"},
		[4]string{"POST", "/api/tasks", `{"description":"x","due_at":"tomorrow"}`, "400 2026-03-01T09:00:00Z"},
		[4]string{"POST", "/api/tasks", `{"description":"x","conversation_id":"nope"}`, "404 not_found"},
		[4]string{"POST", "/api/tasks", `[]`, "400 JSON"},
		[4]string{"GET", "/api/tasks?completed=perhaps", ``, "400 completed"},
		[4]string{"GET", "/api/tasks?due_until=tomorrow", ``, "400 due_until"},
		[4]string{"GET", "/api/tasks?cursor=x", ``, "400 cursor"},
	)
	h.swap()
	h.wants(t, [4]string{"PATCH", "/api/tasks/" + rent, `{"completed":false}`, "404 not_found"}, [4]string{"DELETE", "/api/tasks/" + rent, ``, "404 not_found"})
	if list := h.items(t, "/api/tasks", "tasks"); len(list) != 0 {
		t.Errorf("another person sees %v", list)
	}
	h.swap()
	h.wants(t, [4]string{"DELETE", "/api/tasks/" + rent, ``, "204"}, [4]string{"DELETE", "/api/tasks/" + rent, ``, "404 not_found"})
}

func TestPeople(t *testing.T) {
	h := newHarness(t, &script{})
	_, ben := h.make(t, "/api/people", `{"name":"Ben","aliases":["Benny"],"email":"Ben <ben@example.org>","notes":"a\nb"}`, "person_id")
	h.make(t, "/api/people", `{"name":"Ada"}`, "person_id")
	c := chat.Conversation{ID: ident.New(), UserID: h.User.ID, Title: "talk", Fingerprint: "f"}
	segments := []chat.Segment{{ID: chat.SegmentID(c.ID, 0), Speaker: "Ben", PersonID: ben, Text: "hello"}, {ID: chat.SegmentID(c.ID, 1), Position: 1, Speaker: "Ben", PersonID: ben, Text: "again"}}
	if _, _, err := h.Store.PutConversation(t.Context(), c, segments, nil); err != nil {
		t.Fatal(err)
	}
	list := h.items(t, "/api/people", "people")
	if len(list) != 2 || list[0]["name"] != "Ada" || list[0]["conversations"] != 0.0 || list[1]["conversations"] != 1.0 || list[1]["email"] != "ben@example.org" || list[1]["notes"] != "a\nb" {
		t.Errorf("%v", list)
	}
	if status, p := h.call(t, http.MethodPatch, "/api/people/"+ben, `{"aliases":[],"name":"Benjamin","revision":1}`); status != http.StatusOK || p["name"] != "Benjamin" || p["aliases"] != nil || p["email"] != "ben@example.org" {
		t.Errorf("%d %v", status, p)
	}
	h.wants(t,
		[4]string{"PATCH", "/api/people/" + ben, `{"name":"x","revision":1}`, "409 conflict"},
		[4]string{"PATCH", "/api/people/" + ben, `{"name":""}`, "400 name must not be empty"},
		[4]string{"PATCH", "/api/people/" + ben, `{"email":"nobody"}`, "400 e-mail"},
		[4]string{"POST", "/api/people", `{}`, "400 name"},
		[4]string{"POST", "/api/people", `{"name":"` + strings.Repeat("x", 201) + `"}`, "400 200 (name_characters)"},
		[4]string{"POST", "/api/people", `{"name":"x","aliases":["` + strings.Repeat(`a","`, 50) + `a"]}`, "400 50 aliases"},
		[4]string{"POST", "/api/people", `{"name":"a\u0000b"}`, "400 NUL"},
	)
	h.swap()
	h.wants(t, [4]string{"PATCH", "/api/people/" + ben, `{"name":"x"}`, "404 not_found"}, [4]string{"DELETE", "/api/people/" + ben, ``, "404 not_found"})
	h.swap()
	h.wants(t, [4]string{"DELETE", "/api/people/" + ben, ``, "204"}, [4]string{"PATCH", "/api/people/" + ben, `{"name":"x"}`, "404 not_found"})
}

func TestFolders(t *testing.T) {
	h := newHarness(t, &script{})
	_, work := h.make(t, "/api/folders", `{"name":"Work","description":"meetings"}`, "folder_id")
	if status, f := h.call(t, http.MethodPatch, "/api/folders/"+work, `{"name":"Office","revision":1}`); status != http.StatusOK || f["name"] != "Office" || f["description"] != "meetings" || f["revision"] != 2.0 {
		t.Errorf("%d %v", status, f)
	}
	if list := h.items(t, "/api/folders", "folders"); len(list) != 1 || list[0]["name"] != "Office" {
		t.Errorf("%v", list)
	}
	h.wants(t,
		[4]string{"PATCH", "/api/folders/" + work, `{"name":"x","revision":1}`, "409 conflict"},
		[4]string{"POST", "/api/folders", `{"name":" "}`, "400 name must not be empty"},
		[4]string{"POST", "/api/folders", `{"name":"x","description":"` + strings.Repeat("x", 2001) + `"}`, "400 2000 (description_characters)"},
	)
	h.swap()
	h.wants(t, [4]string{"PATCH", "/api/folders/" + work, `{"name":"x"}`, "404 not_found"}, [4]string{"DELETE", "/api/folders/" + work, ``, "404 not_found"})
	h.swap()
	h.wants(t, [4]string{"DELETE", "/api/folders/" + work, ``, "204"}, [4]string{"DELETE", "/api/folders/" + work, ``, "404 not_found"})
}

// march is the window that the tests of the calendar look at.
const march = "/api/calendar?from=2026-03-01T00:00:00Z&until=2026-04-01T00:00:00Z"

func TestCalendar(t *testing.T) {
	h := newHarness(t, &script{})
	_, ana := h.make(t, "/api/people", `{"name":"Ana","email":"ana@example.org"}`, "person_id")
	weekly, id := h.make(t, "/api/calendar", `{"title":"Stand-up","start":"2026-03-02T09:00:00+01:00","end":"2026-03-02T09:30:00+01:00","zone":"Europe/Berlin","recurrence":["RRULE:FREQ=WEEKLY"],"attendees":[{"name":"ana"},{"name":"Zoe","email":"zoe@example.org"},{"name":"somebody"}]}`, "event_id")
	people := weekly["attendees"].([]any)
	if weekly["recurring"] != true || len(people) != 3 || people[0].(map[string]any)["person_id"] != ana || people[0].(map[string]any)["email"] != "ana@example.org" || people[2].(map[string]any)["name"] != "somebody" {
		t.Errorf("%v", weekly)
	}
	once, _ := h.make(t, "/api/calendar", `{"title":"Once","start":"2026-03-03T10:00:00Z","end":"2026-03-03T11:00:00Z"}`, "event_id")
	if once["zone"] != "UTC" || once["recurring"] != false {
		t.Errorf("%v", once)
	}
	h.make(t, "/api/calendar", `{"title":"Holiday","start":"2026-03-31T00:00:00Z","end":"2026-04-01T00:00:00Z","all_day":true}`, "event_id")
	starts := func(want ...string) {
		t.Helper()
		var got []string
		for _, e := range h.items(t, march, "events") {
			got = append(got, e["start"].(string)[5:16]+" "+e["title"].(string))
		}
		if strings.Join(got, ", ") != strings.Join(want, ", ") {
			t.Errorf("\n got %q\nwant %q", got, want)
		}
	}
	// At nine in Berlin, before and after the clocks change.
	starts("03-02T08:00 Stand-up", "03-03T10:00 Once", "03-09T08:00 Stand-up", "03-16T08:00 Stand-up", "03-23T08:00 Stand-up", "03-30T07:00 Stand-up", "03-31T00:00 Holiday")
	_, page := h.call(t, http.MethodGet, march+"&limit=2&cursor=2", "")
	if list := page["events"].([]any); len(list) != 2 || list[0].(map[string]any)["start"] != "2026-03-09T08:00:00Z" || page["next_cursor"] != "4" {
		t.Errorf("second page %v", page)
	}
	path := "/api/calendar/" + id
	status, moved := h.call(t, http.MethodPatch, path+"?occurrence=2026-03-09T08:00:00Z", `{"title":"Later","start":"2026-03-09T14:00:00Z","end":"2026-03-09T15:00:00Z","revision":1}`)
	if status != http.StatusOK || moved["event_id"] == id || moved["recurring"] != true || moved["occurrence"] != "2026-03-09T08:00:00Z" {
		t.Errorf("%d %v", status, moved)
	}
	h.wants(t, [4]string{"DELETE", path + "?occurrence=2026-03-16T09:00:00%2B01:00", ``, "204"})
	if status, e := h.call(t, http.MethodPatch, path, `{"title":"Daily","location":"Room 1"}`); status != http.StatusOK || e["title"] != "Daily" || e["location"] != "Room 1" {
		t.Errorf("%d %v", status, e)
	}
	starts("03-02T08:00 Daily", "03-03T10:00 Once", "03-09T14:00 Later", "03-23T08:00 Daily", "03-30T07:00 Daily", "03-31T00:00 Holiday")
	h.wants(t,
		[4]string{"PATCH", path, `{"title":"x","revision":1}`, "409 conflict"},
		[4]string{"PATCH", path + "?occurrence=2026-03-10T08:00:00Z", `{"title":"x"}`, "404 not_found"},
		[4]string{"PATCH", path + "?occurrence=soon", `{"title":"x"}`, "400 occurrence"},
		[4]string{"PATCH", path, `{"end":"2026-03-01T00:00:00Z"}`, "400 must end after"},
		[4]string{"PATCH", path, `{"recurrence":["RRULE:FREQ=NEVER"]}`, "400 RRULE cannot be read"},
		[4]string{"POST", "/api/calendar", `{"title":"x","start":"2026-03-02T09:00:00Z","end":"2026-03-02T10:00:00Z","zone":"Mars"}`, "400 Mars"},
		[4]string{"POST", "/api/calendar", `{"title":"x"}`, "400 must end after"},
		[4]string{"POST", "/api/calendar", `{"title":"` + strings.Repeat("x", 600) + `","start":"2026-03-02T09:00:00Z","end":"2026-03-02T10:00:00Z"}`, "400 event_title_characters"},
		[4]string{"GET", "/api/calendar", ``, "400 from and until"},
		[4]string{"GET", "/api/calendar?from=2026-03-01T00:00:00Z&until=2027-06-01T00:00:00Z", ``, "400 400 days (calendar_days)"},
		[4]string{"GET", "/api/calendar?from=2026-03-01T00:00:00Z&until=2026-02-01T00:00:00Z", ``, "400 until is before from"},
		[4]string{"GET", march + "&zone=Mars", ``, "400 IANA"},
		[4]string{"GET", march + "&cursor=1000000", ``, "400 calendar_events"},
	)
	h.swap()
	h.wants(t, [4]string{"PATCH", path, `{"title":"x"}`, "404 not_found"}, [4]string{"DELETE", path, ``, "404 not_found"})
	if list := h.items(t, march, "events"); len(list) != 0 {
		t.Errorf("another person sees %v", list)
	}
	h.swap()
	h.wants(t, [4]string{"DELETE", path, ``, "204"}, [4]string{"DELETE", path, ``, "404 not_found"})
	starts("03-03T10:00 Once", "03-31T00:00 Holiday")
}

func TestCalendarFiles(t *testing.T) {
	h := newHarness(t, &script{})
	const file = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTART;TZID=W. Europe Standard Time:20260302T090000\r\nDTEND;TZID=W. Europe Standard Time:20260302T100000\r\nSUMMARY:Good\r\nEND:VEVENT\r\n" +
		"BEGIN:VEVENT\r\nUID:2\r\nDTSTART;TZID=Nowhere:20260302T090000\r\nSUMMARY:Bad\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
	status, done := h.call(t, http.MethodPost, "/api/calendar/import", file)
	failed, _ := done["failed"].([]any)
	if status != http.StatusOK || done["created"] != 1.0 || done["updated"] != 0.0 || len(failed) != 1 || failed[0].(map[string]any)["line"] != 9.0 || !strings.Contains(failed[0].(map[string]any)["reason"].(string), "Nowhere") {
		t.Errorf("%d %v", status, done)
	}
	// The same file dropped among others says what it was.
	if status, again := h.call(t, http.MethodPost, "/api/import?name=my.ICS", file); status != http.StatusOK || again["duplicate"] != true || again["calendar"].(map[string]any)["created"] != 0.0 {
		t.Errorf("%d %v", status, again)
	}
	resp := h.ask(t, http.MethodGet, "/api/calendar.ics", "")
	data, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK || !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/calendar") || !strings.Contains(string(data), "DTSTART;TZID=Europe/Berlin:20260302T090000\r\n") {
		t.Errorf("%s %v\n%s", resp.Status, err, data)
	}
	h.swap()
	if status, done := h.call(t, http.MethodPost, "/api/calendar/import", string(data)); status != http.StatusOK || done["created"] != 1.0 {
		t.Errorf("what was exported, imported by another: %d %v", status, done)
	}
	h.wants(t,
		[4]string{"POST", "/api/calendar/import", "hello", "400 BEGIN:VCALENDAR"},
		[4]string{"POST", "/api/calendar/import", "BEGIN:VCALENDAR\n\xff", "400 UTF-8"},
		[4]string{"POST", "/api/calendar/import?zone=Mars", file, "400 IANA"},
		[4]string{"POST", "/api/calendar/import", strings.Repeat("x", 70<<10), "413 import_bytes"},
	)
	if problem := (map[string]any{}); json.Unmarshal(data, &problem) == nil {
		t.Error("the file is JSON")
	}
}
