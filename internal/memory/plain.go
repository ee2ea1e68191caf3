package memory

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"confidant/internal/chat"
)

// plain returns the text of a file: UTF-8, or UTF-16 that says so with a byte
// order mark, with lines that end in "\n". It fails with CodeUnsupported, and
// says where, when the content is no text.
func plain(content []byte) (string, error) {
	text, err := decode(content)
	if err != nil {
		return "", err
	}
	if at := strings.IndexByte(text, 0); at >= 0 {
		return "", chat.Fail(chat.CodeUnsupported, fmt.Sprintf("The file is binary, not text: it has a NUL character at position %d.", at))
	}
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n"), nil
}

func decode(content []byte) (string, error) {
	switch {
	case bytes.HasPrefix(content, []byte{0xff, 0xfe}):
		return decode16(content[2:], binary.LittleEndian)
	case bytes.HasPrefix(content, []byte{0xfe, 0xff}):
		return decode16(content[2:], binary.BigEndian)
	}
	content = bytes.TrimPrefix(content, []byte("\xef\xbb\xbf"))
	if at := invalid(content); at >= 0 {
		return "", chat.Fail(chat.CodeUnsupported, fmt.Sprintf("The file is binary, or its text is not UTF-8: see the byte at position %d.", at))
	}
	return string(content), nil
}

// invalid returns where the first byte is that is not UTF-8, -1 for nowhere.
func invalid(content []byte) int {
	if utf8.Valid(content) {
		return -1
	}
	for at := 0; at < len(content); {
		r, size := utf8.DecodeRune(content[at:])
		if r == utf8.RuneError && size == 1 {
			return at
		}
		at += size
	}
	return -1
}

func decode16(content []byte, order binary.ByteOrder) (string, error) {
	if len(content)%2 != 0 {
		return "", chat.Fail(chat.CodeUnsupported, "The file begins like UTF-16 text and has an odd number of bytes.")
	}
	units := make([]uint16, len(content)/2)
	for i := range units {
		units[i] = order.Uint16(content[2*i:])
	}
	return string(utf16.Decode(units)), nil
}
