package extract

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/gogs/chardet"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// sampleSize is how many bytes are looked at to guess an encoding.
const sampleSize = 64 << 10

// Text reads a text whose encoding is not declared as UTF-8: by the mark of the
// byte order, or as UTF-8 if it is, or else in the encoding that its bytes are most
// likely in, Windows-1252 in doubt.
func Text(file io.ReadSeeker) (io.Reader, error) {
	e, err := guess(file)
	if err != nil {
		return nil, fmt.Errorf("read the text: %w", err)
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return nil, fmt.Errorf("read the text: %w", err)
	}
	return transform.NewReader(file, unicode.BOMOverride(e.NewDecoder())), nil
}

// Decode is Text for what is in memory. Declared is the encoding that came with it,
// such as "shift_jis", and may be empty.
func Decode(content []byte, declared string) string {
	if !hasBOM(content) {
		// An escape is one between the alphabets of ISO-2022-JP, which is valid UTF-8 too.
		if e, _ := charset.Lookup(declared); e != nil && (!utf8.Valid(content) || bytes.IndexByte(content, 0x1b) >= 0) {
			if text, err := e.NewDecoder().Bytes(content); err == nil {
				return string(text)
			}
		}
	}
	r, err := Text(bytes.NewReader(content))
	if err != nil {
		return string(content)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return string(content)
	}
	return string(text)
}

func hasBOM(head []byte) bool {
	for _, mark := range []string{"\xef\xbb\xbf", "\xff\xfe", "\xfe\xff"} {
		if bytes.HasPrefix(head, []byte(mark)) {
			return true
		}
	}
	return false
}

func guess(file io.ReadSeeker) (encoding.Encoding, error) {
	sample := make([]byte, sampleSize)
	n, err := io.ReadFull(file, sample)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	sample = sample[:n]
	if hasBOM(sample) {
		return encoding.Nop, nil
	}
	if e := wide(sample); e != nil {
		return e, nil
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	if ok, err := mostlyUTF8(file); ok || err != nil {
		return unicode.UTF8, err
	}
	// Only the encodings whose bytes are unlike those of others are believed.
	if found, err := chardet.NewTextDetector().DetectBest(sample); err == nil && found.Confidence >= 60 {
		name := strings.ToLower(found.Charset)
		if e, _ := charset.Lookup(name); e != nil && !strings.HasPrefix(name, "iso-8859-1") && !strings.HasPrefix(name, "utf") {
			return e, nil
		}
	}
	return charmap.Windows1252, nil
}

// wide recognises UTF-16 without a mark: every second byte of Latin text is zero.
func wide(sample []byte) encoding.Encoding {
	var zeros [2]int
	for i, c := range sample {
		if c == 0 {
			zeros[i%2]++
		}
	}
	switch half := len(sample) / 2; {
	case zeros[1] > half*2/5 && zeros[0] < half/20+1:
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	case zeros[0] > half*2/5 && zeros[1] < half/20+1:
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	}
	return nil
}

// mostlyUTF8 reports whether a text is UTF-8, a few spoilt bytes excepted.
func mostlyUTF8(r io.Reader) (bool, error) {
	good, bad := 0, 0
	in := bufio.NewReaderSize(r, sampleSize)
	for {
		block, err := in.Peek(sampleSize)
		if len(block) == 0 {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return bad == 0 || good > 10*bad, err
		}
		last := err != nil // what follows is not there
		used := 0
		for used < len(block) {
			if block[used] < utf8.RuneSelf {
				used++
				continue
			}
			if !last && !utf8.FullRune(block[used:]) {
				break
			}
			c, size := utf8.DecodeRune(block[used:])
			if c == utf8.RuneError && size == 1 {
				bad++
			} else {
				good++
			}
			used += size
		}
		if _, err := in.Discard(used); err != nil {
			return false, err
		}
	}
}
