package cli

import (
	"bytes"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"k8s.io/cli-runtime/pkg/genericiooptions"
)

// TestCommandsReachTheClusterAsked asks with --context and --kubeconfig, and looks whether each command that is given as a remedy, or
// to tell more, has them; without the flags none may have.
func TestCommandsReachTheClusterAsked(t *testing.T) {
	snapshot := snapshotOf(t, "../diagnosis/testdata/upstream/chaos-operator-1.13.5.yaml")
	t.Chdir(t.TempDir()) // Short names keep commands on a line.
	if err := os.WriteFile("config", []byte(`{"contexts": [{"name": "my$prod", "context": {"cluster": "c"}}], "clusters": [{"name": "c", "cluster": {"server": "https://127.0.0.1:1"}}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("KUBECONFIG", "")
	const flags = "--kubeconfig config --context 'my$prod'"
	quoted := regexp.MustCompile(`"command": "([^\n]*)"`)
	runs := regexp.MustCompile(`(?:^|\| |&& )(kubectl|naosu) `)
	for name, args := range map[string][]string{
		"why": {"why", "pod/chaos-operator-ce-cha7d8f9-abcde", "-n", "litmus"}, "why, all": {"why", "-A"}, "audit": {"audit"},
		"whatif":       {"whatif", "drain", "node/gk3-1", "-o", "wide"},
		"why, as data": {"why", "-A", "-o", "json"}, "audit, as data": {"audit", "-o", "json"}, "one, as data": {"why", "deployment/chaos-operator-ce", "-n", "litmus", "-o", "yaml"},
		"whatif, as data": {"whatif", "cordon", "node/gk3-1", "-o", "json"}, "sarif": {"audit", "-o", "sarif"},
	} {
		for _, given := range []bool{true, false} {
			all := slices.Concat(args, []string{"--from", snapshot, "--lang", "en"})
			if given {
				all = append(all, "--kubeconfig", "config", "--context", "my$prod")
			}
			var out bytes.Buffer
			root := NewCommand("naosu", genericiooptions.IOStreams{In: strings.NewReader(""), Out: &out, ErrOut: io.Discard})
			root.SetArgs(all)
			if err := root.ExecuteContext(t.Context()); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			text := out.String()
			var commands []string
			for _, match := range quoted.FindAllStringSubmatch(text, -1) {
				commands = append(commands, match[1])
			}
			for line := range strings.Lines(text) {
				for _, mark := range []string{"$ ", "command: ", "More: "} {
					if _, command, ok := strings.Cut(line, mark); ok {
						commands = append(commands, command)
					}
				}
			}
			if strings.HasPrefix(name, "sarif") {
				commands = append(commands, strings.Split(text, `\n`)...)
			}
			n := 0
			for _, command := range commands {
				for _, at := range runs.FindAllStringSubmatchIndex(command, -1) {
					n++
					if has := strings.HasPrefix(command[at[3]:], " "+flags); has != given {
						t.Errorf("%s, flags given: %t: %s", name, given, command)
					}
				}
			}
			if n == 0 && !strings.HasPrefix(name, "whatif") {
				t.Errorf("%s: no command in\n%.500s", name, text)
			}
		}
	}
}
