package plain

import (
	"bufio"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"

	"confidant/internal/library/extract"
)

// mostRow is how many bytes one row of a table may have: a quotation that is never
// closed would be kept to the end of the file.
const mostRow = 8 << 20

// CSV reads tables of values, divided by commas, semicolons, tabs or bars, whichever
// there are most of in the first lines. Its first row is the header of the table, and
// is repeated on each page that a long table is divided into.
type CSV struct{ Limits extract.Limits }

var _ extract.Format = CSV{}

// Types implements extract.Format.
func (CSV) Types() []string { return []string{extract.TypeCSV, extract.TypeTSV} }

// Open implements extract.Format.
func (f CSV) Open(_ context.Context, s extract.Source) (extract.Document, error) {
	return open(s, f.Limits, writeCSV)
}

var errRow = errors.New("a row is too long")

func writeCSV(p *extract.Pager, text io.Reader) error {
	in := bufio.NewReaderSize(text, 16<<10)
	sample, err := in.Peek(8 << 10)
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read a table: %w", err)
	}
	guard := &rowGuard{r: in}
	rows := csv.NewReader(guard)
	rows.Comma = divider(sample)
	rows.FieldsPerRecord = -1
	rows.LazyQuotes = true
	rows.ReuseRecord = true
	for {
		guard.n = 0
		row, err := rows.Read()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, errRow):
			return extract.Broken(fmt.Sprintf("A row of the table is longer than %d MB, which is the limit.", mostRow>>20), err)
		case errors.Is(err, csv.ErrQuote), errors.Is(err, csv.ErrBareQuote):
			continue
		case err != nil:
			return fmt.Errorf("read a table: %w", err)
		}
		if err := p.Row(row[:min(len(row), extract.MostColumns)]); err != nil {
			return err
		}
	}
}

// divider is the character that divides the values of the first lines.
func divider(sample []byte) rune {
	counts := map[byte]int{}
	quoted := false
	for _, c := range sample {
		switch c {
		case '"':
			quoted = !quoted
		case ',', ';', '\t', '|':
			if !quoted {
				counts[c]++
			}
		}
	}
	best := byte(',')
	for _, c := range []byte{';', '\t', '|'} {
		if counts[c] > counts[best] {
			best = c
		}
	}
	return rune(best)
}

// rowGuard fails when one row takes too many bytes.
type rowGuard struct {
	r io.Reader
	n int
}

func (g *rowGuard) Read(b []byte) (int, error) {
	n, err := g.r.Read(b)
	if g.n += n; g.n > mostRow {
		return 0, errRow
	}
	return n, err
}
