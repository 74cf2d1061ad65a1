package workload

import (
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// TestProportionalSizes has the example of https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#proportional-scaling
// and cases of TestScale in pkg/controller/deployment of Kubernetes.
func TestProportionalSizes(t *testing.T) {
	for name, tc := range map[string]struct {
		desired, surge, before int
		sizes                  []int // the older first
		want                   []int
	}{
		"the documentation's example": {15, 3, 13, []int{8, 5}, []int{11, 7}},
		"up":                          {20, 0, 10, []int{5, 5}, []int{10, 10}},
		"up, with the rest to the newer of two of one size": {7, 0, 4, []int{2, 2}, []int{3, 4}},
		"down":                                  {5, 0, 10, []int{5, 5}, []int{2, 3}},
		"down, one of three goes whole":         {1, 0, 3, []int{1, 1, 1}, []int{0, 0, 1}},
		"to zero":                               {0, 3, 13, []int{8, 5}, []int{0, 0}},
		"no more than there are already":        {10, 3, 13, []int{8, 5}, []int{8, 5}},
		"without the annotation, by the status": {4, 0, 0, []int{1, 1}, []int{2, 2}},
	} {
		t.Run(name, func(t *testing.T) {
			surge := intstr.FromInt32(int32(tc.surge))
			d := &appsv1.Deployment{Spec: appsv1.DeploymentSpec{Replicas: new(int32(tc.desired)), Strategy: appsv1.DeploymentStrategy{
				Type: appsv1.RollingUpdateDeploymentStrategyType, RollingUpdate: &appsv1.RollingUpdateDeployment{MaxSurge: &surge},
			}}}
			var active []*appsv1.ReplicaSet
			for i, size := range tc.sizes {
				rs := &appsv1.ReplicaSet{Spec: appsv1.ReplicaSetSpec{Replicas: new(int32(size))}}
				rs.CreationTimestamp = metav1.Unix(int64(i), 0)
				if tc.before > 0 {
					rs.Annotations = map[string]string{maxReplicasAnnotation: strconv.Itoa(tc.before)}
				}
				d.Status.Replicas += int32(size)
				active = append(active, rs)
			}
			sizes := proportionalSizes(d, active)
			got := make([]int, len(active))
			for i, rs := range active {
				got[i] = sizes[rs]
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("sizes (-want +got):\n%s", diff)
			}
		})
	}
}
