package rebalance

import (
	"bytes"
	"strings"
	"testing"

	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/naosu-dev/naosu/internal/cli/exit"
	"github.com/naosu-dev/naosu/internal/cli/language"
	"github.com/naosu-dev/naosu/internal/golden"
)

// planned is what `naosu rebalance plan` prints.
func planned(t *testing.T, args ...string) (string, error) {
	t.Helper()
	return called(t, append([]string{"plan"}, args...)...)
}

// called is what naosu rebalance prints.
func called(t *testing.T, args ...string) (string, error) {
	t.Helper()
	t.Setenv("LANG", "C")
	var out bytes.Buffer
	streams := genericiooptions.IOStreams{In: strings.NewReader(""), Out: &out, ErrOut: &bytes.Buffer{}}
	flags := genericclioptions.NewConfigFlags(false)
	cmd := NewCommand(flags, streams)
	language.AddFlag(cmd)
	flags.AddFlags(cmd.PersistentFlags())
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs(args)
	err := cmd.ExecuteContext(t.Context())
	return out.String(), err
}

// A node came back, and nothing moved back (the second incident).
func TestPlan(t *testing.T) {
	for name, args := range map[string][]string{
		"returned.en.txt": nil, "returned.ja.txt": {"--lang", "ja"}, "returned.json": {"-o", "json"}, "httpd.txt": {"-l", "app=httpd"}, "half.txt": {"--max-share", "60"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := planned(t, append(args, "--from", "testdata/returned.yaml")...)
			if err != nil {
				t.Fatal(err)
			}
			golden.Compare(t, "testdata/"+name, []byte(got))
		})
	}
}

// Nodes of which more is requested than of the others.
func TestPlanUtilization(t *testing.T) {
	for name, tc := range map[string]struct {
		from string
		args []string
	}{
		"overutilized.en.txt": {"overutilized.yaml", nil}, "overutilized.ja.txt": {"overutilized.yaml", []string{"--lang", "ja"}}, "overutilized.json": {"overutilized.yaml", []string{"-o", "json"}},
		"overutilized-none.en.txt": {"overutilized.yaml", []string{"-l", "app=mail"}}, "consolidated.en.txt": {"consolidated.yaml", nil}, "consolidated.json": {"consolidated.yaml", []string{"-o", "json"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := planned(t, append(tc.args, "--max-utilization-deviation", "15", "--from", "testdata/"+tc.from)...)
			if err != nil {
				t.Fatal(err)
			}
			golden.Compare(t, "testdata/"+name, []byte(got))
		})
	}
}

func TestBadInput(t *testing.T) {
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"a share of nothing": {[]string{"--max-share", "0", "--from", "testdata/returned.yaml"}, "--max-share"},
		"a deviation":        {[]string{"--max-utilization-deviation", "-1", "--from", "testdata/returned.yaml"}, "--max-utilization-deviation"},
		"a selector":         {[]string{"-l", "((", "--from", "testdata/returned.yaml"}, "--selector"},
		"an unread kind":     {[]string{"--from", "../../diagnosis/testdata/audit/n203-returned.yaml"}, "PodDisruptionBudget"},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := planned(t, tc.args...)
			if err == nil || exit.Code(err) != 2 || !strings.Contains(err.Error(), tc.want) || out != "" {
				t.Errorf("%v (exit code %d), having written %q", err, exit.Code(err), out)
			}
		})
	}
}

// A snapshot is no cluster in which pods could be evicted.
func TestApplyFromSnapshot(t *testing.T) {
	out, err := called(t, "apply", "--yes", "--from", "testdata/returned.yaml")
	if err == nil || exit.Code(err) != 2 || !strings.Contains(err.Error(), "--from") || !strings.Contains(err.Error(), "naosu rebalance plan --from") || out != "" {
		t.Errorf("%v (exit code %d), having written %q", err, exit.Code(err), out)
	}
}
