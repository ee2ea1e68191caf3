package uselite_test

import (
	"strings"
	"testing"
)

// BenchmarkEmbed times one text on one core:
//
//	go test -bench Embed ./internal/embed/uselite
//	GOEXPERIMENT=simd go test -bench Embed ./internal/embed/uselite
//
// ns/token is what to compare between machines and builds.
func BenchmarkEmbed(b *testing.B) {
	encoder := int8Encoder(b)
	for name, text := range map[string]string{
		"sentence": "The dentist moved my appointment to Thursday at four.",
		"longest":  strings.Repeat("the quick brown fox jumps over the lazy dog ", 20),
	} {
		b.Run(name, func(b *testing.B) {
			tokens := len(encoder.Tokens(text))
			for b.Loop() {
				embedOne(b, encoder, text)
			}
			perText := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
			b.ReportMetric(float64(tokens), "tokens")
			b.ReportMetric(perText/float64(tokens), "ns/token")
		})
	}
}

func BenchmarkTokens(b *testing.B) {
	encoder := int8Encoder(b)
	text := strings.Repeat("The dentist moved my appointment to Thursday at four. ", 10)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		encoder.Tokens(text)
	}
}
