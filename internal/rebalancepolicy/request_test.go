package rebalancepolicy

import (
	"context"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/rebalance"
	"github.com/naosu-dev/naosu/internal/scheduling"
	w "github.com/naosu-dev/naosu/internal/simulation/testworld"
)

// tester is a test, or a run of rapid's.
type tester interface {
	Context() context.Context
	Fatal(args ...any)
}

func judgeOf(t tester, objects w.Objects) *scheduling.Judge {
	known := map[cluster.Kind]cluster.Knowledge{cluster.Node: cluster.Complete, cluster.Pod: cluster.Complete, cluster.PriorityClass: cluster.Complete}
	judge, err := scheduling.New(t.Context(), cluster.New(cluster.Contents{Objects: objects, Taken: w.Epoch, Knowledge: known}), scheduling.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return judge
}

// requested is what a person requests in a world.
func requested(t tester, objects w.Objects) (*v1alpha1.Remediation, rebalance.Plan) {
	judge := judgeOf(t, objects)
	plan, err := rebalance.New(t.Context(), judge, rebalance.Options{MaxEvictions: v1alpha1.MaxPolicyEvictions})
	if err != nil {
		t.Fatal(err)
	}
	r, plan, err := Settle(t.Context(), v1alpha1.Request{By: "jane", MaxSharePercent: 33}, judge, plan, w.Epoch)
	if err != nil {
		t.Fatal(err)
	}
	return r, plan
}

func forecastIn(t tester, objects w.Objects, r *v1alpha1.Remediation) *v1alpha1.Forecast {
	forecast, err := ForecastOf(t.Context(), judgeOf(t, objects), r, w.Epoch)
	if err != nil {
		t.Fatal(err)
	}
	return forecast
}

// returned is a world in which the node n3 came back: a Deployment of six pods, none on n3.
func returned() w.Objects {
	return append(w.ThreeNodes(), w.Deployment("web", w.Template("web", "100m"), "n1", "n1", "n1", "n2", "n2", "n2")...)
}

// TestForecastOf forecasts what could have been planned, and nothing else.
func TestForecastOf(t *testing.T) {
	for name, tc := range map[string]struct {
		world w.Objects
		edit  func(*v1alpha1.Remediation)
		want  bool
	}{
		"as requested":    {returned(), func(*v1alpha1.Remediation) {}, true},
		"all in one wave": {returned(), func(r *v1alpha1.Remediation) { r.Spec.Changes[1].Parameters["wave"] = "1" }, false},
		"a pod that need not move": {returned(), func(r *v1alpha1.Remediation) {
			r.Spec.Changes[1] = v1alpha1.Eviction("default", "web-1-b", "web-1-b", 2)
		}, false},
		"one more pod": {returned(), func(r *v1alpha1.Remediation) {
			r.Spec.Changes = append(r.Spec.Changes, v1alpha1.Eviction("default", "web-1-b", "web-1-b", 3))
		}, false},
		"a pod that was replaced":    {returned(), func(r *v1alpha1.Remediation) { r.Spec.Changes[0].Subject.UID = "another" }, false},
		"another workload":           {returned(), func(r *v1alpha1.Remediation) { r.Spec.Subjects[0].Name = "other" }, false},
		"an even share":              {returned(), func(r *v1alpha1.Remediation) { r.Spec.Request.MaxSharePercent = 1 }, true},
		"a share that no node hurts": {returned(), func(r *v1alpha1.Remediation) { r.Spec.Request.MaxSharePercent = 60 }, false},
		"balanced meanwhile": {
			append(w.ThreeNodes(), w.Deployment("web", w.Template("web", "100m"), "n1", "n1", "n3", "n2", "n2", "n3")...), func(*v1alpha1.Remediation) {}, false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			r, plan := requested(t, returned())
			if len(r.Spec.Changes) != 2 || len(plan.Waves) != 2 {
				t.Fatalf("the plan is %+v", plan)
			}
			tc.edit(r)
			if got := forecastIn(t, tc.world, r); (got != nil) != tc.want {
				t.Errorf("the forecast is %+v", got)
			}
		})
	}
}

// drawWorld is a world with a few Deployments on some of its nodes, some with a topology spread constraint, a budget or a priority.
func drawWorld(t *rapid.T) (objects w.Objects) {
	free := map[string]int{}
	nodes := rapid.IntRange(2, 5).Draw(t, "nodes")
	for i := range nodes {
		name, cpu := fmt.Sprint("n", i+1), rapid.IntRange(1, 2).Draw(t, "CPU")
		objects, free[name] = append(objects, w.Node(name, fmt.Sprintf("zone-%c", 'a'+i%2), w.CPU(fmt.Sprint(cpu)))), cpu*1000
	}
	for i := range rapid.IntRange(1, 4).Draw(t, "workloads") {
		name, request := fmt.Sprintf("web-%c", 'a'+i), rapid.SampledFrom([]int{50, 150, 300}).Draw(t, "request")
		edits := []func(*corev1.PodSpec){w.Priority(int32(rapid.IntRange(0, 1).Draw(t, "priority")))}
		if rapid.Bool().Draw(t, "spread") {
			edits = append(edits, w.Spread(corev1.LabelTopologyZone, 1))
		}
		var on []string
		for range rapid.IntRange(2, 9).Draw(t, "replicas") {
			if node := fmt.Sprint("n", rapid.IntRange(1, min(nodes, 3)).Draw(t, "node")); free[node] >= request {
				free[node] -= request
				on = append(on, node)
			}
		}
		objects = append(objects, w.Deployment(name, w.Template(name, fmt.Sprintf("%dm", request), edits...), on...)...)
		if rapid.Bool().Draw(t, "budget") {
			budget := w.Budget(name, name, 1)
			budget.Status.DisruptionsAllowed = int32(rapid.IntRange(0, 2).Draw(t, "allowed"))
			objects = append(objects, budget)
		}
	}
	return objects
}

// TestSettle: in any world, what a person requests is planned again as requested.
func TestSettle(t *testing.T) {
	found := 0
	rapid.Check(t, func(t *rapid.T) {
		objects := drawWorld(t)
		r, _ := requested(t, objects)
		if len(r.Spec.Changes) == 0 {
			return
		}
		found++
		if forecastIn(t, objects, r) == nil {
			t.Fatalf("%v is not planned again", r.Spec.Changes)
		}
	})
	if found == 0 {
		t.Error("no plan had evictions")
	}
}

// TestRequestOfNothing is a request of a balanced world: it has no evictions.
func TestRequestOfNothing(t *testing.T) {
	r, plan := requested(t, append(w.ThreeNodes(), w.Deployment("web", w.Template("web", "100m"), "n1", "n2", "n3")...))
	if len(r.Spec.Changes) > 0 || plan.Result != rebalance.Balanced {
		t.Errorf("%v, %s", r.Spec.Changes, plan.Result)
	}
}

// TestRequestsRest has the workloads of a request that failed rest, as those of a policy's Remediation.
func TestRequestsRest(t *testing.T) {
	r, _ := requested(t, returned())
	meta.SetStatusCondition(&r.Status.Conditions, metav1.Condition{
		Type: v1alpha1.RemediationSucceeded, Status: metav1.ConditionFalse, Reason: v1alpha1.RemediationGaveUpReason, LastTransitionTime: metav1.NewTime(w.Epoch),
	})
	if !Resting([]v1alpha1.Remediation{*r}, w.Epoch.Add(time.Minute))(refOf(r.Spec.Subjects[0])) {
		t.Error("its workload does not rest")
	}
}
