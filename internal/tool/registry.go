package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// Registry holds tools in a fixed order, which keeps the providers' prompt caches warm.
type Registry struct {
	tools   []Tool
	byName  map[string]Tool
	schemas map[string]*jsonschema.Schema
}

// NewRegistry compiles the parameters of the tools. Two tools of one name, or a
// schema that does not compile, are errors of the program.
func NewRegistry(tools ...Tool) (*Registry, error) {
	r := &Registry{byName: map[string]Tool{}, schemas: map[string]*jsonschema.Schema{}}
	for _, t := range tools {
		spec := t.Spec()
		if _, taken := r.byName[spec.Name]; taken {
			return nil, fmt.Errorf("two tools are named %q", spec.Name)
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(spec.Parameters))
		if err != nil {
			return nil, fmt.Errorf("parameters of %s: %w", spec.Name, err)
		}
		compiler := jsonschema.NewCompiler()
		if err := compiler.AddResource(spec.Name, doc); err != nil {
			return nil, fmt.Errorf("parameters of %s: %w", spec.Name, err)
		}
		if r.schemas[spec.Name], err = compiler.Compile(spec.Name); err != nil {
			return nil, fmt.Errorf("parameters of %s: %w", spec.Name, err)
		}
		r.byName[spec.Name] = t
		r.tools = append(r.tools, t)
	}
	return r, nil
}

// All returns the tools in their order.
func (r *Registry) All() []Tool { return r.tools }

// Only returns a registry of the named tools, as far as there are such.
func (r *Registry) Only(names ...string) *Registry {
	return r.some(func(name string) bool { return slices.Contains(names, name) })
}

// Without returns a registry of all but the named tools.
func (r *Registry) Without(names ...string) *Registry {
	if len(names) == 0 {
		return r
	}
	return r.some(func(name string) bool { return !slices.Contains(names, name) })
}

func (r *Registry) some(wanted func(name string) bool) *Registry {
	some := &Registry{byName: map[string]Tool{}, schemas: r.schemas}
	for _, t := range r.tools {
		if name := t.Spec().Name; wanted(name) {
			some.tools = append(some.tools, t)
			some.byName[name] = t
		}
	}
	return some
}

// Find returns the tool of that name.
func (r *Registry) Find(name string) (Tool, bool) {
	t, ok := r.byName[name]
	return t, ok
}

// Check reads the arguments that a model made for a tool. What is wrong with
// them comes back as a Problem that names the place.
func (r *Registry) Check(name, arguments string) (json.RawMessage, error) {
	if strings.TrimSpace(arguments) == "" {
		arguments = "{}" // some models send nothing for a call without arguments
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(arguments))
	if err != nil {
		return nil, Problem(fmt.Sprintf("The arguments of %s are not valid JSON. Call it again with a JSON object.", name))
	}
	err = r.schemas[name].Validate(value)
	if invalid, ok := errors.AsType[*jsonschema.ValidationError](err); ok {
		return nil, Problem(fmt.Sprintf("The arguments of %s do not fit its schema: %s.", name, strings.Join(faults(invalid), "; ")))
	}
	if err != nil {
		return nil, err
	}
	return json.RawMessage(arguments), nil
}

var english = message.NewPrinter(language.English)

// faults lists the innermost causes, each with the place it is about.
func faults(e *jsonschema.ValidationError) []string {
	if len(e.Causes) == 0 {
		place := "/" + strings.Join(e.InstanceLocation, "/")
		return []string{place + ": " + e.ErrorKind.LocalizedString(english)}
	}
	var list []string
	for _, c := range e.Causes {
		list = append(list, faults(c)...)
	}
	return list
}
