package config

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/alecthomas/kong"
	"go.yaml.in/yaml/v3"
)

// File is a configuration file: YAML whose keys are the names of flags.
type File struct {
	Path   string
	values map[string]any
}

var _ kong.Resolver = File{}

// ReadFile reads a file. An empty one is fine and sets nothing.
func ReadFile(path string) (File, error) {
	f, err := os.Open(path)
	if err != nil {
		return File{}, fmt.Errorf("open configuration: %w", err)
	}
	defer f.Close()
	raw := map[string]any{}
	if err := yaml.NewDecoder(f).Decode(&raw); err != nil && !errors.Is(err, io.EOF) {
		return File{}, fmt.Errorf("configuration %s is not YAML of the form \"name: value\": %w", path, err)
	}
	file := File{Path: path, values: map[string]any{}}
	for key, value := range raw {
		text, err := scalar(value)
		if err != nil {
			return File{}, fmt.Errorf("configuration %s: %s: %w", path, key, err)
		}
		file.values[key] = text
	}
	return file, nil
}

// scalar is a value as its flag takes it; the parts of a list joined by commas.
func scalar(value any) (string, error) {
	switch v := value.(type) {
	case nil:
		return "", nil
	case string, bool, int, int64, uint64, float64:
		return fmt.Sprint(v), nil
	case []any:
		parts := make([]string, len(v))
		for i, item := range v {
			text, err := scalar(item)
			if err != nil {
				return "", err
			}
			parts[i] = text
		}
		return strings.Join(parts, ","), nil
	}
	return "", fmt.Errorf("a %T cannot be a value; values are texts, numbers and lists of them", value)
}

// Has reports whether the file sets a name.
func (f File) Has(name string) bool {
	_, ok := f.values[name]
	return ok
}

// Validate implements kong.Resolver: a key that is no flag of all commands is an
// error, because a misspelt key would otherwise be ignored in silence.
func (f File) Validate(app *kong.Application) error {
	known := map[string]bool{}
	for _, flag := range app.Flags {
		known[flag.Name] = flag.Name != "help" && flag.Name != "config"
	}
	for key := range f.values {
		if !known[key] {
			return fmt.Errorf("configuration %s: there is no key %q; see docs/configuration.md", f.Path, key)
		}
	}
	return nil
}

// Resolve implements kong.Resolver. A variable goes before the file.
func (f File) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	value, ok := f.values[flag.Name]
	if !ok || Variable(flag) != "" {
		return nil, nil
	}
	return value, nil
}

// Variable returns the name of the variable that sets a flag, "" for none.
func Variable(flag *kong.Flag) string {
	for _, name := range flag.Envs {
		if _, set := os.LookupEnv(name); set {
			return name
		}
	}
	return ""
}
