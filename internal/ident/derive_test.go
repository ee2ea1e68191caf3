package ident_test

import (
	"testing"

	"confidant/internal/ident"
)

func TestDerive(t *testing.T) {
	base := ident.New()
	a := ident.Derive(base, "call_1")
	if a != ident.Derive(base, "call_1") {
		t.Error("the same name gave two identifiers")
	}
	if a[:10] != base[:10] {
		t.Errorf("%s does not sort with %s", a, base)
	}
	seen := map[string]bool{base: true, a: true}
	for _, id := range []string{ident.Derive(base, "call_2"), ident.Derive(ident.New(), "call_1"), ident.Derive("no ulid", "call_1"), ident.Derive("no ulidc", "all_1")} {
		if seen[id] {
			t.Errorf("%s was derived twice", id)
		}
		seen[id] = true
	}
}
