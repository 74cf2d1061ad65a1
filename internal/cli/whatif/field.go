package whatif

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
)

// mostFields bounds how many fields are tried to find the one that is wrong.
const mostFields = 2000

// namingField is why a manifest cannot be decoded, with the field where it can be found: a quantity's error, for one, does
// not tell which it is. It is the one without which there is no such error.
func namingField(data []byte, why error) error {
	var manifest map[string]any
	if strings.Contains(why.Error(), " field ") || json.Unmarshal(data, &manifest) != nil {
		return why
	}
	kind, version := manifest["kind"], manifest["apiVersion"]
	delete(manifest, "kind")
	delete(manifest, "apiVersion")
	tries := 0
	helps := func() bool {
		tries++
		if tries > mostFields {
			return false
		}
		left := maps.Clone(manifest)
		left["kind"], left["apiVersion"] = kind, version
		data, err := json.Marshal(left)
		if err != nil {
			return false
		}
		_, err = runtime.Decode(strictly, data)
		return err == nil || err.Error() != why.Error()
	}
	if path := culprit(manifest, helps); path != "" {
		return fmt.Errorf("%s: %w", strings.TrimPrefix(path, "."), why)
	}
	return why
}

// culprit is the path of the first leaf without which all is well, empty if there is none. It leaves everything in place.
func culprit(value any, helps func() bool) string {
	switch value := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			inner := value[key]
			if path := culprit(inner, helps); path != "" {
				return "." + key + path
			}
			delete(value, key)
			fine := helps()
			value[key] = inner
			if fine && leaf(inner) {
				return "." + key
			}
		}
	case []any:
		for i, inner := range value {
			if path := culprit(inner, helps); path != "" {
				return "[" + strconv.Itoa(i) + "]" + path
			}
		}
	}
	return ""
}

// leaf says whether a value holds no others.
func leaf(value any) bool {
	switch value.(type) {
	case map[string]any, []any:
		return false
	default:
		return true
	}
}
