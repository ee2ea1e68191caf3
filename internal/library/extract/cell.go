package extract

import "strings"

// MostKept is how many bytes of one paragraph are held before they go on their page,
// and how many of one Cell are kept at all.
const MostKept = 64 << 10

// Cell is text that is read as a whole before it goes on its page: what is in the
// cell of a table, in a text box or in a note. Its zero value is empty.
type Cell struct{ text strings.Builder }

// Put adds a text as a line of its own. What is beyond MostKept bytes is left out.
func (c *Cell) Put(text string) {
	rest := MostKept - c.text.Len()
	if rest <= 0 {
		return
	}
	if c.text.Len() > 0 {
		c.text.WriteByte('\n')
	}
	c.text.WriteString(strings.ToValidUTF8(text[:min(len(text), rest)], "")) // no half character at the cut
}

// String returns what has been put in so far.
func (c *Cell) String() string { return c.text.String() }
