package incidents

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// notJudged is the exit code of a pass that was neither met nor failed, because the machine was too slow.
const notJudged = 3

// attempts is how often a pass is played that cannot be judged.
const attempts = 3

// mustBeMet plays a pass until it is judged, and fails unless it is met.
func mustBeMet(t *testing.T, args ...string) {
	t.Helper()
	for attempt := range attempts {
		out, err := command(t, "", "naosu-lab", append([]string{"run"}, args...)...).CombinedOutput()
		var exit *exec.ExitError
		switch {
		case err == nil:
			return
		case !errors.As(err, &exit) || exit.ExitCode() != notJudged:
			t.Fatalf("naosu-lab run: %v\n%s", err, out)
		}
		t.Logf("attempt %d: the machine was too slow to judge this pass; \"lag\" says by how much\n%s", attempt+1, out)
	}
	t.Fatalf("the machine was too slow to judge this pass, %d times; run it when less else is running", attempts)
}

// stopper replaces naosu: it stops the lab that runs it, for longer than lag may excuse, and then fails.
const stopper = `#!/bin/sh
kill -STOP $PPID; sleep 20; kill -CONT $PPID; exit 1
`

// TestRunReportsUnjudged lets a step fail while the lab is stopped: data on stdout, exit code 3.
func TestRunReportsUnjudged(t *testing.T) {
	t.Parallel()
	naosu := filepath.Join(t.TempDir(), "naosu")
	if err := os.WriteFile(naosu, []byte(stopper), 0o700); err != nil {
		t.Fatal(err)
	}
	out, err := command(t, "", "naosu-lab", "run", "testdata/stopped.yaml", "--with", "kubernetes", "--naosu", naosu, "--time-scale", timeScale, "-o", "json").Output()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != notJudged {
		t.Fatalf("it ended with %v, want exit code %d\n%s", err, notJudged, out)
	}
	type expectation struct {
		Name   string `json:"name"`
		Met    bool   `json:"met"`
		Judged bool   `json:"judged"`
	}
	var got struct {
		Passes []struct {
			Expectations []expectation `json:"expectations"`
			Met          bool          `json:"met"`
			Judged       bool          `json:"judged"`
			Lag          float64       `json:"lag"`
		} `json:"passes"`
	}
	if err := json.Unmarshal(out, &got); err != nil || len(got.Passes) != 1 {
		t.Fatalf("it printed no JSON of one pass: %v\n%s", err, out)
	}
	pass := got.Passes[0]
	if diff := cmp.Diff([]expectation{{"a-node", true, true}, {"still-a-node", false, false}}, pass.Expectations); diff != "" {
		t.Errorf("expectations (-want +got):\n%s", diff)
	}
	if pass.Met || pass.Judged || pass.Lag < 15 {
		t.Errorf("met %v, judged %v, lag %g s; want neither, with some 20 s", pass.Met, pass.Judged, pass.Lag)
	}
}
