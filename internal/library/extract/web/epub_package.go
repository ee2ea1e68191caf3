package web

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io/fs"
	"net/url"
	"path"
	"strings"
	"time"

	"golang.org/x/net/html"

	"confidant/internal/library/extract"
)

const (
	// mostChapters is how many parts of a spine are read.
	mostChapters = 20_000
	// mostContents is how many bytes the table of contents may have.
	mostContents = 4 << 20
)

// openFonts are the methods that only hide fonts; whoever has the book can read it
// (EPUB 3.3 section 4.4).
var openFonts = map[string]bool{"http://www.idpf.org/2008/embedding": true, "http://ns.adobe.com/pdf/enc#RC": true}

// manifestItem is a part of a book.
type manifestItem struct{ part, kind, properties string }

// begin finds the package document of a book and reads it.
func (b *book) begin(ctx context.Context) error {
	var root string
	err := b.each(ctx, "META-INF/container.xml", func(x *extract.XML, e xml.StartElement) error {
		if e.Name.Local == "rootfile" && root == "" {
			root = extract.Attr(e, "full-path")
		}
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	manifest, toc, err := b.readPackage(ctx, root)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(b.spine) == 0 {
		return extract.Broken("The book is damaged: the list of its chapters is missing.", err)
	}
	if err != nil {
		return err
	}
	if err := b.refuseSealed(ctx); err != nil {
		return err
	}
	for _, item := range manifest {
		if strings.Contains(item.properties, "nav") {
			b.readNav(item.part)
		}
	}
	if len(b.names) == 0 && toc != "" {
		return b.readNCX(ctx, manifest[toc].part)
	}
	return nil
}

// readPackage reads what the book says of itself and the order of its chapters
// (EPUB 3.3 section 5). Toc is the id of the table of contents of EPUB 2.
func (b *book) readPackage(ctx context.Context, root string) (manifest map[string]manifestItem, toc string, err error) {
	manifest = map[string]manifestItem{}
	err = b.each(ctx, root, func(x *extract.XML, e xml.StartElement) error {
		switch e.Name.Local {
		case "title":
			text, err := x.Text(mostTitle)
			if b.info.Title == "" {
				b.info.Title = line(text)
			}
			return err
		case "meta":
			if extract.Attr(e, "property") != "dcterms:modified" {
				return nil
			}
			text, err := x.Text(mostTitle)
			if at, err := time.Parse(time.RFC3339, strings.TrimSpace(text)); err == nil {
				b.info.Modified = at.UTC()
			}
			return err
		case "item":
			if len(manifest) < mostChapters {
				manifest[extract.Attr(e, "id")] = manifestItem{resolve(root, extract.Attr(e, "href")), extract.Attr(e, "media-type"), extract.Attr(e, "properties")}
			}
		case "spine":
			toc = extract.Attr(e, "toc")
		case "itemref":
			item, ok := manifest[extract.Attr(e, "idref")]
			if ok && strings.Contains(item.kind, "html") && len(b.spine) < mostChapters {
				b.spine = append(b.spine, item.part)
			}
		}
		return nil
	})
	return manifest, toc, err
}

// refuseSealed refuses a book whose chapters are encrypted.
func (b *book) refuseSealed(ctx context.Context) error {
	chapters := map[string]bool{}
	for _, part := range b.spine {
		chapters[part] = true
	}
	method := ""
	err := b.each(ctx, "META-INF/encryption.xml", func(_ *extract.XML, e xml.StartElement) error {
		switch e.Name.Local {
		case "EncryptedData":
			method = ""
		case "EncryptionMethod":
			if method == "" {
				method = extract.Attr(e, "Algorithm")
			}
		case "CipherReference":
			if !openFonts[method] && chapters[resolve("", extract.Attr(e, "URI"))] {
				return extract.Broken("The book is protected against copying, and its text cannot be read.", nil)
			}
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// readNav takes the names of chapters from the table of contents of EPUB 3. Without
// one, chapters are named by their headings.
func (b *book) readNav(part string) {
	content, err := b.Read(part, mostContents)
	if err != nil {
		return
	}
	doc, err := html.Parse(bytes.NewReader(content))
	if err != nil {
		return
	}
	nav := find(doc, func(n *html.Node) bool { return n.Data == "nav" && strings.Contains(attr(n, "epub:type"), "toc") })
	if nav == nil {
		return
	}
	for n := range nav.Descendants() {
		if n.Type == html.ElementNode && n.Data == "a" {
			b.name(resolve(part, attr(n, "href")), textOf(n))
		}
	}
}

// readNCX takes them from that of EPUB 2.
func (b *book) readNCX(ctx context.Context, part string) error {
	label := ""
	err := b.each(ctx, part, func(x *extract.XML, e xml.StartElement) (err error) {
		switch e.Name.Local {
		case "navLabel":
			label, err = x.Text(mostTitle)
		case "content":
			b.name(resolve(part, extract.Attr(e, "src")), label)
		}
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// name names a chapter, by the first entry that leads to it.
func (b *book) name(part, label string) {
	if b.names[part] == "" && len(b.names) < mostChapters {
		b.names[part] = line(label)
	}
}

// resolve is the part that a reference in another part leads to.
func resolve(from, reference string) string {
	reference, _, _ = strings.Cut(reference, "#")
	if plain, err := url.PathUnescape(reference); err == nil {
		reference = plain
	}
	return strings.TrimPrefix(path.Join("/", path.Dir(from), reference), "/")
}

// each calls visit for every element of a part. It fails with fs.ErrNotExist when
// there is none of that name.
func (b *book) each(ctx context.Context, part string, visit func(*extract.XML, xml.StartElement) error) error {
	r, err := b.Archive.Open(part)
	if err != nil {
		return err
	}
	defer r.Close()
	x := extract.NewXML(ctx, r)
	return x.Each(func(e xml.StartElement) error { return visit(x, e) })
}
