package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"confidant/internal/chat"
)

// TestFollowResumes cuts every connection after one event and fails some.
func TestFollowResumes(t *testing.T) {
	log := []chat.Event{
		{Seq: 1, TurnID: "t", At: time.Unix(0, 0), Body: chat.TurnStarted{ChatID: "c"}},
		{Seq: 2, TurnID: "t", At: time.Unix(0, 0), Body: chat.TextDelta{Delta: "Hel"}},
		{Seq: 3, TurnID: "t", At: time.Unix(0, 0), Body: chat.TextDelta{Delta: "lo"}},
		{Seq: 4, TurnID: "t", At: time.Unix(0, 0), Body: chat.TurnClosed{}},
	}
	requests := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests++
		var after int
		if _, err := fmt.Sscan(r.URL.Query().Get("after"), &after); err != nil {
			t.Error(err)
		}
		switch requests {
		case 2: // a proxy whose server is gone
			w.WriteHeader(http.StatusBadGateway)
			return
		case 3: // the server stops
			fmt.Fprint(w, "event: error\ndata: {\"code\":\"unavailable\",\"detail\":\"x\"}\n\n")
			return
		}
		data, err := log[after].MarshalJSON()
		if err != nil {
			t.Error(err)
		}
		fmt.Fprintf(w, ": ping\n\nid: %d\nevent: %s\ndata: %s\n\nid: 9\nevent: half", after+1, log[after].Body.Type(), data)
	}))
	defer server.Close()
	seen := ""
	for e, err := range newRemote(server.URL, "x").Follow(t.Context(), "t") {
		if err != nil {
			t.Fatal(err)
		}
		seen += fmt.Sprintf("%d %s, ", e.Seq, e.Body.Type())
	}
	if want := "1 turn.started, 2 text.delta, 3 text.delta, 4 turn.closed, "; seen != want {
		t.Errorf("got %s", seen)
	}
}

func TestFollowGivesUpWhenRefused(t *testing.T) {
	requests := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests++
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"code":"not_found","detail":"There is no such record."}`)
	}))
	defer server.Close()
	for _, err := range newRemote(server.URL, "x").Follow(t.Context(), "t") {
		if err == nil || friendly(err) != "There is no such record." {
			t.Errorf("got %v", err)
		}
	}
	if requests != 1 {
		t.Errorf("it was asked %d times", requests)
	}
}

func TestAnswerTellsWhatChanged(t *testing.T) {
	for _, c := range []struct {
		about  string
		bodies []chat.Body
		want   string
	}{
		{"a citation was withdrawn", []chat.Body{
			chat.TextDelta{Delta: "Ana moved. [1]"}, chat.TextDelta{Delta: " Pigs fly. [2]"},
			chat.TextFinished{Text: "Ana moved.[1] Pigs fly.", Citations: []chat.Citation{{N: 1, Title: "Call", Speaker: "Ana", Quote: "I moved\nhouse."}}},
		}, "Ana moved. [1] Pigs fly. [2]\n\nSources\n[1] Call, Ana\n    “I moved house.”\n[2] was withdrawn: no source carries that sentence.\n"},
		{"a step was retracted", []chat.Body{
			chat.TextDelta{Delta: "Wrong"}, chat.StepRetracted{FromSeq: 1}, chat.TextDelta{Delta: "Right."}, chat.TextFinished{Text: "Right."},
		}, "Wrong\nRight.\n"},
		{"another text was stored", []chat.Body{
			chat.TextDelta{Delta: "One"}, chat.TextFinished{Text: "Two"},
		}, "One\n\nThe whole answer:\n\nTwo\n"},
		{"control characters", []chat.Body{chat.TextDelta{Delta: "a\x1b[31mb\u009bc\n"}, chat.TextFinished{Text: "a\x1b[31mb\u009bc"}}, "a[31mbc\n"},
	} {
		var out strings.Builder
		a := answer{out: &out, zone: time.UTC}
		for i, body := range c.bodies {
			a.show(chat.Event{Seq: int64(i + 1), Body: body})
		}
		if out.String() != c.want {
			t.Errorf("%s:\ngot  %q\nwant %q", c.about, out.String(), c.want)
		}
	}
}
