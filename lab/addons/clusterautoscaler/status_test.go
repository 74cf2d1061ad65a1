package clusterautoscaler

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// The form is that of cluster-autoscaler 1.30 and later; clusterstate/api/types.go gives the names and their order.
const wantStatus = `
autoscalerStatus: Running
clusterWide:
  health:
    lastProbeTime: "2026-11-21T12:10:00Z"
    lastTransitionTime: "2026-11-21T12:00:00Z"
    nodeCounts:
      longUnregistered: 0
      registered:
        notStarted: 0
        ready: 1
        suspended: 0
        total: 2
        unready:
          resourceUnready: 0
          total: 1
      unregistered: 1
    status: Healthy
  scaleDown:
    candidates: 1
    lastProbeTime: "2026-11-21T12:10:00Z"
    lastTransitionTime: "2026-11-21T12:00:00Z"
    status: CandidatesPresent
  scaleUp:
    lastProbeTime: "2026-11-21T12:10:00Z"
    lastTransitionTime: "2026-11-21T12:10:00Z"
    status: InProgress
nodeGroups:
- health:
    cloudProviderTarget: 3
    lastProbeTime: "2026-11-21T12:10:00Z"
    lastTransitionTime: "2026-11-21T12:00:00Z"
    maxSize: 6
    minSize: 2
    nodeCounts:
      longUnregistered: 0
      registered:
        notStarted: 0
        ready: 1
        suspended: 0
        total: 2
        unready:
          resourceUnready: 0
          total: 1
      unregistered: 1
    status: Healthy
  name: app
  scaleDown:
    candidates: 1
    lastProbeTime: "2026-11-21T12:10:00Z"
    lastTransitionTime: "2026-11-21T12:00:00Z"
    status: CandidatesPresent
  scaleUp:
    backoffInfo: {}
    lastProbeTime: "2026-11-21T12:10:00Z"
    lastTransitionTime: "2026-11-21T12:10:00Z"
    status: InProgress
`

func TestStatus(t *testing.T) {
	cfg, j := defaults(nil), testJudge(t)
	w := newWorld().group("app", 2, 3, 6, "1a").node("app", "a", "1a").node("app", "b", "1a", notReady).pod(testPod("p", 1500, on("a")))
	_, m := plan(t.Context(), cfg, j, w.world, scanState{})
	w.now = noon.Add(10 * time.Minute)
	w.groups[0].instances["c"] = instance{id: "i-c", launched: w.now}
	m.requests["app"] = request{increase: 1, at: w.now}
	_, m = plan(t.Context(), cfg, j, w.world, m)
	got, err := yaml.Marshal(m.status)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.TrimPrefix(wantStatus, "\n"), string(got)); diff != "" {
		t.Error(diff)
	}
}

func TestScaleUpStatus(t *testing.T) {
	cfg, j := defaults(nil), testJudge(t)
	one := func() *worldBuilder { return newWorld().group("app", 0, 1, 6, "1a").node("app", "a", "1a") }
	missing := newWorld().group("app", 0, 9, 9, "1a").node("app", "a", "1a")
	tests := []struct {
		name  string
		world *worldBuilder
		state scanState
		want  scaleUpProbe
	}{
		{"nothing", one(), scanState{}, scaleUpProbe{Status: "NoActivity"}},
		{
			"after a failure", one(),
			scanState{backoffs: map[string]backoff{"app": {until: noon.Add(1), code: "cloudProviderError", reason: "no"}}},
			scaleUpProbe{Status: "Backoff", BackoffInfo: backoffInfo{"cloudProviderError", "no"}},
		},
		{"too few of its nodes", missing, scanState{}, scaleUpProbe{Status: "Unhealthy"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, m := plan(t.Context(), cfg, j, tt.world.world, tt.state)
			got := m.status.NodeGroups[0].ScaleUp
			got.times = times{}
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(scaleUpProbe{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}
