package modelserver

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"
)

// start serves a new Server.
func start(t *testing.T) (*Server, string) {
	s := New()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return s, server.URL
}

// post sends a JSON body and returns the status and the answer.
func post(t *testing.T, url, body string) (*http.Response, string) {
	t.Helper()
	resp, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(answer)
}

// conversation is a request with tools; results are what its tools returned, in
// one step each.
func conversation(question string, tools []string, results ...string) *Request {
	req := &Request{API: "chat", Messages: []Message{{Role: "user", Text: question}}}
	for _, name := range tools {
		req.Tools = append(req.Tools, Tool{Name: name})
	}
	for _, r := range results {
		req.Messages = append(req.Messages, Message{Role: "assistant", Calls: []Call{{ID: "c"}}}, Message{Role: "tool", CallID: "c", Text: r})
	}
	return req
}

func TestThink(t *testing.T) {
	tools := []string{addTool, searchTool}
	for _, tt := range []struct {
		name     string
		question string
		tools    []string
		results  []string
		text     string
		calls    []Call
	}{
		{"sum", "What is 42 + 58?", tools, nil, "", []Call{{Name: addTool, Arguments: `{"a":42,"b":58}`}}},
		{"sum done", "What is 42 + 58?", tools, []string{"100"}, "42 + 58 = 100.", nil},
		{"sum in an object", "42+58", tools, []string{`{"result":100}`}, "42 + 58 = 100.", nil},
		{"sum failed", "42+58", tools, []string{"broken"}, "The tool did not return a number: broken", nil},
		{"sum without the tool", "(42 + 58)", nil, nil, "42 + 58 = 100.", nil},
		{"two calls in a step", "(25+75)+(100+50)", tools, nil, "", []Call{
			{Name: addTool, Arguments: `{"a":25,"b":75}`}, {Name: addTool, Arguments: `{"a":100,"b":50}`}}},
		{"one of two missing", "(25+75)+(100+50)", tools, []string{"100"}, "", []Call{{Name: addTool, Arguments: `{"a":100,"b":50}`}}},
		{"next step", "(25+75)+(100+50)", tools, []string{"100", "150"}, "", []Call{{Name: addTool, Arguments: `{"a":100,"b":150}`}}},
		{"all steps", "(25+75)+(100+50)", tools, []string{"100", "150", "250"}, "(25 + 75) + (100 + 50) = 250.", nil},
		{"tools withheld in the middle", "(25+75)+(100+50)", nil, []string{"100"}, "(25 + 75) + (100 + 50) = 250.", nil},
		{"decimals in a row", "1.5 + 2 + 0.25", nil, nil, "1.5 + 2 + 0.25 = 3.75.", nil},
		{"search", "What did I say about boats?", tools, nil, "", []Call{{Name: searchTool, Arguments: `{"query":"What did I say about boats?"}`}}},
		{"found", "What did I say about boats?", tools, []string{`{"results":[{"cite":3,"text":"Boats sink."},{"cite":4,"text":"x"}]}`}, "Your records say: “Boats sink.” [3]", nil},
		{"not found", "What did I say about boats?", tools, []string{`{"results":[]}`}, "I found nothing about that in your records.", nil},
		{"tool", `Go [[tool:find {"q":[[1]]}]] [[tool:now]]`, tools, nil, "", []Call{{Name: "find", Arguments: `{"q":[[1]]}`}, {Name: "now", Arguments: "{}"}}},
		{"tool done", `[[tool:now]]`, tools, []string{"noon"}, "The tools answered: noon", nil},
		{"repeat", `[[repeat:now {"a":1}]]`, tools, []string{"x"}, "", []Call{{Name: "now", Arguments: `{"a":1}`}}},
		{"loop", `[[loop:now {"a":1}]]`, tools, []string{"x", "y"}, "", []Call{{Name: "now", Arguments: `{"a":3}`}}},
		{"loop withheld", `[[loop:now {"a":1}]]`, nil, []string{"x", "y"}, "Stopped after 2 tool results.", nil},
		{"bad arguments", "[[fault:badargs]] hello", tools, nil, "", []Call{{Name: addTool, Arguments: `{"broken": [1, `}}},
		{"chat", "[[hello]]", tools, nil, "You said: “[[hello]]”. I am a scripted model, not a language model, and I can see 0 earlier messages.", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			step := think(conversation(tt.question, tt.tools, tt.results...))
			if step.wholeText() != tt.text || !reflect.DeepEqual(step.Calls, tt.calls) {
				t.Errorf("got %q and %+v, want %q and %+v", step.wholeText(), step.Calls, tt.text, tt.calls)
			}
		})
	}
}

func TestLoopVariesTexts(t *testing.T) {
	seen := map[string]bool{}
	var results []string
	for range 5 {
		step := think(conversation(`[[loop:find {"query":"boats"}]]`, []string{"find"}, results...))
		seen[step.Calls[0].Arguments] = true
		results = append(results, "nothing")
	}
	if len(seen) != 5 {
		t.Errorf("five steps made %d different calls: %v", len(seen), seen)
	}
}

func TestThinkSeesTheHistory(t *testing.T) {
	req := conversation("Hello", nil)
	req.Messages = append([]Message{
		{Role: "user", Text: "a"}, {Role: "assistant", Calls: []Call{{}}}, {Role: "tool", Text: "x"}, {Role: "assistant", Text: "b"},
	}, req.Messages...)
	if got := think(req).wholeText(); !strings.Contains(got, "I can see 2 earlier messages") {
		t.Errorf("got %q", got)
	}
}

func TestFaultDirectives(t *testing.T) {
	for _, tt := range []struct {
		directive string
		step      int
		want      *Fault
	}{
		{"[[fault:cut]]", 1, &Fault{Kind: FaultCut, After: 2}},
		{"[[fault:cut]]", 2, nil},
		{"[[fault:stall step:2 after:0 once]]", 2, &Fault{Kind: FaultStall, Once: true}},
		{"[[fault:429 wait:3s]]", 1, &Fault{Kind: "429", After: 2, Status: 429, Code: "rate_limit_exceeded", Message: "Rate limit reached.", RetryAfter: 3 * time.Second}},
		{"[[fault:unknown]]", 1, nil},
	} {
		directives, rest := ParseDirectives(tt.directive + " hello")
		if len(directives) != 1 || rest != "hello" {
			t.Fatalf("%s gives %v and %q", tt.directive, directives, rest)
		}
		if got := directives[0].fault(tt.step); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s in step %d gives %+v, want %+v", tt.directive, tt.step, got, tt.want)
		}
	}
}

func TestFaultOnceLetsTheQuestionThrough(t *testing.T) {
	_, url := start(t)
	body := `{"model":"m","messages":[{"role":"user","content":"[[fault:429 once]] Hi"}]}`
	resp, _ := post(t, url+"/v1/chat/completions", body)
	if resp.StatusCode != 429 || resp.Header.Get("Retry-After") != "1" {
		t.Errorf("got %d with Retry-After %q", resp.StatusCode, resp.Header.Get("Retry-After"))
	}
	if resp, answer := post(t, url+"/v1/chat/completions", body); resp.StatusCode != 200 {
		t.Errorf("the second time: %d %s", resp.StatusCode, answer)
	}
}

func TestNumberedDeltas(t *testing.T) {
	_, url := start(t)
	for _, api := range []string{"chat/completions", "responses"} {
		body := `{"stream":true,"messages":[{"role":"user","content":"[[deltas:5 every:20ms]]"}],"input":"[[deltas:5 every:20ms]]"}`
		asked := time.Now()
		_, answer := post(t, url+"/v1/"+api, body)
		stamps := Stamps(streamed(t, answer))
		if len(stamps) != 5 {
			t.Fatalf("%s streamed %d stamps:\n%s", api, len(stamps), answer)
		}
		if last := stamps[4].Sub(asked); last < 79*time.Millisecond { // stamps have no monotonic clock
			t.Errorf("%s: the last of five deltas came after %v, want 80ms", api, last)
		}
	}
	if Stamps("0:1 2:3 ") != nil || Stamps("hello") != nil {
		t.Error("a gap or a plain text has stamps")
	}
}

// streamed joins the text deltas of a stream of either API.
func streamed(t *testing.T, stream string) string {
	t.Helper()
	var b strings.Builder
	for line := range strings.Lines(stream) {
		data, ok := strings.CutPrefix(strings.TrimSpace(line), "data: ")
		if !ok || data == "[DONE]" {
			continue
		}
		var chunk struct {
			Type    string
			Delta   string
			Choices []struct{ Delta struct{ Content string } }
		}
		if err := json.Unmarshal([]byte(data), &chunk); err != nil {
			t.Fatalf("%q: %v", data, err)
		}
		if chunk.Type == "response.output_text.delta" {
			b.WriteString(chunk.Delta)
		}
		for _, c := range chunk.Choices {
			b.WriteString(c.Delta.Content)
		}
	}
	return b.String()
}

func TestScript(t *testing.T) {
	s, url := start(t)
	s.Play(Script{Steps: []Step{
		{Text: []string{"first"}},
		{When: func(r *Request) bool { return r.Schema != nil }, Text: []string{`{"title":"scripted"}`}},
		{Text: []string{"second"}},
	}})
	titled := `{"messages":[{"role":"user","content":"x"}],"response_format":{"json_schema":{"schema":{"type":"object"}}}}`
	plain := `{"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"y"}]}`
	for _, tt := range []struct{ body, want string }{{titled, "scripted"}, {plain, "first"}, {plain, "second"}, {plain, "You said: “y”"}} {
		if _, answer := post(t, url+"/v1/chat/completions", tt.body); !strings.Contains(answer, tt.want) {
			t.Errorf("got %s, want %q", answer, tt.want)
		}
	}
	requests := s.Requests()
	if s.Calls() != 4 || len(requests) != 4 || requests[1].System != "Be brief." || requests[1].question() != "y" || string(requests[1].Raw) != plain {
		t.Errorf("%d calls were recorded, the second as %+v", s.Calls(), requests[1])
	}
}

func TestExample(t *testing.T) {
	schema := `{"type":"object","properties":{
		"title":{"type":"string","maxLength":6},"tags":{"type":"array","items":{"type":"string"}},
		"facts":{"type":"array","items":{"type":"object"}},"two":{"type":"array","minItems":2,"items":{"type":"integer","minimum":3}},
		"kind":{"enum":["a","b"]},"always":{"const":7},"maybe":{"type":["string","null"]},"either":{"anyOf":[{"type":"boolean"},{"type":"null"}]},
		"at":{"type":"string","format":"date-time"},"ref":{"$ref":"#/$defs/tree"}},
		"$defs":{"tree":{"type":"object","properties":{"children":{"type":"array","items":{"$ref":"#/$defs/tree"}}}}}}`
	want := `{"always":7,"at":"2026-01-01T00:00:00Z","either":false,"facts":[],"kind":"a","maybe":"Boats in the bay","ref":{"children":[]},"tags":["Boats in the bay"],"title":"Boats ","two":[3,3]}`
	if got := example(json.RawMessage(schema), "Boats in the bay"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestEmbeddings(t *testing.T) {
	_, url := start(t)
	_, answer := post(t, url+"/v1/embeddings", `{"model":"m","input":["a red boat","the red boat","tax forms"],"dimensions":128}`)
	var got struct {
		Data []struct{ Embedding []float32 }
	}
	if err := json.Unmarshal([]byte(answer), &got); err != nil || len(got.Data) != 3 || len(got.Data[0].Embedding) != 128 {
		t.Fatalf("%v in %s", err, answer)
	}
	dot := func(i, j int) (sum float32) {
		for k, x := range got.Data[i].Embedding {
			sum += x * got.Data[j].Embedding[k]
		}
		return sum
	}
	if near, far := dot(0, 1), dot(0, 2); near < far+0.2 {
		t.Errorf("the near pair scores %v, the far one %v", near, far)
	}
	if resp, _ := post(t, url+"/v1/embeddings", `{"input":7}`); resp.StatusCode != 400 {
		t.Errorf("a number is embedded with %d", resp.StatusCode)
	}
}

func TestKey(t *testing.T) {
	s, url := start(t)
	s.Key = "right"
	for key, want := range map[string]int{"right": 200, "wrong": 401} {
		req, err := http.NewRequest(http.MethodGet, url+"/v1/models", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+key)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("the %s key is answered with %d", key, resp.StatusCode)
		}
	}
}

func FuzzParseDirectives(f *testing.F) {
	for _, seed := range []string{
		"hello", `[[tool:find {"q":"]]"}]] x`, "[[deltas:5 every:50ms]]", "[[fault:cut once", "[[reason]]", "[[[[tool:]]", `[[loop:a {"b":`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		directives, rest := ParseDirectives(text)
		if len(directives) == 0 && rest != strings.TrimSpace(text) {
			t.Errorf("%q lost text: %q", text, rest)
		}
		for _, d := range directives {
			if d.Arguments != "" && !json.Valid([]byte(d.Arguments)) {
				t.Errorf("%q has the arguments %q", text, d.Arguments)
			}
		}
	})
}

// FuzzRequest checks that no request makes the server panic or answer with
// something else than JSON.
func FuzzRequest(f *testing.F) {
	f.Add([]byte(`{"messages":[{"role":"user","content":[{"text":"1+(2+3)"}]}],"input":"(1+"}`))
	f.Add([]byte(`{"messages":[{"role":"user","content":null}],"input":[{"role":"user","content":"[[tool:a]]"},{"type":"function_call"}],"tools":[{}]}`))
	f.Add([]byte(`{"response_format":{"json_schema":{"schema":{"$ref":"#/$defs/a","$defs":{"a":{"anyOf":[{"$ref":"#/$defs/a"}]}}}}}}`))
	f.Add([]byte(`{"response_format":{"json_schema":{"schema":{"type":"array","minItems":99,"items":{"type":"array","minItems":99,"items":{"type":"array","minItems":99}}}}}}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, body []byte) {
		if req, err := parseChat(body); err == nil && req.Stream {
			return // a stream may be asked to last for hours
		}
		for _, path := range []string{"/v1/chat/completions", "/v1/responses", "/v1/embeddings"} {
			w := httptest.NewRecorder()
			New().ServeHTTP(w, httptest.NewRequest(http.MethodPost, path, strings.NewReader(string(body))))
			if !json.Valid(w.Body.Bytes()) {
				t.Errorf("%s answers %d with %q", path, w.Code, w.Body)
			}
		}
	})
}

// BenchmarkStreams measures a thousand deltas on each of many streams at once.
func BenchmarkStreams(b *testing.B) {
	server := httptest.NewServer(New())
	defer server.Close()
	const deltas = 1000
	body := fmt.Sprintf(`{"stream":true,"messages":[{"role":"user","content":"[[deltas:%d]]"}]}`, deltas)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			resp, err := http.Post(server.URL+"/v1/chat/completions", "application/json", strings.NewReader(body))
			if err != nil {
				b.Error(err)
				return
			}
			_, err = io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
			if err != nil {
				b.Error(err)
			}
		}
	})
	b.ReportMetric(float64(b.N*deltas)/b.Elapsed().Seconds(), "deltas/s")
}
