package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A comment belongs only to the field below it.
func TestCommentsOf(t *testing.T) {
	const source = `package p
type T struct {
	// One is the share
	// of something.
	One int
	Two int
	Three int // not this
	// Four is a number. Five are none.
	Four int
	Five int
}`
	parsed, err := parser.ParseFile(token.NewFileSet(), "", source, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	of := parsed.Decls[0].(*ast.GenDecl).Specs[0].(*ast.TypeSpec).Type.(*ast.StructType)
	want := map[string]string{"One": "One is the share of something.", "Two": "", "Three": "", "Four": "Four is a number. Five are none.", "Five": ""}
	if diff := cmp.Diff(want, commentsOf(of)); diff != "" {
		t.Error(diff)
	}
}

func TestDescription(t *testing.T) {
	for comment, want := range map[string]string{
		"Links is a regular expression.":                 "A regular expression.",
		"Sockets are the sockets of container runtimes.": "The sockets of container runtimes.",
		"HostNetwork leaves the network plugin out.":     "HostNetwork leaves the network plugin out.",
		"The folder of a node is what it works with.":    "The folder of a node is what it works with.",
	} {
		if got := description(comment); got != want {
			t.Errorf("%q becomes %q, want %q", comment, got, want)
		}
	}
}
