package cli

import (
	"bytes"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"k8s.io/cli-runtime/pkg/genericiooptions"
)

// TestCommandsAsCalled asks kubectl's plugin: the commands that it prints run it as the person did.
func TestCommandsAsCalled(t *testing.T) {
	snapshot := snapshotOf(t, "../diagnosis/testdata/upstream/chaos-operator-1.13.5.yaml")
	command := regexp.MustCompile(`(?:\$|More:) (?:\S+ )?naosu (why|repair|whatif)`)
	for name, args := range map[string][]string{
		"why, all": {"why", "-A"}, "why, all of it": {"why", "-A", "-o", "wide"},
	} {
		for _, program := range []string{"naosu", "/usr/local/bin/kubectl-naosu"} {
			var out bytes.Buffer
			root := NewCommand(program, genericiooptions.IOStreams{In: strings.NewReader(""), Out: &out, ErrOut: io.Discard})
			root.SetArgs(slices.Concat(args, []string{"--from", snapshot, "--lang", "en"}))
			if err := root.ExecuteContext(t.Context()); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			plugin := strings.Contains(out.String(), "kubectl naosu ")
			if plugin != strings.Contains(program, "kubectl") {
				t.Errorf("%s, as %s: kubectl naosu is named: %t\n%s", name, program, plugin, out.String())
			}
			if !plugin {
				continue
			}
			for _, match := range command.FindAllString(out.String(), -1) {
				if !strings.Contains(match, "kubectl naosu") {
					t.Errorf("%s: %s", name, match)
				}
			}
		}
	}
}

// TestRepairVerbs are listed below repair, and no longer beside it, where they go on to work.
func TestRepairVerbs(t *testing.T) {
	list := func(args ...string) string {
		var out bytes.Buffer
		root := NewCommand("naosu", genericiooptions.IOStreams{In: strings.NewReader(""), Out: &out, ErrOut: io.Discard})
		root.SetArgs(args)
		if err := root.ExecuteContext(t.Context()); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	for _, verb := range []string{"approve", "remediations"} {
		if text := list("--help"); strings.Contains(text, "\n  "+verb+" ") {
			t.Errorf("naosu lists %s:\n%s", verb, text)
		}
		if text := list("repair", "--help"); !strings.Contains(text, "\n  "+verb+" ") {
			t.Errorf("naosu repair does not list %s:\n%s", verb, text)
		}
	}
}
