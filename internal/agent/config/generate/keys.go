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

// key is a row of a page.
type key struct {
	// owner is the struct that has it, in whose words its comment is found.
	owner, field string
	path         string
	fallback     string
	comment      string
}

// id is how ja.yaml calls it.
func (k key) id() string { return k.owner + "." + k.field }

// comments are the comments of fields, by package folder, type and field.
type comments struct {
	packages map[string]map[string]map[string]string
}

const module = "github.com/naosu-dev/naosu/"

// keys are those of a struct and of what is in it.
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

// within is the struct that has the keys below a field, and what stands between; invalid where the field itself is what is configured.
func within(v reflect.Value) (inner reflect.Value, below string) {
	t := v.Type()
	switch {
	case t.Kind() == reflect.Struct && !isText(t):
		return v, ""
	case t.Kind() == reflect.Map && t.Elem().Kind() == reflect.Struct:
		return reflect.New(t.Elem()).Elem(), ".NAME"
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct:
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

// shown is a default.
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

// short is a duration without what is zero.
func short(d time.Duration) string {
	s := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(s, zero) {
			s = s[:len(s)-len(zero)+1]
		}
	}
	return s
}

// of is the comment of a field.
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
		return "", fmt.Errorf("%s.%s has no comment, of which its row in the docs is made", t, field)
	}
	return comment, nil
}

// parsed are the comments of the fields of a package, by type.
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

// commentsOf are the comments of a struct's fields. One that begins with the names of several is of all of them.
func commentsOf(of *ast.StructType) map[string]string {
	all := map[string]string{}
	last := ""
	for _, field := range of.Fields.List {
		if text := strings.Join(strings.Fields(field.Doc.Text()), " "); text != "" {
			last = text
		}
		for _, name := range field.Names {
			if field.Doc != nil || slices.Contains(named(last), name.Name) {
				all[name.Name] = last
			}
		}
	}
	return all
}

// named are the fields that a comment begins with: "A, B and C are".
func named(comment string) []string {
	subject, _, _ := strings.Cut(comment, " are ")
	names := strings.Fields(strings.NewReplacer(",", " ", " and ", " ").Replace(subject))
	if slices.ContainsFunc(names, func(name string) bool { return !token.IsExported(name) }) {
		return nil
	}
	return names
}
