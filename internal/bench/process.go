package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// process is a server that runs beside this program.
type process struct {
	cmd    *exec.Cmd
	addr   string
	output bytes.Buffer
}

// freeAddress is a port that was free a moment ago.
func freeAddress() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}

// spawn starts a binary and returns when url answers with 200.
func spawn(binary, addr, path string, env []string, args ...string) (*process, error) {
	p := &process{cmd: exec.Command(binary, args...), addr: addr}
	p.cmd.Env = append(os.Environ(), env...)
	p.cmd.Stdout, p.cmd.Stderr = &p.output, &p.output
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if resp, err := http.Get("http://" + addr + path); err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return p, nil
			}
		}
	}
	p.kill()
	return nil, fmt.Errorf("%s did not start:\n%s", binary, p.output.String())
}

func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait() // "signal: killed" is what we want
}

// stop asks nicely first.
func (p *process) stop() {
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	_ = p.cmd.Wait()
}

// cpu is the processor time that a process has used.
func (p *process) cpu() (time.Duration, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	// The name in the second field may hold spaces: count from its closing bracket.
	fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
	user, err1 := strconv.Atoi(fields[11])
	system, err2 := strconv.Atoi(fields[12])
	if err1 != nil || err2 != nil {
		return 0, fmt.Errorf("read /proc stat %q", data)
	}
	return time.Duration(user+system) * 10 * time.Millisecond, nil // USER_HZ is 100 everywhere
}

// peak is the most memory that a process has had, in MB.
func (p *process) peak() (float64, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(data)) {
		if text, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kb, err := strconv.ParseFloat(strings.Fields(text)[0], 64)
			return kb / 1024, err
		}
	}
	return 0, fmt.Errorf("no VmHWM in %q", data)
}

// pair is the server with the scripted model that it talks to.
type pair struct {
	model, server *process
	token         string
}

func (b *bench) newPair(ctx context.Context, data string) (*pair, error) {
	binary, err := b.build(ctx, "confidant/cmd/confidant", true)
	if err != nil {
		return nil, err
	}
	scripted, err := b.build(ctx, "confidant/internal/llm/modelserver/cmd", false)
	if err != nil {
		return nil, err
	}
	addr, err := freeAddress()
	if err != nil {
		return nil, err
	}
	p := &pair{}
	if p.model, err = spawn(scripted, addr, "/v1/models", nil, "--listen", addr, "--pace", "0s"); err != nil {
		return nil, err
	}
	folder := filepath.Join(b.dir, data)
	token, err := exec.CommandContext(ctx, binary, "token", "--data", folder).Output()
	if err != nil {
		p.model.kill()
		return nil, fmt.Errorf("make a token: %w", err)
	}
	p.token = strings.TrimSpace(string(token))
	if addr, err = freeAddress(); err == nil {
		env := []string{"OPENAI_BASE_URL=http://" + p.model.addr + "/v1", "OPENAI_API_KEY=scripted", "CONFIDANT_EMBEDDER=none"}
		p.server, err = spawn(binary, addr, "/readyz", env, "serve", "--data", folder, "--listen", addr)
	}
	if err != nil {
		p.model.kill()
		return nil, err
	}
	return p, nil
}

func (p *pair) close() {
	p.server.stop()
	p.model.kill()
}
