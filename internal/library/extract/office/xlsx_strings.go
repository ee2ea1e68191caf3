package office

import (
	"context"
	"encoding/xml"
	"errors"
	"io/fs"
	"strings"

	"confidant/internal/library/extract"
)

const (
	// mostCell is how many bytes of one cell are kept. Excel allows 32,767 characters.
	mostCell = 128 << 10
	// mostShared is how many bytes of the texts of all cells are kept, and
	// mostSharedCount how many texts.
	mostShared      = 48 << 20
	mostSharedCount = 2_000_000
)

// errCut ends the reading of what is not kept.
var errCut = errors.New("the rest is not kept")

// sharedStrings are the texts that cells refer to by their number, one behind the other.
type sharedStrings struct {
	all  []byte
	ends []uint32
}

// at is a text by its number. One that was not kept is a sign for that.
func (s *sharedStrings) at(n int) string {
	if n < 0 || n >= len(s.ends) {
		return "…"
	}
	from := uint32(0)
	if n > 0 {
		from = s.ends[n-1]
	}
	return string(s.all[from:s.ends[n]])
}

// sharedStrings reads the texts that the cells of all sheets share.
func (d *xlsx) sharedStrings(ctx context.Context) (sharedStrings, error) {
	var s sharedStrings
	if d.strings == "" {
		return s, nil
	}
	err := d.each(ctx, d.strings, func(x *extract.XML, e xml.StartElement) error {
		if e.Name.Local != "si" {
			return nil
		}
		if len(s.all) > mostShared || len(s.ends) >= mostSharedCount {
			return errCut
		}
		var text strings.Builder
		err := x.Children(func(e xml.StartElement) error {
			switch e.Name.Local {
			case "rPh", "phoneticPr", "rPr":
				return x.Skip()
			case "t":
				piece, err := x.Text(mostCell - text.Len())
				text.WriteString(piece)
				return err
			}
			return nil
		})
		s.all = append(s.all, text.String()...)
		s.ends = append(s.ends, uint32(len(s.all)))
		return err
	})
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errCut) {
		err = nil
	}
	return s, err
}
