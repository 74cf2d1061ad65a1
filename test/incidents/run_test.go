package incidents

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/naosu-dev/naosu/test/program"
)

// TestRunReportsUnmet plays a scenario of which one expectation is wrong: data on stdout, exit code 1.
func TestRunReportsUnmet(t *testing.T) {
	t.Parallel()
	out, err := judged(t, timeScale, "run", "testdata/wrong.yaml", "-o", "json")
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 {
		t.Fatalf("it ended with %v, want exit code 1\n%s", err, out)
	}
	type expectation struct {
		Name string `json:"name"`
		Met  bool   `json:"met"`
	}
	type pass struct {
		With         string        `json:"with"`
		Expectations []expectation `json:"expectations"`
		Met          bool          `json:"met"`
	}
	var got struct {
		Scenario string `json:"scenario"`
		Passes   []pass `json:"passes"`
	}
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("it printed no JSON: %v\n%s", err, out)
	}
	want := []pass{
		{With: "kubernetes", Expectations: []expectation{{"a-node", true}, {"two-nodes", false}}},
		{With: "two", Expectations: []expectation{{"two-nodes", true}}, Met: true},
	}
	if diff := cmp.Diff(want, got.Passes); diff != "" || got.Scenario != "wrong" {
		t.Errorf("scenario %s (-want +got):\n%s\nit printed\n%s", got.Scenario, diff, out)
	}
}

// TestPassThatNeedsNaosu takes naosu away: its pass is said not to have been played, and is refused if it is asked for by name.
func TestPassThatNeedsNaosu(t *testing.T) {
	t.Parallel()
	alone := filepath.Join(t.TempDir(), "naosu-lab")
	lab := program.Need(t, "naosu-lab")
	if err := os.Link(lab, alone); err != nil {
		text, err := os.ReadFile(lab) // another file system
		if err == nil {
			err = os.WriteFile(alone, text, 0o700)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	run := func(want int, args ...string) []byte {
		t.Helper()
		c := command(t, "", "naosu-lab", append([]string{"run", "testdata/absent.yaml", "--time-scale", timeScale}, args...)...)
		c.Path, c.Env = alone, append(os.Environ(), "PATH=")
		var stderr bytes.Buffer
		c.Stderr = &stderr
		out, err := c.Output()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != want || !strings.Contains(stderr.String(), "--naosu") {
			t.Fatalf("%v ended with %v, want exit code %d and a word of --naosu\n%s%s", args, err, want, out, stderr.String())
		}
		return out
	}
	var got struct {
		Passes []struct {
			With, NotPlayed string
			Met             bool
		}
	}
	if err := json.Unmarshal(run(1, "-o", "json"), &got); err != nil {
		t.Fatal(err)
	}
	for _, pass := range got.Passes {
		if absent := pass.With == "naosu"; pass.Met == absent || (pass.NotPlayed != "") != absent {
			t.Errorf("the pass %s: met %v, not played %q", pass.With, pass.Met, pass.NotPlayed)
		}
	}
	run(2, "--with", "naosu")
	run(2, "--naosu", "no-such-program")
}

// TestTemporaryLabLeavesNothing looks where temporary files go, after Ctrl-C and after the start that follows a kill -9.
func TestTemporaryLabLeavesNothing(t *testing.T) {
	t.Parallel()
	tmp := t.TempDir()
	end := func(signal os.Signal) {
		process := command(t, "", "naosu-lab", "up", "--nodes", "1", "--time-scale", timeScale)
		process.Env = append(process.Env, "TMPDIR="+tmp)
		if err := process.Start(); err != nil {
			t.Fatal(err)
		}
		eventually(t, "a lab in the temporary folder", func() error {
			found, err := filepath.Glob(filepath.Join(tmp, "*", "lab.json"))
			if err == nil && len(found) == 0 {
				return errors.New("there is none")
			}
			return err
		})
		_ = process.Process.Signal(signal)
		_ = process.Wait()
		// What a killed lab has left is the next one's to remove.
		if signal == syscall.SIGKILL {
			forget(t, tmp)
		}
	}
	end(syscall.SIGKILL)
	end(os.Interrupt)
	folders, err := filepath.Glob(filepath.Join(tmp, "*", "*"))
	if err != nil || len(folders) > 0 {
		t.Errorf("left behind: %v %v", folders, err)
	}
}

// forget deletes the address of a killed lab, so that the next one's is distinguished from it.
func forget(t *testing.T, tmp string) {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(tmp, "*", "lab.json"))
	if err != nil || len(left) != 1 {
		t.Fatalf("the killed lab has left %v: %v", left, err)
	}
	if err := os.Remove(left[0]); err != nil {
		t.Fatal(err)
	}
}
