package program

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/naosu-dev/naosu/lab/pace"
)

// Kinds are the custom resources that naosu says it has.
type Kinds struct {
	definitions []apiextensionsv1.CustomResourceDefinition
}

// Kinds runs naosu to list its kinds.
func (p Program) Kinds(ctx context.Context) (Kinds, error) {
	out, err := p.Run(ctx, []string{"crds"})
	if err == nil && out.ExitCode != 0 {
		err = fmt.Errorf("naosu crds ended with exit code %d: %s", out.ExitCode, bytes.TrimSpace(out.Stderr))
	}
	if err != nil {
		return Kinds{}, err
	}
	return readKinds(out.Stdout)
}

func readKinds(text []byte) (Kinds, error) {
	var k Kinds
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096)
	for {
		var definition apiextensionsv1.CustomResourceDefinition
		switch err := decoder.Decode(&definition); {
		case errors.Is(err, io.EOF):
			if len(k.definitions) == 0 {
				return Kinds{}, errors.New("naosu crds printed no custom resource definition")
			}
			return k, nil
		case err != nil:
			return Kinds{}, fmt.Errorf("reading what naosu crds printed: %w", err)
		case definition.Kind != "CustomResourceDefinition":
			return Kinds{}, fmt.Errorf("naosu crds printed a %q, not only custom resource definitions", definition.Kind)
		}
		k.definitions = append(k.definitions, definition)
	}
}

// Resources are the kinds' resources in the version that is stored, by kind.
func (k Kinds) Resources() map[string]schema.GroupVersionResource {
	resources := map[string]schema.GroupVersionResource{}
	for _, d := range k.definitions {
		for _, v := range d.Spec.Versions {
			if v.Storage {
				resources[d.Spec.Names.Kind] = schema.GroupVersionResource{Group: d.Spec.Group, Version: v.Name, Resource: d.Spec.Names.Plural}
			}
		}
	}
	return resources
}

// Definitions are the custom resource definitions as objects, the defaults of their durations at the pace of the lab.
func (k Kinds) Definitions(p *pace.Pace) ([]unstructured.Unstructured, error) {
	var objects []unstructured.Unstructured
	for _, d := range k.definitions {
		d := d.DeepCopy()
		for _, v := range d.Spec.Versions {
			if v.Schema != nil && p.Scale() > 1 {
				if err := paceDefaults(v.Schema.OpenAPIV3Schema, p); err != nil {
					return nil, fmt.Errorf("reading the schema of %s: %w", d.Name, err)
				}
			}
		}
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(d)
		if err != nil {
			return nil, fmt.Errorf("writing the definition of %s: %w", d.Name, err)
		}
		delete(content, "status")
		objects = append(objects, unstructured.Unstructured{Object: content})
	}
	return objects, nil
}

// Scale divides every field of an object, or of a part of one, that the schema of its kind calls a duration. Objects of
// other kinds are left alone.
func (k Kinds) Scale(gvk schema.GroupVersionKind, content map[string]any, p *pace.Pace) {
	if p.Scale() == 1 {
		return
	}
	for _, d := range k.definitions {
		for _, v := range d.Spec.Versions {
			if d.Spec.Group == gvk.Group && d.Spec.Names.Kind == gvk.Kind && v.Name == gvk.Version && v.Schema != nil {
				paceValue(v.Schema.OpenAPIV3Schema, content, p)
			}
		}
	}
}

// paceValue is a value at the pace of the lab; maps and lists are changed in place.
func paceValue(s *apiextensionsv1.JSONSchemaProps, value any, p *pace.Pace) any {
	if s == nil {
		return value
	}
	switch v := value.(type) {
	case string:
		if s.Format == "duration" {
			return paceDuration(v, p)
		}
	case map[string]any:
		for name, inner := range v {
			if property, known := s.Properties[name]; known {
				v[name] = paceValue(&property, inner, p)
			} else if s.AdditionalProperties != nil {
				v[name] = paceValue(s.AdditionalProperties.Schema, inner, p)
			}
		}
	case []any:
		for i := range v {
			if s.Items != nil {
				v[i] = paceValue(s.Items.Schema, v[i], p)
			}
		}
	}
	return value
}

// paceDuration leaves alone what is no duration: the API server is to refuse it. Less than a millisecond is one.
func paceDuration(text string, p *pace.Pace) string {
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return text
	}
	return max(p.Real(d).Round(time.Millisecond), time.Millisecond).String()
}
