package main

import (
	"bufio"
	"context"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"confidant": main})
}

// TestScripts runs the command as a person would. Each script has its own data
// folder, no key of any provider, and nobody's configuration.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("CONFIDANT_DATA", filepath.Join(env.WorkDir, "data"))
			env.Setenv("CONFIDANT_ZONE", "Europe/Berlin")
			env.Setenv("CONFIDANT_EMBEDDER", "none")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"serve": serveInBackground, "bytes": bytesCommand,
		},
	})
}

// serveInBackground starts "confidant serve" on a free port, waits until it is
// ready, and sets SERVER to its URL. It is ended with the script, and must then
// have withdrawn its server.json.
func serveInBackground(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("serve cannot be negated")
	}
	self, err := exec.LookPath("confidant")
	ts.Check(err)
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, self, append([]string{"serve", "--listen=127.0.0.1:0"}, args...)...)
	cmd.Dir = ts.Getenv("WORK")
	for _, name := range []string{"CONFIDANT_DATA", "CONFIDANT_ZONE", "CONFIDANT_EMBEDDER", "HOME", "PATH"} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 20 * time.Second
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if _, url, ok := strings.Cut(lines.Text(), "http://"); ok {
			url, _, _ = strings.Cut(url, "/")
			ts.Setenv("SERVER", "http://"+url)
			break
		}
	}
	ts.Defer(func() {
		cancel()
		for lines.Scan() {
		}
		if err := cmd.Wait(); err != nil && ctx.Err() == nil {
			ts.Fatalf("serve: %v", err)
		}
		if _, err := os.Stat(runningPath(ts.Getenv("CONFIDANT_DATA"))); !os.IsNotExist(err) {
			ts.Fatalf("the server left its server.json behind (%v)", err)
		}
	})
}

// bytesCommand writes a file that no text could hold: bytes FILE HEX.
func bytesCommand(ts *testscript.TestScript, _ bool, args []string) {
	content, err := hex.DecodeString(args[1])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), content, 0o600))
}
