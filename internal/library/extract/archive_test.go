package extract_test

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"confidant/internal/chat"
	"confidant/internal/library/extract"
)

func source(t testing.TB, content string) extract.Source {
	t.Helper()
	path := filepath.Join(t.TempDir(), "content")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return extract.Source{Path: path, Size: int64(len(content))}
}

func TestPartsAreFoundByTheirNames(t *testing.T) {
	a, err := extract.OpenArchive(source(t, zipped(t,
		[2]string{"../../etc/passwd", "outside"}, [2]string{`Word\Document.XML`, "first"}, [2]string{"word/document.xml", "second"})), extract.DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	for name, want := range map[string]string{"word/document.xml": "first", "/word/document.xml": "first", "word/x/../document.xml": "first", "etc/passwd": "outside"} {
		if got, err := a.Read(name, 100); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if _, err := a.Open("none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("none: %v", err)
	}
}

func TestArchivesThatCannotBeRead(t *testing.T) {
	bomb := zipped(t, [2]string{"a", strings.Repeat("a", 1<<20)}, [2]string{"b", strings.Repeat("b", 1<<20)})
	lying := strings.ReplaceAll(bomb, "\x00\x00\x10\x00\x01\x00", "\x10\x00\x00\x00\x01\x00") // the size that the directory claims
	secret := strings.ReplaceAll(strings.ReplaceAll(bomb, "PK\x03\x04\x14\x00\x08\x00", "PK\x03\x04\x14\x00\x09\x00"), "PK\x01\x02\x14\x00\x14\x00\x08\x00", "PK\x01\x02\x14\x00\x14\x00\x09\x00")
	spoilt := []byte(bomb)
	copy(spoilt[60:], "spoilt")
	l := extract.DefaultLimits
	l.Expanded = 3 << 19
	for _, c := range []struct{ name, content, want string }{
		{"empty", "", "empty"},
		{"no zip", "words", "damaged"},
		{"cut off", bomb[:len(bomb)-30], "damaged"},
		{"bomb", bomb, "larger than 1 MB"},
		{"lying bomb", lying, ""},
		{"encrypted parts", secret, "encrypted"},
		{"spoilt", string(spoilt), "damaged"},
		{"encrypted", compoundFile("EncryptedPackage"), "encrypted"},
		{"old", compoundFile("WordDocument"), ".docx"},
	} {
		err := func() error {
			a, err := extract.OpenArchive(source(t, c.content), l)
			if err != nil {
				return err
			}
			defer a.Close()
			for _, name := range a.Names() {
				r, err := a.Open(name)
				if err != nil {
					return err
				}
				if _, err := io.Copy(io.Discard, r); err != nil {
					return err
				}
			}
			return nil
		}()
		if failed, ok := errors.AsType[*chat.Error](err); !ok || !strings.Contains(failed.Detail, c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

func TestTooManyParts(t *testing.T) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := range 20_001 {
		if _, err := w.CreateHeader(&zip.FileHeader{Name: fmt.Sprint(i), Method: zip.Store}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := extract.OpenArchive(source(t, b.String()), extract.DefaultLimits)
	if failed, ok := errors.AsType[*chat.Error](err); !ok || !strings.Contains(failed.Detail, "20000 parts") {
		t.Errorf("%v", err)
	}
}

func TestXMLThatIsNotRead(t *testing.T) {
	for _, c := range []struct{ name, content, want string }{
		{"entities", `<!DOCTYPE a [<!ENTITY b "bb">]><a>&b;</a>`, "entities"},
		{"unknown entity", `<a>&b;</a>`, "damaged"},
		{"deep", strings.Repeat("<a>", 300), "deeply"},
		{"long text", "<a>" + strings.Repeat("b", 9<<20), "too long"},
		{"long attribute", `<a b="` + strings.Repeat("b", 9<<20), "too long"},
		{"cut off", "<a><b>text", "damaged"},
		{"unknown encoding", `<?xml version="1.0" encoding="klingon"?><a/>`, "damaged"},
	} {
		x := extract.NewXML(t.Context(), strings.NewReader(c.content))
		var err error
		for err == nil {
			_, err = x.Next()
		}
		if failed, ok := errors.AsType[*chat.Error](err); !ok || !strings.Contains(failed.Detail, c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

func TestXMLIsReadInItsEncoding(t *testing.T) {
	for _, content := range []string{
		"<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><a>Gr\xfc\xdfe</a>",
		"\xff\xfe" + wide(`<?xml version="1.0" encoding="UTF-16"?><a>Grüße</a>`),
		"\xef\xbb\xbf<a>Grüße</a>",
	} {
		x := extract.NewXML(t.Context(), strings.NewReader(content))
		text := ""
		for {
			token, err := x.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Errorf("%q: %v", content, err)
				break
			}
			if c, ok := token.(xml.CharData); ok {
				text += string(c)
			}
		}
		if text != "Grüße" {
			t.Errorf("%q is %q", content, text)
		}
	}
}
