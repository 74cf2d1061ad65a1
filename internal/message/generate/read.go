package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
)

// sentence is one of the catalogue: the Go expression that is its key there, and its template.
type sentence struct{ key, text string }

// read finds the sentences of a language: the maps of type sentences whose names begin with the language's. It goes by
// the syntax alone, so that they can be compiled anew whatever else in the package does not compile.
func (l language) read(dir string) ([]sentence, error) {
	paths, err := filepath.Glob(filepath.Join(dir, l.files))
	if err != nil {
		return nil, err
	}
	var specs []*ast.ValueSpec
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, declaration := range file.Decls {
			if declared, ok := declaration.(*ast.GenDecl); ok && declared.Tok != token.IMPORT && declared.Tok != token.TYPE {
				for _, spec := range declared.Specs {
					specs = append(specs, spec.(*ast.ValueSpec))
				}
			}
		}
	}
	return l.sentences(specs)
}

func (l language) sentences(specs []*ast.ValueSpec) ([]sentence, error) {
	constants := map[string]ast.Expr{}
	for _, spec := range specs {
		if len(spec.Names) == len(spec.Values) {
			for i, name := range spec.Names {
				constants[name.Name] = spec.Values[i]
			}
		}
	}
	var found []sentence
	seen := map[string]bool{}
	for _, spec := range specs {
		area, ok := areaOf(spec)
		if !ok || !strings.HasPrefix(spec.Names[0].Name, l.name) {
			continue
		}
		for _, element := range area.Elts {
			entry := element.(*ast.KeyValueExpr)
			key, err := keyOf(entry.Key)
			if err != nil {
				return nil, err
			}
			if seen[key] {
				return nil, fmt.Errorf("two sentences for %s", key)
			}
			seen[key] = true
			text, err := textOf(entry.Value, constants)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", key, err)
			}
			found = append(found, sentence{key, text})
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("no sentences in %s", l.files)
	}
	return found, nil
}

func areaOf(spec *ast.ValueSpec) (*ast.CompositeLit, bool) {
	if len(spec.Values) != 1 {
		return nil, false
	}
	area, ok := spec.Values[0].(*ast.CompositeLit)
	if !ok {
		return nil, false
	}
	kind, ok := area.Type.(*ast.Ident)
	return area, ok && kind.Name == "sentences"
}

func keyOf(key ast.Expr) (string, error) {
	switch key := key.(type) {
	case *ast.Ident:
		return key.Name, nil
	case *ast.BasicLit:
		return key.Value, nil
	}
	return "", fmt.Errorf("a key is neither a constant's name nor a literal: %T", key)
}

// textOf is the value of literals and constants, joined by +.
func textOf(expression ast.Expr, constants map[string]ast.Expr) (string, error) {
	switch e := expression.(type) {
	case *ast.BasicLit:
		return strconv.Unquote(e.Value)
	case *ast.ParenExpr:
		return textOf(e.X, constants)
	case *ast.Ident:
		if constant, ok := constants[e.Name]; ok {
			return textOf(constant, constants)
		}
		return "", fmt.Errorf("%s is not declared beside the sentences", e.Name)
	case *ast.BinaryExpr:
		left, err := textOf(e.X, constants)
		if err != nil {
			return "", err
		}
		right, err := textOf(e.Y, constants)
		return left + right, err
	}
	return "", fmt.Errorf("a sentence is made by %T: write it as literals and constants", expression)
}
