package uselite

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// A weights file is, all numbers little endian:
//
//	8 bytes   "USE-Lite"
//	uint32    version of the format, 1
//	uint32    precision: 1 float32, 2 int8
//	32 bytes  SHA-256 of all that follows
//	uint32    number of pieces, then for each: uint8 length, UTF-8, float64 score
//	tensors   in the order of Weights.Tensors
//
// A tensor is its float32 numbers, row by row. With precision int8 a scaled
// tensor is its float32 scales (one per row or per column), then its int8
// numbers, row by row; a number is its int8 times its scale.
const (
	fileMagic   = "USE-Lite"
	fileVersion = 1
)

// Precision is how a file holds the matrices.
type Precision uint32

const (
	Float32 Precision = 1
	Int8    Precision = 2
)

// String returns the precision as it stands in a model's name.
func (p Precision) String() string {
	if p == Int8 {
		return "int8"
	}
	return "f32"
}

// ErrCorrupt is wrapped by the error for a file that is cut, altered, of another
// version, or no weights file at all.
var ErrCorrupt = errors.New("the weights file is not usable")

func corrupt(format string, arguments ...any) error {
	return fmt.Errorf("%w: %w", ErrCorrupt, fmt.Errorf(format, arguments...))
}

type header struct {
	Magic     [8]byte
	Version   uint32
	Precision Precision
	Digest    [sha256.Size]byte
}

// Write writes the weights; equal weights give equal bytes.
func (w *Weights) Write(to io.Writer, precision Precision) error {
	var body bytes.Buffer
	if err := w.writeVocabulary(&body); err != nil {
		return err
	}
	for _, t := range w.Tensors() {
		if len(*t.Data) != t.Rows*t.Cols {
			return fmt.Errorf("tensor %s: %d numbers, want %d × %d", t.Name, len(*t.Data), t.Rows, t.Cols)
		}
		if precision == Int8 && t.Scaling != Unscaled {
			scales, numbers := quantise(t)
			putAll(&body, scales)
			putAll(&body, numbers)
		} else {
			putAll(&body, *t.Data)
		}
	}
	h := header{Version: fileVersion, Precision: precision, Digest: sha256.Sum256(body.Bytes())}
	copy(h.Magic[:], fileMagic)
	if err := binary.Write(to, binary.LittleEndian, h); err != nil {
		return err
	}
	_, err := body.WriteTo(to)
	return err
}

func (w *Weights) writeVocabulary(body *bytes.Buffer) error {
	if len(w.Vocabulary) != vocabulary {
		return fmt.Errorf("the vocabulary has %d pieces, want %d", len(w.Vocabulary), vocabulary)
	}
	putAll(body, uint32(len(w.Vocabulary)))
	for id, piece := range w.Vocabulary {
		if len(piece.Text) > math.MaxUint8 {
			return fmt.Errorf("piece %d is longer than %d bytes", id, math.MaxUint8)
		}
		body.WriteByte(uint8(len(piece.Text)))
		body.WriteString(piece.Text)
		putAll(body, piece.Score)
	}
	return nil
}

// putAll appends numbers of a fixed size, which cannot fail.
func putAll(body *bytes.Buffer, numbers any) {
	if err := binary.Write(body, binary.LittleEndian, numbers); err != nil {
		panic(err)
	}
}

// Read reads a weights file to its end. It reads and allocates no more than the
// one size that a file of its precision can have.
func Read(from io.Reader) (*Weights, Precision, error) {
	var h header
	buffered := bufio.NewReaderSize(from, 1<<16)
	if err := binary.Read(buffered, binary.LittleEndian, &h); err != nil {
		return nil, 0, corrupt("header: %w", cut(err))
	}
	switch {
	case string(h.Magic[:]) != fileMagic:
		return nil, 0, corrupt("it does not begin with %q", fileMagic)
	case h.Version != fileVersion:
		return nil, 0, corrupt("version %d, want %d", h.Version, fileVersion)
	case h.Precision != Float32 && h.Precision != Int8:
		return nil, 0, corrupt("unknown precision %d", h.Precision)
	}
	digest := sha256.New()
	w, err := readBody(io.TeeReader(buffered, digest), h.Precision)
	if err != nil {
		return nil, 0, corrupt("%w", cut(err))
	}
	if _, err := buffered.ReadByte(); err == nil {
		return nil, 0, corrupt("it goes on after the last tensor")
	} else if err != io.EOF {
		return nil, 0, corrupt("%w", err)
	}
	if !bytes.Equal(digest.Sum(nil), h.Digest[:]) {
		return nil, 0, corrupt("its SHA-256 does not match")
	}
	return w, h.Precision, nil
}

// cut turns the end of the file, wherever it is met, into ErrUnexpectedEOF.
func cut(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

func readBody(body io.Reader, precision Precision) (*Weights, error) {
	w := &Weights{}
	if err := w.readVocabulary(body); err != nil {
		return nil, fmt.Errorf("vocabulary: %w", cut(err))
	}
	for _, t := range w.Tensors() {
		if err := t.read(body, precision); err != nil {
			return nil, fmt.Errorf("tensor %s: %w", t.Name, cut(err))
		}
	}
	return w, nil
}

func (w *Weights) readVocabulary(body io.Reader) error {
	var count uint32
	if err := binary.Read(body, binary.LittleEndian, &count); err != nil {
		return err
	}
	if count != vocabulary {
		return fmt.Errorf("%d pieces, want %d", count, vocabulary)
	}
	w.Vocabulary = make([]Piece, count)
	var buffer [math.MaxUint8 + 8]byte
	for id := range w.Vocabulary {
		if _, err := io.ReadFull(body, buffer[:1]); err != nil {
			return err
		}
		length := int(buffer[0])
		if _, err := io.ReadFull(body, buffer[:length+8]); err != nil {
			return err
		}
		score := binary.LittleEndian.Uint64(buffer[length:])
		w.Vocabulary[id] = Piece{string(buffer[:length]), math.Float64frombits(score)}
	}
	return nil
}

// read fills the tensor with float32, whatever the file's precision.
func (t Tensor) read(body io.Reader, precision Precision) error {
	numbers := make([]float32, t.Rows*t.Cols)
	*t.Data = numbers
	if precision == Float32 || t.Scaling == Unscaled {
		return readFloats(body, numbers)
	}
	scales := make([]float32, t.scales())
	if err := readFloats(body, scales); err != nil {
		return err
	}
	row := make([]byte, t.Cols)
	for r := range t.Rows {
		if _, err := io.ReadFull(body, row); err != nil {
			return err
		}
		for c, b := range row {
			numbers[r*t.Cols+c] = float32(int8(b)) * scales[t.scaleOf(r, c)]
		}
	}
	return nil
}

func readFloats(body io.Reader, into []float32) error {
	var chunk [4096]byte
	for len(into) > 0 {
		n := min(len(into), len(chunk)/4)
		if _, err := io.ReadFull(body, chunk[:4*n]); err != nil {
			return err
		}
		for i := range n {
			into[i] = math.Float32frombits(binary.LittleEndian.Uint32(chunk[4*i:]))
		}
		into = into[n:]
	}
	return nil
}
