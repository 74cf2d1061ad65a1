// Command schema adds to a CustomResourceDefinition what controller-gen has no marker for, since the type is Kubernetes' own:
// the bounds of a label selector. Without them a policy is taken whose selector no label can meet.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

func main() {
	for _, path := range os.Args[1:] {
		if err := bound(path); err != nil {
			fmt.Fprintln(os.Stderr, "schema:", err)
			os.Exit(1)
		}
	}
}

// Keys and values as Kubernetes has them.
//
// Source: IsQualifiedName and IsValidLabelValue in k8s.io/apimachinery/pkg/util/validation.
var (
	key = map[string]any{
		"maxLength": 317, "pattern": `^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$`,
	}
	value = map[string]any{"maxLength": 63, "pattern": `^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$`}
)

// bound adds the bounds to each version of the definition in a file.
func bound(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read the definition: %w", err)
	}
	var definition map[string]any
	if err := yaml.Unmarshal(text, &definition); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	versions, _, err := unstructured.NestedFieldNoCopy(definition, "spec", "versions")
	if err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	for _, version := range versions.([]any) {
		if err := boundSelectors(version.(map[string]any)); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	written, err := yaml.Marshal(definition)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return os.WriteFile(path, bytes.Join([][]byte{[]byte("---\n"), written}, nil), 0o644) // As controller-gen has written it.
}

// boundSelectors adds the bounds to each selector of a version's spec.
func boundSelectors(version map[string]any) error {
	fields, _, err := unstructured.NestedFieldNoCopy(version, "schema", "openAPIV3Schema", "properties", "spec", "properties")
	if err != nil {
		return err
	}
	found, err := boundFields(fields.(map[string]any))
	if err == nil && !found {
		err = errors.New("there is no selector")
	}
	return err
}

// boundFields adds the bounds to each selector among fields, and below them. found is whether there is one.
func boundFields(fields map[string]any) (found bool, err error) {
	for name, schema := range fields {
		below, _ := schema.(map[string]any)["properties"].(map[string]any)
		if strings.HasSuffix(name, "Selector") {
			if err := boundSelector(below); err != nil {
				return true, fmt.Errorf("%s: %w", name, err)
			}
			found = true
			continue
		}
		deeper, err := boundFields(below)
		if err != nil {
			return true, fmt.Errorf("%s: %w", name, err)
		}
		found = found || deeper
	}
	return found, nil
}

// boundSelector adds the bounds to the fields of a label selector.
func boundSelector(fields map[string]any) error {
	for _, one := range []struct {
		bounds map[string]any
		at     []string
	}{
		{map[string]any{"maxProperties": 32}, []string{"matchLabels"}},
		{value, []string{"matchLabels", "additionalProperties"}},
		{key, []string{"matchExpressions", "items", "properties", "key"}},
		{value, []string{"matchExpressions", "items", "properties", "values", "items"}},
	} {
		schema, ok, err := unstructured.NestedFieldNoCopy(fields, one.at...)
		if err != nil || !ok {
			return fmt.Errorf("there is no %v: %w", one.at, err)
		}
		maps.Copy(schema.(map[string]any), one.bounds)
	}
	return nil
}
