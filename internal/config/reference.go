package config

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

// Prefix begins the name of every variable.
const Prefix = "CONFIDANT"

// Reference writes docs/configuration.md from the flags of an application, so
// that it cannot fall behind.
func Reference(flags []*kong.Flag) string {
	var b strings.Builder
	b.WriteString(`# Configuration

This file is generated from internal/config; run go test ./internal/config -update to write it anew.

A value comes from its flag, else its variable, else the file that --config or CONFIDANT_CONFIG names, else the
default. The file is YAML; its keys are the flags' names without the dashes, and a key that is not known is an error:

` + "```yaml" + `
listen: 127.0.0.1:8420
agent: [openai:gpt-5.1, anthropic:claude-sonnet-4-5]
tool-time: 45s
` + "```" + `

Durations are written like 90s, 5m or 24h. ` + "`confidant config`" + ` prints what is in effect and where it comes from.
`)
	group := "?"
	for _, flag := range flags {
		if flag.Name == "help" || flag.Hidden {
			continue
		}
		title := "Server"
		if flag.Group != nil {
			title = flag.Group.Title
		}
		if title != group {
			group = title
			fmt.Fprintf(&b, "\n## %s\n\n| key and flag | variable | default | meaning |\n|---|---|---|---|\n", title)
		}
		fmt.Fprintf(&b, "| `%s` | `%s` | %s | %s |\n", flag.Name, strings.Join(flag.Envs, "`, `"), code(flag.Default), strings.ReplaceAll(flag.Help, "|", "\\|"))
	}
	return b.String()
}

func code(text string) string {
	if text == "" {
		return ""
	}
	return "`" + text + "`"
}
