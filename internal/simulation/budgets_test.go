package simulation_test

import (
	"fmt"
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/naosu-dev/naosu/internal/change"
	w "github.com/naosu-dev/naosu/internal/simulation/testworld"
)

// The pods of a new workload are expected by the budgets that cover them, whichever of the two is created first: a drain evicts them one after the other.
func TestBudgetsOfNewWorkloads(t *testing.T) {
	template := w.Template("web", "1")
	meta := metav1.ObjectMeta{Name: "web", Namespace: "default"}
	selector := &metav1.LabelSelector{MatchLabels: template.Labels}
	workloads := map[string]runtime.Object{
		"Deployment":  w.NewDeployment(2, template),
		"ReplicaSet":  &appsv1.ReplicaSet{ObjectMeta: meta, Spec: appsv1.ReplicaSetSpec{Replicas: new(int32(2)), Selector: selector, Template: template}},
		"StatefulSet": &appsv1.StatefulSet{ObjectMeta: meta, Spec: appsv1.StatefulSetSpec{Replicas: new(int32(2)), Selector: selector, Template: template}},
	}
	budget := func(spec policyv1.PodDisruptionBudgetSpec) *policyv1.PodDisruptionBudget {
		spec.Selector = selector
		return &policyv1.PodDisruptionBudget{ObjectMeta: meta, Spec: spec}
	}
	budgets := map[string]*policyv1.PodDisruptionBudget{
		"minAvailable":            budget(policyv1.PodDisruptionBudgetSpec{MinAvailable: new(intstr.FromInt32(1))}),
		"minAvailable in percent": budget(policyv1.PodDisruptionBudgetSpec{MinAvailable: new(intstr.FromString("50%"))}),
		"maxUnavailable":          budget(policyv1.PodDisruptionBudgetSpec{MaxUnavailable: new(intstr.FromInt32(1))}),
	}
	apply := func(objects ...runtime.Object) change.Change { return change.Apply{From: "x.yaml", Objects: objects} }
	for kind, workload := range workloads {
		for form, pdb := range budgets {
			uncovered := pdb.DeepCopy()
			uncovered.Status.ObservedGeneration = 1
			for order, tc := range map[string]struct {
				world   w.Objects
				applied []change.Change
			}{
				"the budget first":           {nil, []change.Change{apply(pdb), apply(workload)}},
				"the workload first":         {nil, []change.Change{apply(workload), apply(pdb)}},
				"the budget had no pods yet": {w.Of(uncovered), []change.Change{apply(workload)}},
			} {
				t.Run(kind+", "+form+", "+order, func(t *testing.T) {
					drained := slices.Concat(tc.applied, []change.Change{change.AddNodes{Count: 1, Zone: "a"}, change.DrainNode{Node: "n1"}})
					pods := []string{"created web-* >workers-a-new-1", "created web-* >workers-a-new-1"}
					if kind == "StatefulSet" {
						pods = []string{"created web-0 >workers-a-new-1", "created web-1 >workers-a-new-1"}
					}
					w.ExpectFates(t, w.Of(w.Node("n1", "a"), tc.world).Run(t, drained...), pods...)
				})
			}
		}
	}
}

// The status of a budget whose workload changes is as the disruption controller would write it.
func TestBudgetStatusOfChangingWorkloads(t *testing.T) {
	paused := w.NewDeployment(4, w.Template("web", "500m"))
	paused.Spec.Paused = true
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "default"}, Spec: batchv1.JobSpec{Parallelism: new(int32(2)), Template: w.Template("web", "1")}}
	least, percent := w.Budget("web", "web", 1), w.Budget("web", "web", 0)
	percent.Spec.MinAvailable = new(intstr.FromString("75%"))
	for name, tc := range map[string]struct {
		world   w.Objects
		changes []change.Change
		want    string
	}{
		"a rollout to more replicas": {
			w.Of(percent, w.Deployment("web", w.Template("web", "1"), "n1", "n1")),
			[]change.Change{change.Apply{Objects: []runtime.Object{w.NewDeployment(4, w.Template("web", "500m"))}}},
			"4 healthy, 3 desired, 1 allowed",
		},
		"a Deployment that begins paused": {
			w.Of(percent),
			[]change.Change{change.Apply{Objects: []runtime.Object{paused}}, w.PatchOf("Deployment", "web", `{"spec":{"paused":false}}`)},
			"4 healthy, 3 desired, 1 allowed",
		},
		"a Job": {w.Of(least), []change.Change{change.Apply{Objects: []runtime.Object{job}}}, "2 healthy, 1 desired, 1 allowed"},
	} {
		t.Run(name, func(t *testing.T) {
			status := w.Of(w.Node("n1", "a"), tc.world).Run(t, tc.changes...).World.Budgets()[0].Status
			if got := fmt.Sprintf("%d healthy, %d desired, %d allowed", status.CurrentHealthy, status.DesiredHealthy, status.DisruptionsAllowed); got != tc.want {
				t.Errorf("the status is %s, want %s", got, tc.want)
			}
		})
	}
}
