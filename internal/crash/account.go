package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"sort"
	"time"

	_ "modernc.org/sqlite" // to look into the database beside the server

	"confidant/internal/chat"
)

// account is what a library has in the end: a line for each file, page, chunk and
// search result, without ids and the times of day, in a fixed order.
type account []string

// strays are rows that belong to nothing, by what to call them.
var strays = map[string]string{
	"generations without a file":   `SELECT count(*) FROM generations WHERE id NOT IN (SELECT generation FROM files)`,
	"pages without a file":         `SELECT count(*) FROM pages WHERE generation NOT IN (SELECT generation FROM files)`,
	"passages without a file":      `SELECT count(*) FROM passages WHERE grp NOT IN (SELECT generation FROM files)`,
	"chunks without a passage":     `SELECT count(*) FROM chunks WHERE passage NOT IN (SELECT id FROM passages)`,
	"passages without a chunk":     `SELECT count(*) FROM passages WHERE position >= 0 AND id NOT IN (SELECT passage FROM chunks)`,
	"vectors without a passage":    `SELECT count(*) FROM vectors WHERE passage NOT IN (SELECT id FROM passages)`,
	"chunks at the same position":  `SELECT count(*) - count(DISTINCT grp || ' ' || position) FROM passages`,
	"files with the same content":  `SELECT count(*) - count(DISTINCT hash) FROM files`,
	"files that have two readings": `SELECT count(*) - count(DISTINCT file) FROM generations`,
}

// questions are about words that few paragraphs have.
var questions = []string{coined(3), coined(17) + " and " + coined(40), coined(66), "reserved tag class in the encoding of a structure"}

const unembedded = `SELECT count(*) FROM passages WHERE id NOT IN (SELECT passage FROM vectors)`

// tidyTime is how long the server may take to sweep away what nobody reads any more.
const tidyTime = 20 * time.Second

// look reads the account of a library in which nothing is in progress. It fails when
// something is left that belongs to no file, or is missing.
func look(ctx context.Context, s *server, embedded bool) (account, error) {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(s.data, "confidant.db")+"?_pragma=query_only(1)&_pragma=busy_timeout(5000)")
	if err != nil {
		return nil, err
	}
	defer db.Close()
	for deadline := time.Now().Add(tidyTime); ; time.Sleep(20 * time.Millisecond) {
		err := tidy(ctx, db, embedded)
		if err == nil {
			break
		}
		if time.Now().After(deadline) {
			return nil, err
		}
	}
	var lines account
	files, err := records(ctx, db)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		if want := wanted(f.Name); f.State != want {
			return nil, fmt.Errorf("%s is %s (%s), want %s", f.Name, f.State, f.Reason, want)
		}
		f.ID, f.CreatedAt, f.UpdatedAt, f.Revision = "", time.Time{}, time.Time{}, 0
		lines = append(lines, plain(f))
	}
	if err := bytesOf(s, files); err != nil {
		return nil, err
	}
	for _, query := range []string{
		`SELECT f.name || ', page ' || p.number || ': ' || json_array(p.label, p.text, p.note) FROM files f JOIN pages p ON p.generation = f.generation`,
		`SELECT f.name || ', chunk ' || p.position || ': ' || json_array(c.page, c.start, c.finish, json(c.headings), p.kind, p.text)
			FROM files f JOIN passages p ON p.grp = f.generation JOIN chunks c ON c.passage = p.id`,
		`SELECT f.name || ', about it: ' || p.text FROM files f JOIN passages p ON p.grp = f.generation WHERE p.position < 0`,
	} {
		more, err := column(ctx, db, query)
		if err != nil {
			return nil, err
		}
		lines = append(lines, more...)
	}
	for _, q := range questions {
		found, err := results(ctx, s, q)
		if err != nil {
			return nil, err
		}
		lines = append(lines, found...)
	}
	sort.Strings(lines)
	return lines, nil
}

func wanted(name string) chat.FileState {
	if name == broken {
		return chat.FileFailed
	}
	return chat.FileSuccess
}

// tidy fails when a row belongs to nothing, or a chunk has no vector that should.
func tidy(ctx context.Context, db *sql.DB, embedded bool) error {
	count := func(query string) (n int, err error) {
		err = db.QueryRowContext(ctx, query).Scan(&n)
		return n, err
	}
	for what, query := range strays {
		if n, err := count(query); err != nil || n != 0 {
			return errors.Join(err, fmt.Errorf("there are %d %s", n, what))
		}
	}
	if !embedded {
		return nil
	}
	n, err := count(unembedded)
	if err == nil && n != 0 {
		err = fmt.Errorf("%d chunks are not embedded", n)
	}
	return err
}

func column(ctx context.Context, db *sql.DB, query string) (list []string, err error) {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			return nil, err
		}
		list = append(list, line)
	}
	return list, rows.Err()
}

func records(ctx context.Context, db *sql.DB) ([]chat.File, error) {
	data, err := column(ctx, db, "SELECT data FROM files")
	if err != nil {
		return nil, err
	}
	files := make([]chat.File, len(data))
	for i := range data {
		if err := json.Unmarshal([]byte(data[i]), &files[i]); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// bytesOf fails when the folder of bytes has not exactly those of the files.
func bytesOf(s *server, files []chat.File) error {
	var want, got []string
	for _, f := range files {
		want = append(want, f.Hash)
	}
	err := filepath.WalkDir(filepath.Join(s.data, "files"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			got = append(got, filepath.Base(path))
		}
		return err
	})
	if err != nil {
		return err
	}
	sort.Strings(want)
	sort.Strings(got)
	if !slices.Equal(got, want) {
		return fmt.Errorf("the folder of bytes has %d files and the library %d, or they differ", len(got), len(want))
	}
	return nil
}

// results are what a search of files finds, in no order: equals stand as they come.
func results(ctx context.Context, s *server, question string) ([]string, error) {
	var found struct {
		Results []struct {
			Name       string
			Page       int
			Text       string
			Similarity float64
		}
	}
	if err := s.call(ctx, http.MethodGet, "/api/files/search?limit=20&q="+url.QueryEscape(question), "", nil, &found); err != nil {
		return nil, err
	}
	var lines []string
	for _, r := range found.Results {
		lines = append(lines, fmt.Sprintf("%s: %.4f %s, page %d: %s", question, r.Similarity, r.Name, r.Page, r.Text))
	}
	return lines, nil
}
