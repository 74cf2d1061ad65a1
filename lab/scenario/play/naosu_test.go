package play_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/naosu-dev/naosu/lab/pace"
	"github.com/naosu-dev/naosu/lab/scenario"
	"github.com/naosu-dev/naosu/lab/scenario/play"
)

// fakeNaosu builds a program that has naosu's commands.
func fakeNaosu(t *testing.T) string {
	t.Helper()
	if _, err := os.ReadDir("../program/testdata/naosu"); err != nil { // looked at, so that go test runs again when it has changed
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "naosu")
	if out, err := exec.Command("go", "build", "-o", file, "../program/testdata/naosu").CombinedOutput(); err != nil {
		t.Fatalf("building the stand-in: %v\n%s", err, out)
	}
	return file
}

// TestPlayWithNaosu plays a pass with naosu's kinds, policies, controller and commands on a real control plane.
func TestPlayWithNaosu(t *testing.T) {
	s, err := scenario.Load("testdata/naosu.yaml")
	if err != nil {
		t.Fatal(err)
	}
	o := play.Options{Build: builder(t), Pace: pace.New(10), Naosu: fakeNaosu(t)}
	result := played(t, s, scenario.WithNaosu, o)
	if !result.Met {
		t.Errorf("the pass is not met: %s\n%+v\n%s", result.Failure, result.Expectations, result.Log)
	}
	said := ""
	for _, e := range result.Events {
		said += e.Object + ": " + e.Message + "\n"
	}
	for _, want := range []string{
		"naosu echo node/worker-1 --timeout=10s: ends with exit code 3", "switches EKS's own repair of group/workers off",
		"remediation/worker-1-x: Reboot of node/worker-1 proposed: InterfaceNotUp", "remediation/worker-1-x: Succeeded is True: AsForecast: as told",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("the timeline does not say %q:\n%s", want, said)
		}
	}

	refused := played(t, s, "refused", o)
	if refused.Met || !strings.Contains(refused.Failure, "exitCode is 3; it printed: {") {
		t.Errorf("a command that did otherwise than expected: %q", refused.Failure)
	}

	o.Naosu = ""
	pass, err := s.Pass(scenario.WithNaosu)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := play.Play(t.Context(), pass, o); !errors.Is(err, play.ErrNoNaosu) {
		t.Errorf("without the program: %v", err)
	}
}

// attempts is how often a pass is played that cannot be judged.
const attempts = 3

// played plays a pass until it is judged.
func played(t *testing.T, s *scenario.Scenario, with string, o play.Options) play.Result {
	t.Helper()
	pass, err := s.Pass(with)
	if err != nil {
		t.Fatal(err)
	}
	for attempt := range attempts {
		result, err := play.Play(t.Context(), pass, o)
		if err != nil && !errors.Is(err, play.ErrNotJudged) {
			t.Fatal(err)
		}
		if err == nil && !result.NotJudged {
			return result
		}
		t.Logf("attempt %d: the machine was too slow to judge this pass: %v %s %+v", attempt+1, err, result.Failure, result.Expectations)
	}
	t.Fatalf("the machine was too slow to judge this pass, %d times", attempts)
	return play.Result{}
}
