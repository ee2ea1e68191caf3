package vector

import (
	"bytes"
	"testing"
)

func TestBlobIsLittleEndianFloat32(t *testing.T) {
	if got, want := EncodeBlob([]float32{1, -2}), []byte{0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0}; !bytes.Equal(got, want) {
		t.Errorf("% x, want % x", got, want)
	}
}

func FuzzBlob(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{1, 2, 3})
	f.Add(EncodeBlob([]float32{0, 1, -1, 1e-40, 3e38}))
	f.Fuzz(func(t *testing.T, blob []byte) {
		v, err := DecodeBlob(blob)
		if (err != nil) != (len(blob)%4 != 0) {
			t.Fatalf("%d bytes: error %v", len(blob), err)
		}
		if err == nil && !bytes.Equal(EncodeBlob(v), blob) {
			t.Fatalf("% x does not come back", blob)
		}
	})
}
