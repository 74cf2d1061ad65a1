package schema

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
)

// comments are the doc comments of types, by their name, and of fields, as "Type.Field".
type comments map[string]string

func readComments(root string, folders ...string) (comments, error) {
	read := comments{}
	for _, folder := range folders {
		files, err := filepath.Glob(filepath.Join(root, folder, "*.go"))
		if err != nil || len(files) == 0 {
			return nil, fmt.Errorf("reading the comments of %s: no Go files there (%w)", folder, err)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
			if err != nil {
				return nil, fmt.Errorf("reading the comments of %s: %w", name, err)
			}
			read.gather(file)
		}
	}
	return read, nil
}

func (c comments) gather(file *ast.File) {
	for _, d := range file.Decls {
		declaration, ok := d.(*ast.GenDecl)
		if !ok || declaration.Tok != token.TYPE {
			continue
		}
		for _, s := range declaration.Specs {
			spec := s.(*ast.TypeSpec)
			structure, ok := spec.Type.(*ast.StructType)
			if !ok || !spec.Name.IsExported() {
				continue
			}
			c[spec.Name.Name] = oneLine(declaration.Doc.Text())
			for _, field := range structure.Fields.List {
				for _, name := range field.Names {
					c[spec.Name.Name+"."+name.Name] = oneLine(field.Doc.Text())
				}
			}
		}
	}
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
