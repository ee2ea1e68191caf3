package office

import (
	"context"
	"encoding/xml"
	"errors"
	"io/fs"
	"math"
	"strconv"
	"strings"
	"time"

	"confidant/internal/library/extract"
)

// numberFormat is what a format of numbers makes of one, as far as its meaning goes.
type numberFormat int

const (
	asNumber numberFormat = iota
	asPercent
	asDate
	asTime
	asMoment
	asDuration
)

// formats reads the formats of the styles of cells (ISO/IEC 29500-1 section 18.8).
func (d *xlsx) formats(ctx context.Context) ([]numberFormat, error) {
	if d.styles == "" {
		return nil, nil
	}
	custom := map[string]numberFormat{}
	var formats []numberFormat
	inCells := false
	err := d.each(ctx, d.styles, func(x *extract.XML, e xml.StartElement) error {
		switch e.Name.Local {
		case "numFmt":
			if len(custom) < mostStyles {
				custom[extract.Attr(e, "numFmtId")] = formatOf(extract.Attr(e, "formatCode"))
			}
		case "cellStyleXfs", "cellStyles", "dxfs":
			inCells = false
		case "cellXfs":
			inCells = true
		case "xf":
			if inCells && len(formats) < 10*mostStyles {
				id := extract.Attr(e, "numFmtId")
				f, ok := custom[id]
				if !ok {
					f = builtIn(id)
				}
				formats = append(formats, f)
			}
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return formats, err
}

// builtIn are the formats that are not stored (ISO/IEC 29500-1 section 18.8.30), those
// of East Asian versions included.
func builtIn(id string) numberFormat {
	n, _ := strconv.Atoi(id)
	switch {
	case n == 9 || n == 10:
		return asPercent
	case n >= 14 && n <= 17, n >= 27 && n <= 31, n == 36, n >= 50 && n <= 54, n == 57, n == 58:
		return asDate
	case n >= 18 && n <= 21, n >= 32 && n <= 35, n == 45, n == 47, n == 55, n == 56:
		return asTime
	case n == 22:
		return asMoment
	case n == 46:
		return asDuration
	}
	return asNumber
}

// formatOf reads the meaning of a format off its letters: "yyyy-mm-dd", "[h]:mm", "0.0%".
func formatOf(code string) numberFormat {
	code, _, _ = strings.Cut(code, ";")
	code = strings.ToLower(code)
	var letters strings.Builder
	for i := 0; i < len(code); i++ {
		switch code[i] {
		case '\\', '_', '*': // the next character stands for itself
			i++
		case '"':
			if end := strings.IndexByte(code[i+1:], '"'); end >= 0 {
				i += end + 1
			}
		case '[':
			end := strings.IndexByte(code[i:], ']')
			if end < 0 {
				continue
			}
			if inside := code[i+1 : i+end]; inside != "" && strings.Trim(inside, "hms") == "" {
				return asDuration
			}
			i += end
		default:
			letters.WriteByte(code[i])
		}
	}
	text := letters.String()
	if strings.Contains(text, "general") {
		return asNumber
	}
	date, clock := strings.ContainsAny(text, "yd"), strings.ContainsAny(text, "hs")
	switch {
	case strings.Contains(text, "%"):
		return asPercent
	case date && clock:
		return asMoment
	case date, !clock && strings.Contains(text, "mm"):
		return asDate
	case clock:
		return asTime
	}
	return asNumber
}

// show writes a number as its format means it. What is no number stays as it is.
func (f numberFormat) show(value string, from1904 bool) string {
	n, err := strconv.ParseFloat(value, 64)
	if err != nil || f == asNumber || math.IsNaN(n) || math.IsInf(n, 0) {
		return general(value)
	}
	if f == asPercent {
		return strconv.FormatFloat(math.Round(n*1e6)/1e4, 'f', -1, 64) + "%"
	}
	if n < 0 || n > 2_958_466 { // behind the year 9999
		return general(value)
	}
	if f == asDuration {
		seconds := int64(math.Round(n * 86400))
		return strconv.FormatInt(seconds/3600, 10) + time.Unix(seconds%3600, 0).UTC().Format(":04:05")
	}
	// Excel counts a 29 February 1900, so its day 0 is 1899-12-30 for all later days.
	zero := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	if from1904 {
		zero = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	day := math.Floor(n)
	at := zero.AddDate(0, 0, int(day)).Add(time.Duration(math.Round((n-day)*86400)) * time.Second)
	switch {
	case f == asTime && n < 1:
		return at.Format("15:04:05")
	case f == asDate && n == day:
		return at.Format(time.DateOnly)
	}
	return at.Format(time.DateTime)
}

// general writes a number without the noise of binary fractions.
func general(value string) string {
	n, err := strconv.ParseFloat(value, 64)
	if err != nil || len(value) < 12 || math.Abs(n) >= 1e15 || math.Abs(n) < 1e-6 {
		return value
	}
	short, err := strconv.ParseFloat(strconv.FormatFloat(n, 'g', 15, 64), 64)
	if err != nil {
		return value
	}
	return strconv.FormatFloat(short, 'f', -1, 64)
}
