package extract

import (
	"bytes"
	"io"
	"os"
	"unicode/utf16"
)

// magicCompound begins every file of the kind that old Office documents, and
// encrypted new ones, are stored in ([MS-CFB] section 2.2).
const magicCompound = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

// The streams that tell apart what is in a compound file.
var compoundKinds = []struct {
	stream, mime, sentence string
}{
	{"EncryptedPackage", "application/encrypted", sentenceEncrypted},
	{"WordDocument", "application/msword", "This is a document of Word 97 to 2003, a format that is not read. Save it as .docx and add it again."},
	{"PowerPoint Document", "application/vnd.ms-powerpoint", "This is a presentation of PowerPoint 97 to 2003, a format that is not read. Save it as .pptx and add it again."},
	{"Workbook", "application/vnd.ms-excel", "This is a workbook of Excel 97 to 2003, a format that is not read. Save it as .xlsx and add it again."},
	{"Book", "application/vnd.ms-excel", "This is a workbook of Excel 95, a format that is not read. Save it as .xlsx and add it again."},
	{"__properties_version1.0", "application/vnd.ms-outlook", "This is a message of Outlook (.msg), a format that is not read. Save it as .eml and add it again."},
	{"", "application/x-ole-storage", "This is a file of an old Office program, a format that is not read."},
}

// CompoundTypes are the MIME types of the files that can only be refused: old
// Office documents and encrypted ones.
func CompoundTypes() []string {
	var types []string
	for i, k := range compoundKinds {
		if i == 0 || k.mime != compoundKinds[i-1].mime {
			types = append(types, k.mime)
		}
	}
	return types
}

// compound returns why a file cannot be read that is a compound one, and "" for any other.
func compound(file io.ReaderAt) string {
	if i := compoundKind(file); i >= 0 {
		return compoundKinds[i].sentence
	}
	return ""
}

// compoundKind is an index of compoundKinds, -1 for a file that is no compound one.
// The names of streams stand in the directory as UTF-16 with a zero at the end,
// each at the beginning of an entry of 128 bytes. The directory may be anywhere.
func compoundKind(file io.ReaderAt) int {
	magic := make([]byte, len(magicCompound))
	if _, err := file.ReadAt(magic, 0); err != nil || string(magic) != magicCompound {
		return -1
	}
	found := len(compoundKinds) - 1
	block := make([]byte, 128<<10)
	for at := int64(0); ; at += int64(len(block)) {
		n, err := file.ReadAt(block, at)
		for entry := 0; entry+64 <= n; entry += 128 {
			for i, k := range compoundKinds[:found] {
				if bytes.HasPrefix(block[entry:n], streamName(k.stream)) {
					found = i
					break
				}
			}
		}
		if err != nil || n == 0 {
			return found
		}
	}
}

func streamName(name string) []byte {
	var b []byte
	for _, u := range utf16.Encode([]rune(name + "\x00")) {
		b = append(b, byte(u), byte(u>>8))
	}
	return b
}

// Refusal returns the error of a file that is an old Office document or an
// encrypted one, and nil for any other.
func Refusal(file *os.File) error {
	if sentence := compound(file); sentence != "" {
		return Broken(sentence, nil)
	}
	return nil
}
