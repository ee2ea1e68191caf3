package vector

import (
	"encoding/binary"
	"fmt"
	"math"
)

// EncodeBlob returns a vector as it is stored: float32, little endian.
func EncodeBlob(v []float32) []byte {
	blob := make([]byte, 0, 4*len(v))
	for _, x := range v {
		blob = binary.LittleEndian.AppendUint32(blob, math.Float32bits(x))
	}
	return blob
}

// DecodeBlob is the inverse of EncodeBlob. It refuses a blob that is not made of
// whole numbers of four bytes.
func DecodeBlob(blob []byte) ([]float32, error) {
	if len(blob)%4 != 0 {
		return nil, fmt.Errorf("decode vector: %d bytes are no whole number of float32", len(blob))
	}
	v := make([]float32, len(blob)/4)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(blob[4*i:]))
	}
	return v, nil
}
