package uselite_test

import (
	"strings"
	"testing"
	"time"

	"confidant/internal/embed/uselite"
)

// BenchmarkEmbed times one text on one core, with each set of kernels that the
// build has:
//
//	GOEXPERIMENT=simd go test -run '^$' -bench Embed ./internal/embed/uselite
//
// plain/this is the time with the plain kernels ÷ the time with these, both taken
// in this run.
func BenchmarkEmbed(b *testing.B) {
	encoder := int8Encoder(b)
	for _, text := range []struct{ name, text string }{
		{"sentence", "The dentist moved my appointment to Thursday at four."},
		{"longest", strings.Repeat("the quick brown fox jumps over the lazy dog ", 20)},
	} {
		var plain time.Duration
		uselite.EachKernelSet(func(kernels string) {
			b.Run(text.name+"/"+kernels, func(b *testing.B) {
				for b.Loop() {
					embedOne(b, encoder, text.text)
				}
				took := b.Elapsed() / time.Duration(b.N)
				if plain == 0 {
					plain = took
				}
				b.ReportMetric(plain.Seconds()/took.Seconds(), "plain/this")
				b.ReportMetric(float64(len(encoder.Tokens(text.text))), "tokens")
			})
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
