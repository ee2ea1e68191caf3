package mail_test

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"confidant/internal/chat"
	"confidant/internal/library/extract"
	"confidant/internal/library/extract/extracttest"
	"confidant/internal/library/extract/mail"
	"confidant/internal/library/extract/web"
)

var format = mail.Format{Limits: extract.DefaultLimits, HTML: web.Markdown}

// crlf writes the lines as messages have them.
func crlf(text string) string {
	return strings.ReplaceAll(strings.TrimLeft(text, "\n"), "\n", "\r\n")
}

var simple = crlf(`
From: =?utf-8?q?J=C3=BCrgen?= <j@example.org>
To: Anna <a@example.org>,
 Ben <b@example.org>
Subject: =?iso-2022-jp?B?GyRCRnxLXBsoQg==?= and
 more
Date: Wed, 1 May 2024 10:00:00 +0200
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: quoted-printable

Gr=C3=BC=C3=9Fe,
this is the text.

> quoted
`)

var full = crlf(`
From: a@example.org
To: b@example.org
Subject: The plan
Date: Wed, 1 May 2024 10:00:00 +0000
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=outer

--outer
Content-Type: multipart/alternative; boundary=inner

--inner
Content-Type: text/plain; charset=windows-1252; format=flowed
Content-Transfer-Encoding: 8bit

Caf`) + "\xe9" + crlf(` is one 
line, and this
another.

--inner
Content-Type: text/html

<p>The same as HTML</p>
--inner--
--outer
Content-Type: application/pdf; name="ignored.pdf"
Content-Disposition: attachment; filename*=utf-8''%C3%BCbersicht.pdf
Content-Transfer-Encoding: base64

`) + base64.StdEncoding.EncodeToString([]byte("%PDF-1.7")) + "\r\n" + crlf(`
--outer
Content-Type: image/png; name="=?utf-8?q?plan_=C3=A4.png?="
Content-Disposition: inline

x
--outer
Content-Type: message/rfc822

From: c@example.org
Subject: What was before
Content-Type: text/plain

Older words.
--outer--
`)

var onlyHTML = crlf(`
From: שלום <s@example.org>
Subject: Newsletter
Content-Type: multipart/alternative; boundary=x

--x
Content-Type: text/plain

This message is HTML.
--x
Content-Type: text/html; charset=shift_jis

<html><style>p{}</style><h1>`) + "\x93\xfa\x96{\x8c\xea" + crlf(`</h1><table role="presentation"><tr><td><p>`+strings.Repeat("Long text of it. ", 50)+`</p></td></tr></table></html>
--x--
`)

func TestMessages(t *testing.T) {
	extracttest.Run(t, format,
		extracttest.Case{Name: "simple.eml", Type: extract.TypeMail, Title: "日本 and more", Content: []byte(simple),
			Pages: [][]string{{"# 日本 and more\n\nFrom: Jürgen <j@example.org>\nTo: Anna <a@example.org>, Ben <b@example.org>\nDate: 2024-05-01 10:00 +0200\n\nGrüße,\nthis is the text.\n\n> quoted"}}},
		extracttest.Case{Name: "full.eml", Type: extract.TypeMail, Title: "The plan", Content: []byte(full),
			Pages: [][]string{{"# The plan\n\n", "Café is one line, and this\nanother.\n\n## What was before\n\nFrom: c@example.org\n\nOlder words.\n\nAttachments: übersicht.pdf, plan ä.png"}}},
		extracttest.Case{Name: "html.eml", Type: extract.TypeMail, Title: "Newsletter", Content: []byte(onlyHTML),
			Pages: [][]string{{"From: שלום <s@example.org>\n\n# 日本語\n\nLong text of it."}}},
		extracttest.Case{Name: "mailbox.eml", Type: extract.TypeMail, Title: "x", Content: []byte("From somebody Mon May 1\n\nSubject: x\n\ntext"), Pages: [][]string{{"# x\n\ntext"}}},
		extracttest.Case{Name: "sealed.eml", Type: extract.TypeMail, Title: "x", Content: []byte("Subject: x\r\nContent-Type: multipart/encrypted; boundary=a\r\n\r\n--a\r\n\r\nsecret\r\n--a--\r\n"), Pages: [][]string{{"# x"}}},
	)
	pages, info := extracttest.All(t, format, extracttest.Write(t, "a.eml", extract.TypeMail, []byte(full)), 1)
	if !info.Modified.Equal(time.Date(2024, 5, 1, 10, 0, 0, 0, time.UTC)) {
		t.Errorf("modified %v", info.Modified)
	}
	if strings.Contains(pages[0].Text, "same as HTML") {
		t.Errorf("both forms are there:\n%s", pages[0].Text)
	}
	for name, c := range map[string]struct{ content, note string }{
		"sealed":  {"Subject: x\r\nContent-Type: application/pkcs7-mime; smime-type=enveloped-data\r\n\r\nsecret", "The message is encrypted; only its header could be read."},
		"cut off": {full[:len(full)-100], "The message is incomplete: its end is missing."},
	} {
		pages, _ := extracttest.All(t, format, extracttest.Write(t, "a.eml", extract.TypeMail, []byte(c.content)), 1)
		if pages[0].Note != c.note {
			t.Errorf("%s: note %q", name, pages[0].Note)
		}
	}
}

func TestMessagesThatAreRefused(t *testing.T) {
	nested := "Subject: x\r\n"
	for range 50 {
		nested += "Content-Type: message/rfc822\r\n\r\n"
	}
	parts := "Content-Type: multipart/mixed; boundary=a\r\n\r\n" + strings.Repeat("--a\r\nContent-Type: text/plain\r\n\r\nx\r\n", 3000) + "--a--\r\n"
	large := "Content-Type: multipart/mixed; boundary=a\r\n\r\n" + strings.Repeat("--a\r\nContent-Type: text/plain\r\n\r\n"+strings.Repeat("many words ", 700_000)+"\r\n", 3) + "--a--\r\n"
	for _, c := range []struct{ name, content, want string }{
		{"empty", "", "The file is empty."},
		{"no header", "\x00\x01\x02 no message at all\r\n\r\n", "header cannot be read"},
		{"long header", "Subject: " + strings.Repeat("x", 2<<20) + "\r\n\r\n", "header cannot be read"},
		{"nested", nested, "nested more than 12 deep"},
		{"parts", parts, "more than 2000 parts"},
		{"large", large, "more than 16 MB"},
	} {
		err := read(t, []byte(c.content))
		if failed, ok := errors.AsType[*chat.Error](err); !ok || !strings.Contains(failed.Detail, c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

func read(t testing.TB, content []byte) error {
	d, err := format.Open(t.Context(), extracttest.Write(t, "x", "", content))
	if err != nil {
		return err
	}
	defer d.Close()
	for p, err := range d.Pages(t.Context(), 1) {
		if err != nil {
			return err
		}
		if !utf8.ValidString(p.Text) || strings.ContainsRune(p.Text, 0) {
			t.Errorf("page %d is no text: %q", p.Number, p.Text)
		}
	}
	return nil
}

func FuzzMail(f *testing.F) {
	for _, seed := range []string{simple, full, onlyHTML} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		if err := read(t, content); err != nil {
			if _, ok := errors.AsType[*chat.Error](err); !ok {
				t.Errorf("%v is not the file's", err)
			}
		}
	})
}
