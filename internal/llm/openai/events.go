package openai

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// maxEvent limits one event of a stream, as the SDK does.
const maxEvent = 32 << 20

// errEventTooLong is the error of an event over maxEvent.
var errEventTooLong = errors.New("an event of the stream is over 32 MiB")

// eventReader reads the data of server-sent events into one buffer. The SDK's
// makes two new ones for every event, which was an eighth of all processor time
// with 2,000 streams.
type eventReader struct {
	lines *bufio.Reader
	data  []byte
}

func newEventReader(r io.Reader) *eventReader { return &eventReader{lines: bufio.NewReader(r)} }

// next returns the data of the next event that has any, valid until the next
// call; io.EOF is the end. An event without its blank line is cut off.
func (e *eventReader) next() ([]byte, error) {
	e.data = e.data[:0]
	continued := false // the line began in an earlier piece
	isData := false
	for {
		piece, err := e.lines.ReadSlice('\n')
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return nil, err
		}
		ended := err == nil
		if !continued {
			line := bytes.TrimRight(piece, "\r\n")
			if ended && len(line) == 0 {
				if len(e.data) > 0 {
					return e.data, nil
				}
				continue
			}
			piece, isData = bytes.CutPrefix(piece, []byte("data:"))
			if isData {
				if len(e.data) > 0 {
					e.data = append(e.data, '\n')
				}
				piece = bytes.TrimPrefix(piece, []byte(" "))
			}
		}
		if isData {
			e.data = append(e.data, piece...)
			if ended {
				e.data = bytes.TrimRight(e.data, "\r\n")
			}
			if len(e.data) > maxEvent {
				return nil, errEventTooLong
			}
		}
		continued = !ended
	}
}
