package failoverpolicy

import (
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/cloud"
)

func TestNeedsFinalizer(t *testing.T) {
	volume := func(node string) *storagev1.VolumeAttachment {
		return &storagev1.VolumeAttachment{ObjectMeta: metav1.ObjectMeta{Name: "on-" + node}, Spec: storagev1.VolumeAttachmentSpec{NodeName: node}}
	}
	deleted := func(n *corev1.Node) { n.DeletionTimestamp = new(metav1.NewTime(start)) }
	declared := func(by string) func(*corev1.Node) {
		return func(n *corev1.Node) {
			metav1.SetMetaDataAnnotation(&n.ObjectMeta, OutOfServiceAnnotation, by)
			tainted(corev1.TaintNodeOutOfService, corev1.TaintEffectNoExecute)(n)
		}
	}
	before := func(is cloud.Running) Reading { return Reading{State: cloud.State{Running: is}} }
	since := func(is cloud.Running) Reading { return Reading{State: cloud.State{Running: is}, deleting: true} }
	type edits []func(*corev1.Node)
	for name, tc := range map[string]struct {
		node     edits
		noVolume bool
		unasked  bool
		last     Reading
		after    time.Duration
		want     bool
	}{
		"a node that does not respond":                  {want: true},
		"a node that is ready":                          {node: edits{ready(corev1.ConditionTrue)}},
		"no volume":                                     {noVolume: true},
		"no policy":                                     {unasked: true},
		"declared, no pod of the policy left":           {node: edits{declared(`{"by":"p","bootID":"b1"}`)}, unasked: true, want: true},
		"declared by a person":                          {node: edits{tainted(corev1.TaintNodeOutOfService, corev1.TaintEffectNoExecute)}, unasked: true, want: true},
		"deleted and declared by a person":              {node: edits{deleted, tainted(corev1.TaintNodeOutOfService, corev1.TaintEffectNoExecute)}, unasked: true, want: true},
		"declared, and booted since":                    {node: edits{declared(`{"by":"p","bootID":"b0"}`)}, unasked: true},
		"declared, and renewed its Lease since":         {node: edits{declared(`{"by":"p","bootID":"b1"}`), func(n *corev1.Node) { n.Name = "n9" }}, unasked: true},
		"declared, nothing left":                        {node: edits{declared(`{"by":"p","bootID":"b1"}`)}, noVolume: true},
		"deleted, not read since":                       {node: edits{deleted}, last: before(cloud.On), want: true},
		"deleted, never read":                           {node: edits{deleted}, want: true},
		"deleted, terminated":                           {node: edits{deleted}, last: since(cloud.Gone), want: true},
		"deleted, being terminated":                     {node: edits{deleted}, last: since(cloud.Changes), want: true},
		"deleted, runs":                                 {node: edits{deleted}, last: since(cloud.On)},
		"deleted, no record":                            {node: edits{deleted}, last: since(cloud.NotFound)},
		"deleted, no response":                          {node: edits{deleted}, last: since(""), want: true},
		"deleted 10 minutes ago":                        {node: edits{deleted}, last: since(cloud.Gone), after: 10 * time.Minute},
		"deleted and declared, 9 minutes ago":           {node: edits{deleted, declared(`{"by":"p","bootID":"b1"}`)}, after: 9 * time.Minute, want: true},
		"deleted and declared, 10 minutes ago":          {node: edits{deleted, declared(`{"by":"p","bootID":"b1"}`)}, after: 10 * time.Minute},
		"deleted and declared by what cannot be read":   {node: edits{deleted, declared("{")}, unasked: true, after: time.Minute, want: true},
		"declared by what cannot be read, and is ready": {node: edits{declared("{"), ready(corev1.ConditionTrue)}, unasked: true},
	} {
		t.Run(name, func(t *testing.T) {
			n := node("n1", ready(corev1.ConditionUnknown))
			n.Status.NodeInfo.BootID = "b1"
			for _, edit := range tc.node {
				edit(n)
			}
			world := worldOf(n, lease9(), volume("n2"))
			if !tc.noVolume {
				world = worldOf(n, lease9(), volume("n2"), volume(n.Name))
			}
			if got := NeedsFinalizer(world, n, !tc.unasked, tc.last, tc.after); got != tc.want {
				t.Errorf("needed: %t, want %t", got, tc.want)
			}
		})
	}
}

// lease9 is the Lease of the node n9, whose kubelet lives.
func lease9() *coordinationv1.Lease {
	l := lease(start)
	l.Namespace, l.Name = corev1.NamespaceNodeLease, "n9"
	return l
}
