package main

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
	"go.yaml.in/yaml/v3"

	"confidant/internal/config"
)

type configCommand struct{}

// Run prints what is in effect, as a configuration file whose comments tell
// where each value comes from.
func (configCommand) Run(c *commands, k *kong.Context) error {
	given := map[string]bool{}
	for _, p := range k.Path {
		if p.Flag != nil && !p.Resolved {
			given[p.Flag.Name] = true
		}
	}
	for _, flag := range k.Model.Flags {
		if flag.Name == "help" || flag.Name == "config" || flag.Hidden {
			continue
		}
		value, err := yaml.Marshal(shownValue(flag))
		if err != nil {
			return fmt.Errorf("show %s: %w", flag.Name, err)
		}
		from := "default"
		switch {
		case given[flag.Name]:
			from = "flag"
		case config.Variable(flag) != "":
			from = config.Variable(flag)
		case c.file.Has(flag.Name):
			from = c.file.Path
		}
		if _, err := fmt.Fprintf(c.streams.out, "%s: %s  # %s\n", flag.Name, strings.TrimSpace(string(value)), from); err != nil {
			return err
		}
	}
	return nil
}

// shownValue is a flag's value as YAML has it, on one line.
func shownValue(flag *kong.Flag) any {
	switch v := flag.Target.Interface().(type) {
	case []string:
		return strings.Join(v, ",")
	case fmt.Stringer: // durations and secrets
		return v.String()
	default:
		return v
	}
}
