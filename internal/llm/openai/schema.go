package openai

import (
	"encoding/json"
	"fmt"
	"slices"
)

// object reads a JSON Schema; an empty one is an object without properties.
func object(schema json.RawMessage) (map[string]any, error) {
	if len(schema) == 0 {
		return map[string]any{"type": "object", "properties": map[string]any{}, "required": []any{}, "additionalProperties": false}, nil
	}
	var m map[string]any
	if err := json.Unmarshal(schema, &m); err != nil {
		return nil, fmt.Errorf("read the JSON schema: %w", err)
	}
	return m, nil
}

// strict reports whether OpenAI accepts a schema in strict mode: every object
// must forbid further properties and require all that it has.
func strict(schema any) bool {
	switch s := schema.(type) {
	case []any:
		return !slices.ContainsFunc(s, func(v any) bool { return !strict(v) })
	case map[string]any:
		if properties, ok := s["properties"].(map[string]any); ok || s["type"] == "object" {
			if s["additionalProperties"] != false || !requiresAll(s["required"], properties) {
				return false
			}
			for _, property := range properties {
				if !strict(property) {
					return false
				}
			}
		}
		for _, key := range []string{"items", "anyOf", "oneOf", "allOf"} {
			if !strict(s[key]) {
				return false
			}
		}
		defs, _ := s["$defs"].(map[string]any)
		for _, def := range defs {
			if !strict(def) {
				return false
			}
		}
	}
	return true
}

// requiresAll reports whether the list of required properties is complete.
func requiresAll(required any, properties map[string]any) bool {
	list, _ := required.([]any)
	for name := range properties {
		if !slices.Contains(list, any(name)) {
			return false
		}
	}
	return true
}
