package pdf

import (
	"slices"
	"strings"
)

// cell is a part of a line with wide gaps around it.
type cell struct {
	text  string
	words int
	box
}

// cells takes a line apart at its wide gaps.
func (l line) cells() []cell {
	var cells []cell
	wide := max(1.1*l.size, 2.5*l.usualGap())
	for i, w := range l.words {
		if i > 0 && w.x0-l.words[i-1].x1 <= wide {
			c := &cells[len(cells)-1]
			c.text, c.words, c.box = c.text+" "+w.text, c.words+1, c.box.with(w.box)
			continue
		}
		cells = append(cells, cell{text: w.text, words: 1, box: w.box})
	}
	return cells
}

// usualGap is the width of a space of the line: a quarter of the gaps are narrower. A
// justified line has wide ones throughout.
func (l line) usualGap() float64 {
	var gaps []float64
	for i := 1; i < len(l.words); i++ {
		if d := l.words[i].x0 - l.words[i-1].x1; d > 0 {
			gaps = append(gaps, d)
		}
	}
	if len(gaps) < 4 {
		return 0.25 * l.size
	}
	slices.Sort(gaps)
	return gaps[len(gaps)/4]
}

// The least that makes a table: fewer rows, or running text in columns, stay lines.
const (
	fewestRows  = 3
	mostRows    = 150
	mostColumns = 20
	mostWords   = 7    // in a cell, on the average
	mostLines   = 2000 // of a page on which tables are looked for
)

// table makes Markdown of the lines that begin lines and form a table, and tells how
// many these are; 0 when there is none.
func table(lines []line) (string, int) {
	var rows [][]cell
	var taken []int // lines, up to each row's end
	for i, l := range lines {
		cells := l.cells()
		if l.rightToLeft || l.divided || slices.ContainsFunc(cells, leader) || len(rows) == mostRows || i > 0 && !l.nextRow(lines[i-1]) {
			break
		}
		if len(cells) == 1 {
			if len(rows) == 0 || !wraps(rows[len(rows)-1], cells[0]) {
				break
			}
			taken[len(rows)-1] = i + 1
			continue
		}
		rows, taken = append(rows, cells), append(taken, i+1)
	}
	// A line or two below can keep the rest from being one.
	for n := len(rows); n >= max(fewestRows, len(rows)-2); n-- {
		if grid := fit(rows[:n]); grid != nil {
			return markdownTable(grid), taken[n-1]
		}
	}
	return "", 0
}

// nextRow reports whether a line stands as near below another as a row does.
func (l line) nextRow(above line) bool {
	step := l.y1 - above.y1
	return step > 0 && step <= 3.5*max(l.size, above.size)
}

// wraps adds a line to the cell of a row that it goes on with; it is none of the first
// column, where it would be a row, or no part of the table at all.
func wraps(row []cell, c cell) bool {
	for k := 1; k < len(row); k++ {
		if above := &row[k]; c.x0 > row[k-1].x1 && c.x0 < above.x1 && c.x1 > above.x0 {
			above.text, above.words, above.box = above.text+" "+c.text, above.words+c.words, above.box.with(c.box)
			return true
		}
	}
	return false
}

// leader tells that a cell is a row of dots between a title and its page number.
func leader(c cell) bool { return strings.Contains(strings.ReplaceAll(c.text, " ", ""), "....") }

// fit puts cells into columns, nil when they do not stand below one another.
func fit(rows [][]cell) [][]string {
	var columns []box
	cells, words := 0, 0
	for _, row := range rows {
		for _, c := range row {
			cells, words = cells+1, words+c.words
			if columns = widen(columns, c.box); len(columns) > 2*mostColumns {
				return nil
			}
		}
	}
	if len(columns) < 2 || len(columns) > mostColumns || words > mostWords*cells {
		return nil
	}
	grid := make([][]string, len(rows))
	filled := make([]int, len(columns))
	for i, row := range rows {
		grid[i] = make([]string, len(columns))
		for _, c := range row {
			k := slices.IndexFunc(columns, func(b box) bool { return c.x0 >= b.x0 && c.x1 <= b.x1 })
			if k < 0 || grid[i][k] != "" {
				return nil
			}
			grid[i][k] = c.text
			filled[k]++
		}
	}
	for _, n := range filled {
		if n < 2 || 2*n < len(rows) {
			return nil
		}
	}
	return grid
}

// widen adds a cell to the column that it overlaps, and joins columns that it connects.
func widen(columns []box, c box) []box {
	var apart []box
	for _, b := range columns {
		if c.x0 < b.x1 && b.x0 < c.x1 {
			c = c.with(b)
			continue
		}
		apart = append(apart, b)
	}
	apart = append(apart, c)
	slices.SortFunc(apart, func(a, b box) int {
		if a.x0 < b.x0 {
			return -1
		}
		return 1
	})
	return apart
}

func markdownTable(grid [][]string) string {
	var b strings.Builder
	escape := strings.NewReplacer("|", `\|`)
	for i, row := range grid {
		for _, c := range row {
			b.WriteString("| " + escape.Replace(c) + " ")
		}
		b.WriteString("|\n")
		if i == 0 {
			b.WriteString(strings.Repeat("| --- ", len(row)) + "|\n")
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}
