package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestConstructorsAreOfToday sees to it that package sentence has the functions of the sentences as they are now.
func TestConstructorsAreOfToday(t *testing.T) {
	want, err := constructors(languages, "..")
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join("..", "sentence", "zz_generated.go"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, got) {
		t.Error("the functions are stale; run go generate ./internal/message")
	}
}

// TestParameters derives parameters from the templates of a sentence.
func TestParameters(t *testing.T) {
	for name, tc := range map[string]struct {
		templates []string
		want      string
	}{
		"none":                    {[]string{"It works."}, "X()"},
		"printed":                 {[]string{"{{.pod}} runs on {{.node}}."}, "X(pod, node any)"},
		"counted":                 {[]string{`{{count .n "node" "nodes"}}{{if lt .least 2}}.{{end}}`}, "X(n, least int)"},
		"compared with a number":  {[]string{"{{if eq .total 1}}one{{end}}"}, "X(total int)"},
		"compared with a word":    {[]string{`{{if ne .allowed "0"}}some{{end}}`}, "X(allowed any)"},
		"listed":                  {[]string{`{{verb (len .zones) "is" "are"}}{{or .zones}}`}, "X(zones message.List)"},
		"gone through":            {[]string{"{{range .gaps}} {{.}}{{end}}"}, "X(gaps message.List)"},
		"only asked for":          {[]string{"{{if .gone}}gone{{else if not .up}}down{{end}}"}, "X(gone, up bool)"},
		"asked for and printed":   {[]string{"{{if .why}}: {{.why}}{{end}}{{with .by}}{{.}}{{end}}"}, "X(why, by any)"},
		"a field":                 {[]string{"{{if .by.Name}}known{{end}}"}, "X(by any)"},
		"a keyword":               {[]string{"{{.type}}"}, "X(typeOf any)"},
		"more in the translation": {[]string{"{{if .n}}some{{end}} {{.a}}", "{{.a}} {{.n}}"}, "X(n, a any)"},
	} {
		t.Run(name, func(t *testing.T) {
			p := &parameters{kinds: map[string]int{}}
			for i, template := range tc.templates {
				tree, err := languages[i].parse(template)
				if err != nil {
					t.Fatal(err)
				}
				p.list(tree.Root)
			}
			var out bytes.Buffer
			p.write(&out, "X")
			if !strings.Contains(out.String(), "func "+tc.want+" message.Sentence") {
				t.Errorf("want %s:\n%s", tc.want, out.String())
			}
		})
	}
}
