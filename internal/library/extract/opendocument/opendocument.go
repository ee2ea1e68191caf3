// Package opendocument reads the texts, spreadsheets and presentations of
// OpenDocument (ISO/IEC 26300), the content of each as one stream.
package opendocument

import (
	"context"
	"encoding/xml"
	"errors"
	"io/fs"
	"iter"
	"strings"
	"time"

	"confidant/internal/chat"
	"confidant/internal/library/extract"
)

const (
	typeText         = "application/vnd.oasis.opendocument.text"
	typeSpreadsheet  = "application/vnd.oasis.opendocument.spreadsheet"
	typePresentation = "application/vnd.oasis.opendocument.presentation"
	typeDrawing      = "application/vnd.oasis.opendocument.graphics"
)

// Format reads texts, in which pages end where the program that wrote them last had
// them end, spreadsheets, of which a sheet is a page with one table, and
// presentations and drawings, page by page with the notes of the speaker. Deleted
// text, headers, footers and comments are left out.
type Format struct{ Limits extract.Limits }

var _ extract.Format = Format{}

// Types implements extract.Format.
func (Format) Types() []string {
	var types []string
	for _, t := range []string{typeText, typeSpreadsheet, typePresentation, typeDrawing} {
		types = append(types, t, t+"-template")
	}
	return types
}

// Open implements extract.Format.
func (f Format) Open(ctx context.Context, s extract.Source) (extract.Document, error) {
	archive, err := extract.OpenArchive(s, f.Limits)
	if err != nil {
		return nil, err
	}
	d := &document{Archive: archive, limits: f.Limits, kind: strings.TrimSuffix(s.Type, "-template")}
	if err := d.begin(ctx); err != nil {
		archive.Close()
		return nil, err
	}
	return d, nil
}

type document struct {
	*extract.Archive
	limits extract.Limits
	kind   string
	info   extract.Info
}

// Info implements extract.Document.
func (d *document) Info() extract.Info { return d.info }

// begin refuses what is encrypted, and reads what the document says of itself.
func (d *document) begin(ctx context.Context) error {
	err := d.each(ctx, "META-INF/manifest.xml", func(_ *extract.XML, e xml.StartElement) error {
		if e.Name.Local == "encryption-data" {
			return extract.Broken("The file is encrypted. Save it without a password and add it again.", nil)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if !d.Has("content.xml") {
		return extract.Broken("The file is damaged: the part of it that has the text is missing.", fs.ErrNotExist)
	}
	return d.each(ctx, "meta.xml", func(x *extract.XML, e xml.StartElement) error {
		switch e.Name.Local {
		case "title":
			text, err := x.Text(1000)
			d.info.Title = strings.Join(strings.Fields(extract.Clean(text)), " ")
			return err
		case "date":
			text, err := x.Text(1000)
			d.info.Modified = parseTime(strings.TrimSpace(text))
			return err
		}
		return nil
	})
}

// parseTime reads an ISO time, which mostly comes without a zone.
func parseTime(text string) time.Time {
	for _, form := range []string{time.RFC3339, "2006-01-02T15:04:05"} {
		if at, err := time.Parse(form, text); err == nil {
			return at.UTC()
		}
	}
	return time.Time{}
}

// each calls visit for every element of a part, if there is one.
func (d *document) each(ctx context.Context, part string, visit func(*extract.XML, xml.StartElement) error) error {
	r, err := d.Archive.Open(part)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer r.Close()
	x := extract.NewXML(ctx, r)
	return x.Each(func(e xml.StartElement) error { return visit(x, e) })
}

// Pages implements extract.Document.
func (d *document) Pages(ctx context.Context, first int) iter.Seq2[chat.FilePage, error] {
	pages := extract.Sheets
	if d.kind == typeText || d.kind == "" {
		pages = extract.Flow
	}
	return pages(ctx, d.limits, first, func(p *extract.Pager) error {
		d.Again()
		b := &body{pager: p, limits: d.limits, styles: styles{paragraphs: map[string]style{}, lists: map[string]listStyle{}}}
		for _, part := range []string{"styles.xml", "content.xml"} {
			err := d.each(ctx, part, func(x *extract.XML, e xml.StartElement) error {
				b.x = x
				return b.top(e)
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// top reads what is at the top of a part.
func (b *body) top(e xml.StartElement) error {
	switch e.Name.Local {
	case "style":
		return b.styles.read(b.x, e)
	case "list-style":
		return b.styles.readList(b.x, e)
	}
	if !strings.HasSuffix(e.Name.Space, ":office:1.0") { // formats of numbers have texts, too
		return nil
	}
	switch e.Name.Local {
	case "text":
		return b.blocks()
	case "presentation", "drawing":
		return b.drawing()
	case "spreadsheet":
		return b.spreadsheet()
	case "master-styles", "forms":
		return b.x.Skip()
	}
	return nil
}
