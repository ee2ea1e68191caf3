// Command confidant is a private assistant that remembers.
package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"confidant/internal/config"
	"confidant/internal/obs"
)

// version is set by the linker.
var version = "dev"

// commands is the command line.
type commands struct {
	Data       string        `help:"Folder that holds everything." default:"${data}" type:"path"`
	ConfigFile string        `name:"config" placeholder:"FILE" help:"YAML file with values for these flags." type:"path"`
	Server     string        `placeholder:"URL" help:"Server to talk to. Default: the one that runs on the data folder, else none is needed."`
	Key        config.Secret `name:"server-token" help:"Token for that server."`
	User       string        `help:"Whose memory, on this machine. With --server, the token decides." default:"owner"`

	Config config.Config `embed:""`

	Serve   serveCommand   `cmd:"" help:"Answer requests, and serve the page."`
	Import  importCommand  `cmd:"" help:"Take in transcripts, captions, notes and exports."`
	Export  exportCommand  `cmd:"" help:"Write everything that belongs to you into one zip file of open formats."`
	Ask     askCommand     `cmd:"" help:"Ask one question; the answer comes with its sources."`
	Chat    chatCommand    `cmd:"" help:"Talk, with a memory of what was said before."`
	Token   tokenCommand   `cmd:"" help:"Print a new token, and nothing else."`
	Doctor  doctorCommand  `cmd:"" help:"Tell what is configured, reachable and missing."`
	Show    configCommand  `cmd:"" name:"config" help:"Print the configuration in effect, secrets masked."`
	Bench   benchCommand   `cmd:"" help:"Measure how well things are found."`
	Version versionCommand `cmd:"" help:"Print the version."`

	file    config.File
	streams streams
}

// streams are where a command reads and writes.
type streams struct {
	in       *os.File
	out, err io.Writer
}

func main() { os.Exit(Main()) }

// Main runs the command line of this process and returns its exit status.
func Main() int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], streams{in: os.Stdin, out: os.Stdout, err: os.Stderr}); err != nil {
		fmt.Fprintln(os.Stderr, "confidant:", friendly(err))
		return 1
	}
	return 0
}

// run runs one command. Its context ends with an interrupt too, except for chat,
// to which an interrupt means something else.
func run(ctx context.Context, args []string, s streams) error {
	c := commands{streams: s}
	options := []kong.Option{
		kong.Name("confidant"), kong.Description("A private assistant that remembers."),
		kong.DefaultEnvars(config.Prefix), kong.Vars{"data": defaultData()}, kong.Writers(s.out, s.err),
	}
	if path := configPath(args); path != "" {
		file, err := config.ReadFile(path)
		if err != nil {
			return err
		}
		c.file = file
		options = append(options, kong.Resolvers(file))
	}
	parser, err := kong.New(&c, options...)
	if err != nil {
		return err
	}
	k, err := parser.Parse(args)
	if err != nil {
		return err
	}
	if k.Command() != "chat" {
		interruptible, stop := signal.NotifyContext(ctx, os.Interrupt)
		defer stop()
		ctx = interruptible
	}
	slog.SetDefault(obs.NewLogger(s.err, asText(c.Config.Log.Format, s.err), c.Config.Log.Level))
	k.BindTo(ctx, (*context.Context)(nil))
	return k.Run(&c)
}

// asText reports whether logs are for reading by people.
func asText(format string, to io.Writer) bool {
	return format == "text" || format == "auto" && isTerminal(to)
}

// configPath finds --config before the flags are parsed, because the file has
// their values.
func configPath(args []string) string {
	for i, arg := range args {
		if arg == "--" {
			break
		}
		if path, ok := strings.CutPrefix(arg, "--config="); ok {
			return path
		}
		if arg == "--config" && i+1 < len(args) {
			return args[i+1]
		}
	}
	return os.Getenv(config.Prefix + "_CONFIG")
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

type versionCommand struct{}

// Run prints the version.
func (versionCommand) Run(c *commands) error {
	_, err := fmt.Fprintln(c.streams.out, "confidant", version)
	return err
}
