// Package assets holds what the binary embeds and git does not: the page's
// build (web/), the model's weights (use-lite/) and the reader of PDF files
// (pdfium/). `make assets` fills the folder; a binary built without it runs and
// says what is missing.
package assets

import (
	"embed"
	"io/fs"
)

//go:embed *
var files embed.FS

// FS returns the embedded folder. A part that was absent at build time answers
// with fs.ErrNotExist.
func FS() fs.FS { return files }
