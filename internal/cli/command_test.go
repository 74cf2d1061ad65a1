package cli

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/naosu-dev/naosu/internal/cli/exit"
	"github.com/naosu-dev/naosu/internal/message"
)

func TestRoot(t *testing.T) {
	for name, tc := range map[string]struct {
		startedAs string
		args      []string
		code      int
		// out or the error holds want.
		want string
	}{
		"help":                        {"/usr/bin/naosu", []string{"--help"}, exit.OK, "naosu [command]"},
		"nothing":                     {"naosu", nil, exit.OK, "Commands:\n"},
		"kubectl's plugin":            {"/usr/bin/kubectl-naosu", []string{"why", "--help"}, exit.OK, "kubectl naosu why"},
		"version":                     {"naosu", []string{"version"}, exit.OK, "naosu "},
		"help of a verb":              {"naosu", []string{"help", "why"}, exit.OK, "naosu why"},
		"help of nothing":             {"naosu", []string{"help", "whu"}, exit.NoAnswer, "did you mean naosu why?"},
		"unknown shell":               {"naosu", []string{"completion", "tcsh"}, exit.NoAnswer, "unknown command \"tcsh\" for \"naosu completion\""},
		"help in Japanese":            {"naosu", []string{"why", "--help", "--lang", "ja"}, exit.OK, "使い方:\n  naosu why"},
		"help of a verb, in Japanese": {"naosu", []string{"--lang=ja", "help", "completion", "bash"}, exit.OK, "今後起動するシェル"},
		"completion in Japanese":      {"naosu", []string{"__complete", "--lang", "ja", "wh"}, exit.OK, "why\t動かない"},
		"shell completion":            {"naosu", []string{"completion", "bash"}, exit.OK, "bash completion"},
		"unknown verb":                {"naosu", []string{"whu"}, exit.NoAnswer, "did you mean naosu why?"},
		"nothing like a verb":         {"naosu", []string{"xyzzy"}, exit.NoAnswer, "; see naosu --help"},
		"unknown verb of repair":      {"naosu", []string{"repair", "aprove", "r1"}, exit.NoAnswer, "did you mean naosu repair approve?"},
		"unknown verb of the plugin":  {"kubectl-naosu", []string{"repair", "dril"}, exit.NoAnswer, "did you mean kubectl naosu repair drill?"},
		"version as a flag":           {"naosu", []string{"--version"}, exit.OK, "naosu "},
		"verbs of repair together":    {"naosu", []string{"repair"}, exit.OK, "remediations"},
		"approve below repair":        {"naosu", []string{"repair", "approve"}, exit.NoAnswer, "name: missing"},
		"approve as before":           {"naosu", []string{"approve"}, exit.NoAnswer, "name: missing"},
		"help of approve as before":   {"naosu", []string{"approve", "--help", "--lang", "ja"}, exit.OK, "Remediation"},
		"help of approve":             {"naosu", []string{"repair", "approve", "--help"}, exit.OK, "--reject"},
		"examples of the plugin":      {"kubectl-naosu", []string{"repair", "drill", "--help"}, exit.OK, "\n  kubectl naosu repair drill node/worker-1\n"},
		"a pipe in an example":        {"kubectl-naosu", []string{"crds", "--help"}, exit.OK, "\n  kubectl naosu crds | kubectl apply"},
		"unknown flag":                {"naosu", []string{"why", "--nope"}, exit.NoAnswer, "command: unknown flag --nope; see naosu why --help"},
		"bad value of a flag":         {"naosu", []string{"why", "pod/a", "-o", "xml"}, exit.NoAnswer, "use text, wide, json or yaml"},
		"version takes nothing":       {"naosu", []string{"version", "now"}, exit.NoAnswer, "unknown command \"now\" for \"naosu version\""},
		"a verb without subject":      {"naosu", []string{"explain"}, exit.NoAnswer, "code: missing"},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			root := NewCommand(tc.startedAs, genericiooptions.IOStreams{In: strings.NewReader(""), Out: &out, ErrOut: &out})
			root.SetArgs(append([]string{}, tc.args...))
			err := root.ExecuteContext(context.Background())
			if got := exit.Code(err); got != tc.code {
				t.Errorf("exit code %d (%v), want %d", got, err, tc.code)
			}
			said := out.String()
			if err != nil {
				said = exit.Line(message.English(), err)
			}
			if !strings.Contains(said, tc.want) {
				t.Errorf("said %q, want %q", said, tc.want)
			}
		})
	}
}
