// Package agreement compares the judge with the real scheduler. Random clusters are on the lab's control plane, random
// pods with all kinds of constraints are created in them one at a time, and what kube-scheduler then does must be what the
// judge, who was asked before, has said.
//
// A short sample runs with the other tests. The long one, from which docs/en/agreement.md has its figures, runs with
//
//	AGREEMENT_DECISIONS=3300 go test ./test/agreement -run Long -timeout 90m -v
//
// and AGREEMENT_SEED chooses other clusters. A disagreement names the seed of its world, which AGREEMENT_WORLD runs alone.
package agreement

import (
	"context"
	"fmt"
	"math"
	"os"
	"strconv"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/naosu-dev/naosu/internal/scheduling"
)

// TestShort is a sample of what TestLong plays.
func TestShort(t *testing.T) {
	g := &game{lab: newLab(t), percentage: 100, size: func(d random) size {
		return size{nodes: d.between(3, 40), pods: 20, roomy: d.chance(50)} // where there is room, weights decide
	}}
	g.play(t, number(t, "AGREEMENT_SEED", 1), 100)
	t.Log(g.String())
	g.wantSample(t)
}

// TestShortSampled is a sample of what TestLongSampled plays.
func TestShortSampled(t *testing.T) {
	g := &game{lab: newLab(t), size: func(random) size { return size{nodes: 120, pods: 30, roomy: true} }}
	g.play(t, number(t, "AGREEMENT_SEED", 1), 30)
	t.Log(g.String())
	g.wantSample(t)
}

// TestShortConfigured has the scheduler and the judge read the same configuration, which is far from the default.
func TestShortConfigured(t *testing.T) {
	g := &game{
		lab: newLab(t), percentage: 100, scheduler: configured, judge: configured,
		size: func(d random) size {
			return size{nodes: d.between(3, 25), pods: 20, roomy: d.chance(50), schedulers: schedulers}
		},
	}
	g.play(t, number(t, "AGREEMENT_SEED", 1), 40)
	t.Log(g.String())
	g.wantSample(t)
}

// TestFindsOtherWeight gives the judge one weight that is not the scheduler's: if that went unnoticed, agreement would
// mean little. A third of the decisions then disagree, so that of 60 as few as a sample allows do once in millions of runs.
func TestFindsOtherWeight(t *testing.T) {
	g := &game{
		lab: newLab(t), percentage: 100, judge: otherWeight, quiet: true,
		size: func(random) size { return size{nodes: 30, pods: 30, roomy: true} },
	}
	g.play(t, number(t, "AGREEMENT_SEED", 1), 60)
	t.Log(g.String())
	if missed := g.decisions - g.agreed; missed <= mostMissed(g.decisions) {
		t.Errorf("with another weight %d of %d disagreed, which a sample takes for agreement", missed, g.decisions)
	}
}

// TestLong is the test of the judge: at least 2000 decisions of a scheduler that looks at every node.
func TestLong(t *testing.T) {
	decisions := number(t, "AGREEMENT_DECISIONS", 0)
	if decisions == 0 {
		t.Skip("takes long: set AGREEMENT_DECISIONS")
	}
	g := &game{lab: newLab(t), percentage: 100, counts: true, size: func(d random) size { return size{nodes: d.between(3, 40), pods: 25} }}
	g.play(t, number(t, "AGREEMENT_SEED", 1), int(decisions))
	t.Log(g.String())
	g.wantAgreement(t)
	g.wantMixture(t)
}

// TestLongSampled is the same in clusters so large that a scheduler with default settings looks at some nodes only.
func TestLongSampled(t *testing.T) {
	decisions := number(t, "AGREEMENT_DECISIONS", 0)
	if decisions == 0 {
		t.Skip("takes long: set AGREEMENT_DECISIONS")
	}
	g := &game{lab: newLab(t), size: func(d random) size {
		return size{nodes: d.between(110, 300), pods: 50, roomy: d.chance(60)}
	}}
	g.play(t, number(t, "AGREEMENT_SEED", 1)+1<<32, int(decisions))
	t.Log(g.String())
	g.wantAgreement(t)
}

// trace logs every decision.
var trace = os.Getenv("AGREEMENT_TRACE") != ""

// game plays worlds until there are enough decisions.
type game struct {
	*lab
	tally
	// percentage of the nodes that the scheduler scores; 0 is its default.
	percentage int
	// scheduler and judge are the profiles of each, as a configuration has them; empty is the default.
	scheduler, judge string
	size             func(random) size
	// counts says that plugins are counted, which takes longer than all else.
	counts bool
	// quiet does not print every disagreement.
	quiet bool
}

func number(t *testing.T, variable string, otherwise uint64) uint64 {
	value := os.Getenv(variable)
	if value == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(value, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", variable, err)
	}
	return n
}

func (g *game) play(t *testing.T, seed uint64, decisions int) {
	if err := configure(g.percentage, g.scheduler); err != nil {
		t.Fatal(err)
	}
	if alone := number(t, "AGREEMENT_WORLD", 0); alone != 0 {
		seed, decisions = alone, 1
	}
	for ; g.decisions < decisions; seed++ {
		w := newWorld(seed, g.size(newRandom(seed)))
		if err := g.playWorld(t, w); err != nil {
			t.Fatalf("world %d: %v", w.seed, err)
		}
		t.Logf("world %d: %d nodes, slow %v: %d of %d decisions agreed so far", w.seed, len(w.nodes), w.slow, g.agreed, g.decisions)
	}
}

func (g *game) playWorld(t *testing.T, w *world) (err error) {
	ctx := t.Context()
	o := scheduling.Options{}
	if g.judge != "" {
		o.Config = configuration(g.percentage, g.judge)
	}
	s, err := open(ctx, g.lab, w, o)
	if err != nil {
		return err
	}
	defer func() {
		if closed := s.close(ctx); err == nil {
			err = closed
		}
	}()
	var waiting *corev1.Pod
	for i, pod := range w.pods {
		if waiting != nil {
			w.behind(pod, waiting)
		}
		preemptor, err := g.decide(ctx, t, s, pod)
		if err != nil {
			return fmt.Errorf("pod %d: %w\n%s", i, err, describe(pod))
		}
		if preemptor != nil {
			waiting = preemptor
		}
		if waiting == nil {
			continue
		}
		// Victims without a grace period have gone, which may have made room elsewhere.
		over, err := g.await(ctx, t, s, waiting, preemptor == nil && (w.chance(50) || i == len(w.pods)-1))
		if err != nil {
			return fmt.Errorf("nominated: %w\n%s", err, describe(s.pods[nameOf(waiting)]))
		}
		if over {
			waiting = nil
		}
	}
	return nil
}

// decide has one pod decided on. It returns the pod if it has preempted others and waits for their end.
func (g *game) decide(ctx context.Context, t *testing.T, s *session, pod *corev1.Pod) (waiting *corev1.Pod, err error) {
	created, err := s.create(ctx, pod)
	if err != nil {
		return nil, err
	}
	p, err := s.predict(ctx, created)
	if err != nil {
		return nil, fmt.Errorf("ask the judge: %w", err)
	}
	d, err := s.watchDecision(ctx, created, s.waitingReason(p))
	if err != nil {
		return nil, fmt.Errorf("predicted: %s; so far: %s: %w", p, d, err)
	}
	if err := g.compare(ctx, t, s, created, p, d); err != nil {
		return nil, err
	}
	if d.node == "" {
		if d.nominated != "" {
			waiting = s.pods[nameOf(created)]
		} else if err := s.remove(ctx, created); err != nil {
			return nil, err
		}
	}
	return waiting, s.tell(ctx, created)
}

// compare judges the judge.
func (g *game) compare(ctx context.Context, t *testing.T, s *session, pod *corev1.Pod, p prediction, d decision) error {
	agreed := p.matches(d)
	if g.percentage == 0 {
		var err error
		if agreed, err = g.compareSampled(ctx, s, pod, p, d); err != nil {
			return err
		}
	}
	g.add(p, agreed)
	if trace {
		t.Logf("%s: %s; %s", pod.Name, p, d)
	}
	if !agreed && !g.quiet {
		obstacles, err := s.judge.Obstacles(ctx, pod)
		if err != nil {
			return err
		}
		t.Logf("world %d, pod %s: predicted: %s; happened: %s\n%s%+v", s.world.seed, pod.Name, p, d, describe(pod), obstacles)
	}
	if !g.counts {
		return nil
	}
	return g.count(ctx, s.judge, pod, p)
}

func describe(pod *corev1.Pod) string {
	pod = pod.DeepCopy()
	pod.ManagedFields = nil
	text, err := yaml.Marshal(pod)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// goal is how many decisions are to agree.
const goal = 0.999

// wantAgreement wants the goal of a long run.
func (g *game) wantAgreement(t *testing.T) {
	t.Helper()
	if g.agreement() < goal {
		t.Errorf("%.2f %% of %d decisions agreed, want %.2f %%", 100*g.agreement(), g.decisions, 100*goal)
	}
}

// wantSample wants what a judge that meets the goal keeps to, but for one run in a hundred thousand: the worlds have seeds, but the
// scheduler chooses among equals by chance, so that no two runs decide the same.
func (g *game) wantSample(t *testing.T) {
	t.Helper()
	if missed, most := g.decisions-g.agreed, mostMissed(g.decisions); missed > most {
		t.Errorf("%d of %d decisions disagreed, want at most %d", missed, g.decisions, most)
	}
}

// mostMissed is how many of so many decisions may disagree: where each agrees with the goal's chance, more do once in a
// hundred thousand runs (the tail of the binomial distribution).
func mostMissed(decisions int) int {
	exactly := math.Pow(goal, float64(decisions)) // the chance that k disagree
	more := 1 - exactly                           // that more than k do
	for k := 0; ; k++ {
		if more < 1e-5 {
			return k
		}
		exactly *= float64(decisions-k) / float64(k+1) * (1 - goal) / goal
		more -= exactly
	}
}

func TestMostMissed(t *testing.T) {
	for decisions, want := range map[int]int{1: 1, 30: 2, 100: 3, 3300: 13} {
		if got := mostMissed(decisions); got != want {
			t.Errorf("of %d decisions %d may disagree, want %d", decisions, got, want)
		}
	}
}

// wantMixture makes sure that the decisions were hard ones.
func (g *game) wantMixture(t *testing.T) {
	t.Helper()
	if least := g.decisions * 15 / 100; g.pending < least || g.preempting < least {
		t.Errorf("%d pods stayed pending and %d preempted, want at least %d of each", g.pending, g.preempting, least)
	}
	for _, plugin := range plugins {
		if least := min(50, g.decisions/40); g.decided[plugin] < least {
			t.Errorf("%s decided %d times, want at least %d", plugin, g.decided[plugin], least)
		}
	}
}
