package api

import (
	"bufio"
	"net/http"
	"strings"
	"testing"

	"confidant/internal/calendar"
	"confidant/internal/tool/agenda"
)

// TestDeletingSeveralEventsAsksFirst plays the whole way: the model calls, the
// person is asked, nothing goes before they agree.
func TestDeletingSeveralEventsAsksFirst(t *testing.T) {
	for _, approve := range []string{"true", "false"} {
		t.Run("approve "+approve, func(t *testing.T) {
			deletes := &agenda.DeleteEvent{}
			h := newHarness(t, &script{steps: [][]any{
				asks("delete_calendar_event_tool", `{"start_date":"2026-03-02T00:00:00Z","end_date":"2026-03-04T00:00:00Z"}`),
				says("As you say."),
			}}, deletes)
			deletes.Calendar = calendar.New(h.Store, h.Store)
			h.make(t, "/api/calendar", `{"title":"Dentist","start":"2026-03-02T09:00:00Z","end":"2026-03-02T10:00:00Z"}`, "event_id")
			h.make(t, "/api/calendar", `{"title":"Lunch","start":"2026-03-03T12:00:00Z","end":"2026-03-03T13:00:00Z"}`, "event_id")

			_, turn := h.call(t, http.MethodPost, "/api/turns", `{"message":"Clear Monday and Tuesday."}`)
			path := "/api/turns/" + turn["turn_id"].(string)
			resp := h.ask(t, http.MethodGet, path+"/events", "")
			asked, closed := false, false
			for lines := bufio.NewScanner(resp.Body); lines.Scan() && !closed; {
				switch lines.Text() {
				case "event: approval.asked":
					lines.Scan()
					if data := lines.Text(); !strings.Contains(data, "This deletes 2 events") || !strings.Contains(data, "Dentist") {
						t.Errorf("asked %s", data)
					}
					asked = true
					if list := h.items(t, march, "events"); len(list) != 2 {
						t.Errorf("%d events are left before the answer", len(list))
					}
					if status, _ := h.call(t, http.MethodPost, path+"/approvals/call_1", `{"approve":`+approve+`}`); status != http.StatusAccepted {
						t.Errorf("approve: %d", status)
					}
				case "event: turn.closed":
					closed = true
				}
			}
			want := 2
			if approve == "true" {
				want = 0
			}
			if list := h.items(t, march, "events"); !asked || !closed || len(list) != want {
				t.Errorf("asked %v, closed %v, %d events left, want %d", asked, closed, len(list), want)
			}
		})
	}
}
