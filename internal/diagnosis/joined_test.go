package diagnosis_test

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/naosu-dev/naosu/internal/cluster/clustertest"
)

// TestAuditTellsOnce: what is found about a pod, and about its Kueue Workload or the NodePool that it waits for, is one finding.
func TestAuditTellsOnce(t *testing.T) {
	elsewhere := func(objects []runtime.Object) []runtime.Object {
		for _, object := range objects {
			if pod, is := object.(*corev1.Pod); is {
				pod.Namespace = "other"
			}
		}
		return objects
	}
	without := func(kind string) func([]runtime.Object) []runtime.Object {
		return func(objects []runtime.Object) []runtime.Object {
			return slices.DeleteFunc(objects, func(object runtime.Object) bool { return object.GetObjectKind().GroupVersionKind().Kind == kind })
		}
	}
	withoutPending := func(objects []runtime.Object) []runtime.Object {
		return slices.DeleteFunc(objects, func(object runtime.Object) bool {
			pod, is := object.(*corev1.Pod)
			return is && pod.Spec.NodeName == ""
		})
	}
	for name, tc := range map[string]struct {
		input string
		edit  func([]runtime.Object) []runtime.Object
		want  string
	}{
		"a pod that should be gone":                    {"open-infra-104", nil, "critical N205"},
		"one whose hook does not end":                  {"kubernetes-127339", nil, "critical N205, warning N503, warning N202"},
		"a pod's Workload, not that of another":        {"kueue-3108", nil, "critical N613, warning N613"},
		"though its queue is not there":                {"kueue-3108", without("LocalQueue"), "critical N613, warning N613"},
		"both if the pod is of another namespace":      {"kueue-3108", elsewhere, "critical N601, warning N613, warning N613"},
		"a NodePool whose limit keeps a pod waiting":   {"karpenter-4698", nil, "critical N504"},
		"which stays a finding if no pod waits for it": {"karpenter-4698", withoutPending, "critical N601, warning N611"},
	} {
		t.Run(name, func(t *testing.T) {
			objects := clustertest.Load(t, "testdata/upstream/"+tc.input+".yaml")
			if tc.edit != nil {
				objects = tc.edit(objects)
			}
			var found []string
			for _, f := range audit(t, objects).Findings {
				found = append(found, string(f.Severity)+" "+string(f.Code))
			}
			if got := strings.Join(found, ", "); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}
