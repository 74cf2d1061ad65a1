package crds

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"k8s.io/cli-runtime/pkg/genericiooptions"
	"sigs.k8s.io/yaml"
)

// What is printed is what config/crd holds, and each document says what it is.
func TestPrintsWhatIsShipped(t *testing.T) {
	var out bytes.Buffer
	cmd := NewCommand(genericiooptions.IOStreams{Out: &out})
	if err := cmd.RunE(cmd, nil); err != nil {
		t.Fatal(err)
	}
	paths, err := filepath.Glob("../../../config/crd/*.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no definitions: %v", err)
	}
	documents := bytes.Split(out.Bytes(), []byte("---\n"))[1:]
	if len(documents) != len(paths) {
		t.Fatalf("%d documents for %d files", len(documents), len(paths))
	}
	for i, path := range paths {
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := append([]byte("---\n"), documents[i]...); !bytes.Equal(got, want) {
			t.Errorf("%s is printed otherwise", path)
		}
		var named struct{ Kind string }
		if err := yaml.Unmarshal(documents[i], &named); err != nil || named.Kind != "CustomResourceDefinition" {
			t.Errorf("%s: kind %q (%v)", path, named.Kind, err)
		}
	}
}
