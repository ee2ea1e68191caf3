package extract

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

const (
	// mostToken is how many bytes one tag or one text between tags may have.
	mostToken = 8 << 20
	// mostDepth is how deep elements may be nested. Tables in tables of real
	// documents come to 60.
	mostDepth = 256
)

var (
	errToken   = errors.New("a tag or text of the XML is too long")
	errDepth   = errors.New("the XML is nested too deeply")
	errDoctype = errors.New("the XML declares entities")
)

// XML reads the elements of a document one by one. It expands no entities and
// refuses to read what declares some, and holds one element in memory.
type XML struct {
	ctx    context.Context
	guard  *tokenGuard
	dec    *xml.Decoder
	depth  int
	tokens int
}

// NewXML reads XML from r, in the encoding that it declares.
func NewXML(ctx context.Context, r io.Reader) *XML {
	guard := &tokenGuard{r: r}
	dec := xml.NewDecoder(transform.NewReader(guard, unicode.BOMOverride(transform.Nop)))
	dec.CharsetReader = func(label string, r io.Reader) (io.Reader, error) {
		if len(label) > 5 && (label[:5] == "utf-1" || label[:5] == "UTF-1") {
			return r, nil // the mark of the byte order has said so already
		}
		return charset.NewReaderLabel(label, r)
	}
	return &XML{ctx: ctx, guard: guard, dec: dec}
}

// Lax lets the reader go on over entities that are not known, and over tags that
// are not closed.
func (x *XML) Lax() *XML {
	x.dec.Strict = false
	x.dec.AutoClose = xml.HTMLAutoClose
	x.dec.Entity = xml.HTMLEntity
	return x
}

// Next returns the next start or end of an element, or text, which is valid until
// the call after. It fails with io.EOF at the end, and with Broken where the XML is.
func (x *XML) Next() (xml.Token, error) {
	for {
		if x.tokens++; x.tokens%1024 == 0 {
			if err := x.ctx.Err(); err != nil {
				return nil, err
			}
		}
		x.guard.n = 0
		token, err := x.dec.Token()
		if err != nil {
			return nil, x.fault(err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			if x.depth++; x.depth > mostDepth {
				return nil, Broken("The file is nested too deeply to be read.", errDepth)
			}
			return t, nil
		case xml.EndElement:
			x.depth--
			return t, nil
		case xml.CharData:
			return t, nil
		case xml.Directive:
			if x.dec.Strict && bytes.Contains(t, []byte("ENTITY")) {
				return nil, Broken("The file defines entities of XML, which are not read because they can be made to grow without end.", errDoctype)
			}
		}
	}
}

// Depth is how many elements are open.
func (x *XML) Depth() int { return x.depth }

// Skip goes on behind the end of the element that was returned last.
func (x *XML) Skip() error {
	for depth := x.depth - 1; x.depth > depth; {
		if _, err := x.Next(); err != nil {
			return unexpected(err)
		}
	}
	return nil
}

// Text reads the text of the element that was returned last, with that of the
// elements in it, and keeps up to most bytes of it.
func (x *XML) Text(most int) (string, error) {
	var text []byte
	for depth := x.depth - 1; x.depth > depth; {
		token, err := x.Next()
		if err != nil {
			return "", unexpected(err)
		}
		if c, ok := token.(xml.CharData); ok && len(text) < most {
			text = append(text, c[:min(len(c), most-len(text))]...)
		}
	}
	return string(text), nil
}

// Children calls visit for every element below the one that was returned last, those
// further down too. Visit may read an element to its end.
func (x *XML) Children(visit func(xml.StartElement) error) error {
	return x.Content(visit, func([]byte) {})
}

// Content is Children for elements that have text between others. Text is called
// for what stands in elements that visit does not read to their end.
func (x *XML) Content(visit func(xml.StartElement) error, text func([]byte)) error {
	for depth := x.depth - 1; x.depth > depth; {
		token, err := x.Next()
		if err != nil {
			return unexpected(err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			if err := visit(t); err != nil {
				return err
			}
		case xml.CharData:
			text(t)
		}
	}
	return nil
}

// Each calls visit for every element until the document ends.
func (x *XML) Each(visit func(xml.StartElement) error) error {
	for {
		token, err := x.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if e, ok := token.(xml.StartElement); ok {
			if err := visit(e); err != nil {
				return err
			}
		}
	}
}

// unexpected: within an element there is no end of the document.
func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return Broken(sentenceDamaged, io.ErrUnexpectedEOF)
	}
	return err
}

// fault makes errors of the syntax those of the file.
func (x *XML) fault(err error) error {
	var syntax *xml.SyntaxError
	switch {
	case errors.Is(err, io.EOF):
		return io.EOF
	case errors.Is(err, errToken):
		return Broken("The file has a single text that is too long to be read.", err)
	case errors.As(err, &syntax), errors.Is(err, io.ErrUnexpectedEOF):
		return Broken(sentenceDamaged, err)
	case x.guard.failed == nil: // not the reading, so the decoding: an unknown encoding
		return Broken(sentenceDamaged, err)
	}
	return err
}

// Attr returns the value of an attribute by its local name, "" when there is none.
func Attr(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// tokenGuard fails when one token takes too many bytes, which the decoder would
// all keep in memory.
type tokenGuard struct {
	r      io.Reader
	n      int // since the token began
	failed error
}

func (g *tokenGuard) Read(b []byte) (int, error) {
	n, err := g.r.Read(b)
	if g.n += n; g.n > mostToken {
		n, err = 0, errToken
	}
	if err != nil && !errors.Is(err, io.EOF) {
		g.failed = err
	}
	return n, err
}
