package llm

import "log/slog"

// Secret is an API key. It prints and logs as "***"; string(s) is the key.
type Secret string

// masked stands for any secret. An empty secret is shown as empty, so that a
// missing key can be told from one that is set.
const masked = "***"

// String implements fmt.Stringer.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return masked
}

// GoString implements fmt.GoStringer, which %#v prefers.
func (s Secret) GoString() string { return s.String() }

// LogValue implements slog.LogValuer.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText implements encoding.TextMarshaler, so that a configuration can be
// printed as JSON or YAML.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }
