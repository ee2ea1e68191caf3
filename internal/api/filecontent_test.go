package api

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"image/png"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestDownloadsInParts(t *testing.T) {
	h := newHarness(t, &script{})
	content := strings.Repeat("The tide rises and falls. ", 400)
	id := h.add(t, "tides.txt", content)
	f := h.read(t, id)
	sum := sha256.Sum256([]byte(content))
	tag := `"` + hex.EncodeToString(sum[:]) + `"`
	past, later := f.UpdatedAt.Add(-time.Hour).UTC().Format(http.TimeFormat), f.UpdatedAt.Add(time.Hour).UTC().Format(http.TimeFormat)
	size := len(content)
	for name, c := range map[string]struct {
		method string
		header map[string]string
		status int
		body   string
		length string // Content-Length, "" for whatever
		within string // Content-Range
	}{
		"all of it":              {"GET", nil, 200, content, "10400", ""},
		"a range":                {"GET", map[string]string{"Range": "bytes=4-7"}, 206, "tide", "4", "bytes 4-7/10400"},
		"the end":                {"GET", map[string]string{"Range": "bytes=-7"}, 206, "falls. ", "7", "bytes 10393-10399/10400"},
		"from somewhere on":      {"GET", map[string]string{"Range": "bytes=10393-"}, 206, "falls. ", "7", "bytes 10393-10399/10400"},
		"beyond the end":         {"GET", map[string]string{"Range": "bytes=10400-"}, 416, "invalid range: failed to overlap\n", "", "bytes */10400"},
		"no range":               {"GET", map[string]string{"Range": "bytes=x"}, 416, "invalid range\n", "", ""},
		"of this content":        {"GET", map[string]string{"Range": "bytes=4-7", "If-Range": tag}, 206, "tide", "4", "bytes 4-7/10400"},
		"of other content":       {"GET", map[string]string{"Range": "bytes=4-7", "If-Range": `"other"`}, 200, content, "10400", ""},
		"it is known":            {"GET", map[string]string{"If-None-Match": tag}, 304, "", "", ""},
		"another is known":       {"GET", map[string]string{"If-None-Match": `"other"`}, 200, content, "10400", ""},
		"unchanged since":        {"GET", map[string]string{"If-Modified-Since": later}, 304, "", "", ""},
		"changed since":          {"GET", map[string]string{"If-Modified-Since": past}, 200, content, "10400", ""},
		"only if it is the same": {"GET", map[string]string{"If-Match": `"other"`}, 412, "", "", ""},
		"the head":               {"HEAD", nil, 200, "", "10400", ""},
		"the head of a range":    {"HEAD", map[string]string{"Range": "bytes=4-7"}, 206, "", "4", "bytes 4-7/10400"},
	} {
		t.Run(name, func(t *testing.T) {
			res, body := h.request(t, h.Token, c.method, "/api/files/"+id+"/download", nil, c.header)
			got := res.Header
			if res.StatusCode != c.status || body != c.body || c.length != "" && got.Get("Content-Length") != c.length || got.Get("Content-Range") != c.within {
				t.Errorf("%d, %d of %d bytes, %v", res.StatusCode, len(body), size, got)
			}
			if c.status < 400 && (got.Get("ETag") != tag || c.status != 304 && got.Get("Accept-Ranges") != "bytes") {
				t.Errorf("headers %v", got)
			}
		})
	}
}

// A file of a stranger never runs in the person's browser with this origin's rights.
func TestDownloadsAreHarmless(t *testing.T) {
	h := newHarness(t, &script{})
	var picture bytes.Buffer
	if err := png.Encode(&picture, drawn(8, 8)); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		content, kind string
		inline        bool
	}{
		"a.html": {"<!DOCTYPE html><html><body><script>alert(1)</script></body></html>", "application/octet-stream", false},
		"a.svg":  {`<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`, "application/octet-stream", false},
		"b.txt":  {"<html><script>alert(1)</script></html>", "application/octet-stream", false},
		"a.xml":  {`<?xml version="1.0"?><?xml-stylesheet href="x.xsl"?><a/>`, "application/octet-stream", false},
		"a.js":   {"alert(1)", "text/plain; charset=utf-8", true}, // a browser that does not guess shows it
		"a.txt":  {"The tide rises.", "text/plain; charset=utf-8", true},
		"a.pdf":  {pdfOf("", "The tide rises."), "application/pdf", true},
		"a.png":  {picture.String(), "image/png", true},
	} {
		t.Run(name, func(t *testing.T) {
			id := h.add(t, name, c.content)
			for _, query := range []string{"", "?attachment=1"} {
				res, body := h.request(t, h.Token, "GET", "/api/files/"+id+"/download"+query, nil, nil)
				got := res.Header
				want := "attachment; "
				if c.inline && query == "" {
					want = "inline; "
				}
				policy := got.Get("Content-Security-Policy")
				if res.StatusCode != 200 || body != c.content || got.Get("Content-Type") != c.kind || !strings.HasPrefix(got.Get("Content-Disposition"), want) ||
					got.Get("X-Content-Type-Options") != "nosniff" || !strings.Contains(policy, "default-src 'none'") || !strings.Contains(policy, "sandbox") ||
					strings.Contains(policy, "script") || !strings.Contains(got.Get("Cache-Control"), "private") {
					t.Errorf("%s: %d %v", query, res.StatusCode, got)
				}
			}
		})
	}
}

func TestPagesAndChunksAndPictures(t *testing.T) {
	h := newHarness(t, &script{})
	id := h.add(t, "tides.pdf", pdfOf("", "The moon pulls the water.", "Harbours are dredged in spring."))
	h.read(t, id)
	pages := decoded[struct {
		Count int `json:"page_count"`
		Pages []struct {
			Page int
			Text string
		}
	}](t, h, h.Token, "GET", "/api/files/"+id+"/pages?from=2&until=9", "", 200)
	if pages.Count != 2 || len(pages.Pages) != 1 || pages.Pages[0].Page != 2 || !strings.Contains(pages.Pages[0].Text, "dredged") {
		t.Errorf("pages %+v", pages)
	}
	type chunk struct {
		ID         string `json:"chunk_id"`
		FileID     string `json:"file_id"`
		Page       int
		Start, End int
		Text       string
		Similarity float64
	}
	chunks := decoded[struct{ Chunks []chunk }](t, h, h.Token, "GET", "/api/files/"+id+"/chunks?page=2", "", 200).Chunks
	if len(chunks) != 1 || chunks[0].ID != id+".1" || chunks[0].Text != pages.Pages[0].Text[chunks[0].Start:chunks[0].End] {
		t.Fatalf("chunks %+v", chunks)
	}
	found := decoded[struct{ Results []chunk }](t, h, h.Token, "GET", "/api/files/search?q=when+are+harbours+dredged&file_id="+id, "", 200).Results
	if len(found) == 0 || found[0].ID != id+".1" || found[0].FileID != id || found[0].Page != 2 || found[0].Similarity <= 0.3 || found[0].Similarity > 1 {
		t.Errorf("found %+v", found)
	}
	if found := decoded[struct{ Results []chunk }](t, h, h.Token, "GET", "/api/files/search?q=harbours&type=Question", "", 200).Results; len(found) != 0 {
		t.Errorf("of another type: %+v", found)
	}

	res, body := h.request(t, h.Token, "GET", "/api/files/"+id+"/pages/2/image?width=300", nil, nil)
	look, err := png.Decode(strings.NewReader(body))
	if err != nil || res.Header.Get("Content-Type") != "image/png" || look.Bounds().Dx() != 300 {
		t.Errorf("picture: %d %v, %v", res.StatusCode, res.Header, err)
	}
	type mark struct{ X, Y, Width, Height float64 }
	marks := decoded[struct{ Marks []mark }](t, h, h.Token, "GET", "/api/files/"+id+"/pages/2/marks?chunk="+id+".1", "", 200).Marks
	if len(marks) != 1 || marks[0].X < 0.1 || marks[0].X > 0.13 || marks[0].Y < 0.08 || marks[0].Y > 0.13 || marks[0].Width <= 0 || marks[0].Height <= 0 {
		t.Errorf("marks %+v", marks)
	}
	if marks := decoded[struct{ Marks []mark }](t, h, h.Token, "GET", "/api/files/"+id+"/pages/1/marks?chunk="+id+".1", "", 200).Marks; len(marks) != 0 {
		t.Errorf("marks on another page: %+v", marks)
	}
	text := h.add(t, "plain.txt", "No look of its own.")
	h.read(t, text)
	if status, answer := h.send(t, "GET", "/api/files/"+text+"/pages/1/image", ""); status != http.StatusNotFound {
		t.Errorf("picture of a text: %d %s", status, answer)
	}
}
