package cli

import (
	"bytes"
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/naosu-dev/naosu/internal/cluster/clustertest"
)

// marks are what pages have in both languages for each cause: its code, or the command that tells more.
var marks = regexp.MustCompile(`N[1-6][0-9]{2}|naosu why [a-z]+/\S+`)

// TestGroupedAlikeInEachLanguage compares what the pages about each golden cluster put together as one cause.
func TestGroupedAlikeInEachLanguage(t *testing.T) {
	for _, pattern := range []string{"*.yaml", "*/*.yaml"} {
		inputs, err := filepath.Glob(filepath.Join("..", "diagnosis", "testdata", pattern))
		if err != nil || len(inputs) == 0 {
			t.Fatalf("%s: no input (%v)", pattern, err)
		}
		for _, input := range inputs {
			snapshot := written(t, clustertest.Load(t, input))
			for _, verb := range []string{"audit", "why"} {
				english, japanese := grouped(t, verb, snapshot, "en"), grouped(t, verb, snapshot, "ja")
				if diff := cmp.Diff(english, japanese); diff != "" {
					t.Errorf("%s of %s (-English +Japanese):\n%s", verb, input, diff)
				}
			}
		}
	}
}

// grouped are the marks of a page, in their order.
func grouped(t *testing.T, verb, snapshot, language string) []string {
	t.Helper()
	var out bytes.Buffer
	root := NewCommand("naosu", genericiooptions.IOStreams{In: strings.NewReader(""), Out: &out, ErrOut: io.Discard})
	root.SetArgs([]string{verb, "--all-namespaces", "--from", snapshot, "--lang", language})
	if err := root.ExecuteContext(t.Context()); err != nil {
		t.Fatalf("naosu %s --from %s: %v", verb, snapshot, err)
	}
	return marks.FindAllString(out.String(), -1)
}
