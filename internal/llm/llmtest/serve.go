package llmtest

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
)

// Event is one piece of a provider's stream, as it goes over the wire.
type Event struct {
	Bytes string
	// Delta marks the text deltas, between which a script's fault strikes.
	Delta bool
}

// Serve answers a request as the script says, with a provider's own events. The
// malformed event stands for one whose JSON is cut in half.
func Serve(w http.ResponseWriter, r *http.Request, s Script, events []Event, malformed string) {
	_, _ = io.Copy(io.Discard, r.Body) // the server notices a client that leaves only after the body
	if s.Status != 0 {
		if s.RetryAfter > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(int(s.RetryAfter.Seconds())))
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(s.Status)
		fmt.Fprintf(w, `{"error":{"code":%d,"message":"The key %s was refused."}}`, s.Status, string(Key))
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	flush := http.NewResponseController(w)
	deltas := 0
	for _, event := range events {
		if event.Delta {
			if s.Fault != "" && (deltas == 1 || s.Early) {
				strike(w, r, s.Fault, malformed)
				return
			}
			deltas++
		}
		if _, err := io.WriteString(w, event.Bytes); err != nil {
			return
		}
		if err := flush.Flush(); err != nil {
			return
		}
	}
}

// strike makes a stream fail.
func strike(w http.ResponseWriter, r *http.Request, fault Fault, malformed string) {
	_ = http.NewResponseController(w).Flush() // the answer has begun
	switch fault {
	case Stall:
		<-r.Context().Done()
	case Cut:
		panic(http.ErrAbortHandler)
	case Malformed:
		_, _ = io.WriteString(w, malformed) // the client may be gone
	}
}
