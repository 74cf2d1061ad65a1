// Package incidents plays the scenarios and lets the shipped binaries meet them: what a user runs, over the network.
package incidents

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/lab/controlplane/testbed"
	"github.com/naosu-dev/naosu/lab/scenario"
	"github.com/naosu-dev/naosu/test/program"
)

// timeScale is how much faster than reality the stories are played here.
const timeScale = "10"

// timeScaleOf is that of a pass: what waits for minutes, and whose deadlines are minutes, can be played faster. A FailoverPolicy's
// seconds are real ones, and beside them Kubernetes' own five minutes must not be shorter. What is asked of a lab that stays up
// has no lag to extend it: the night's Jobs end after eight minutes, however late a slow machine is.
func timeScaleOf(scenario, pass string) string {
	switch scenario + "/" + pass {
	case "lopsided-return/power-off", "lopsided-return/kubelet-stop":
		return "20"
	case "lopsided-return/naosu":
		return "5"
	case "preempted-jobs/":
		return "4"
	}
	if scenario == "silent-repair" {
		return "20"
	}
	return timeScale
}

// atOnce is how many tests run side by side, unless -parallel says otherwise: a lab mostly waits, so that more of them than
// there are processors do not slow each other down.
const atOnce = "4"

func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", atOnce); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// TestScenarios plays every pass of every incident: each expectation holds, and each counter-run shows that it can fail.
func TestScenarios(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../scenarios/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no scenarios: %v", err)
	}
	for _, file := range files {
		s, err := scenario.Load(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, pass := range s.Passes() {
			t.Run(s.Name+"/"+pass.With, func(t *testing.T) {
				t.Parallel()
				mustBeMet(t, timeScaleOf(s.Name, pass.With), file, "--with", pass.With)
			})
		}
	}
}

// lab is one that runs for a test.
type lab struct {
	dir        string
	kubeconfig string
	// client reads the cluster where a test waits for it: a program that is started for each look takes the processors from the labs.
	client func() (client.Client, error)
	said   *transcript
	// environment is given to programs beside that of the test.
	environment []string
}

// up starts `naosu-lab up` with the arguments and waits for its kubeconfig. It ends with the test, and leaves nothing. One
// that the machine was too slow for is started again.
func up(t *testing.T, args ...string) lab {
	t.Helper()
	for attempt := range attempts {
		l, ended := begin(t, t.TempDir(), args...)
		var exit *exec.ExitError
		switch {
		case ended == nil:
			return l
		case !errors.As(ended, &exit) || exit.ExitCode() != notJudged:
			t.Fatal(ended)
		}
		t.Logf("attempt %d: %v", attempt+1, ended)
	}
	t.Fatalf("the machine was too slow for naosu-lab up, %d times; run it when less else is running", attempts)
	return lab{}
}

func upIn(t *testing.T, dir string, args ...string) lab {
	t.Helper()
	l, ended := begin(t, dir, args...)
	if ended != nil {
		t.Fatal(ended)
	}
	return l
}

// begin starts a lab that keeps its data in a folder. It returns when the lab's kubeconfig is there, or why the lab has ended.
func begin(t *testing.T, dir string, args ...string) (l lab, ended error) {
	t.Helper()
	l = lab{dir: dir, kubeconfig: filepath.Join(dir, "kubeconfig")}
	l.client = sync.OnceValues(func() (client.Client, error) {
		config, err := clientcmd.BuildConfigFromFlags("", l.kubeconfig)
		if err != nil {
			return nil, fmt.Errorf("read the lab's kubeconfig: %w", err)
		}
		return client.New(config, client.Options{})
	})
	said := &transcript{}
	l.said = said
	process := command(t, "", "naosu-lab", append([]string{"up", "--data-dir", l.dir}, args...)...)
	process.Stdout, process.Stderr = said, said
	if err := process.Start(); err != nil {
		t.Fatalf("naosu-lab up: %v", err)
	}
	end := make(chan error, 1)
	go func() { end <- process.Wait() }()
	stop := func() {
		_ = process.Process.Signal(os.Interrupt)
		if err := <-end; err != nil {
			t.Errorf("naosu-lab up ended badly: %v\n%s", err, said.String())
		}
		if _, err := os.Stat(filepath.Join(l.dir, "lab.json")); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the ended lab has left its address behind: %v", err)
		}
	}
	running := true
	t.Cleanup(func() {
		if running {
			stop()
		}
	})
	eventually(t, "the lab's kubeconfig", func() error {
		select {
		case err := <-end:
			running = false
			ended = fmt.Errorf("naosu-lab up ended: %w\n%s", err, said.String())
			return nil
		default:
		}
		_, err := os.Stat(l.kubeconfig)
		return err
	})
	return l, ended
}

// run runs one of the programs against the lab and returns what it prints.
func (l lab) run(t *testing.T, program string, args ...string) (string, error) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	c := command(t, l.kubeconfig, program, args...)
	c.Env = append(c.Env, l.environment...)
	c.Stdout, c.Stderr = &stdout, &stderr
	if err := c.Run(); err != nil {
		return stdout.String(), fmt.Errorf("%s %s: %w\n%s", program, strings.Join(args, " "), err, stderr.String())
	}
	return stdout.String(), nil
}

// transcript is what a program has printed so far.
type transcript struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *transcript) Write(text []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(text)
}

func (s *transcript) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// withAWS is the lab, of which programs find the AWS as the lab printed how.
func (l lab) withAWS(t *testing.T) lab {
	t.Helper()
	eventually(t, "the lab to say where its AWS is", func() error {
		if !strings.Contains(l.said.String(), "AWS_SECRET_ACCESS_KEY=") {
			return errors.New(l.said.String())
		}
		return nil
	})
	l.environment = nil
	for line := range strings.Lines(l.said.String()) {
		if variable, is := strings.CutPrefix(strings.TrimSpace(line), "export AWS_"); is {
			l.environment = append(l.environment, "AWS_"+variable)
		}
	}
	return l
}

// must is run where a failure ends the test.
func (l lab) must(t *testing.T, program string, args ...string) string {
	t.Helper()
	out, err := l.run(t, program, args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// decode runs a program that prints JSON.
func (l lab) decode(t *testing.T, into any, program string, args ...string) {
	t.Helper()
	out := l.must(t, program, args...)
	if err := json.Unmarshal([]byte(out), into); err != nil {
		t.Fatalf("%s %s printed no JSON: %v\n%s", program, strings.Join(args, " "), err, out)
	}
}

// list reads the objects of a kind.
func (l lab) list(t *testing.T, into client.ObjectList, of ...client.ListOption) error {
	t.Helper()
	c, err := l.client()
	if err != nil {
		t.Fatal(err)
	}
	return c.List(t.Context(), into, of...)
}

// command is one of the programs, which finds the others beside it. The test depends on all of them and on its testdata.
func command(t *testing.T, kubeconfig, name string, args ...string) *exec.Cmd {
	t.Helper()
	folder := ""
	for _, needed := range []string{"naosu", "naosu-lab", "kubectl"} {
		folder = filepath.Dir(program.Need(t, needed))
	}
	if _, err := os.ReadDir("testdata"); err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(context.WithoutCancel(t.Context()), filepath.Join(folder, name), args...)
	c.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig, "PATH="+folder+string(os.PathListSeparator)+os.Getenv("PATH"))
	return c
}

// patience ends a wait for what will never come.
const patience = 10 * time.Minute

// eventually waits until check has no complaint any more. Many checks run a program: at short intervals, those of several tests
// would take the processors from the labs that they wait for.
func eventually(t *testing.T, what string, check func() error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if last := testbed.Poll(ctx, 2*time.Second, check); last != nil {
		t.Fatalf("waited %s for %s: %v", patience, what, last)
	}
}
