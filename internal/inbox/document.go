package inbox

import (
	"path/filepath"
	"slices"
	"strings"
)

// DocumentKind is the kind of what goes into the library.
const DocumentKind = "document"

// documents are the ends of the names of what the library reads. Texts and notes
// are not among them: they are remembered, unless the kind says otherwise.
var documents = []string{
	"pdf", "docx", "pptx", "xlsx", "odt", "ods", "odp", "epub", "html", "htm", "xhtml", "eml", "csv",
	"png", "jpg", "jpeg", "gif", "webp", "bmp", "tif", "tiff", "svg",
	"doc", "ppt", "xls", // which the library refuses with a reason
}

// IsDocument reports whether a file belongs into the library, by its kind or its name.
func IsDocument(name, kind string) bool {
	if kind == "" || kind == "auto" {
		return slices.Contains(documents, strings.ToLower(strings.TrimPrefix(filepath.Ext(name), ".")))
	}
	return strings.EqualFold(kind, DocumentKind)
}
