package audit

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/naosu-dev/naosu/internal/cli/connect"
	"github.com/naosu-dev/naosu/internal/cli/exit"
	"github.com/naosu-dev/naosu/internal/cli/language"
)

const shop = "../whatif/testdata/shop.yaml"

// ask asks the verb as the root command would.
func ask(t *testing.T, args ...string) (out, errOut string, err error) {
	t.Helper()
	empty := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("KUBECONFIG", empty)
	streams, _, stdout, stderr := genericiooptions.NewTestIOStreams()
	flags := connect.Flags()
	cmd := NewCommand(flags, streams)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetFlagErrorFunc(exit.BadFlag)
	language.AddFlag(cmd)
	flags.AddFlags(cmd.Flags())
	cmd.SetArgs(append([]string{"--from", shop, "--lang", "en"}, args...))
	err = cmd.ExecuteContext(t.Context())
	return stdout.String(), stderr.String(), err
}

func TestFailOn(t *testing.T) {
	for severity, code := range map[string]int{"warning": exit.Found, "critical": exit.OK} {
		t.Run(severity, func(t *testing.T) {
			out, _, err := ask(t, "--fail-on", severity)
			if exit.Code(err) != code || out == "" {
				t.Errorf("exit code %d (%v), want %d; said %q", exit.Code(err), err, code, out)
			}
		})
	}
	for _, args := range [][]string{{"--fail-on", "note"}, {"--from", "nowhere.yaml"}, {"--accepted", "nowhere.yaml"}, {"--selector", "a=("}, {"-o", "html"}, {"pod/x"}} {
		if _, _, err := ask(t, args...); exit.Code(err) != exit.NoAnswer {
			t.Errorf("%v: exit code %d (%v), want %d", args, exit.Code(err), err, exit.NoAnswer)
		}
	}
}

// TestPage sees to it that a person reads the worst first, with its remedy, on a page.
func TestPage(t *testing.T) {
	out, _, err := ask(t)
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(out, "\n"); lines > 70 {
		t.Errorf("%d lines are more than a page:\n%s", lines, out)
	}
	warning, note := strings.Index(out, "\nWARNING\n"), strings.Index(out, "\nNOTE\n")
	if warning < 0 || note >= 0 && note < warning || !strings.Contains(out, "  $ ") {
		t.Errorf("no warning first, or no command:\n%s", out)
	}
}

// TestWide finds every finding of the data on the page, and of each every remedy with its cost and what its evidence was
// read from.
func TestWide(t *testing.T) {
	data, _, err := ask(t, "-o", "json")
	if err != nil {
		t.Fatal(err)
	}
	var audit struct {
		Findings []struct {
			Code     string
			Causes   []struct{ Evidence []struct{ Field string } }
			Remedies []struct{ Cost, Risk string }
		}
	}
	if err := json.Unmarshal([]byte(data), &audit); err != nil {
		t.Fatal(err)
	}
	page, _, err := ask(t, "-o", "wide")
	if err != nil {
		t.Fatal(err)
	}
	page = strings.Join(strings.Fields(page), " ") // What wraps differently says the same.
	want := map[string]int{}
	for _, f := range audit.Findings {
		want[f.Code+" "]++
		for _, link := range f.Causes {
			for _, e := range link.Evidence {
				want[" "+e.Field] = 1
			}
		}
		for _, r := range f.Remedies {
			want["cost: "+r.Cost] = 1
			want["risk: "+r.Risk] = 1
		}
	}
	for words, n := range want {
		if strings.Count(page, words) < n {
			t.Errorf("%q is on the wide page %d times, want %d at least:\n%s", words, strings.Count(page, words), n, page)
		}
	}
}

// TestAcceptedFindingIsGone takes every finding of a code out, and says so in the data.
func TestAcceptedFindingIsGone(t *testing.T) {
	file := filepath.Join(t.TempDir(), "accepted.yaml")
	lines := "- {code: N102, subject: '*/*/*', reason: a test, expires: '2999-01-01'}\n- {code: N102, subject: '*/*', reason: a test, expires: '2999-01-01'}\n"
	if err := os.WriteFile(file, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	before, _, err := ask(t, "-o", "json")
	if err != nil {
		t.Fatal(err)
	}
	after, _, err := ask(t, "-o", "json", "--accepted", file)
	if err != nil {
		t.Fatal(err)
	}
	const code = `"code": "N102"`
	found, _, _ := strings.Cut(after, `"accepted"`)
	if !strings.Contains(before, code) || strings.Contains(found, code) {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
}

// TestSARIF holds what GitHub's code scanning requires of a file: a driver with rules that have both descriptions and a
// help text, and results that name one of them, with a message, a place and a fingerprint of their own.
func TestSARIF(t *testing.T) {
	out, _, err := ask(t, "-o", "sarif")
	if err != nil {
		t.Fatal(err)
	}
	var log sarifLog
	if err := json.Unmarshal([]byte(out), &log); err != nil {
		t.Fatal(err)
	}
	if log.Version != "2.1.0" || len(log.Runs) != 1 || log.Runs[0].Tool.Driver.Name == "" || len(log.Runs[0].Results) == 0 {
		t.Fatalf("not a log with one run and results:\n%s", out)
	}
	rules, seen := map[string]bool{}, map[string]bool{}
	for _, rule := range log.Runs[0].Tool.Driver.Rules {
		rules[rule.ID] = rule.Short.Text != "" && len(rule.Short.Text) <= 1024 && rule.Full.Text != "" && rule.Help.Text != ""
	}
	for _, result := range log.Runs[0].Results {
		if !rules[result.RuleID] {
			t.Errorf("%s is no rule, or one that lacks a text", result.RuleID)
		}
		if result.Message.Text == "" || result.Level == "" || len(result.Locations) != 1 {
			t.Errorf("a result without message, level or place: %+v", result)
		}
		place := result.Locations[0].Physical
		if place.Artifact.URI == "" || strings.ContainsAny(place.Artifact.URI, " <>") || place.Region.StartLine < 1 || place.Region.EndColumn < 1 {
			t.Errorf("not a place that a code host shows: %+v", place)
		}
		hash := result.Fingerprints["primaryLocationLineHash"]
		if hash == "" || seen[hash] {
			t.Errorf("%s: the fingerprint %q is none of its own", result.Message.Text, hash)
		}
		seen[hash] = true
	}
}
