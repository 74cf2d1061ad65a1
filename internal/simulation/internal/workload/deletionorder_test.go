package workload_test

import (
	"slices"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/simulation"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
	"github.com/naosu-dev/naosu/internal/simulation/testworld"
)

// aged gives a Deployment's pods UIDs, and creation and ready times by age.
func aged(of testworld.Objects, pods ...struct {
	uid string
	ago time.Duration
},
) testworld.Objects {
	for _, o := range of {
		pod, is := o.(*corev1.Pod)
		if !is {
			continue
		}
		at := metav1.NewTime(testworld.Epoch.Add(-pods[0].ago))
		pod.UID, pod.CreationTimestamp = types.UID(pods[0].uid), at
		pod.Status.Conditions[0].LastTransitionTime = at
		pods = pods[1:]
	}
	return of
}

// TestDeletionOrder: of ages with the same binary logarithm the UID decides; otherwise the younger pod is removed, and before that
// one that shares its node. Of equal ages it is random.
func TestDeletionOrder(t *testing.T) {
	type pod = struct {
		uid string
		ago time.Duration
	}
	const day = 24 * time.Hour
	for name, tc := range map[string]struct {
		nodes []string
		pods  []pod
		want  []string
	}{
		"the younger by far":                   {[]string{"n1", "n2"}, []pod{{"1", 90 * day}, {"2", day}}, []string{"web-1-b"}},
		"the lower UID of about the same age":  {[]string{"n1", "n2"}, []pod{{"2", 11 * day}, {"1", 12 * day}}, []string{"web-1-b"}},
		"the same in reverse":                  {[]string{"n1", "n2"}, []pod{{"1", 11 * day}, {"2", 12 * day}}, []string{"web-1-a"}},
		"either of the same age":               {[]string{"n1", "n2"}, []pod{{"1", day}, {"2", day}}, []string{"web-1-a", "web-1-b"}},
		"one of two on a node, though older":   {[]string{"n1", "n2", "n2"}, []pod{{"1", day}, {"3", 90 * day}, {"2", 80 * day}}, []string{"web-1-c"}},
		"the younger of two on different ones": {[]string{"n1", "n2"}, []pod{{"1", time.Second}, {"2", 90 * day}}, []string{"web-1-a"}},
	} {
		t.Run(name, func(t *testing.T) {
			of := aged(testworld.Deployment("web", testworld.Template("web", "1"), tc.nodes...), tc.pods...)
			var ended []string
			scale := change.ScaleWorkload{Kind: "Deployment", Namespace: "default", Name: "web", Replicas: len(tc.nodes) - 1}
			err := simulation.EachFuture(t.Context(), testworld.Of(testworld.ThreeNodes(), of).Judge(t), []change.Change{scale}, simulation.Options{Seeds: 40}, func(o outcome.Outcome) error {
				for _, fate := range o.Fates {
					ended = append(ended, fate.Pod.Name)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			slices.Sort(ended)
			if ended = slices.Compact(ended); !slices.Equal(ended, tc.want) {
				t.Errorf("%q end, want %q", ended, tc.want)
			}
		})
	}
}

// TestDeletionOrderWithoutDeployment: of a ReplicaSet without a controller, pods that share a node are not removed first.
func TestDeletionOrderWithoutDeployment(t *testing.T) {
	of := testworld.Deployment("web", testworld.Template("web", "1"), "n1", "n2", "n2")[1:]
	of[0].(*appsv1.ReplicaSet).OwnerReferences = nil
	for i, age := range []time.Duration{time.Hour, 100 * time.Hour, 100 * time.Hour} {
		pod := of[i+1].(*corev1.Pod)
		pod.CreationTimestamp = metav1.NewTime(testworld.Epoch.Add(-age))
		pod.Status.Conditions[0].LastTransitionTime = pod.CreationTimestamp
	}
	scale := change.ScaleWorkload{Kind: "ReplicaSet", Namespace: "default", Name: "web-1", Replicas: 2}
	testworld.ExpectFates(t, testworld.Of(testworld.ThreeNodes(), of).Run(t, scale), "ended web-1-a n1> FateScaled")
}

// TestUnreadyOldPodsAreRemovedFirst: as many pods as maxUnavailable allows are removed at once, so that the next new pod fits on
// the node of one while the other still exists.
func TestUnreadyOldPodsAreRemovedFirst(t *testing.T) {
	one := intstr.FromInt32(1)
	of := testworld.Deployment("web", testworld.Template("web", "1"), "n1", "n2")
	of[0].(*appsv1.Deployment).Spec.Strategy = appsv1.DeploymentStrategy{
		Type: appsv1.RollingUpdateDeploymentStrategyType, RollingUpdate: &appsv1.RollingUpdateDeployment{MaxSurge: &one, MaxUnavailable: &one},
	}
	w := testworld.Of(testworld.Node("n1", "a", testworld.CPU("2")), testworld.Node("n2", "b", testworld.CPU("1500m")), of)
	next := testworld.PatchOf("Deployment", "web", `{"spec":{"template":{"metadata":{"annotations":{"a":"b"}}}}}`)
	testworld.ExpectFates(t, w.Run(t, next), "created web-* >n1", "created web-* >n1", "ended web-1-a n1> FateRolled", "ended web-1-b n2> FateRolled")
}
