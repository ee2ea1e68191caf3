package picture

import (
	"bytes"
	"encoding/binary"
	"io"
)

// isTIFF reports whether a file begins as TIFF does (TIFF 6.0 section 2).
func isTIFF(content []byte) bool {
	return bytes.HasPrefix(content, []byte("II*\x00")) || bytes.HasPrefix(content, []byte("MM\x00*"))
}

// tiffPages are the pictures of a TIFF, such as the pages of a scan. The decoder reads
// the first one only, so each has a header of its own in front of the same bytes.
func tiffPages(content []byte, most int) []io.ReaderAt {
	order := binary.ByteOrder(binary.LittleEndian)
	if content[0] == 'M' {
		order = binary.BigEndian
	}
	var pages []io.ReaderAt
	seen := map[uint32]bool{}
	at := uint32(4) // where the offset of the next directory stands
	for uint64(at)+4 <= uint64(len(content)) && len(pages) < most {
		directory := order.Uint32(content[at:])
		if directory == 0 || seen[directory] || uint64(directory)+2 > uint64(len(content)) {
			break
		}
		seen[directory] = true
		header := append([]byte(nil), content[:8]...)
		order.PutUint32(header[4:], directory)
		pages = append(pages, headed{header, bytes.NewReader(content)})
		entries := order.Uint16(content[directory:])
		next := uint64(directory) + 2 + 12*uint64(entries)
		if next > uint64(len(content)) {
			break
		}
		at = uint32(next)
	}
	if len(pages) == 0 {
		pages = []io.ReaderAt{bytes.NewReader(content)}
	}
	return pages
}

// headed is a file with another header.
type headed struct {
	header []byte
	file   io.ReaderAt
}

func (h headed) ReadAt(b []byte, at int64) (int, error) {
	n, err := h.file.ReadAt(b, at)
	if at < int64(len(h.header)) {
		copy(b[:n], h.header[at:])
	}
	return n, err
}
