package office

import (
	"context"

	"confidant/internal/library/extract"
)

// Legacy is the format of what cannot be read: documents of old Office programs and
// encrypted ones. Opening one fails with a sentence that says what to do.
type Legacy struct{}

var _ extract.Format = Legacy{}

// Types implements extract.Format.
func (Legacy) Types() []string {
	return append(extract.CompoundTypes(), "application/vnd.ms-excel.sheet.binary.macroenabled.12")
}

// Open implements extract.Format.
func (Legacy) Open(_ context.Context, s extract.Source) (extract.Document, error) {
	file, err := extract.OpenFile(s)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if err := extract.Refusal(file); err != nil {
		return nil, err
	}
	return nil, extract.Broken("This is a binary workbook (.xlsb), a format that is not read. Save it as .xlsx and add it again.", nil)
}
