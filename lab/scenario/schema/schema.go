// Package schema makes the JSON schema of the scenario format from its Go types and their comments, so that an editor can
// check and complete a scenario while it is written. scenarios/schema.json is its output; a test keeps the two the same.
package schema

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/lab/scenario"
	"github.com/naosu-dev/naosu/lab/scenario/jsonfield"
)

//go:generate go run ./generate

// File is the schema's path from the repository's root.
const File = "scenarios/schema.json"

// object is a JSON schema.
type object = map[string]any

// builder gathers the definitions of the structs it meets.
type builder struct {
	comments    comments
	definitions object
}

// Generate makes the schema; root is the repository's root, where the comments are read from.
func Generate(root string) ([]byte, error) {
	read, err := readComments(root, "lab/scenario", "lab/cloud")
	if err != nil {
		return nil, err
	}
	b := &builder{comments: read, definitions: object{}}
	b.schema(reflect.TypeFor[scenario.Scenario]())
	schema := object{
		"$schema": "https://json-schema.org/draft/2020-12/schema",
		"$ref":    "#/$defs/Scenario",
		"$defs":   b.definitions,
	}
	data, err := json.MarshalIndent(schema, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("writing the schema: %w", err)
	}
	return append(data, '\n'), nil
}

// special are types that do not decode as what they are in Go.
var special = map[reflect.Type]object{
	reflect.TypeFor[metav1.Duration](): {
		"type": "string", "pattern": `^([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|ms|s|m|h)(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|ms|s|m|h))*$`,
		"examples": []string{"90s", "5m", "1h30m"},
	},
	reflect.TypeFor[metav1.Time](): {"type": "string", "format": "date-time"},
	reflect.TypeFor[scenario.Object](): {
		"type": "object", "required": []string{"apiVersion", "kind", "metadata"},
		"properties": object{
			"apiVersion": object{"type": "string", "minLength": 1},
			"kind":       object{"type": "string", "minLength": 1},
			"metadata": object{
				"type": "object", "required": []string{"name"}, "properties": object{"name": object{"type": "string", "minLength": 1}},
			},
		},
	},
	reflect.TypeFor[scenario.Fragment]():  {"type": "object"},
	reflect.TypeFor[scenario.FlagValue](): {"type": []string{"string", "number", "boolean"}},
}

func (b *builder) schema(t reflect.Type) object {
	if s, ok := special[t]; ok {
		return s
	}
	switch t.Kind() {
	case reflect.Pointer:
		return b.schema(t.Elem())
	case reflect.Slice:
		return object{"type": "array", "items": b.schema(t.Elem())}
	case reflect.Map:
		return object{"type": "object", "additionalProperties": b.schema(t.Elem())}
	case reflect.Struct:
		return b.reference(t)
	case reflect.String:
		return object{"type": "string"}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Uint64:
		return object{"type": "integer", "minimum": 0}
	}
	return object{"type": "integer"}
}

// reference defines a struct once, and points at its definition.
func (b *builder) reference(t reflect.Type) object {
	if _, known := b.definitions[t.Name()]; !known {
		b.definitions[t.Name()] = nil // so that a type that contains itself ends
		b.definitions[t.Name()] = b.define(t)
	}
	return object{"$ref": "#/$defs/" + t.Name()}
}

func (b *builder) define(t reflect.Type) object {
	properties, required := object{}, []string{}
	for _, f := range jsonfield.Of(t) {
		property := b.schema(f.Type)
		if text := b.comments[f.Owner.Name()+"."+f.GoName]; text != "" {
			property = described(property, text)
		}
		properties[f.Name] = property
		if !f.Optional && strings.HasPrefix(f.Owner.PkgPath(), "github.com/naosu-dev/") {
			required = append(required, f.Name)
		}
	}
	s := object{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		s["required"] = required
	}
	if text := b.comments[t.Name()]; text != "" {
		s["description"] = text
	}
	refine(t, s)
	return s
}

// refine adds what the Go type cannot say.
func refine(t reflect.Type, s object) {
	switch t {
	case reflect.TypeFor[scenario.Step]():
		var one []object
		for _, action := range scenario.Actions {
			one = append(one, object{"required": []string{action}})
		}
		s["oneOf"] = one
	case reflect.TypeFor[scenario.Fault]():
		s["properties"].(object)["state"].(object)["enum"] = scenario.States
	}
}

// described is a copy of a schema with a description; beside a reference, too, draft 2020-12 allows one.
func described(s object, text string) object {
	with := object{"description": text}
	maps.Copy(with, s)
	return with
}
