package config

import (
	"cmp"
	"encoding"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// mistake is an error at a line of the file.
type mistake struct {
	file string
	line int
	path string
	why  string
}

func (m mistake) Error() string {
	if m.path == "" {
		return fmt.Sprintf("%s:%d: %s", m.file, m.line, m.why)
	}
	return fmt.Sprintf("%s:%d: %s: %s", m.file, m.line, m.path, m.why)
}

// decoder decodes YAML into structs. Unknown fields are errors, and it collects all errors.
type decoder struct {
	file     string
	mistakes []error
	// at are the nodes by path, for errors that are found after decoding.
	at map[string]*yaml.Node
}

func (d *decoder) wrong(n *yaml.Node, path, format string, args ...any) {
	d.mistakes = append(d.mistakes, mistake{file: d.file, line: n.Line, path: path, why: fmt.Sprintf(format, args...)})
}

// sort sorts the errors by line.
func (d *decoder) sort() {
	slices.SortFunc(d.mistakes, func(a, b error) int {
		var x, y mistake
		errors.As(a, &x)
		errors.As(b, &y)
		return cmp.Or(cmp.Compare(x.line, y.line), cmp.Compare(x.path, y.path))
	})
}

// decode decodes a node. Fields that it does not contain keep their values.
func (d *decoder) decode(n *yaml.Node, into reflect.Value, path string) {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	d.at[path] = n
	if into.Kind() == reflect.Pointer {
		if into.IsNil() {
			into.Set(reflect.New(into.Type().Elem()))
		}
		if _, text := reflect.TypeAssert[encoding.TextUnmarshaler](into); !text {
			into = into.Elem()
		}
	}
	switch text, isText := textOf(into); {
	case isText:
		d.text(n, text, path)
	case into.Type() == reflect.TypeFor[time.Duration]():
		d.duration(n, into, path)
	case into.Kind() == reflect.Struct:
		d.fields(n, into, path)
	case into.Kind() == reflect.Map:
		d.entries(n, into, path)
	case into.Kind() == reflect.Slice:
		d.items(n, into, path)
	default:
		if n.Kind != yaml.ScalarNode || n.Decode(into.Addr().Interface()) != nil {
			d.wrong(n, path, "%s is not %s", said(n), kindOf(into))
		}
	}
}

func textOf(v reflect.Value) (encoding.TextUnmarshaler, bool) {
	if text, ok := reflect.TypeAssert[encoding.TextUnmarshaler](v); ok && v.Kind() == reflect.Pointer {
		return text, true
	}
	text, ok := reflect.TypeAssert[encoding.TextUnmarshaler](v.Addr())
	return text, ok
}

func (d *decoder) text(n *yaml.Node, into encoding.TextUnmarshaler, path string) {
	if n.Kind != yaml.ScalarNode {
		d.wrong(n, path, "%s is not a string", said(n))
	} else if err := into.UnmarshalText([]byte(n.Value)); err != nil {
		d.wrong(n, path, "%v", err)
	}
}

func (d *decoder) duration(n *yaml.Node, into reflect.Value, path string) {
	value, err := time.ParseDuration(n.Value)
	if n.Kind != yaml.ScalarNode || err != nil || value <= 0 {
		d.wrong(n, path, `%s is not a positive duration such as "30s" or "10m"`, said(n))
		return
	}
	into.SetInt(int64(value))
}

func (d *decoder) fields(n *yaml.Node, into reflect.Value, path string) {
	if !d.pairs(n, path) {
		return
	}
	names := map[string]reflect.Value{}
	for field, value := range into.Fields() {
		if name, _, _ := strings.Cut(field.Tag.Get("yaml"), ","); name != "" && name != "-" {
			names[name] = value
		}
	}
	for i := 0; i < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		field, known := names[key.Value]
		if !known {
			d.wrong(key, join(path, key.Value), "unknown field; the known ones are %s", strings.Join(slices.Sorted(maps.Keys(names)), ", "))
			continue
		}
		d.decode(value, field, join(path, key.Value))
	}
}

func (d *decoder) entries(n *yaml.Node, into reflect.Value, path string) {
	if !d.pairs(n, path) {
		return
	}
	if into.IsNil() {
		into.Set(reflect.MakeMap(into.Type()))
	}
	for i := 0; i < len(n.Content); i += 2 {
		key, value := reflect.New(into.Type().Key()).Elem(), reflect.New(into.Type().Elem()).Elem()
		before := len(d.mistakes)
		d.decode(n.Content[i], key, join(path, n.Content[i].Value))
		d.decode(n.Content[i+1], value, join(path, n.Content[i].Value))
		if len(d.mistakes) == before {
			into.SetMapIndex(key, value)
		}
	}
}

// pairs reports whether a node is a mapping. Duplicate keys are errors.
func (d *decoder) pairs(n *yaml.Node, path string) bool {
	if n.Kind != yaml.MappingNode {
		d.wrong(n, path, "%s instead of a mapping", said(n))
		return false
	}
	seen := map[string]int{}
	for i := 0; i < len(n.Content); i += 2 {
		key := n.Content[i]
		if line, twice := seen[key.Value]; twice {
			d.wrong(key, join(path, key.Value), "duplicate key, first in line %d", line)
		}
		seen[key.Value] = key.Line
	}
	return true
}

func (d *decoder) items(n *yaml.Node, into reflect.Value, path string) {
	if n.Kind != yaml.SequenceNode {
		d.wrong(n, path, "%s instead of a list", said(n))
		return
	}
	list := reflect.MakeSlice(into.Type(), len(n.Content), len(n.Content))
	for i, item := range n.Content {
		d.decode(item, list.Index(i), fmt.Sprintf("%s[%d]", path, i))
	}
	into.Set(list)
}

func said(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	return fmt.Sprintf("%q", n.Value)
}

func kindOf(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a string"
	case reflect.Float64:
		return "a number"
	}
	return "a whole number"
}

func join(path, name string) string { return strings.TrimPrefix(path+"."+name, ".") }
