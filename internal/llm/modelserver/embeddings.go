package modelserver

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"hash/fnv"
	"io"
	"math"
	"net/http"
	"strings"
)

// Dimensions is the width of an embedding unless the request names another.
const Dimensions = 64

// models answers GET /v1/models.
func models(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]any{"object": "list", "data": []any{
		map[string]any{"id": "scripted", "object": "model", "created": 0, "owned_by": "confidant"},
		map[string]any{"id": "scripted-embedding", "object": "model", "created": 0, "owned_by": "confidant"},
	}})
}

// embeddings answers POST /v1/embeddings.
func embeddings(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Model      string          `json:"model"`
		Input      json.RawMessage `json:"input"`
		Dimensions int             `json:"dimensions"`
		Encoding   string          `json:"encoding_format"`
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err == nil {
		err = json.Unmarshal(body, &in)
	}
	var texts []string
	if err == nil && json.Unmarshal(in.Input, &texts) != nil {
		var text string
		err = json.Unmarshal(in.Input, &text)
		texts = []string{text}
	}
	if err != nil || in.Dimensions < 0 || in.Dimensions > 4096 {
		writeError(w, Fault{Status: http.StatusBadRequest, Code: "invalid_request_error", Message: "input must be a text or a list of texts, dimensions at most 4096"})
		return
	}
	if in.Dimensions == 0 {
		in.Dimensions = Dimensions
	}
	data, tokens := []any{}, 0
	for i, text := range texts {
		tokens += len(strings.Fields(text))
		var vector any = Embed(text, in.Dimensions)
		if in.Encoding == "base64" {
			vector = packed(Embed(text, in.Dimensions))
		}
		data = append(data, map[string]any{"object": "embedding", "index": i, "embedding": vector})
	}
	writeJSON(w, http.StatusOK, map[string]any{
		"object": "list", "model": in.Model, "data": data,
		"usage": map[string]any{"prompt_tokens": tokens, "total_tokens": tokens},
	})
}

// Embed is the embedding of a text: every word points in a direction of its
// own, so texts that share words are near each other. Its length is 1, or 0 for
// a text without words.
func Embed(text string, dimensions int) []float32 {
	vector := make([]float32, dimensions)
	for _, word := range strings.Fields(strings.ToLower(text)) {
		h := fnv.New64a()
		_, _ = h.Write([]byte(strings.Trim(word, ".,;:!?\"'()")))
		for bits := h.Sum64(); bits != 0; bits >>= 16 {
			sign := float32(1)
			if bits&1 == 0 {
				sign = -1
			}
			vector[int(bits>>1&0x7fff)%dimensions] += sign
		}
	}
	var norm float64
	for _, x := range vector {
		norm += float64(x) * float64(x)
	}
	if norm > 0 {
		scale := float32(1 / math.Sqrt(norm))
		for i := range vector {
			vector[i] *= scale
		}
	}
	return vector
}

// packed is a vector as little-endian floats in base64.
func packed(vector []float32) string {
	raw := make([]byte, 0, 4*len(vector))
	for _, x := range vector {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(x))
	}
	return base64.StdEncoding.EncodeToString(raw)
}
