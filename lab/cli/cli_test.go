package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/naosu-dev/naosu/lab"
	"github.com/naosu-dev/naosu/lab/controlplane"
	"github.com/naosu-dev/naosu/lab/scenario/play"
)

var update = flag.Bool("update", false, "write the golden files anew")

// run runs the command line with a control plane that must not be started.
func run(t *testing.T, args ...string) (code int, out, errOut string) {
	t.Helper()
	streams, _, stdout, stderr := genericiooptions.NewTestIOStreams()
	plane := ControlPlane{
		Start: func(context.Context, controlplane.Options) (*controlplane.Plane, error) {
			t.Error("a control plane is started")
			return nil, errors.New("none in this test")
		},
		Serve: func() int {
			t.Error("a control plane is served")
			return 1
		},
	}
	code = Run(t.Context(), plane, args, streams)
	return code, stdout.String(), stderr.String()
}

// TestBadInput holds what is wrong with the arguments to one message that names the argument, exit code 2, and nothing started.
func TestBadInput(t *testing.T) {
	occupied := t.TempDir()
	must(t, os.WriteFile(filepath.Join(occupied, "state"), nil, 0o600))
	broken := filepath.Join(t.TempDir(), "broken.yaml")
	must(t, os.WriteFile(broken, []byte("name: [\n"), 0o600))
	noSnapshot := filepath.Join(t.TempDir(), "pods.yaml")
	must(t, os.WriteFile(noSnapshot, []byte("apiVersion: v1\nkind: List\nitems: []\n"), 0o600))
	var printed strings.Builder
	for _, test := range []struct {
		args string
		want string
	}{
		{"run", "naosu-lab list"},
		{"run nonexistent", `"nonexistent" is neither a file nor a scenario`},
		{"run ./nonexistent.yaml", "no such file"},
		{"run " + broken, "broken.yaml"},
		{"run stranded-volume -o yaml", `--output: "yaml"`},
		{"run stranded-volume --time-scale 0.5", "--time-scale"},
		{"run stranded-volume --time-scale NaN", "--time-scale"},
		{"run stranded-volume --time-scale fast", "--time-scale"},
		{"run stranded-volume --with nobody", "--with"},
		{"run stranded-volume --naosu /nonexistent", "--naosu: /nonexistent"},
		{"up extra", `takes no arguments, but was given ["extra"]`},
		{"up --nodes -1", "--nodes: -1"},
		{"up --until stranded", "--until"},
		{"up --scenario stranded-volume --nodes 3", "--nodes"},
		{"up --scenario stranded-volume --until never", `no point "never"; it has start`},
		{"up --scenario nonexistent", `"nonexistent"`},
		{"up --from x --nodes 3", "--from"},
		{"up --from /nonexistent", "--from /nonexistent"},
		{"up --from " + noSnapshot, "naosu snapshot --from " + noSnapshot},
		{"up --from x --data-dir " + occupied, "--data-dir " + occupied},
		{"up --time-scale 0", "--time-scale"},
		{"fault", "fault takes a target"},
		{"fault node/a", "and a state"},
		{"fault a off", `"a" is not a target`},
		{"fault pod/a off", `"pod/a" is not a target`},
		{"fault node/ off", `"node/" is not a target`},
		{"fault node/a broken", `"broken" is not a state; give one of`},
		{"scale node/a --to 3", "target: node/a is not a node group"},
		{"scale group/a", "--to"},
		{"scale group/a --to -3", "--to"},
		{"demo nonexistent --naosu /bin/true", `"nonexistent" is not one of the demo's scenarios`},
		{"demo --time-scale 0", "--time-scale"},
		{"list extra", "takes no arguments"},
		{"nonexistent", `unknown command "nonexistent"`},
		{"run stranded-volume --nonexistent", "unknown flag: --nonexistent"},
	} {
		t.Run(test.args, func(t *testing.T) {
			code, out, errOut := run(t, strings.Fields(test.args)...)
			printed.WriteString(strings.NewReplacer(occupied, "FOLDER", broken, "broken.yaml", noSnapshot, "pods.yaml").Replace("$ naosu-lab "+test.args+"\n"+errOut) + "\n")
			if code != exitBadInput || out != "" || !strings.Contains(errOut, test.want) {
				t.Errorf("exit code %d, want %d; output %q; error, which is to contain %q:\n%s", code, exitBadInput, out, test.want, errOut)
			}
		})
	}
	golden(t, "errors.txt", printed.String())
}

// golden compares what was printed with a file in testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		must(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	must(t, err)
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got); go test -update writes it anew:\n%s", file, diff)
	}
}

func TestExitCode(t *testing.T) {
	for _, test := range []struct {
		err  error
		want int
		says string
	}{
		{nil, 0, ""},
		{errExpectations, exitFailed, ""},
		{errNotJudged, exitNotJudged, ""},
		{fmt.Errorf("playing: %w", play.ErrNotJudged), exitNotJudged, "naosu-lab: playing: "},
		{errors.Join(nil, badInputError{errors.New("--nodes: no")}), exitBadInput, "naosu-lab: --nodes: no"},
		{context.Canceled, exitFailed, "naosu-lab: context canceled"},
	} {
		var out bytes.Buffer
		if got := exitCode(&out, test.err); got != test.want || !strings.HasPrefix(out.String(), test.says) || test.says == "" && out.Len() > 0 {
			t.Errorf("exitCode(%v) = %d with %q, want %d with %q", test.err, got, out.String(), test.want, test.says)
		}
	}
}

// TestList shows every scenario that the program carries, each of which can be played.
func TestList(t *testing.T) {
	code, out, errOut := run(t, "list")
	names, err := scenarioNames()
	must(t, err)
	if code != 0 || errOut != "" || strings.Count(out, "\n") != len(names)+1 || len(names) == 0 {
		t.Errorf("exit code %d, error %q, output:\n%s", code, errOut, out)
	}
	for _, name := range names {
		if !strings.Contains(out, "\n"+name+" ") {
			t.Errorf("%s is not listed", name)
		}
	}
	for _, story := range stories {
		if !slices.Contains(names, story.scenario) {
			t.Errorf("the demo's scenario %s does not exist", story.scenario)
		}
	}
}

// TestCommandsHaveHelp holds what users see of each command.
func TestCommandsHaveHelp(t *testing.T) {
	var printed strings.Builder
	for _, command := range newCommand(ControlPlane{}).Commands() {
		if command.Hidden {
			continue
		}
		code, out, errOut := run(t, command.Name(), "--help")
		if code != 0 || errOut != "" || !strings.Contains(out, "Usage:") || command.Short == "" {
			t.Errorf("%s --help: exit code %d, error %q, output:\n%s", command.Name(), code, errOut, out)
		}
		printed.WriteString("$ naosu-lab " + command.Name() + " --help\n" + out + "\n")
	}
	_, root, _ := run(t, "--help")
	golden(t, "help.txt", "$ naosu-lab --help\n"+root+"\n"+printed.String())
}

func TestParseTarget(t *testing.T) {
	for arg, want := range map[string]lab.Target{
		"node/a": {Node: "a"}, "group/b": {Group: "b"}, "zone/us-east-1c": {Zone: "us-east-1c"}, "node/a/b": {Node: "a/b"},
	} {
		if got, err := parseTarget(arg); err != nil || got != want {
			t.Errorf("parseTarget(%q) = %+v, %v; want %+v", arg, got, err, want)
		}
	}
}

// TestReceive reads a child that ends, is cut off or writes something else.
func TestReceive(t *testing.T) {
	message := func(m passMessage) string {
		text, err := json.Marshal(m)
		must(t, err)
		return string(text) + "\n"
	}
	update := message(passMessage{Update: &play.Update{Activity: "waits"}})
	result := message(passMessage{Result: &play.Result{With: "naosu", Scale: 10}})
	for _, test := range []struct {
		name, in string
		seen     int
		fails    bool
	}{
		{"updates, then a result", update + update + result, 2, false},
		{"nothing after the result is read", result + "}", 0, false},
		{"a message of a later version", `{"other":1}` + "\n" + result, 0, false},
		{"nothing", "", 0, true},
		{"cut off", update + result[:len(result)/2], 1, true},
		{"not a message", update + "panic: no\n", 1, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			seen := 0
			got, err := receive(strings.NewReader(test.in), func(u play.Update) {
				seen++
				if u.Activity != "waits" {
					t.Errorf("update %+v", u)
				}
			})
			if seen != test.seen || (err != nil) != test.fails {
				t.Errorf("%d updates and error %v, want %d and an error: %t", seen, err, test.seen, test.fails)
			}
			if !test.fails {
				if diff := cmp.Diff(play.Result{With: "naosu", Scale: 10}, got); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
}

// TestFindNaosu prefers the program that was named, and refuses one that cannot be run.
func TestFindNaosu(t *testing.T) {
	folder := t.TempDir()
	program := filepath.Join(folder, "naosu")
	must(t, os.WriteFile(program, []byte("#!/bin/sh\n"), 0o700))
	text := filepath.Join(folder, "text")
	must(t, os.WriteFile(text, nil, 0o600))

	if got, err := findNaosu(program); err != nil || got != program {
		t.Errorf("the named one: %q, %v", got, err)
	}
	if _, err := findNaosu(text); err == nil || !strings.Contains(err.Error(), "--naosu: "+text) {
		t.Errorf("a file that is no program: %v", err)
	}
	t.Setenv("PATH", folder)
	if got, err := findNaosu(""); err != nil || got != program {
		t.Errorf("from the PATH: %q, %v", got, err)
	}
	t.Setenv("PATH", "")
	if _, err := findNaosu(""); !errors.Is(err, errNoNaosu) {
		t.Errorf("nowhere: %v", err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
