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

// mistake is something wrong at a place of the file.
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

// decoder fills in structs from YAML, strictly, and gathers all that is wrong.
type decoder struct {
	file     string
	mistakes []error
	// at is where each path stands, for what is found wrong later.
	at map[string]*yaml.Node
}

func (d *decoder) wrong(n *yaml.Node, path, format string, args ...any) {
	d.mistakes = append(d.mistakes, mistake{file: d.file, line: n.Line, path: path, why: fmt.Sprintf(format, args...)})
}

// sort puts what is wrong into the order of the file.
func (d *decoder) sort() {
	slices.SortFunc(d.mistakes, func(a, b error) int {
		var x, y mistake
		errors.As(a, &x)
		errors.As(b, &y)
		return cmp.Or(cmp.Compare(x.line, y.line), cmp.Compare(x.path, y.path))
	})
}

// decode fills in what a node says; what it does not say stays as it is.
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
			d.wrong(n, path, "%s is no %s", said(n), kindOf(into))
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
		d.wrong(n, path, "%s is no text", said(n))
	} else if err := into.UnmarshalText([]byte(n.Value)); err != nil {
		d.wrong(n, path, "%v", err)
	}
}

func (d *decoder) duration(n *yaml.Node, into reflect.Value, path string) {
	value, err := time.ParseDuration(n.Value)
	if n.Kind != yaml.ScalarNode || err != nil || value <= 0 {
		d.wrong(n, path, `%s is no duration, as "30s" or "10m" is`, said(n))
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
			d.wrong(key, join(path, key.Value), "no such field; there are %s", strings.Join(slices.Sorted(maps.Keys(names)), ", "))
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

// pairs says whether a node is a mapping, each key of it once.
func (d *decoder) pairs(n *yaml.Node, path string) bool {
	if n.Kind != yaml.MappingNode {
		d.wrong(n, path, "%s where fields are expected", said(n))
		return false
	}
	seen := map[string]int{}
	for i := 0; i < len(n.Content); i += 2 {
		key := n.Content[i]
		if line, twice := seen[key.Value]; twice {
			d.wrong(key, join(path, key.Value), "it is there twice, first in line %d", line)
		}
		seen[key.Value] = key.Line
	}
	return true
}

func (d *decoder) items(n *yaml.Node, into reflect.Value, path string) {
	if n.Kind != yaml.SequenceNode {
		d.wrong(n, path, "%s where a list is expected", said(n))
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
		return "text"
	case reflect.Float64:
		return "number"
	}
	return "whole number"
}

func join(path, name string) string { return strings.TrimPrefix(path+"."+name, ".") }
