package api

import (
	"bytes"
	"crypto/md5"
	"crypto/rc4"
	"encoding/binary"
	"fmt"
)

// pdfOf writes a PDF with one line of text on each page. A password locks it (ISO
// 32000-1, 7.6.3, revision 2).
func pdfOf(password string, pages ...string) string {
	var out bytes.Buffer
	var offsets []int
	put := func(body string) {
		offsets = append(offsets, out.Len())
		fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", len(offsets), body)
	}
	out.WriteString("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
	key, encrypt := lock(password)
	kids := ""
	for i := range pages {
		kids += fmt.Sprintf("%d 0 R ", 4+2*i)
	}
	put("<< /Type /Catalog /Pages 2 0 R >>")
	put(fmt.Sprintf("<< /Type /Pages /Count %d /Kids [ %s] /Resources << /Font << /F1 3 0 R >> >> >>", len(pages), kids))
	put("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
	for i, text := range pages {
		put(fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R >>", 5+2*i))
		content := []byte("BT /F1 12 Tf 72 700 Td (" + text + ") Tj ET")
		if key != nil {
			sum := md5.Sum(append(bytes.Clone(key), byte(5+2*i), 0, 0, 0, 0))
			content = scrambled(sum[:len(key)+5], content)
		}
		put(fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(content), content))
	}
	table := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, at := range offsets {
		fmt.Fprintf(&out, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&out, "trailer\n<< /Size %d /Root 1 0 R %s >>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, encrypt, table)
	return out.String()
}

const pdfPadding = "\x28\xBF\x4E\x5E\x4E\x75\x8A\x41\x64\x00\x4E\x56\xFF\xFA\x01\x08\x2E\x2E\x00\xB6\xD0\x68\x3E\x80\x2F\x0C\xA9\xFE\x64\x53\x69\x7A"

// lock returns the key of a password and the entries of the trailer; nothing
// without one.
func lock(password string) ([]byte, string) {
	if password == "" {
		return nil, ""
	}
	const id = "0123456789abcdef"
	permissions := int32(-44)
	padded := []byte((password + pdfPadding)[:32])
	owner := md5.Sum(padded)
	o := scrambled(owner[:5], padded)
	all := binary.LittleEndian.AppendUint32(append(bytes.Clone(padded), o...), uint32(permissions))
	sum := md5.Sum(append(all, id...))
	key := sum[:5]
	return key, fmt.Sprintf("/ID [<%x> <%x>] /Encrypt << /Filter /Standard /V 1 /R 2 /P %d /O <%x> /U <%x> >>",
		id, id, permissions, o, scrambled(key, []byte(pdfPadding)))
}

func scrambled(key, content []byte) []byte {
	c, err := rc4.NewCipher(key)
	if err != nil {
		panic(err) // the key has 5 to 16 bytes
	}
	out := make([]byte, len(content))
	c.XORKeyStream(out, content)
	return out
}
