package scenario

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/naosu-dev/naosu/lab/scenario/strictyaml"
)

// FuzzParse feeds the decoder anything: it must answer with a scenario or with errors that have a place, and must end.
func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("../../scenarios/*.yaml")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range append(files, "testdata/sound.yaml") {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	for _, odd := range []string{
		"", "---", "a: &a [*a]", "a: &a {b: *a}", "- 1", "null", "? [a]\n: b", "<<: {}", "!!binary x", "name: 2001-01-01", "name: .inf",
		"&a a: &b b", "steps: &s [{}, *s]", "cluster: {flags: {x: {y: {}}}}", "name: 0x7fffffffffffffffff", "\x00", "{", "%TAG ! a",
		"a: &a [1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a]\nsteps: [*b,*b,*b,*b]", "cluster: {manifests: [{apiVersion: v1, kind: Pod, metadata: {name: 1}}]}",
	} {
		f.Add([]byte(odd))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := Parse("f.yaml", text)
		if err == nil {
			for _, p := range s.Passes() {
				if len(p.Expect) == 0 {
					t.Errorf("pass %q is accepted without expectations", p.With)
				}
			}
			return
		}
		var all strictyaml.Errors
		if !errors.As(err, &all) || len(all) == 0 {
			t.Fatalf("Parse() = %v, which is no list of errors", err)
		}
		for _, e := range all {
			if e.Line < 1 || e.Column < 1 || e.Problem == "" {
				t.Errorf("an error without a place or a problem: %#v", e)
			}
		}
	})
}
