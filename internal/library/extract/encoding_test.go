package extract_test

import (
	"io"
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/unicode"

	"confidant/internal/library/extract"
)

func TestTextsEndAsUTF8(t *testing.T) {
	german := "Grüße aus Köln, wo der Fluß über die Ufer tritt – „so ein Ärger“."
	russian := "Мы встретились вчера и говорили о том, что нужно сделать в следующем году. Это было не просто."
	nihon := strings.Repeat("日本語のテキストを読みます。吾輩は猫である。名前はまだ無い。", 5)
	for _, c := range []struct {
		name string
		in   encoding.Encoding
		text string
	}{
		{"UTF-8", encoding.Nop, german},
		{"UTF-8 with a mark", unicode.UTF8BOM, german},
		{"UTF-16 with a mark", unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), german},
		{"UTF-16 from the other end", unicode.UTF16(unicode.BigEndian, unicode.UseBOM), german},
		{"UTF-16 without a mark", unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), german},
		{"Windows-1252", charmap.Windows1252, german},
		{"Windows-1251", charmap.Windows1251, russian},
		{"KOI8-R", charmap.KOI8R, russian},
		{"Shift-JIS", japanese.ShiftJIS, nihon},
		{"EUC-JP", japanese.EUCJP, nihon},
	} {
		content, err := c.in.NewEncoder().String(c.text)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		r, err := extract.Text(strings.NewReader(content))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(r); err != nil || string(got) != c.text {
			t.Errorf("%s: %q, %v", c.name, got, err)
		}
	}
	sjis, _ := japanese.ShiftJIS.NewEncoder().String("猫")
	if got := extract.Decode([]byte(sjis), "shift_jis"); got != "猫" {
		t.Errorf("declared: %q", got)
	}
	if got := extract.Decode([]byte("größer"), "iso-8859-1"); got != "größer" {
		t.Errorf("declared wrongly: %q", got)
	}
	spoilt := german + german + "\xff"
	if got := extract.Decode([]byte(spoilt), ""); got != german+german+"\ufffd" {
		t.Errorf("with a spoilt byte: %q", got)
	}
}
