package llm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

func TestSecretIsNeverShown(t *testing.T) {
	const key = "sk-live-1234"
	config := struct{ Key Secret }{Key: key}
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("configured", "key", config.Key, "config", config)
	asJSON, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	for name, shown := range map[string]string{
		"%v": fmt.Sprintf("%v", config), "%+v": fmt.Sprintf("%+v", config), "%#v": fmt.Sprintf("%#v", config),
		"%s": fmt.Sprintf("key %s", config.Key), "slog": log.String(), "json": string(asJSON),
	} {
		if strings.Contains(shown, key) || !strings.Contains(shown, masked) {
			t.Errorf("%s shows %q", name, shown)
		}
	}
	if got := Secret("").String(); got != "" {
		t.Errorf("an empty secret is shown as %q", got)
	}
}
