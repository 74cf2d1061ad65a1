package headroom

import (
	"bytes"
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

const inputs = "../../diagnosis/testdata/audit/"

// run asks the verb about a file.
func run(t *testing.T, args ...string) (stdout string, err error) {
	t.Helper()
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	var out bytes.Buffer
	cmd := NewCommand(connect.Flags(), genericiooptions.IOStreams{In: strings.NewReader(""), Out: &out, ErrOut: &bytes.Buffer{}})
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs(args)
	err = cmd.ExecuteContext(t.Context())
	return out.String(), err
}

// prices is a file with prices.
func prices(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "prices.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestBadPrices(t *testing.T) {
	for name, path := range map[string]string{
		"no file": filepath.Join(t.TempDir(), "none"), "a word": prices(t, "m5.large: cheap"), "nothing": prices(t, ""), "negative": prices(t, "m5.large: -1"),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := run(t, "--from", inputs+"n503-full.yaml", "--node-prices", path)
			if err == nil || exit.Code(err) != exit.NoAnswer || !strings.Contains(err.Error(), "--node-prices") || !strings.Contains(err.Error(), "m5.large: 0.096") {
				t.Errorf("code %d: %v", exit.Code(err), err)
			}
		})
	}
}

func TestText(t *testing.T) {
	full := []string{"--from", inputs + "n503-full.yaml"}
	with := func(args ...string) []string { return append(append([]string{}, full...), args...) }
	for name, tc := range map[string]struct {
		args      []string
		has, lack []string
		code      int
	}{
		"a page": {
			full,
			[]string{
				"3 failures: 1 would cost pods today, and the cost of 1 is not known.", "node of workers (us-east-1a)   2      0           +1 workers   2 × 800m",
				"How much can be given back is not known",
				"node of workers (us-east-1a): n1", "shop/deployment/web (2)   WAIT   0/2 nodes are available: 2 Insufficient cpu.", "not all DaemonSet objects could be read",
			},
			nil, exit.OK,
		},
		"without rooms": {with("--room=false"), []string{"2      0\n"}, []string{"ROOM", "given back"}, exit.OK},
		"what can be given back": {
			[]string{"--from", inputs + "n503-enough.yaml", "--failures", "node"},
			[]string{"none would cost a pod today.", "Of 3390m/21Gi that is free, a room of 1 × 1200m survives each of these failures; 2190m/21Gi can be\ngiven back."},
			nil, exit.OK,
		},
		"a price that is not known": {with("--failures", "node", "--node-prices", prices(t, "m5.large: 1")), []string{"PER HOUR", "2 × 800m   ?"}, nil, exit.OK},
		"too few nodes":             {with("--failures", "node"), []string{"Nothing can be given back"}, nil, exit.OK},
		"a wide page":               {with("-o", "wide"), []string{"3/3     2      0           0      +1 workers   2 × 800m (", "shop/pod/web-6c5d-1   WAIT"}, []string{"deployment/web (2)"}, exit.OK},
		"pods wait":                 {with("--fail-on", "waiting,lost"), []string{"web (2)"}, nil, exit.Found},
		"whether pods are preempted is not known": {with("--fail-on", "preempted"), []string{"web (2)"}, nil, exit.NoAnswer},
		"no pods are preempted by what is known":  {with("--failures", "node", "--fail-on", "preempted"), []string{"web (2)"}, []string{"?"}, exit.OK},
		"a burst": {
			with("--failures", "node", "--burst", "shop/deployment/web=+2"),
			[]string{"2 more of shop/deployment/web   2      0"},
			nil, exit.OK,
		},
		"a burst of nothing":         {with("--burst", "shop/deployment/web"), nil, []string{"FAILURE"}, exit.NoAnswer},
		"a burst of too much":        {with("--burst", "shop/deployment/web=+9999999"), nil, []string{"FAILURE"}, exit.NoAnswer},
		"a burst of a DaemonSet":     {with("--burst", "daemonset/web=+1"), nil, []string{"FAILURE"}, exit.NoAnswer},
		"a burst of what is unknown": {with("--burst", "shop/deployment/api=+1"), nil, []string{"FAILURE"}, exit.NoAnswer},
		"a wrong failure":            {with("--failures", "nodes"), nil, []string{"FAILURE"}, exit.NoAnswer},
		"no failure":                 {with("--failures", ""), nil, []string{"FAILURE"}, exit.NoAnswer},
		"a wrong fate":               {with("--fail-on", "moved"), nil, []string{"FAILURE"}, exit.NoAnswer},
		"an argument":                {with("node"), nil, []string{"FAILURE"}, exit.NoAnswer},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := run(t, tc.args...)
			if got := exit.Code(err); got != tc.code {
				t.Errorf("the exit code is %d (%v), want %d", got, err, tc.code)
			}
			for _, want := range tc.has {
				if !strings.Contains(out, want) {
					t.Errorf("%q is missing in\n%s", want, out)
				}
			}
			for _, unwanted := range tc.lack {
				if strings.Contains(out, unwanted) {
					t.Errorf("%q is in\n%s", unwanted, out)
				}
			}
		})
	}
}

func TestData(t *testing.T) {
	out, err := run(t, "--from", inputs+"n503-full.yaml", "-o", "json")
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Failures []struct {
			Kind, Status, Group, Zone string
			Nodes, Cases, Costly      int
			Name                      string
			Worst                     struct {
				Nodes           []string
				Waiting         []struct{ Workload struct{ Kind, Name string } }
				Preempted, Lost []any
			}
		}
		Unknown []any
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err, out)
	}
	worst := got.Failures[0]
	if worst.Kind != "node" || worst.Status != "known" || worst.Group != "workers" || worst.Costly != 3 || worst.Cases != 3 || worst.Nodes != 3 || len(worst.Worst.Waiting) != 2 ||
		worst.Worst.Waiting[0].Workload.Name != "web" || worst.Worst.Preempted == nil || worst.Worst.Lost == nil || len(worst.Worst.Nodes) != 1 || worst.Name != "node of workers (us-east-1a)" {
		t.Errorf("the worst failure is %+v", worst)
	}
	if step := got.Failures[1]; step.Kind != "step" || step.Status != "unread" || len(got.Unknown) != 1 {
		t.Errorf("the second failure is %+v, unknown: %v", step, got.Unknown)
	}
}

// TestJapanese says the page in Japanese, with no English words of its own left.
func TestJapanese(t *testing.T) {
	var out bytes.Buffer
	cmd := NewCommand(connect.Flags(), genericiooptions.IOStreams{In: strings.NewReader(""), Out: &out, ErrOut: &bytes.Buffer{}})
	language.AddFlag(cmd)
	cmd.SetArgs([]string{"--from", inputs + "n503-full.yaml", "--lang", "ja"})
	if err := cmd.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"3 件の障害のうち", "ノード workers (us-east-1a)", "待機"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "FAILURE") {
		t.Error(out.String())
	}
}
