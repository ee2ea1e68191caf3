package modelserver

import (
	"context"
	"net/http"
	"strconv"
	"time"
)

// dialect appends the events of one API's stream to dst.
type dialect interface {
	begin(dst []byte) []byte
	reasoning(dst []byte, part string) []byte
	text(dst []byte, delta []byte) []byte
	call(dst []byte, call Call) []byte
	end(dst []byte, step Step) []byte
}

// play streams a step. It runs in the request's goroutine and reuses one buffer,
// so that thousands of slow streams cost little.
func play(w http.ResponseWriter, r *http.Request, req *Request, step Step, d dialect) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	p := player{w: w, flush: http.NewResponseController(w), ctx: r.Context(), req: req, every: step.Every, start: time.Now()}
	defer p.close()
	if step.Fault != nil {
		fault := *step.Fault
		fault.After = min(fault.After, len(step.Reasoning)+len(step.Text)+step.Numbered+len(step.Calls))
		p.fault = &fault
	}
	p.buf = d.begin(p.buf)
	for _, part := range step.Reasoning {
		if !p.beat() {
			return
		}
		p.buf = d.reasoning(p.buf, part)
	}
	for _, delta := range step.Text {
		if !p.beat() {
			return
		}
		p.buf = d.text(p.buf, []byte(delta))
	}
	for i := range step.Numbered {
		if !p.beat() {
			return
		}
		p.stamp = strconv.AppendInt(p.stamp[:0], int64(i), 10)
		p.stamp = append(p.stamp, ':')
		p.stamp = strconv.AppendInt(p.stamp, time.Now().UnixNano(), 10)
		p.buf = d.text(p.buf, append(p.stamp, ' '))
	}
	for i, call := range step.Calls {
		if !p.beat() {
			return
		}
		if call.ID == "" && !step.Bare {
			call.ID = itemID("call", req, i)
		}
		p.buf = d.call(p.buf, call)
	}
	if p.beat() {
		p.buf = d.end(p.buf, step)
		p.send()
	}
}

// player keeps the time of one stream.
type player struct {
	w     http.ResponseWriter
	flush *http.ResponseController
	ctx   context.Context
	req   *Request
	every time.Duration
	fault *Fault
	start time.Time
	timer *time.Timer
	beats int
	buf   []byte
	stamp []byte
}

// beat sends what is waiting and pauses until the next delta is due. It reports
// false when the stream is over, because of a fault or because the client left.
func (p *player) beat() bool {
	if !p.send() {
		return false
	}
	if p.fault != nil && p.fault.After == p.beats && !p.fail(p.fault) {
		return false
	}
	p.beats++
	return p.every == 0 || p.beats == 1 || p.pause(time.Until(p.start.Add(time.Duration(p.beats-1)*p.every)))
}

// send writes the buffer out and reports whether the client is still there.
func (p *player) send() bool {
	_, err := p.w.Write(p.buf)
	p.buf = p.buf[:0]
	return err == nil && p.flush.Flush() == nil
}

// pause waits and reports whether the client is still there.
func (p *player) pause(d time.Duration) bool {
	if d <= 0 {
		return p.ctx.Err() == nil
	}
	if p.timer == nil {
		p.timer = time.NewTimer(d)
	} else {
		p.timer.Reset(d)
	}
	select {
	case <-p.timer.C:
		return true
	case <-p.ctx.Done():
		return false
	}
}

// fail makes the stream go wrong and reports whether it goes on all the same.
func (p *player) fail(f *Fault) bool {
	switch f.Kind {
	case FaultStall:
		<-p.ctx.Done()
		return false
	case FaultCut:
		panic(http.ErrAbortHandler)
	case FaultMalformed:
		p.buf = append(p.buf, "data: {\"type\":\"response.output_text.delta\",\"choices\":[{\"del\n\n"...)
		return true
	case FaultError:
		p.buf = appendFailure(p.buf, p.req, f)
		p.send()
		return false
	}
	return false
}

func (p *player) close() {
	if p.timer != nil {
		p.timer.Stop()
	}
}
