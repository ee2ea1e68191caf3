// Command confidant is a private assistant that remembers.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"
)

// version is set by the linker.
var version = "dev"

// commands is the command line.
type commands struct {
	Data string `help:"Folder that holds everything." default:"${data}" type:"path"`

	Serve serveCommand `cmd:"" help:"Answer requests, and serve the page."`
	Token tokenCommand `cmd:"" help:"Print a new token, and nothing else."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "confidant:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	var c commands
	parser, err := kong.New(&c, kong.Name("confidant"), kong.Description("A private assistant that remembers."),
		kong.DefaultEnvars("CONFIDANT"), kong.Vars{"data": defaultData(), "version": version},
		kong.BindTo(ctx, (*context.Context)(nil)))
	if err != nil {
		return err
	}
	k, err := parser.Parse(args)
	if err != nil {
		return err
	}
	return k.Run(&c)
}

func defaultData() string {
	if dir := os.Getenv("XDG_DATA_HOME"); dir != "" {
		return dir + "/confidant"
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "confidant-data"
	}
	return home + "/.local/share/confidant"
}
