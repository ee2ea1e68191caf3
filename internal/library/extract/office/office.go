// Package office reads the documents, presentations and workbooks of Office Open
// XML (ISO/IEC 29500, its strict form too), part by part as streams.
package office

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"time"

	"confidant/internal/library/extract"
)

// sentenceNoPart: a zip file with the right type and nothing behind it.
const sentenceNoPart = "The file is damaged: the part of it that has the text is missing."

// mostTargets is how many relations of one part are kept. A presentation has one for
// each slide.
const mostTargets = 20_000

// pack is an opened package of parts (ISO/IEC 29500-2).
type pack struct {
	*extract.Archive
	limits extract.Limits
	main   string // the name of the part that everything begins with
	info   extract.Info
}

// Info implements extract.Document.
func (p *pack) Info() extract.Info { return p.info }

// target is what a part points to.
type target struct {
	kind string // the last segment of the relation's type
	part string
}

func openPack(ctx context.Context, s extract.Source, l extract.Limits) (*pack, error) {
	archive, err := extract.OpenArchive(s, l)
	if err != nil {
		return nil, err
	}
	p := &pack{Archive: archive, limits: l}
	if err := p.begin(ctx); err != nil {
		archive.Close()
		return nil, err
	}
	return p, nil
}

// begin finds the main part and reads what the document says of itself.
func (p *pack) begin(ctx context.Context) error {
	targets, err := p.targets(ctx, "")
	if err != nil {
		return err
	}
	for _, t := range targets {
		switch t.kind {
		case "officeDocument":
			p.main = t.part
		case "core-properties":
			if err := p.properties(ctx, t.part); err != nil {
				return err
			}
		}
	}
	if p.main == "" || !p.Has(p.main) {
		return extract.Broken(sentenceNoPart, fs.ErrNotExist)
	}
	return nil
}

// targets reads the relations of a part, by their ids; those of the package itself
// when part is empty. A part without any has none.
func (p *pack) targets(ctx context.Context, part string) (map[string]target, error) {
	folder, name := path.Split(part)
	targets := map[string]target{}
	err := p.each(ctx, folder+"_rels/"+name+".rels", func(x *extract.XML, e xml.StartElement) error {
		if e.Name.Local == "Relationship" && extract.Attr(e, "TargetMode") != "External" && len(targets) < mostTargets {
			to := extract.Attr(e, "Target")
			if !strings.HasPrefix(to, "/") {
				to = path.Join("/", folder, to)
			}
			targets[extract.Attr(e, "Id")] = target{path.Base(extract.Attr(e, "Type")), strings.TrimPrefix(to, "/")}
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return targets, err
}

// properties reads title and time from the core properties (ISO/IEC 29500-2 section 11).
func (p *pack) properties(ctx context.Context, part string) error {
	err := p.each(ctx, part, func(x *extract.XML, e xml.StartElement) error {
		switch e.Name.Local {
		case "title":
			text, err := x.Text(mostTitle)
			p.info.Title = strings.Join(strings.Fields(extract.Clean(text)), " ")
			return err
		case "modified":
			text, err := x.Text(mostTitle)
			if at, err := time.Parse(time.RFC3339, strings.TrimSpace(text)); err == nil {
				p.info.Modified = at.UTC()
			}
			return err
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// mostTitle is how many bytes of a title are kept.
const mostTitle = 1000

// each calls visit for every element of a part, in the order in which they begin. It
// fails with fs.ErrNotExist when there is no such part.
func (p *pack) each(ctx context.Context, part string, visit func(*extract.XML, xml.StartElement) error) error {
	r, err := p.Open(part)
	if err != nil {
		return err
	}
	defer r.Close()
	x := extract.NewXML(ctx, r)
	return x.Each(func(e xml.StartElement) error { return visit(x, e) })
}

// open opens the main part.
func (p *pack) open(ctx context.Context, part string) (io.ReadCloser, *extract.XML, error) {
	r, err := p.Open(part)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, extract.Broken(sentenceNoPart, fmt.Errorf("part of the package: %w", err))
	}
	if err != nil {
		return nil, nil, err
	}
	return r, extract.NewXML(ctx, r), nil
}

// isOn reads a switch: absent attributes mean on (ISO/IEC 29500-1 section 22.9.2.7).
func isOn(value string) bool { return value != "0" && value != "false" && value != "off" }
