// Package strictyaml decodes one YAML document into Go types and forgives nothing: an unknown, doubled, missing or empty
// field and a value of the wrong type are errors with file, line, column and field path. It finds all of them in one go,
// and remembers where each field stood, so that later checks can point at it as well.
//
// Names come from the types' json tags. In the types of this project a field without omitempty is required; in others,
// such as Kubernetes' own, a field may be absent or null as their API has it. Anchors and aliases work, merge keys do not.
package strictyaml

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/naosu-dev/naosu/lab/scenario/jsonfield"
)

// Unmarshaler is a type that decodes itself, reporting to the document.
type Unmarshaler interface {
	UnmarshalStrict(d *Document, n *yaml.Node, path string)
}

// maxNodes bounds what a document may grow to by its aliases.
const maxNodes = 200_000

// Document is a decoded file: its errors, and the positions of its fields.
type Document struct {
	file     string
	at       map[string]position
	errors   Errors
	nodes    int
	open     map[*yaml.Node]bool // aliases being followed, to see one that contains itself
	overflow bool
}

type position struct{ line, column int }

// Decode reads the one document in data into what into points at. The document is returned in any case; the error is
// an Errors.
func Decode(file string, data []byte, into any) (*Document, error) {
	d := &Document{file: file, at: map[string]position{"": {1, 1}}, open: map[*yaml.Node]bool{}}
	root, err := parse(data)
	if err != nil {
		d.fail(position{syntaxLine(err), 1}, "", "%s", syntaxProblem(err))
		return d, d.errors.OrNil()
	}
	d.Value(root, reflect.ValueOf(into).Elem(), "")
	return d, d.errors.OrNil()
}

func parse(data []byte) (*yaml.Node, error) {
	decoder := yaml.NewDecoder(strings.NewReader(string(data)))
	var root, second yaml.Node
	if err := decoder.Decode(&root); errors.Is(err, io.EOF) {
		return nil, errors.New("the file is empty")
	} else if err != nil {
		return nil, err
	}
	if err := decoder.Decode(&second); err == nil {
		return nil, fmt.Errorf("line %d: a second document begins here; keep one to a file", second.Line)
	} else if !errors.Is(err, io.EOF) {
		return nil, err
	}
	return root.Content[0], nil
}

var lineInError = regexp.MustCompile(`line (\d+): `)

// grammarError is what the library's parser says, as against its scanner; it counts their lines from zero.
var grammarError = regexp.MustCompile(`did not find expected (',' or|key$|'-' indicator|node content|<document start>)`)

func syntaxLine(err error) int {
	m := lineInError.FindStringSubmatch(err.Error())
	if m == nil {
		return 1
	}
	line, _ := strconv.Atoi(m[1])
	if grammarError.MatchString(err.Error()) {
		line++
	}
	return line
}

func syntaxProblem(err error) string {
	return lineInError.ReplaceAllString(strings.TrimPrefix(err.Error(), "yaml: "), "")
}

// Errorf is an error at a field, or at the nearest field around it that the file has.
func (d *Document) Errorf(path, format string, args ...any) Error {
	p := path
	for {
		if at, ok := d.at[p]; ok {
			return Error{File: d.file, Line: at.line, Column: at.column, Path: path, Problem: fmt.Sprintf(format, args...)}
		}
		p = parent(p)
	}
}

func parent(path string) string {
	if strings.HasSuffix(path, `"]`) {
		return path[:strings.LastIndex(path, `["`)]
	}
	return path[:max(strings.LastIndexAny(path, ".["), 0)]
}

// Fail records an error at a node.
func (d *Document) Fail(n *yaml.Node, path, format string, args ...any) {
	d.fail(position{n.Line, n.Column}, path, format, args...)
}

func (d *Document) fail(at position, path, format string, args ...any) {
	d.errors = append(d.errors, Error{File: d.file, Line: at.line, Column: at.column, Path: path, Problem: fmt.Sprintf(format, args...)})
}

// Value decodes a node into v, recording what is wrong.
func (d *Document) Value(n *yaml.Node, v reflect.Value, path string) {
	d.follow(n, path, func(n *yaml.Node) { d.value(n, v, path) })
}

// follow calls decode with the node that n stands for, within the bounds of what a document may be.
func (d *Document) follow(n *yaml.Node, path string, decode func(*yaml.Node)) {
	if d.nodes++; d.nodes > maxNodes {
		if !d.overflow {
			d.overflow = true
			d.Fail(n, path, "the document grows beyond %d values; use fewer aliases", maxNodes)
		}
		return
	}
	if _, known := d.at[path]; !known {
		d.at[path] = position{n.Line, n.Column}
	}
	if n.Kind != yaml.AliasNode {
		decode(n)
		return
	}
	if d.open[n.Alias] {
		d.Fail(n, path, "the alias *%s contains itself", n.Value)
		return
	}
	d.open[n.Alias] = true
	defer delete(d.open, n.Alias)
	decode(n.Alias)
}

func (d *Document) value(n *yaml.Node, v reflect.Value, path string) {
	if v.Kind() == reflect.Pointer {
		if !isNull(n) {
			v.Set(reflect.New(v.Type().Elem()))
			d.value(n, v.Elem(), path)
		}
		return
	}
	if own, ok := reflect.TypeAssert[Unmarshaler](v.Addr()); ok {
		own.UnmarshalStrict(d, n, path)
		return
	}
	if d.foreign(n, v, path) {
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		d.structure(n, v, path)
	case reflect.Map:
		d.mapping(n, v, path)
	case reflect.Slice:
		d.sequence(n, v, path)
	case reflect.Interface:
		if value := d.Any(n, path); value != nil {
			v.Set(reflect.ValueOf(value))
		}
	default:
		d.scalar(n, v, path)
	}
}

func (d *Document) structure(n *yaml.Node, v reflect.Value, path string) {
	seen := map[string]bool{}
	ok := d.Pairs(n, path, func(key string, keyNode, value *yaml.Node, path string) {
		field, known := jsonfield.Named(v.Type(), key)
		if !known {
			d.Fail(keyNode, path, "unknown field; %s", hint(key, v.Type()))
			return
		}
		seen[key] = true
		if isNull(value) {
			if ours(field.Owner) {
				d.Fail(keyNode, path, "is empty; give it a value or leave it out")
			}
			return
		}
		d.Value(value, v.FieldByIndex(field.Index), path)
	})
	if !ok {
		return
	}
	for _, field := range jsonfield.Of(v.Type()) {
		if !field.Optional && ours(field.Owner) && !seen[field.Name] {
			d.Fail(n, Join(path, field.Name), "is missing; add it")
		}
	}
}

// ours says whether a type is this project's, whose fields are required unless they say omitempty.
func ours(t reflect.Type) bool {
	return strings.HasPrefix(t.PkgPath(), "github.com/naosu-dev/")
}

func (d *Document) mapping(n *yaml.Node, v reflect.Value, path string) {
	v.Set(reflect.MakeMap(v.Type()))
	d.Pairs(n, path, func(key string, _, value *yaml.Node, path string) {
		element := reflect.New(v.Type().Elem()).Elem()
		d.Value(value, element, path)
		v.SetMapIndex(reflect.ValueOf(key).Convert(v.Type().Key()), element)
	})
}

func (d *Document) sequence(n *yaml.Node, v reflect.Value, path string) {
	if v.Type().Elem().Kind() == reflect.Uint8 {
		d.scalar(n, v, path)
		return
	}
	if n.Kind != yaml.SequenceNode {
		d.Fail(n, path, "is %s, but must be a list", kindOf(n))
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), len(n.Content), len(n.Content)))
	for i, element := range n.Content {
		d.Value(element, v.Index(i), fmt.Sprintf("%s[%d]", path, i))
	}
}

// Pairs visits the keys of a mapping, each once, and says whether n is one.
func (d *Document) Pairs(n *yaml.Node, path string, visit func(key string, keyNode, value *yaml.Node, path string)) bool {
	if n.Kind != yaml.MappingNode {
		d.Fail(n, path, "is %s, but must be a mapping of fields to values", kindOf(n))
		return false
	}
	lines := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Kind != yaml.ScalarNode || key.Tag == "!!merge" {
			d.Fail(key, path, "has a key that is not plain text; merge keys (<<) and others are not supported")
			continue
		}
		inner := Join(path, key.Value)
		if first, twice := lines[key.Value]; twice {
			d.Fail(key, inner, "is given twice; the first is on line %d", first)
			continue
		}
		lines[key.Value] = key.Line
		if _, known := d.at[inner]; !known {
			d.at[inner] = position{key.Line, key.Column}
		}
		visit(key.Value, key, value, inner)
	}
	return true
}

var plainName = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// Join is the path of a field within another.
func Join(path, name string) string {
	switch {
	case !plainName.MatchString(name):
		return fmt.Sprintf("%s[%q]", path, name)
	case path == "":
		return name
	default:
		return path + "." + name
	}
}
