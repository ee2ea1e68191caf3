package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"confidant/internal/llm/modelserver"
)

// server is the process under test.
type server struct {
	binary, data, probe, addr, token string
	env                              []string // beside this process's

	model   *httptest.Server // the scripted model it talks to; nil for none
	process *exec.Cmd
	output  bytes.Buffer
}

// withModel starts a server that has a scripted model and searches by words only.
func withModel(ctx context.Context, binary, dir string) (*server, error) {
	model := modelserver.New()
	model.Pace = 25 * time.Millisecond
	return newServer(ctx, &server{binary: binary, data: filepath.Join(dir, "data"), probe: filepath.Join(dir, "probe"), model: httptest.NewServer(model)})
}

func newServer(ctx context.Context, s *server) (*server, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0") // a port that was free a moment ago
	if err != nil {
		return nil, err
	}
	s.addr = listener.Addr().String()
	if err := listener.Close(); err != nil {
		return nil, err
	}
	token, err := exec.CommandContext(ctx, s.binary, "token", "--data", s.data).Output()
	if err != nil {
		return nil, fmt.Errorf("make a token: %w", err)
	}
	s.token = strings.TrimSpace(string(token))
	return s, s.start()
}

// start runs the process and returns when it is ready.
func (s *server) start() error {
	s.output.Reset()
	s.process = exec.Command(s.binary, "serve", "--data", s.data, "--listen", s.addr, "--probe-file", s.probe)
	s.process.Env = append(os.Environ(), s.env...)
	if s.model != nil {
		s.process.Env = append(s.process.Env, "OPENAI_BASE_URL="+s.model.URL+"/v1", "OPENAI_API_KEY=scripted", "CONFIDANT_EMBEDDER=none")
	}
	s.process.Stdout, s.process.Stderr = &s.output, &s.output
	if err := s.process.Start(); err != nil {
		return err
	}
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if resp, err := http.Get("http://" + s.addr + "/readyz"); err == nil {
			_ = resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return nil
			}
		}
	}
	s.kill()
	return fmt.Errorf("the server did not start:\n%s", s.output.String())
}

// kill is SIGKILL: the process has no chance to tidy up.
func (s *server) kill() {
	_ = s.process.Process.Kill() // it may be dead already
	_ = s.process.Wait()         // "signal: killed" is what we want
	http.DefaultClient.CloseIdleConnections()
}

func (s *server) close() {
	s.kill()
	if s.model != nil {
		s.model.Close()
	}
}

// errDown says that the server went away in the middle; that is what it is for.
var errDown = errors.New("the server is down")

// call makes a request and decodes its answer.
func (s *server) call(ctx context.Context, method, path, key string, body, into any) error {
	var payload io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			return err
		}
		payload = bytes.NewReader(data)
	}
	resp, err := s.request(ctx, method, path, key, payload)
	if err != nil {
		return fmt.Errorf("%w: %w", errDown, err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return fmt.Errorf("%w: %w", errDown, err)
	}
	if resp.StatusCode >= 300 {
		return fmt.Errorf("%s %s: %s: %s", method, path, resp.Status, data)
	}
	return json.Unmarshal(data, into)
}

func (s *server) request(ctx context.Context, method, path, key string, body io.Reader) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, "http://"+s.addr+path, body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+s.token)
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	return http.DefaultClient.Do(req)
}

// ran counts how often the probe ran with a token.
func (s *server) ran(token string) (int, error) {
	data, err := os.ReadFile(s.probe)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return 0, err
	}
	n := 0
	for line := range strings.Lines(string(data)) {
		if strings.TrimSpace(line) == token {
			n++
		}
	}
	return n, nil
}
