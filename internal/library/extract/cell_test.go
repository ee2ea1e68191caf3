package extract

import (
	"strings"
	"testing"
)

func TestCell(t *testing.T) {
	var c Cell
	if c.String() != "" {
		t.Errorf("an empty cell holds %q", c.String())
	}
	c.Put("ebb")
	c.Put("flood")
	if c.String() != "ebb\nflood" {
		t.Errorf("%q", c.String())
	}
	for range 3 {
		c.Put(strings.Repeat("x", MostKept-100))
	}
	// The line break before the text that is cut is not counted.
	if n := len(c.String()); n < MostKept || n > MostKept+1 {
		t.Errorf("%d bytes are kept of three times %d", n, MostKept-100)
	}
}
