package program

import (
	"encoding/json"
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/naosu-dev/naosu/lab/pace"
)

// paceDefaults brings the defaults in a schema to the pace of the lab: what an object leaves out has to be divided as well.
func paceDefaults(s *apiextensionsv1.JSONSchemaProps, p *pace.Pace) error {
	if s == nil {
		return nil
	}
	if s.Default != nil {
		var value any
		if err := json.Unmarshal(s.Default.Raw, &value); err != nil {
			return fmt.Errorf("reading a default: %w", err)
		}
		raw, err := json.Marshal(paceValue(s, value, p))
		if err != nil {
			return fmt.Errorf("writing a default: %w", err)
		}
		s.Default = &apiextensionsv1.JSON{Raw: raw} // a new one: copies of a schema share their defaults
	}
	for name, property := range s.Properties {
		if err := paceDefaults(&property, p); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		s.Properties[name] = property
	}
	if s.Items != nil {
		if err := paceDefaults(s.Items.Schema, p); err != nil {
			return err
		}
	}
	if s.AdditionalProperties != nil {
		return paceDefaults(s.AdditionalProperties.Schema, p)
	}
	return nil
}
