package pdf

import (
	"context"
	"math"
)

// loaded is a page that is open in PDFium.
type loaded struct {
	*opened
	page          uint64
	width, height float64    // in points, as shown
	matrix        [6]float64 // from the page's own coordinates to those of box
}

// load opens page n, counted from 1.
func (o *opened) load(ctx context.Context, n int) *loaded {
	p := &loaded{opened: o, page: o.call(ctx, "FPDF_LoadPage", o.document, uint64(n-1))}
	if p.page != 0 && p.filledIn() {
		// What was filled in is no text of the page before it is made a part of it.
		const asDisplayed = 0
		o.call(ctx, "FPDFPage_Flatten", p.page, asDisplayed)
		p.close()
		p.page = o.call(ctx, "FPDF_LoadPage", o.document, uint64(n-1))
	}
	if p.page == 0 {
		return p
	}
	at := o.space()
	if o.quick("FPDF_GetPageSizeByIndexF", o.document, uint64(n-1), at) != 0 {
		var size [2]float64
		o.floats(at, size[:])
		p.width, p.height = size[0], size[1]
	}
	p.matrix = p.project()
	return p
}

// filledIn reports whether a page has fields of a form.
func (p *loaded) filledIn() bool {
	const field, most = 20, 500
	count := int(int32(p.quick("FPDFPage_GetAnnotCount", p.page)))
	for k := range min(count, most) {
		note := p.quick("FPDFPage_GetAnnot", p.page, uint64(k))
		kind := p.quick("FPDFAnnot_GetSubtype", note)
		p.quick("FPDFPage_CloseAnnot", note)
		if kind == field {
			return true
		}
	}
	return false
}

// project finds the matrix by asking where three points are shown.
func (p *loaded) project() [6]float64 {
	const grid, span = 1 << 24, 1000.0
	point := func(x, y float64) (float64, float64) {
		at := p.space()
		p.quick("FPDF_PageToDevice", p.page, 0, 0, grid, grid, 0, math.Float64bits(x), math.Float64bits(y), at, at+4)
		var d [2]int
		p.ints(at, d[:])
		return float64(d[0]) * p.width / grid, float64(d[1]) * p.height / grid
	}
	x, y := point(0, 0)
	ax, ay := point(span, 0)
	bx, by := point(0, span)
	return [6]float64{(ax - x) / span, (ay - y) / span, (bx - x) / span, (by - y) / span, x, y}
}

func (p *loaded) shown(left, bottom, right, top float64) box {
	m := p.matrix
	x0, y0 := m[0]*left+m[2]*bottom+m[4], m[1]*left+m[3]*bottom+m[5]
	x1, y1 := m[0]*right+m[2]*top+m[4], m[1]*right+m[3]*top+m[5]
	return box{min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)}
}

func (p *loaded) close() {
	if p.page != 0 {
		p.quick("FPDF_ClosePage", p.page)
	}
}

// look tells whether anything is drawn on the page, and whether a picture covers it.
func (s *sheet) look(ctx context.Context, p *loaded) {
	const imageObject, most = 3, 1000
	count := int(int32(p.quick("FPDFPage_CountObjects", p.page)))
	annotations := int(int32(p.quick("FPDFPage_GetAnnotCount", p.page)))
	s.empty = count == 0 && annotations == 0
	for k := 0; k < min(count, most) && !s.picture && ctx.Err() == nil; k++ {
		object := p.quick("FPDFPage_GetObject", p.page, uint64(k))
		if p.quick("FPDFPageObj_GetType", object) != imageObject {
			continue
		}
		at := p.space()
		if p.quick("FPDFPageObj_GetBounds", object, at, at+4, at+8, at+12) == 0 {
			continue
		}
		var r [4]float64 // left, bottom, right, top
		p.floats(at, r[:])
		b := p.shown(r[0], r[1], r[2], r[3])
		s.picture = b.width()*b.height() > 0.6*p.width*p.height
	}
}
