package confidant_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// wall forbids imports between rooms of the house. Paths are below the module;
// "…/*" stands for everything under a folder, its tests excepted.
type wall struct {
	from   string
	banned []string
	except []string
	reason string
}

const module = "confidant/"

var walls = []wall{
	{from: "internal/chat", banned: []string{"*"},
		reason: "the domain knows the standard library only, so that it never has to change for anybody else's sake"},
	{from: "internal/journal", banned: []string{"internal/*"}, except: []string{"internal/chat"},
		reason: "the journal meets its store and its bus through interfaces of chat"},
	{from: "internal/bus", banned: []string{"internal/*"}, except: []string{"internal/chat"},
		reason: "a bus carries events and knows nothing of who reads or stores them"},
	{from: "internal/store/*", banned: []string{"internal/*"}, except: []string{"internal/chat", "internal/ident", "internal/store/sqlite"},
		reason: "a store implements interfaces of chat; one that knew its callers could not be exchanged"},
	{from: "internal/llm/*", banned: []string{"internal/*"}, except: []string{"internal/chat", "internal/llm", "internal/llm/modelserver", "internal/when"},
		reason: "a provider is a leaf: it translates one wire format and no more; the built-in responder reads time words, as search does"},
	{from: "internal/when", banned: []string{"*"},
		reason: "time words are arithmetic on dates"},
	{from: "internal/embed/*", banned: []string{"internal/*"}, except: []string{"internal/chat", "internal/embed", "internal/embed/uselite", "internal/embed/uselite/*"},
		reason: "an embedder is a leaf"},
	{from: "internal/api/dialect", banned: []string{"*"}, except: []string{"internal/chat"},
		reason: "a dialect is bytes in, bytes out; with a library or a store at hand it would start to do things"},
	{from: "internal/api/dialect", banned: []string{"net", "os", "database/sql", "io/fs"},
		reason: "a dialect does no I/O"},
	{from: "internal/api", banned: []string{"internal/turn/*", "internal/turn", "internal/store/*", "internal/llm/*", "internal/journal"},
		reason: "the surface calls interfaces of chat, so that any engine can stand behind it"},
	{from: "internal/search", banned: []string{"internal/turn", "internal/turn/*", "internal/store/*", "internal/api", "internal/api/*"},
		reason: "retrieval serves everybody and depends on nobody above it"},
	{from: "internal/calendar", banned: []string{"internal/*"}, except: []string{"internal/chat", "internal/ident"},
		reason: "the calendar serves tools and surface and knows neither, and meets its store through an interface of chat"},
	{from: "internal/calendar/ics", banned: []string{"internal/*"}, except: []string{"internal/chat"},
		reason: "a file format is read and written without anything else at hand"},
	{from: "internal/library/extract/*", banned: []string{"internal/*"}, except: []string{"internal/chat", "internal/library/extract"},
		reason: "a file format is read without anything else at hand: what it reads comes from strangers"},
	{from: "internal/prompt", banned: []string{"internal/*"}, except: []string{"internal/chat", "internal/llm"},
		reason: "a prompt is asked by anybody and knows the model only"},
	{from: "internal/thread", banned: []string{"internal/*"}, except: []string{"internal/chat", "internal/ident"},
		reason: "what is no turn needs no engine: it meets the store, and who stops turns and greets, through interfaces"},
	{from: "internal/tool/*", banned: []string{"internal/turn", "internal/turn/*", "internal/store/*", "internal/api", "internal/api/*", "internal/llm", "internal/llm/*"},
		reason: "a tool is called by the loop and must not know it"},
	{from: "internal/turn/*", banned: []string{"internal/turn", "internal/turn/*", "internal/api", "internal/api/*", "internal/store/*", "internal/journal"},
		reason: "a stage never imports another stage; turn puts them in their order"},
}

// badNames are package names that say nothing about what is inside.
var badNames = []string{"util", "utils", "common", "helpers", "types", "misc"}

func TestWalls(t *testing.T) {
	for file, imports := range importsOfTheHouse(t) {
		room := path.Dir(file)
		for _, w := range walls {
			if !covers(w.from, room) {
				continue
			}
			for _, imported := range imports {
				if matches(w.banned, imported) && !matches(w.except, imported) && !within(room, imported) {
					t.Errorf("%s imports %q: %s", file, imported, w.reason)
				}
			}
		}
		for _, bad := range badNames {
			if path.Base(room) == bad {
				t.Errorf("%s: no package is named %q, because that says nothing", file, bad)
			}
		}
	}
}

func TestOnlyTheCommandSeesEverything(t *testing.T) {
	for file, imports := range importsOfTheHouse(t) {
		for _, imported := range imports {
			if strings.HasPrefix(imported, module+"cmd/") {
				t.Errorf("%s imports %s: wiring is nobody's dependency", file, imported)
			}
			// The bench measures the store itself.
			if strings.HasPrefix(imported, module+"internal/store/") && !strings.HasPrefix(file, "cmd/") &&
				!strings.HasPrefix(file, "internal/store/") && !strings.HasPrefix(file, "internal/bench/") {
				t.Errorf("%s imports %s: only the command chooses a store", file, imported)
			}
		}
	}
}

// importsOfTheHouse maps every Go file that is not a test to what it imports.
func importsOfTheHouse(t *testing.T) map[string][]string {
	t.Helper()
	files := map[string][]string{}
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "node_modules" || d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && name != ".") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		list := []string{}
		for _, spec := range parsed.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			list = append(list, imported)
		}
		files[filepath.ToSlash(name)] = list
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 30 {
		t.Fatalf("only %d files were read: the test looks at the wrong folder", len(files))
	}
	return files
}

// covers reports whether a pattern names a room.
func covers(pattern, room string) bool {
	if folder, ok := strings.CutSuffix(pattern, "/*"); ok {
		return strings.HasPrefix(room, folder+"/")
	}
	return room == pattern
}

// matches reports whether an import is one of the patterns. "*" is everything
// that is not of the standard library.
func matches(patterns []string, imported string) bool {
	for _, p := range patterns {
		if p == "*" {
			if strings.Contains(strings.SplitN(imported, "/", 2)[0], ".") || strings.HasPrefix(imported, module) {
				return true
			}
			continue
		}
		full := module + p
		if !strings.HasPrefix(p, "internal") {
			full = p
		}
		if imported == full || covers(full, imported) {
			return true
		}
	}
	return false
}

// within reports whether an import is below the room itself.
func within(room, imported string) bool { return strings.HasPrefix(imported, module+room+"/") }
