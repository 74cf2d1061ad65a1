package rebalancepolicy

import (
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/rebalance"
	w "github.com/naosu-dev/naosu/internal/simulation/testworld"
)

func pod(name string) change.Ref {
	return change.Ref{Kind: "Pod", Namespace: "default", Name: name}
}

// proposed is a Remediation of two waves, in the world that it was planned in.
func proposed(t *testing.T, name string) (*v1alpha1.Remediation, *cluster.Snapshot) {
	t.Helper()
	objects := append(w.Deployment("web", w.Template("web", "100m"), "n1", "n1", "n1"), w.Deployment("api", w.Template("api", "100m"), "n1")...)
	world := cluster.New(cluster.Contents{Objects: objects, Taken: w.Epoch})
	web := change.Ref{Kind: "Deployment", Namespace: "default", Name: "web"}
	plan := rebalance.Plan{Waves: []rebalance.Wave{
		{Moves: []rebalance.Move{{Pod: pod("web-1-a"), Workload: web, From: "n1", To: []string{"n2", "n3"}}}},
		{Moves: []rebalance.Move{{Pod: pod("web-1-b"), Workload: web, From: "n1", To: []string{"n2"}}, {Pod: pod("gone"), Workload: web, From: "n1", To: []string{"n2"}}}},
	}, Workloads: []rebalance.Distribution{{Workload: web, Excess: 1}}}
	p := policy(name, nil)
	r, forecast := Propose(&p, plan, world, w.Epoch)
	r.Status.Forecast = forecast
	return r, world
}

func TestPropose(t *testing.T) {
	r, _ := proposed(t, strings.Repeat("x", 253))
	if len(r.Name) > 253 {
		t.Errorf("its name has %d characters", len(r.Name))
	}
	wantPlan := []v1alpha1.Change{v1alpha1.Eviction("default", "web-1-a", "web-1-a", 1), v1alpha1.Eviction("default", "web-1-b", "web-1-b", 2)}
	if diff := cmp.Diff(wantPlan, r.Spec.Changes); diff != "" {
		t.Errorf("the plan (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]v1alpha1.Subject{{Kind: "Deployment", Namespace: "default", Name: "web", UID: "Deploymentweb"}}, r.Spec.Subjects); diff != "" {
		t.Errorf("subjects (-want +got):\n%s", diff)
	}
	owner := &v1alpha1.OwnerReference{Kind: "ReplicaSet", Name: "web-1", UID: "ReplicaSetweb-1", Ready: 3}
	wantPods := []v1alpha1.PodForecast{
		{Namespace: "default", Name: "web-1-a", Change: 0, Fate: "Moved", Node: "n2", Nodes: []string{"n2", "n3"}, Owner: owner},
		{Namespace: "default", Name: "web-1-b", Change: 1, Fate: "Moved", Node: "n2", Nodes: []string{"n2"}, Owner: owner},
	}
	if diff := cmp.Diff(wantPods, r.Status.Forecast.Pods); diff != "" {
		t.Errorf("the forecast (-want +got):\n%s", diff)
	}
}

func TestEvicted(t *testing.T) {
	r, world := proposed(t, "a")
	pods, there := Evicted(r, world, 2)
	if want := []change.Ref{pod("web-1-b")}; !there || cmp.Diff(want, pods) != "" {
		t.Errorf("from the second wave on: %v, %t", pods, there)
	}
	if pods, there := Evicted(r, world, 3); !there || len(pods) > 0 {
		t.Errorf("after the last wave: %v, %t", pods, there)
	}
	replaced := *world.Pod("default", "web-1-b")
	replaced.UID = "another"
	leaving := *world.Pod("default", "web-1-b")
	leaving.DeletionTimestamp = new(metav1.NewTime(w.Epoch))
	for name, changed := range map[string]*cluster.Snapshot{
		"gone": world.With(cluster.Remove(world.Pod("default", "web-1-b"))), "another of its name": world.With(cluster.Put(&replaced)), "being deleted": world.With(cluster.Put(&leaving)),
	} {
		if _, there := Evicted(r, changed, 1); there {
			t.Errorf("a pod is %s, and the pods are there", name)
		}
	}
	r.Status.Forecast = nil
	if _, there := Evicted(r, world, 1); there {
		t.Error("pods without a forecast")
	}
}

// The forecast is about the workloads of the plan alone, which are in balance after it unless it says otherwise.
func TestExcess(t *testing.T) {
	r, _ := proposed(t, "a")
	web := change.Ref{Kind: "Deployment", Namespace: "default", Name: "web"}
	if got := Excess(r); !maps.Equal(got, map[change.Ref]int{web: 1}) {
		t.Errorf("%v", got)
	}
	r.Status.Forecast.Workloads[0].Name = "api"
	if got := Excess(r); !maps.Equal(got, map[change.Ref]int{web: 0}) {
		t.Errorf("of a forecast about another workload: %v", got)
	}
	r.Status.Forecast = nil
	if got := Excess(r); !maps.Equal(got, map[change.Ref]int{web: 0}) {
		t.Errorf("without a forecast: %v", got)
	}
}

// So it is about the nodes that a plan concerns, if nodes are overutilized.
func TestNodes(t *testing.T) {
	_, world := proposed(t, "a")
	web := change.Ref{Kind: "Deployment", Namespace: "default", Name: "web"}
	moves := []rebalance.Move{{Pod: pod("web-1-a"), Workload: web, From: "n1", To: []string{"n2", "n3"}}, {Pod: pod("web-1-b"), Workload: web, From: "n1", To: []string{"n2"}}}
	plan := rebalance.Plan{Waves: []rebalance.Wave{{Moves: moves}}, Nodes: []rebalance.NodeUtilization{{Node: "n1", Excess: 3}, {Node: "n4", Excess: 7}}}
	p := policy("a", nil)
	r, forecast := Propose(&p, plan, world, w.Epoch)
	r.Status.Forecast = forecast
	if diff := cmp.Diff([]v1alpha1.NodeForecast{{Name: "n1", Excess: 3}, {Name: "n2"}, {Name: "n3"}}, forecast.Nodes); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if want := "Out of balance, or with pods on overutilized nodes (n1 and n4): default/deployment/web."; r.Spec.Evidence.Message != want {
		t.Errorf("%q, want %q", r.Spec.Evidence.Message, want)
	}
	if got := Excess(r); !maps.Equal(got, map[change.Ref]int{web: 0, node("n1"): 3, node("n2"): 0, node("n3"): 0}) {
		t.Errorf("%v", got)
	}
	if !IsObsolete(r, world, nil) || !IsObsolete(r, world, []change.Ref{node("n4")}) || IsObsolete(r, world, []change.Ref{node("n1")}) {
		t.Error("it is needed while n1 is overutilized")
	}
}

func node(name string) change.Ref { return change.Ref{Kind: "Node", Name: name} }

func TestIsObsolete(t *testing.T) {
	r, world := proposed(t, "a")
	web, api := change.Ref{Kind: "Deployment", Namespace: "default", Name: "web"}, change.Ref{Kind: "Deployment", Namespace: "default", Name: "api"}
	if IsObsolete(r, world, []change.Ref{api, web}) {
		t.Error("its workload is out of balance")
	}
	if !IsObsolete(r, world, []change.Ref{api}) {
		t.Error("another workload is out of balance")
	}
}

func TestResting(t *testing.T) {
	web := change.Ref{Kind: "Deployment", Namespace: "default", Name: "web"}
	for _, tc := range []struct {
		reason string
		ago    time.Duration
		want   bool
	}{
		{v1alpha1.RemediationAsForecastReason, 0, false},
		{v1alpha1.RemediationNotNeededReason, 0, false},
		{v1alpha1.RemediationNotAsForecastReason, 59 * time.Minute, true},
		{v1alpha1.RemediationNotAsForecastReason, time.Hour, false},
		{v1alpha1.RemediationDidNotHelpReason, time.Minute, true},
		{v1alpha1.RemediationGaveUpReason, time.Minute, true},
		{v1alpha1.RemediationRejectedReason, 23 * time.Hour, true},
		{v1alpha1.RemediationRejectedReason, 24 * time.Hour, false},
	} {
		r, _ := proposed(t, "a")
		meta.SetStatusCondition(&r.Status.Conditions, metav1.Condition{
			Type: v1alpha1.RemediationSucceeded, Status: metav1.ConditionFalse, Reason: tc.reason, LastTransitionTime: metav1.NewTime(w.Epoch.Add(-tc.ago)),
		})
		rests := Resting([]v1alpha1.Remediation{*r}, w.Epoch)
		if got := rests(web); got != tc.want {
			t.Errorf("%s %v ago: %t", tc.reason, tc.ago, got)
		}
		if rests(change.Ref{Kind: "Deployment", Namespace: "default", Name: "api"}) {
			t.Errorf("%s: another workload rests", tc.reason)
		}
	}
}
