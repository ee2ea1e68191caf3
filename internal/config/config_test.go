package config

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"
)

var update = flag.Bool("update", false, "write docs/configuration.md anew")

type grammar struct {
	Config `embed:""`
}

// parse reads a configuration as the command does.
func parse(t *testing.T, file string, args ...string) (Config, []*kong.Flag, error) {
	t.Helper()
	var g grammar
	options := []kong.Option{kong.DefaultEnvars(Prefix), kong.Exit(func(int) { t.Fatal("exit") })}
	if file != "" {
		path := filepath.Join(t.TempDir(), "config.yaml")
		if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := ReadFile(path)
		if err != nil {
			return Config{}, nil, err
		}
		options = append(options, kong.Resolvers(f))
	}
	parser, err := kong.New(&g, options...)
	if err != nil {
		t.Fatal(err)
	}
	_, err = parser.Parse(args)
	return g.Config, parser.Model.Flags, err
}

// samples are two values for every flag, none of them its default.
func samples(t *testing.T, f *kong.Flag) (string, string) {
	t.Helper()
	switch f.Name { // what Validate looks into
	case "listen":
		return "127.0.0.1:17", "127.0.0.1:18"
	case "log-level":
		return "DEBUG", "ERROR"
	case "log-format":
		return "text", "json"
	case "zone":
		return "Asia/Tokyo", "Africa/Lagos"
	case "openai-base-url", "embed-url", "oidc-issuer":
		return "https://a.example", "https://b.example"
	}
	switch {
	case len(f.EnumSlice()) > 0 && f.Enum != "":
		return "responses", "chat"
	case f.Target.Type() == reflect.TypeFor[time.Duration]():
		return "17s", "18s"
	case f.Target.Kind() == reflect.Slice:
		return "a:1,b:2", "c:3,d:4"
	case f.Target.Kind() == reflect.Int || f.Target.Kind() == reflect.Int64:
		return "17", "18"
	case f.Target.Kind() == reflect.Float64:
		return "0.17", "0.18"
	case f.Target.Kind() == reflect.String:
		return "sample-1", "sample-2"
	case f.Target.Kind() == reflect.Bool:
		t.Fatalf("%s: a boolean has no two values besides its default", f.Name)
	}
	t.Fatalf("%s has a type without samples: %s", f.Name, f.Target.Type())
	return "", ""
}

func TestEveryValueFromAllPlaces(t *testing.T) {
	_, flags, err := parse(t, "")
	if err != nil {
		t.Fatal(err)
	}
	// get reads the value of a flag out of a parsed configuration.
	get := func(t *testing.T, name, file string, args ...string) string {
		t.Helper()
		_, parsed, err := parse(t, file, args...)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range parsed {
			if f.Name == name {
				v := f.Target.Interface()
				if s, ok := v.(Secret); ok {
					v = string(s)
				}
				return strings.ReplaceAll(strings.Trim(fmt.Sprint(v), "[]"), " ", ",")
			}
		}
		t.Fatalf("no flag %s", name)
		return ""
	}
	read := 0
	for _, f := range flags {
		if f.Name == "help" {
			continue
		}
		read++
		t.Run(f.Name, func(t *testing.T) {
			for _, env := range f.Envs {
				t.Setenv(env, "")
				os.Unsetenv(env)
			}
			a, b := samples(t, f)
			if other, ok := companions[f.Name]; ok {
				t.Setenv(other, "https://c.example")
			}
			if f.Help == "" || len(f.Envs) == 0 {
				t.Error("it has no help or no variable")
			}
			if got := f.Default; got == a || got == b {
				t.Fatalf("the default is a sample: %s", got)
			}
			if got := get(t, f.Name, fmt.Sprintf("%s: %q", f.Name, a)); got != a {
				t.Errorf("file: got %s, want %s", got, a)
			}
			t.Setenv(f.Envs[0], b)
			if got := get(t, f.Name, fmt.Sprintf("%s: %q", f.Name, a)); got != b {
				t.Errorf("variable over file: got %s, want %s", got, b)
			}
			if got := get(t, f.Name, fmt.Sprintf("%s: %q", f.Name, b), "--"+f.Name+"="+a); got != a {
				t.Errorf("flag over variable: got %s, want %s", got, a)
			}
		})
	}
	if want := leaves(reflect.TypeFor[Config]()); read != want {
		t.Errorf("%d values were read; the struct has %d", read, want)
	}
}

// companions are the variables without which a flag is refused.
var companions = map[string]string{"oidc-issuer": "CONFIDANT_OIDC_AUDIENCE", "oidc-audience": "CONFIDANT_OIDC_ISSUER"}

func leaves(t reflect.Type) int {
	n := 0
	for i := range t.NumField() {
		if t.Field(i).Type.Kind() == reflect.Struct {
			n += leaves(t.Field(i).Type)
		} else {
			n++
		}
	}
	return n
}

func TestFileRefuses(t *testing.T) {
	for file, want := range map[string]string{
		"agnet: openai:x":       `no key "agnet"`,
		"help: true":            `no key "help"`,
		"listen: {a: b}":        "listen: a map[string]interface {} cannot be a value",
		"just words":            "is not YAML of the form",
		"grace: soon":           "--grace",
		"listen: a\nlisten: b":  "already defined",
		"openai-api: telepathy": "telepathy",
	} {
		if _, _, err := parse(t, file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", file, err, want)
		}
	}
}

func TestFileLists(t *testing.T) {
	c, _, err := parse(t, "# a comment\nagent:\n  - openai:a\n  - compatible:b\ntool-calls: 3\n")
	if err != nil || !reflect.DeepEqual(c.Models.Agent, []string{"openai:a", "compatible:b"}) || c.Turns.ToolCalls != 3 {
		t.Errorf("got %v, %v", c, err)
	}
}

func TestValidate(t *testing.T) {
	if c, _, err := parse(t, ""); err != nil || c.Validate() != nil {
		t.Fatalf("the defaults are refused: %v, %v", err, c.Validate())
	}
	for arg, want := range map[string]string{
		"--zone=Mars/Olympus":       `zone "Mars/Olympus"`,
		"--listen=8420":             `listen is "8420"`,
		"--grace=-1s":               "grace is -1s",
		"--tool-calls=0":            "tool-calls is 0; it must be at least 1",
		"--import-bytes=-5":         "import-bytes is -5",
		"--lease=0s":                "lease is 0s",
		"--openai-base-url=ftp://x": `openai-base-url is "ftp://x"`,
		"--oidc-issuer=https://x":   "belong together",
	} {
		c, _, err := parse(t, "", arg)
		if err == nil {
			err = c.Validate()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", arg, err, want)
		}
	}
}

func TestSecretsAreMasked(t *testing.T) {
	c, _, err := parse(t, "", "--openai-api-key=sk-canary")
	if err != nil {
		t.Fatal(err)
	}
	if shown := fmt.Sprintf("%v %+v %s", c, c, c.Models.OpenAIKey); strings.Contains(shown, "canary") {
		t.Errorf("the key is shown: %s", shown)
	}
}

func TestReference(t *testing.T) {
	_, flags, err := parse(t, "")
	if err != nil {
		t.Fatal(err)
	}
	const path = "../../docs/configuration.md"
	want := Reference(flags)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("docs/configuration.md is not what the flags say (%v); run go test ./internal/config -update", err)
	}
}
