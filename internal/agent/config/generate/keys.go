package main

import (
	"encoding"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"
)

// key is a key of the configuration, which is a row of the page.
type key struct {
	// owner is the struct with the field, as package.Type.
	owner, field string
	path         string // of the key in the file, such as kernel.pressure.cpu
	fallback     string // the default
	comment      string // of the field
}

// id is the name of the key in ja.yaml.
func (k key) id() string { return k.owner + "." + k.field }

// comments are the comments of fields, by package folder, type and field.
type comments struct {
	packages map[string]map[string]map[string]string
}

const module = "github.com/naosu-dev/naosu/"

// keys returns the keys of a struct and of the structs in it.
func (c comments) keys(of reflect.Value, at string) ([]key, error) {
	var all []key
	var wrong []error
	for field, value := range of.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		if name == "" || name == "-" {
			continue
		}
		here := strings.TrimPrefix(at+"."+name, ".")
		inner, below := within(value)
		if !inner.IsValid() {
			comment, err := c.of(of.Type(), field.Name)
			wrong = append(wrong, err)
			all = append(all, key{owner: path.Base(of.Type().PkgPath()) + "." + of.Type().Name(), field: field.Name, path: here, fallback: shown(value), comment: comment})
			continue
		}
		deeper, err := c.keys(inner, here+below)
		all, wrong = append(all, deeper...), append(wrong, err)
	}
	return all, errors.Join(wrong...)
}

// within returns the struct whose keys are below a field, and the part of the path in between. It is invalid if the field itself is a key.
func within(v reflect.Value) (inner reflect.Value, below string) {
	t := v.Type()
	switch {
	case t.Kind() == reflect.Struct && !isText(t):
		return v, ""
	case t.Kind() == reflect.Map && t.Elem().Kind() == reflect.Struct:
		return reflect.New(t.Elem()).Elem(), ".NAME"
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct && !isText(t.Elem()):
		if v.Len() > 0 {
			return v.Index(0), "[]"
		}
		return reflect.New(t.Elem()).Elem(), "[]"
	}
	return reflect.Value{}, ""
}

func isText(t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

// shown returns a default as the page shows it.
func shown(v reflect.Value) string {
	switch value := v.Interface().(type) {
	case time.Duration:
		if value == 0 {
			return ""
		}
		return short(value)
	case *regexp.Regexp:
		return value.String()
	}
	switch v.Kind() {
	case reflect.Slice:
		items := make([]string, v.Len())
		for i := range items {
			items[i] = shown(v.Index(i))
		}
		return strings.Join(items, ", ")
	case reflect.Map:
		var items []string
		for _, k := range v.MapKeys() {
			items = append(items, fmt.Sprintf("%v: %v", k, v.MapIndex(k)))
		}
		slices.Sort(items)
		return strings.Join(items, ", ")
	case reflect.Int:
		if v.Int() == 0 {
			return ""
		}
	}
	return fmt.Sprint(v.Interface())
}

// short formats a duration without units that are zero.
func short(d time.Duration) string {
	s := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(s, zero) {
			s = s[:len(s)-len(zero)+1]
		}
	}
	return s
}

// of returns the comment of a field.
func (c comments) of(t reflect.Type, field string) (string, error) {
	folder := strings.TrimPrefix(t.PkgPath(), module)
	if c.packages[folder] == nil {
		types, err := parsed(filepath.Join("../../..", folder))
		if err != nil {
			return "", err
		}
		c.packages[folder] = types
	}
	comment := c.packages[folder][t.Name()][field]
	if comment == "" {
		return "", fmt.Errorf("%s.%s has no comment for its row in the docs", t, field)
	}
	return comment, nil
}

// parsed returns the comments of the fields of a package, by type.
func parsed(folder string) (map[string]map[string]string, error) {
	files, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("read the package: %w", err)
	}
	types := map[string]map[string]string{}
	for _, file := range files {
		if !strings.HasSuffix(file.Name(), ".go") || strings.HasSuffix(file.Name(), "_test.go") {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), filepath.Join(folder, file.Name()), nil, parser.ParseComments)
		if err != nil {
			return nil, fmt.Errorf("read the package: %w", err)
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			if spec, is := n.(*ast.TypeSpec); is {
				if of, is := spec.Type.(*ast.StructType); is {
					types[spec.Name.Name] = commentsOf(of)
				}
			}
			return true
		})
	}
	return types, nil
}

// commentsOf returns the comments of a struct's fields.
func commentsOf(of *ast.StructType) map[string]string {
	all := map[string]string{}
	for _, field := range of.Fields.List {
		for _, name := range field.Names {
			all[name.Name] = strings.Join(strings.Fields(field.Doc.Text()), " ")
		}
	}
	return all
}
