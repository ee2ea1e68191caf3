package extract

import (
	"context"
	"encoding/xml"
	"os"
	"strings"
)

// zipType tells by its parts what a zip file is. It returns "" for one that cannot
// be opened, of which the first part may still tell something.
func zipType(file *os.File) string {
	a, err := newArchive(file, Limits{Expanded: 4 << 20})
	if err != nil {
		return ""
	}
	if stored, err := a.Read(zipMimetype, 256); err == nil {
		if mime := trimType(stored); strings.HasPrefix(mime, "application/") {
			return mime
		}
	}
	if mime := packageType(a); mime != "" {
		return mime
	}
	if a.Has("META-INF/container.xml") {
		return "application/epub+zip"
	}
	return "application/zip"
}

// packageType reads the type of an Office document from that of its main part
// (ISO 29500-2 section 7.2.3). A document with macros has a type of its own.
func packageType(a *Archive) string {
	r, err := a.Open("[Content_Types].xml")
	if err != nil {
		return ""
	}
	defer r.Close()
	x := NewXML(context.Background(), r)
	for {
		token, err := x.Next()
		if err != nil {
			return ""
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		mime := strings.ToLower(Attr(e, "ContentType"))
		main, ok := strings.CutSuffix(mime, ".main+xml")
		switch {
		case mime == "application/vnd.ms-excel.sheet.binary.macroenabled.main":
			return "application/vnd.ms-excel.sheet.binary.macroenabled.12"
		case ok && strings.HasSuffix(main, "macroenabled"):
			return main + ".12"
		case ok:
			return main
		}
	}
}
