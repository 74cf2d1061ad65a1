package cluster

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

// errNameless says that neither the object nor, so far, its list has an apiVersion and kind.
var errNameless = errors.New("it says neither its apiVersion nor its kind")

// decode is the object, nil if a Snapshot does not hold its kind in that version.
func (r raw) decode() (metav1.Object, error) {
	if r.encoding == asYAML {
		data, err := jsonOf(r.data)
		if err != nil {
			return nil, fmt.Errorf("in the item that begins at line %d: %w", r.line, err)
		}
		r.encoding, r.data = asJSON, data
	}
	if r.kind == "" {
		said, err := typeOf(r.data)
		if err != nil {
			return nil, err
		}
		r.version, r.kind = said.APIVersion, Kind(said.Kind)
	}
	if r.kind == "" || r.version == "" {
		return nil, errNameless
	}
	if !r.kind.heldAs(r.version) {
		return nil, nil
	}
	if r.explodes() {
		return nil, fmt.Errorf("a %s of %d bytes: %w", r.kind, len(r.data), ErrTooLarge)
	}
	o := r.kind.Empty()
	var err error
	if r.encoding == asProtobuf {
		err = r.codec.Decode(r.data, o)
	} else if err = kjson.UnmarshalCaseSensitivePreserveInts(r.data, o); err == nil {
		if r.kind.Namespaced() && o.GetNamespace() == "" {
			o.SetNamespace(metav1.NamespaceDefault) // kubectl's default; only manifests leave it out.
		}
		o, err = r.codec.Compact(o)
	}
	if err != nil {
		return nil, fmt.Errorf("a %s: %w", r.kind, err)
	}
	return o, nil
}

var errAlias = errors.New("it uses a YAML alias (*name), which naosu does not read: write out what it stands for")

// jsonOf makes JSON of a YAML document. Aliases are refused: kubectl writes none, and a short document with some may
// stand for an endless one.
func jsonOf(document []byte) ([]byte, error) {
	if bytes.ContainsRune(document, '&') && bytes.ContainsRune(document, '*') {
		var root yamlv3.Node
		if err := yamlv3.Unmarshal(document, &root); err != nil {
			return nil, err
		}
		if hasAlias(&root) {
			return nil, errAlias
		}
	}
	data, err := yaml.YAMLToJSON(document)
	if err != nil && strings.Contains(err.Error(), "unknown anchor") { // The anchor is in another item of the list.
		return nil, errAlias
	}
	return data, err
}

func hasAlias(n *yamlv3.Node) bool {
	return n.Kind == yamlv3.AliasNode || slices.ContainsFunc(n.Content, hasAlias)
}

// typeOf reads an object's apiVersion and kind. kubectl writes these first, so little is parsed.
func typeOf(data []byte) (metav1.TypeMeta, error) {
	var said metav1.TypeMeta
	decoder := json.NewDecoder(bytes.NewReader(data))
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return said, errors.Join(errors.New("an object is expected"), err)
	}
	for decoder.More() && (said.APIVersion == "" || said.Kind == "") {
		key, err := decoder.Token()
		if err != nil {
			return said, err
		}
		switch key {
		case "apiVersion":
			err = decoder.Decode(&said.APIVersion)
		case "kind":
			err = decoder.Decode(&said.Kind)
		default:
			err = decoder.Decode(new(json.RawMessage))
		}
		if err != nil {
			return said, err
		}
	}
	return said, nil
}
