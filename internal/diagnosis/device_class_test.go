package diagnosis_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/cluster/clustertest"
	"github.com/naosu-dev/naosu/internal/diagnosis"
	"github.com/naosu-dev/naosu/internal/message"
)

// A DeviceClass that a claim names is said to be missing only where that is known.
func TestMissingDeviceClass(t *testing.T) {
	allocated := on(func(c *resourcev1.ResourceClaim) { c.Status.Allocation = &resourcev1.AllocationResult{} })
	alternatives := on(func(c *resourcev1.ResourceClaim) {
		c.Spec.Devices.Requests[0] = resourcev1.DeviceRequest{
			Name: "gpu", FirstAvailable: []resourcev1.DeviceSubRequest{{Name: "a", DeviceClassName: "other"}, {Name: "b", DeviceClassName: "gpu.nvidia.com"}},
		}
	})
	silent := on(func(p *corev1.Pod) {
		for i := range p.Status.Conditions {
			p.Status.Conditions[i].Message = ""
		}
	})
	other := &resourcev1.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: "other"}}
	for name, tc := range map[string]struct {
		class  *resourcev1.DeviceClass
		edit   func(runtime.Object)
		unread bool
		want   bool
	}{
		"it does not exist":                {other, nil, false, true},
		"it exists":                        {&resourcev1.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: "gpu.nvidia.com"}}, nil, false, false},
		"an alternative does not exist":    {other, alternatives, false, true},
		"the claim is allocated":           {other, allocated, false, false},
		"not read, but the scheduler says": {nil, nil, true, true},
		"not read":                         {nil, silent, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			objects := clustertest.Load(t, "testdata/status/device-claims.yaml")
			if tc.class != nil {
				objects = append(objects, tc.class)
			}
			for _, o := range objects {
				if tc.edit != nil {
					tc.edit(o)
				}
			}
			known := everything()
			if tc.unread {
				delete(known, cluster.DeviceClass)
			}
			e := diagnosis.Explain(t.Context(), question(t, objects, known, &change.Ref{Kind: "Pod", Namespace: "dra", Name: "gpu-pod"}))
			if got := e.Summary.ID == message.DeviceClassMissing; got != tc.want {
				t.Errorf("the DeviceClass is said to be missing: %v, want %v: %s", got, tc.want, answerOf(e))
			}
			if advised := len(e.Remedies) == 1 && e.Remedies[0].Message.ID == message.RemedyDeviceClass; tc.want && !advised {
				t.Errorf("remedies: %+v, want %s", e.Remedies, message.RemedyDeviceClass)
			}
		})
	}
}
