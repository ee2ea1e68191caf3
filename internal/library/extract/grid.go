package extract

import "slices"

const (
	// MostColumns is how many columns of a table are kept.
	MostColumns = 500
	// mostGridCells is how many cells of one sheet are kept, as long as their text is
	// not more than is kept of a page.
	mostGridCells = 200_000
)

// Grid is what is kept of the sheet of a workbook: the cells that have something in
// them, wherever they stand.
type Grid struct {
	most int // bytes

	rows    [][]gridCell
	row     []gridCell
	cells   int
	size    int // of all cells, in bytes
	columns map[int]bool
	cut     bool
}

type gridCell struct {
	column int // from 0
	text   string
}

// NewGrid returns an empty grid that keeps as much as goes on a page.
func NewGrid(l Limits) *Grid { return &Grid{most: l.PageBytes, columns: map[int]bool{}} }

// Cell puts a text into a column of the row, unless the grid is full.
func (g *Grid) Cell(column int, text string) {
	if text == "" || g.cut {
		return
	}
	g.row = append(g.row, gridCell{column, text})
	g.columns[column] = true
	g.cells++
	g.size += len(text) + len("|  ")
	g.cut = g.cells >= mostGridCells || g.size > g.most
}

// EndRow ends the row. One without a cell is left out.
func (g *Grid) EndRow() {
	if len(g.row) > 0 {
		g.rows = append(g.rows, g.row)
		g.row = nil
	}
}

// Full reports whether nothing more is kept.
func (g *Grid) Full() bool { return g.cut }

// Write puts the grid on its page as a table, without the columns in which there is
// nothing.
func (g *Grid) Write(p *Pager) error {
	columns := make([]int, 0, len(g.columns))
	for c := range g.columns {
		columns = append(columns, c)
	}
	slices.Sort(columns)
	if len(columns) > MostColumns {
		columns, g.cut = columns[:MostColumns], true
	}
	cells := make([]string, len(columns))
	for _, row := range g.rows {
		clear(cells)
		for _, c := range row {
			if i, ok := slices.BinarySearch(columns, c.column); ok {
				cells[i] = c.text
			}
		}
		if err := p.Row(cells); err != nil {
			return err
		}
		if p.Full() {
			break
		}
	}
	if g.cut {
		p.Note(NoteCut)
	}
	return nil
}
