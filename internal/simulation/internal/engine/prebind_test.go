package engine_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/simulation"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
	"github.com/naosu-dev/naosu/internal/simulation/testworld"
)

// TestPreemptionInPreBind preempts a pod that has just been placed. While its new volume is provisioned, it is not bound, and waits again; once it is bound, it
// is deleted. An ordered StatefulSet does not create it again before the pod in front of it runs.
func TestPreemptionInPreBind(t *testing.T) {
	unbound := &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Name: "data", Namespace: "default", UID: "data"},
		Spec:       corev1.PersistentVolumeClaimSpec{StorageClassName: new("gp3"), AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}},
		Status:     corev1.PersistentVolumeClaimStatus{Phase: corev1.ClaimPending},
	}
	changes := []change.Change{
		change.Uncordon{Node: "n1"},
		change.Apply{From: "x.yaml", Objects: []runtime.Object{testworld.NewDeployment(1, testworld.Template("web", "1", testworld.Priority(1000)))}},
	}
	for name, tc := range map[string]struct {
		data testworld.Objects
		want []string
	}{
		"a new volume": {
			testworld.Of(unbound, testworld.WaitForFirstConsumerClass("gp3")),
			[]string{"created web >n1", "created web >n1; waiting db-1 FateOrdered"},
		},
		"a volume that exists": {testworld.ZonalClaim("data", "a"), []string{"created web >n1; waiting db-1 FateOrdered"}},
	} {
		t.Run(name, func(t *testing.T) {
			set := testworld.StatefulSet("db", testworld.Template("db", "1"), "", "")
			testworld.Mounting("elsewhere")(&set[1].(*corev1.Pod).Spec) // db-0 waits for a node in another zone.
			testworld.Mounting("data")(&set[2].(*corev1.Pod).Spec)
			world := testworld.Of(testworld.Node("n1", "a", testworld.CPU("1"), testworld.CordonedNode), testworld.ZonalClaim("elsewhere", "b"), tc.data, set)
			seen := map[string]bool{}
			err := simulation.EachFuture(t.Context(), world.Judge(t), changes, simulation.Options{Seeds: 40}, func(o outcome.Outcome) error {
				fates := testworld.DescribeFates(o)
				for i := range fates {
					fates[i] = strings.ReplaceAll(fates[i], "web-*", "web")
				}
				seen[strings.Join(fates, "; ")] = true
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, slices.Sorted(maps.Keys(seen))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
