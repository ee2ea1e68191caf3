package pdf_test

import (
	"bytes"
	"crypto/md5"
	"crypto/rc4"
	"encoding/binary"
	"fmt"
	"strings"
	"unicode/utf16"
)

// The fonts of a built PDF.
const (
	sans = "F1" // Helvetica
	bold = "F2" // Helvetica-Bold
	wide = "F3" // any character of Unicode, one em wide
	slim = "F4" // the same, half an em wide
	mute = "F5" // as wide, but it does not say which characters it shows
)

// builder makes PDF files by hand. Its zero value has no pages.
type builder struct {
	info    string // the entries of the information dictionary
	catalog string // more entries of the catalog
	pages   []*pageBuilder
	more    []string // further objects; more[0] has the number firstMore
	user    string   // the password that opens the file, with owner
	owner   string   // "" for no encryption
	plain   bool     // only the first two fonts, which makes the file small
}

type pageBuilder struct {
	content bytes.Buffer
	entries string // of the page's dictionary
	width   float64
	height  float64
}

// The numbers of the objects that are always there.
const (
	catalogObject = 1 + iota
	pagesObject
	infoObject
	fontObjects // five, with what belongs to them
	imageObject = fontObjects + 20
	firstMore   = imageObject + 1
)

func (b *builder) page() *pageBuilder {
	p := &pageBuilder{width: 612, height: 792}
	b.pages = append(b.pages, p)
	return p
}

// text sets a line, its baseline beginning at x and y in points from the lower left corner.
func (p *pageBuilder) text(font string, size, x, y float64, s string) *pageBuilder {
	fmt.Fprintf(&p.content, "BT /%s %g Tf %g %g Td %s Tj ET\n", font, size, x, y, shown(font, s))
	return p
}

// lines sets lines below one another.
func (p *pageBuilder) lines(font string, size, x, y float64, lines ...string) *pageBuilder {
	for i, s := range lines {
		p.text(font, size, x, y-float64(i)*1.2*size, s)
	}
	return p
}

// row sets the cells of a table's row.
func (p *pageBuilder) row(font string, y float64, cells ...string) *pageBuilder {
	for i, s := range cells {
		p.text(font, 11, 72+float64(i)*120, y, s)
	}
	return p
}

// picture covers a part of the page with a grey picture.
func (p *pageBuilder) picture(x, y, width, height float64) *pageBuilder {
	fmt.Fprintf(&p.content, "q %g 0 0 %g %g %g cm /I Do Q\n", width, height, x, y)
	return p
}

func shown(font, s string) string {
	if font == sans || font == bold {
		return "(" + strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`).Replace(s) + ")"
	}
	var hex strings.Builder
	for _, u := range utf16.Encode([]rune(s)) {
		fmt.Fprintf(&hex, "%04X", u)
	}
	return "<" + hex.String() + ">"
}

func (b *builder) bytes() []byte {
	var out bytes.Buffer
	offsets := map[int]int{}
	out.WriteString("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
	key, encrypt := b.key()
	put := func(n int, body string) {
		offsets[n] = out.Len()
		fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", n, body)
	}
	stream := func(n int, entries string, content []byte) {
		if key != nil {
			content = cipherOf(key, n, content)
		}
		put(n, fmt.Sprintf("<< %s /Length %d >>\nstream\n%s\nendstream", entries, len(content), content))
	}
	first := firstMore + len(b.more)
	var kids strings.Builder
	for i, p := range b.pages {
		n := first + 2*i
		fmt.Fprintf(&kids, "%d 0 R ", n)
		put(n, fmt.Sprintf("<< /Type /Page /Parent %d 0 R /MediaBox [0 0 %g %g] /Contents %d 0 R %s >>", pagesObject, p.width, p.height, n+1, p.entries))
		stream(n+1, "", p.content.Bytes())
	}
	put(catalogObject, fmt.Sprintf("<< /Type /Catalog /Pages %d 0 R %s >>", pagesObject, b.catalog))
	put(pagesObject, fmt.Sprintf("<< /Type /Pages /Count %d /Kids [ %s] /Resources << /Font << %s >> /XObject << /I %d 0 R >> >> >>",
		len(b.pages), kids.String(), b.fonts(put, stream), imageObject))
	put(infoObject, "<< "+b.info+" >>")
	stream(imageObject, "/Type /XObject /Subtype /Image /Width 2 /Height 2 /ColorSpace /DeviceGray /BitsPerComponent 8", []byte{0, 90, 180, 255})
	for i, body := range b.more {
		put(firstMore+i, body)
	}
	size := first + 2*len(b.pages)
	table := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n", size)
	for n := 1; n < size; n++ {
		if at, ok := offsets[n]; ok {
			fmt.Fprintf(&out, "%010d 00000 n \n", at)
		} else {
			out.WriteString("0000000000 65535 f \n")
		}
	}
	fmt.Fprintf(&out, "trailer\n<< /Size %d /Root %d 0 R /Info %d 0 R %s >>\nstartxref\n%d\n%%%%EOF\n", size, catalogObject, infoObject, encrypt, table)
	return out.Bytes()
}

// fonts writes the fonts and returns their entries.
func (b *builder) fonts(put func(int, string), stream func(int, string, []byte)) string {
	n := fontObjects
	put(n, "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
	put(n+1, "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>")
	if b.plain {
		return fmt.Sprintf("/F1 %d 0 R /F2 %d 0 R", n, n+1)
	}
	toUnicode := n + 2
	stream(toUnicode, "", []byte("/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapType 2 def\n"+
		"1 begincodespacerange <0000> <FFFF> endcodespacerange\n"+everyRow()+"endcmap end end"))
	for i, width := range []int{1000, 500, 500} {
		at := n + 3 + 3*i
		meaning := fmt.Sprintf("/ToUnicode %d 0 R", toUnicode)
		if i == 2 {
			meaning = ""
		}
		put(at, fmt.Sprintf("<< /Type /Font /Subtype /Type0 /BaseFont /Any /Encoding /Identity-H %s /DescendantFonts [%d 0 R] >>", meaning, at+1))
		put(at+1, fmt.Sprintf("<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Any /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /DW %d /FontDescriptor %d 0 R >>", width, at+2))
		put(at+2, "<< /Type /FontDescriptor /FontName /Any /Flags 4 /FontBBox [0 -200 1000 800] /ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 >>")
	}
	return fmt.Sprintf("/F1 %d 0 R /F2 %d 0 R /F3 %d 0 R /F4 %d 0 R /F5 %d 0 R", n, n+1, n+3, n+6, n+9)
}

// everyRow maps each two-byte code to the character of that number, a row of 256 at a time.
func everyRow() string {
	var rows strings.Builder
	for start := 0; start < 256; start += 64 {
		rows.WriteString("64 beginbfrange\n")
		for row := start; row < start+64; row++ {
			fmt.Fprintf(&rows, "<%02X00> <%02XFF> <%02X00>\n", row, row, row)
		}
		rows.WriteString("endbfrange\n")
	}
	return rows.String()
}

// padding fills passwords up (ISO 32000-1, 7.6.3.3).
const padding = "\x28\xBF\x4E\x5E\x4E\x75\x8A\x41\x64\x00\x4E\x56\xFF\xFA\x01\x08\x2E\x2E\x00\xB6\xD0\x68\x3E\x80\x2F\x0C\xA9\xFE\x64\x53\x69\x7A"

// key is that of a file with passwords, nil without, and the trailer's entries.
func (b *builder) key() ([]byte, string) {
	if b.owner == "" {
		return nil, ""
	}
	const id = "0123456789abcdef"
	permissions := int32(-44)
	pad := func(s string) string { return (s + padding)[:32] }
	ownerKey := md5.Sum([]byte(pad(b.owner)))
	o := crypt(ownerKey[:5], []byte(pad(b.user)))
	all := append([]byte(pad(b.user)), o...)
	all = binary.LittleEndian.AppendUint32(all, uint32(permissions))
	sum := md5.Sum(append(all, id...))
	key := sum[:5]
	return key, fmt.Sprintf("/ID [<%x> <%x>] /Encrypt << /Filter /Standard /V 1 /R 2 /P %d /O <%x> /U <%x> >>",
		id, id, permissions, o, crypt(key, []byte(padding)))
}

// cipherOf encrypts the content of an object.
func cipherOf(key []byte, object int, content []byte) []byte {
	sum := md5.Sum(append(bytes.Clone(key), byte(object), byte(object>>8), byte(object>>16), 0, 0))
	return crypt(sum[:len(key)+5], content)
}

func crypt(key, content []byte) []byte {
	c, err := rc4.NewCipher(key)
	if err != nil {
		panic(err)
	}
	out := make([]byte, len(content))
	c.XORKeyStream(out, content)
	return out
}
