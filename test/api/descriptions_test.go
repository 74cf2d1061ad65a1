package api

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// kubectl explain describes each field by more than its name: what it means, each of its values, its default, and a value of
// those that are not plain.
func TestDescriptions(t *testing.T) {
	for _, crd := range definitions(t) {
		versions, _, err := unstructured.NestedSlice(crd.Object, "spec", "versions")
		if err != nil || len(versions) != 1 {
			t.Fatalf("%s has %d versions: %v", crd.GetName(), len(versions), err)
		}
		root, _, err := unstructured.NestedMap(versions[0].(map[string]any), "schema", "openAPIV3Schema")
		if err != nil {
			t.Fatal(err)
		}
		kind, _, _ := unstructured.NestedString(crd.Object, "spec", "names", "kind")
		for _, field := range []string{"spec", "status"} {
			schema, _, _ := unstructured.NestedMap(root, "properties", field)
			for _, problem := range undescribed(strings.ToLower(kind)+"."+field, schema) {
				t.Error(problem)
			}
		}
	}
}

// undescribed are the fields at and below a path whose descriptions lack something.
func undescribed(path string, schema map[string]any) []string {
	description, _ := schema["description"].(string)
	description = strings.Join(strings.Fields(description), " ")
	found := lacking(path, description, schema)
	properties, _ := schema["properties"].(map[string]any)
	if items, ok := schema["items"].(map[string]any); ok {
		inner, _ := items["properties"].(map[string]any)
		if _, own := items["description"]; own && inner == nil {
			items["description"] = description
		}
		properties = inner
	}
	// A condition's and a selector's fields are Kubernetes' own.
	if strings.HasSuffix(path, ".conditions") || strings.HasSuffix(path, "Selector") {
		return found
	}
	for name, property := range properties {
		found = append(found, undescribed(path+"."+name, property.(map[string]any))...)
	}
	slices.Sort(found)
	return found
}

// leastLength is the number of characters in which a meaning can be stated.
const leastLength = 50

// lacking is what a field's description lacks.
func lacking(path, description string, schema map[string]any) []string {
	var found []string
	miss := func(format string, args ...any) {
		found = append(found, path+": "+fmt.Sprintf(format, args...)+": "+description)
	}
	name := path[strings.LastIndex(path, ".")+1:]
	if len(description) < leastLength {
		miss("%d characters tell no meaning", len(description))
	}
	if !strings.HasPrefix(description, name) && !strings.HasPrefix(description, "Deprecated: "+name) {
		miss("does not begin with the field's name")
	}
	for _, empty := range []string{name + " is its " + name, name + " is the " + name + ".", "is what is wanted", "is what is so", "is how it goes"} {
		if strings.Contains(description, empty) {
			miss("%q tells nothing", empty)
		}
	}
	value := schema
	if items, ok := schema["items"].(map[string]any); ok {
		value = items
	}
	values, _ := value["enum"].([]any)
	for _, one := range values {
		if !strings.Contains(description, fmt.Sprint(one)) {
			miss("does not tell of the value %v", one)
		}
	}
	if fallback, ok := schema["default"]; ok {
		if _, object := fallback.(map[string]any); !object && !strings.Contains(description, fmt.Sprintf("Defaults to %v", fallback)) {
			miss("does not tell the default %v", fallback)
		}
	}
	if free := value["type"] == "string" && value["format"] != "date-time" && len(values) == 0; free && !strings.Contains(description, "xample") && !strings.Contains(description, "such as ") && name != "message" && name != "uid" {
		miss("has no example")
	}
	return found
}

func TestUndescribed(t *testing.T) {
	text := func(s string) map[string]any { return map[string]any{"type": "string", "description": s} }
	with := func(schema map[string]any, key string, value any) map[string]any { schema[key] = value; return schema }
	for name, tc := range map[string]struct {
		schema map[string]any
		want   int
	}{
		"the name again":    {text("field is its field."), 3},
		"no example":        {text("field tells the systemd unit that the agent of the node restarts."), 1},
		"whole":             {text("field tells the systemd unit that is restarted, for example containerd.service."), 0},
		"a value is absent": {with(text("field is how far it goes, in one word. Report only records."), "enum", []any{"Report", "Auto"}), 1},
		"a default is not told": {with(text("field tells how long the drain may take, for example 15m, until it ends."),
			"default", "15m"), 1},
		"below a list": {map[string]any{
			"type": "array", "description": "field lists what was done, in the order in which it was done.",
			"items": map[string]any{"type": "object", "properties": map[string]any{"inner": text("inner is its inner.")}},
		}, 3},
	} {
		if got := undescribed("kind.field", tc.schema); len(got) != tc.want {
			t.Errorf("%s: %q, want %d", name, got, tc.want)
		}
	}
}
