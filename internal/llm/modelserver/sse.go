package modelserver

import (
	"encoding/json"
	"fmt"
	"strings"
)

// appendString appends s as a JSON string. Plain ASCII, which is nearly all
// that streams carry, is copied.
func appendString(dst []byte, s []byte) []byte {
	for _, c := range s {
		if c < ' ' || c > '~' || c == '"' || c == '\\' {
			quoted, _ := json.Marshal(string(s)) // a string always encodes
			return append(dst, quoted...)
		}
	}
	dst = append(dst, '"')
	dst = append(dst, s...)
	return append(dst, '"')
}

// appendEvent appends one server-sent event; an empty name leaves its line out.
func appendEvent(dst []byte, name string, data any) []byte {
	if name != "" {
		dst = fmt.Appendf(dst, "event: %s\n", name)
	}
	encoded, err := json.Marshal(data)
	if err != nil {
		panic(fmt.Sprintf("modelserver: encode %s: %v", name, err)) // only maps of plain values are encoded
	}
	dst = append(dst, "data: "...)
	dst = append(dst, encoded...)
	return append(dst, "\n\n"...)
}

// words splits a text into deltas that keep their spaces.
func words(text string) []string {
	deltas := strings.SplitAfter(text, " ")
	if deltas[len(deltas)-1] == "" {
		return deltas[:len(deltas)-1]
	}
	return deltas
}
