package memory

import (
	"bytes"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"confidant/internal/chat"
)

// Read understands the content of a file by its name.
func Read(name string, content []byte) ([]Draft, error) {
	content = bytes.TrimPrefix(content, []byte("\xef\xbb\xbf"))
	if bytes.IndexByte(content, 0) >= 0 || !utf8.Valid(content) {
		return nil, chat.Fail(chat.CodeUnsupported, "The file is binary, or its text is not UTF-8.")
	}
	title := strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))
	switch strings.ToLower(filepath.Ext(name)) {
	case ".txt", ".md":
		var segments []chat.Segment
		for _, p := range strings.Split(strings.ReplaceAll(string(content), "\r\n", "\n"), "\n\n") {
			if p = strings.TrimSpace(p); p != "" {
				segments = append(segments, chat.Segment{Text: p, Start: -1, End: -1})
			}
		}
		if len(segments) == 0 {
			return nil, chat.Fail(chat.CodeInvalid, "The file is empty.")
		}
		return []Draft{{Title: title, Source: "note", Segments: segments}}, nil
	}
	return nil, chat.Fail(chat.CodeUnsupported, "Files of this kind cannot be imported. Known kinds: .txt, .md.")
}
