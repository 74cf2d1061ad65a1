package incidents

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// notJudged is the exit code of a pass that was neither met nor failed, because the machine was too slow.
const notJudged = 3

// attempts is how often a pass is played that cannot be judged.
const attempts = 3

// judged runs naosu-lab until what it plays is judged, and returns what it printed to stdout and how it ended. An attempt after
// the first is played more slowly: what the machine loses is less of the scenario's time then.
func judged(t *testing.T, timeScale string, args ...string) (out []byte, ended error) {
	t.Helper()
	scale, err := strconv.ParseFloat(timeScale, 64)
	if err != nil {
		t.Fatal(err)
	}
	for attempt := 1; attempt <= attempts; attempt++ {
		arguments := slices.Concat(args, []string{"--time-scale", strconv.FormatFloat(scale/float64(attempt), 'g', 3, 64)})
		out, ended = command(t, "", "naosu-lab", arguments...).Output()
		var exit *exec.ExitError
		if !errors.As(ended, &exit) {
			return out, ended
		}
		ended = fmt.Errorf("naosu-lab %s: %w\n%s", strings.Join(arguments, " "), ended, exit.Stderr)
		if exit.ExitCode() != notJudged {
			return out, ended
		}
		t.Logf("attempt %d: the machine was too slow to judge this; \"lag\" says by how much\n%s", attempt, out)
	}
	t.Fatalf("the machine was too slow to judge this, %d times; run it when less else is running", attempts)
	return nil, nil
}

// mustBeMet plays a pass until it is judged, and fails unless it is met.
func mustBeMet(t *testing.T, timeScale string, args ...string) {
	t.Helper()
	if out, err := judged(t, timeScale, slices.Concat([]string{"run"}, args)...); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
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
