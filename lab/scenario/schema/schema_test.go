package schema

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
)

const root = "../../.."

func TestCommittedSchemaIsGenerated(t *testing.T) {
	want, err := Generate(root)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(root, File))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s is not what the types say; run go generate ./lab/scenario/schema (-want +got):\n%s", File, diff)
	}
}

func compile(t *testing.T) *jsonschema.Schema {
	t.Helper()
	data, err := Generate(root)
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("schema.json", document); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func validate(t *testing.T, schema *jsonschema.Schema, text []byte) error {
	t.Helper()
	var value any
	if err := yaml.Unmarshal(text, &value); err != nil {
		t.Fatal(err)
	}
	return schema.Validate(value)
}

func TestSchemaAcceptsTheScenarios(t *testing.T) {
	schema := compile(t)
	files, err := filepath.Glob(filepath.Join(root, "scenarios", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("found no scenarios (%v)", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := validate(t, schema, text); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// TestSchemaRefuses changes one thing of a sound scenario at a time.
func TestSchemaRefuses(t *testing.T) {
	const sound = `
name: x
title: t
description: d
cluster: {cloud: {groups: [{name: a, instanceType: m5.large, desired: 1}]}}
steps: [{name: s, fault: {group: a, state: "off"}}]
expect: [{name: e, that: "true", within: 1m}]
variants: [{name: v, description: d, counter: true}]
`
	schema := compile(t)
	if err := validate(t, schema, []byte(sound)); err != nil {
		t.Fatalf("the sound scenario is refused: %v", err)
	}
	tests := []struct{ name, old, new string }{
		{"unknown field", "title: t", "title: t\nsubtitle: u"},
		{"missing field", "title: t", ""},
		{"wrong type", "desired: 1", "desired: one"},
		{"not a duration", "within: 1m", "within: 60"},
		{"two actions", `name: s, `, `name: s, mark: m, `},
		{"no action", `fault: {group: a, state: "off"}`, `at: 1m`},
		{"no such state", `"off"`, `"asleep"`},
		{"manifest without a kind", "cluster: {", "cluster: {manifests: [{apiVersion: v1, metadata: {name: a}}], "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			changed := bytes.Replace([]byte(sound), []byte(tt.old), []byte(tt.new), 1)
			if bytes.Equal(changed, []byte(sound)) {
				t.Fatalf("%q is not in the scenario", tt.old)
			}
			if validate(t, schema, changed) == nil {
				t.Errorf("accepted:\n%s", changed)
			}
		})
	}
}
