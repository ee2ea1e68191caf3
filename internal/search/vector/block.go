package vector

// blockRows is how many vectors one block holds: 2 MB of codes at 512
// dimensions. A block is also the unit in which a search is shared out.
const blockRows = 4096

// block is a table of up to blockRows vectors, kept by column so that a scan
// reads only what it needs. It grows by need: most people have few vectors.
type block struct {
	stride int
	codes  []byte // len(ids) × stride
	ids    []int64
	at     []int64 // Unix milliseconds
	kinds  []uint8
	scales []float32 // of each row's codes
	sums   []int32   // of each row's codes
}

// entry is one row of a block.
type entry struct {
	id   int64
	at   int64
	kind uint8
	code code
}

func (b *block) len() int { return len(b.ids) }

func (b *block) append(e entry) {
	b.codes = append(b.codes, e.code.bytes...)
	b.ids = append(b.ids, e.id)
	b.at = append(b.at, e.at)
	b.kinds = append(b.kinds, e.kind)
	b.scales = append(b.scales, e.code.scale)
	b.sums = append(b.sums, e.code.sum)
}

func (b *block) set(row int, e entry) {
	copy(b.row(row), e.code.bytes)
	b.ids[row], b.at[row], b.kinds[row] = e.id, e.at, e.kind
	b.scales[row], b.sums[row] = e.code.scale, e.code.sum
}

// entry returns a row; its code shares the block's memory.
func (b *block) entry(row int) entry {
	return entry{b.ids[row], b.at[row], b.kinds[row], code{b.row(row), b.scales[row], b.sums[row]}}
}

func (b *block) row(row int) []byte { return b.codes[row*b.stride:][:b.stride] }

// drop overwrites the last row with zeros and takes it off.
func (b *block) drop() {
	last := b.len() - 1
	clear(b.row(last))
	b.set(last, entry{})
	b.codes = b.codes[:last*b.stride]
	b.ids, b.at, b.kinds = b.ids[:last], b.at[:last], b.kinds[:last]
	b.scales, b.sums = b.scales[:last], b.sums[:last]
}

func (b *block) bytes() int64 {
	return int64(cap(b.codes) + 8*cap(b.ids) + 8*cap(b.at) + cap(b.kinds) + 4*cap(b.scales) + 4*cap(b.sums))
}
