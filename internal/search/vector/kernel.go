package vector

import "encoding/binary"

// kernel is one way of scanning: dots sets out[i] to the dot product of the
// query's bytes and row i, for rows as long as the query. All bytes are below
// 128, and the length is a multiple of padding.
type kernel struct {
	name string
	dots func(out []int32, rows []byte, q *query)
}

// scan is chosen once, when the program starts.
var scan = plainKernel

var plainKernel = kernel{"plain", plainDots}

// query is a coded query, made ready once for all rows.
type query struct {
	code
	// spread is for plainDots: of each eight bytes the even and the odd four, as
	// digits of 16 bits in reverse order.
	spread [][2]uint64
}

// digits selects the even bytes of a word.
const digits = 0x00ff00ff00ff00ff

func newQuery(c code) *query {
	q := &query{code: c, spread: make([][2]uint64, len(c.bytes)/8)}
	for i := range q.spread {
		word := binary.LittleEndian.Uint64(c.bytes[8*i:])
		q.spread[i] = [2]uint64{reversed(word & digits), reversed(word >> 8 & digits)}
	}
	return q
}

// plainDots multiplies four bytes by four in one 64-bit multiplication. As digits
// of base B = 2¹⁶, a = a₀ + a₁B + a₂B² + a₃B³ and the query's four in reverse,
// q = q₃ + q₂B + q₁B² + q₀B³, have a product whose B³ digit is
// a₀q₀ + a₁q₁ + a₂q₂ + a₃q₃. No lower digit carries, since none exceeds
// 4 × 127²; what lies above B³ falls off the word.
func plainDots(out []int32, rows []byte, q *query) {
	stride := len(q.bytes)
	for i := range out {
		row := rows[i*stride:][:stride]
		spread := q.spread
		var sum uint64
		for len(row) >= 32 && len(spread) >= 4 {
			sum += eight(row[0:8], &spread[0]) + eight(row[8:16], &spread[1]) +
				eight(row[16:24], &spread[2]) + eight(row[24:32], &spread[3])
			row, spread = row[32:], spread[4:]
		}
		out[i] = int32(sum)
	}
}

// eight is the dot product of eight bytes with eight of the query.
func eight(row []byte, spread *[2]uint64) uint64 {
	word := binary.LittleEndian.Uint64(row)
	return word&digits*spread[0]>>48 + word>>8&digits*spread[1]>>48
}

// reversed turns the order of a word's four 16-bit digits.
func reversed(word uint64) uint64 {
	return word<<48 | word<<16&0x0000ffff00000000 | word>>16&0x00000000ffff0000 | word>>48
}
