package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/naosu-dev/naosu/lab/scenario/play"
)

const scenario = "lopsided-return"

// span is from a step of a pass until one of its expectations has come true.
type span struct{ pass, from, until string }

// What is measured in passes of the scenario, without agents.
var (
	aloneOff     = span{"power-off", "node-fails", "replaced"}
	aloneKubelet = span{"kubelet-stop", "node-fails", "replaced"}
	sixtyOff     = span{"naosu", "power-off", "sixty-seconds-replaced"}
	thirtyOff    = span{"naosu", "power-off", "thirty-seconds-replaced"}
	thirtyDown   = span{"naosu", "kubelet-stops", "replaced-after-the-kubelet-stops"}
	sixtyDown    = span{"naosu", "kubelet-stops", "sixty-seconds-replaced-after-the-kubelet-stops"}
	spans        = []span{aloneOff, aloneKubelet, sixtyOff, sixtyDown, thirtyOff, thirtyDown}
)

// What test/failover measures, with agents.
var (
	silentOff      = span{pass: silence, until: "power-off"}
	silentOff30    = span{pass: silence, until: "power-off-of-30"}
	silentOff110   = span{pass: silence, until: "power-off-of-110"}
	silentLeader   = span{pass: silence, until: "power-off-of-the-leader"}
	volumeAway     = span{pass: silence, until: "volume-of-a-stopped-instance"}
	volumeReleased = span{pass: silence, until: "volume-after-proof"}
	kubeletRestart = span{pass: silence, until: "kubelet-restart"}
)

const silence = "TestSilence"

// figures are seconds.
type figures map[span]float64

// measure plays the passes and runs the test, side by side.
func measure(ctx context.Context, root string) (figures, error) {
	var mu sync.Mutex
	all := figures{}
	group, ctx := errgroup.WithContext(ctx)
	add := func(of func(context.Context) (figures, error)) {
		group.Go(func() error {
			some, err := of(ctx)
			mu.Lock()
			defer mu.Unlock()
			maps.Copy(all, some)
			return err
		})
	}
	for _, pass := range []string{aloneOff.pass, aloneKubelet.pass, thirtyOff.pass} {
		add(func(ctx context.Context) (figures, error) { return playPass(ctx, root, pass) })
	}
	add(func(ctx context.Context) (figures, error) { return runTest(ctx, root) })
	if err := group.Wait(); err != nil {
		return nil, fmt.Errorf("measuring: %w", err)
	}
	return all, nil
}

func playPass(ctx context.Context, root, pass string) (figures, error) {
	cmd := exec.CommandContext(ctx, filepath.Join(root, "bin/test/naosu-lab"), "run", scenario, "--with", pass, "--output", "json")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil && len(out) == 0 {
		return nil, fmt.Errorf("play %s: %w", pass, err)
	}
	return readPass(out, pass)
}

var (
	errNotMet      = errors.New("not all expectations were met")
	errNotMeasured = errors.New("it was not measured")
)

// readPass takes the spans of a pass from what `naosu-lab run -o json` printed.
func readPass(out []byte, name string) (figures, error) {
	var report struct {
		Passes []struct {
			Met          bool
			Events       []play.Event
			Expectations []play.Expectation
		}
	}
	if err := json.NewDecoder(bytes.NewReader(out)).Decode(&report); err != nil {
		return nil, fmt.Errorf("read the report of %s: %w", name, err)
	}
	if len(report.Passes) != 1 || !report.Passes[0].Met {
		return nil, fmt.Errorf("%s: %w", name, errNotMet)
	}
	pass := report.Passes[0]
	from, until := map[string]float64{}, map[string]float64{}
	for _, e := range pass.Events {
		if e.Sort == play.Step {
			from[e.Object] = e.AtSeconds
		}
	}
	for _, e := range pass.Expectations {
		if e.AtSeconds != nil {
			until[e.Name] = *e.AtSeconds
		}
	}
	found := figures{}
	for _, s := range spans {
		if s.pass != name {
			continue
		}
		began, begins := from[s.from]
		ended, ends := until[s.until]
		if !begins || !ends {
			return nil, fmt.Errorf("from %s until %s of %s: %w", s.from, s.until, name, errNotMeasured)
		}
		found[s] = ended - began
	}
	return found, nil
}

// runTest runs test/failover, which fails if anything else happens than what it measures.
func runTest(ctx context.Context, root string) (figures, error) {
	cmd := exec.CommandContext(ctx, "go", "test", "-vet=off", "-count=1", "-timeout", "20m", "-v", "-run", "^"+silence+"$", "./test/failover")
	cmd.Dir, cmd.Env = root, append(os.Environ(), "NAOSU_PROGRAMS_BUILT=1", "NAOSU_TEST_ALL=1", "NAOSU_FAILOVER_MORE=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("run test/failover: %w\n%s", err, out)
	}
	return readTest(out)
}

var measured = regexp.MustCompile(`measured ([a-z0-9-]+): ([0-9.]+) s`)

// readTest takes from a test's output what it says that it has measured.
func readTest(out []byte) (figures, error) {
	said := map[string]float64{}
	for _, match := range measured.FindAllSubmatch(out, -1) {
		seconds, err := strconv.ParseFloat(string(match[2]), 64)
		if err != nil {
			return nil, fmt.Errorf("read the figures of test/failover: %w", err)
		}
		said[string(match[1])] = seconds
	}
	found := figures{}
	for _, s := range []span{silentOff, silentOff30, silentOff110, silentLeader, volumeAway, volumeReleased, kubeletRestart} {
		seconds, is := said[s.until]
		if !is {
			return nil, fmt.Errorf("%s by test/failover: %w", s.until, errNotMeasured)
		}
		found[s] = seconds
	}
	return found, nil
}
