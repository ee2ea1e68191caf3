package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http/httputil"
	"strconv"
	"time"
)

// asker asks one side for numbered deltas: the model directly, or the server.
// It speaks HTTP by hand, because it shares the machine with what it measures.
type asker struct {
	addr    string
	request func(deltas int, every time.Duration) []byte
	// text begins a delta in the JSON of an event.
	text []byte
	// numbered says that events have an id that counts from 1.
	numbered bool
}

func (p *pair) direct() asker {
	return asker{addr: p.model.addr, text: []byte(`"content":"`), request: func(deltas int, every time.Duration) []byte {
		return post(p.model.addr, "/v1/chat/completions", "scripted", map[string]any{
			"model": "scripted", "stream": true, "messages": []any{map[string]string{"role": "user", "content": directive(deltas, every)}},
		})
	}}
}

func (p *pair) through() asker {
	return asker{addr: p.server.addr, text: []byte(`"delta":"`), numbered: true, request: func(deltas int, every time.Duration) []byte {
		return post(p.server.addr, "/api/turns", p.token, map[string]string{"message": directive(deltas, every)})
	}}
}

// directive is a question whose route is certain from its words, so that no other
// model is asked before the one that is measured.
func directive(deltas int, every time.Duration) string {
	return fmt.Sprintf("[[deltas:%d every:%s]] What was said yesterday?", deltas, every)
}

func post(host, path, token string, body any) []byte {
	data, err := json.Marshal(body)
	if err != nil {
		panic(err) // maps of strings
	}
	return fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nAccept: text/event-stream\r\n"+
		"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", path, host, token, len(data), data)
}

// answer is what one stream brought.
type answer struct {
	first  time.Duration   // from the request to the first delta
	delays []time.Duration // of each delta, from the moment the model said it
	last   time.Time
}

// connection is an open connection of an asker.
type connection struct {
	asker
	conn   net.Conn
	reader *bufio.Reader
}

func (a asker) connect(ctx context.Context) (*connection, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", a.addr)
	if err != nil {
		return nil, err
	}
	return &connection{asker: a, conn: conn, reader: bufio.NewReader(conn)}, nil
}

// ask sends the request and reads the answer to its end. It fails when a delta
// or an event is missing, doubled or out of order.
func (c *connection) ask(deltas int, every time.Duration) (answer, error) {
	got := answer{delays: make([]time.Duration, 0, deltas)}
	start := time.Now()
	if err := c.conn.SetDeadline(start.Add(time.Duration(deltas)*every + time.Minute)); err != nil {
		return got, err
	}
	if _, err := c.conn.Write(c.request(deltas, every)); err != nil {
		return got, err
	}
	if err := c.head(); err != nil {
		return got, err
	}
	lines := bufio.NewReaderSize(httputil.NewChunkedReader(c.reader), 8<<10)
	seq := 0
	for {
		line, err := lines.ReadSlice('\n')
		if err != nil {
			break // the end; what is missing shows in the count
		}
		if c.numbered && bytes.HasPrefix(line, []byte("id: ")) {
			if seq++; string(line[4:len(line)-1]) != strconv.Itoa(seq) {
				return got, fmt.Errorf("event %d has the number %q", seq, line)
			}
		}
		said, ok := c.delta(line)
		if !ok {
			continue
		}
		got.last = time.Now()
		if len(got.delays) == 0 {
			got.first = got.last.Sub(start)
		}
		number, nanos, _ := bytes.Cut(said, []byte(":"))
		if n, err := strconv.Atoi(string(number)); err != nil || n != len(got.delays) {
			return got, fmt.Errorf("delta %d is %q", len(got.delays), said)
		}
		at, err := strconv.ParseInt(string(nanos), 10, 64)
		if err != nil {
			return got, err
		}
		got.delays = append(got.delays, got.last.Sub(time.Unix(0, at)))
	}
	if len(got.delays) != deltas {
		return got, fmt.Errorf("%d deltas came, want %d", len(got.delays), deltas)
	}
	// The chunked reader stops before the blank line that ends the body.
	_, err := c.reader.ReadSlice('\n')
	return got, err
}

// head reads the response's head.
func (c *connection) head() error {
	status, err := c.reader.ReadSlice('\n')
	if err != nil {
		return err
	}
	if !bytes.Contains(status, []byte(" 200 ")) {
		return fmt.Errorf("the answer is %q", status)
	}
	for {
		line, err := c.reader.ReadSlice('\n')
		if err != nil || len(line) <= 2 {
			return err
		}
	}
}

// delta is the text of a numbered delta, "NUMBER:NANOSECONDS".
func (c *connection) delta(line []byte) ([]byte, bool) {
	_, rest, found := bytes.Cut(line, c.text)
	if !found {
		return nil, false
	}
	said, _, found := bytes.Cut(rest, []byte(` "`))
	return said, found && bytes.IndexByte(said, ':') > 0
}
