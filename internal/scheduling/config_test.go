package scheduling_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/scheduling"
)

const header = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"

// packing fills one node after the other, has plugins of somebody else, and asks an extender.
const packing = header + `
extenders:
- {urlPrefix: "http://extender.example.com/", filterVerb: filter}
profiles:
- schedulerName: packing
  plugins:
    queueSort: {enabled: [{name: Coscheduling}], disabled: [{name: "*"}]}
    score: {enabled: [{name: NetworkOverhead, weight: 5}]}
  pluginConfig:
  - {name: NodeResourcesFit, args: {scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 1}]}}}
`

func askedFrom(scheduler string) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.Spec.SchedulerName = scheduler }
}

func TestBasis(t *testing.T) {
	for name, tc := range map[string]struct {
		config []byte
		want   scheduling.Basis
	}{
		"no configuration": {nil, scheduling.Basis{Version: "1.36", Profiles: []string{"default-scheduler"}, Default: true}},
		"one with what is not Kubernetes' own": {[]byte(packing), scheduling.Basis{
			Version: "1.36", Profiles: []string{"packing"},
			NotModelled: []string{"Coscheduling", "NetworkOverhead", "http://extender.example.com/"},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			judge := judgeOf(t, snapshotOf(node("n1")), scheduling.Options{Config: tc.config})
			if diff := cmp.Diff(tc.want, judge.Basis()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestConfig(t *testing.T) {
	judge := judgeOf(t, snapshotOf(node("n1"), node("n2"), pod("a", on("n1"))), scheduling.Options{Config: []byte(packing)})
	fit, err := judge.Fit(t.Context(), pod("p", askedFrom("packing")))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"n1"}, fit.Best); diff != "" {
		t.Errorf("best nodes (-want +got):\n%s", diff)
	}
}

func TestOtherScheduler(t *testing.T) {
	judge, other := newJudge(t, node("n1")), pod("p", askedFrom("somebody-else"))
	if judge.Models(other) {
		t.Error("the judge speaks for a scheduler that it does not know")
	}
	_, fit := judge.Fit(t.Context(), other)
	_, obstacles := judge.Obstacles(t.Context(), other)
	_, preempt := judge.Preempt(t.Context(), other)
	_, place := judge.Place(t.Context(), other)
	_, first := judge.First(t.Context(), other)
	_, fitsOn := judge.FitsOn(t.Context(), other, "n1")
	for name, err := range map[string]error{
		"Fit": fit, "Obstacles": obstacles, "Preempt": preempt, "Place": place, "First": first, "FitsOn": fitsOn,
	} {
		if !errors.Is(err, scheduling.ErrNotModelled) {
			t.Errorf("%s: got error %v", name, err)
		}
	}
	if unnamed := pod("p", askedFrom("")); !judge.Models(unnamed) {
		t.Error("a pod that names no scheduler is not taken for the default one's")
	}
}

func TestBadConfig(t *testing.T) {
	for name, config := range map[string]string{
		"empty":                "",
		"not YAML":             "{",
		"another kind":         "apiVersion: v1\nkind: Pod\n",
		"an unknown field":     header + "profils: []\n",
		"a profile twice":      header + "profiles: [{schedulerName: a}, {schedulerName: a}]\n",
		"arguments of nothing": header + "profiles: [{pluginConfig: [{name: NodeResourcesFit, args: {scoringStrategy: {type: Most}}}]}]\n",
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := scheduling.New(t.Context(), snapshotOf(), scheduling.Options{Config: []byte(config)}); err == nil {
				t.Error("no error")
			}
		})
	}
}
