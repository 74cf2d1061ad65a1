package twin

import (
	"maps"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
)

// leave takes away what the twin's own parts make: the API server's service, and the Leases of programs that do not run.
func (c *contents) leave() {
	nodes := named[*corev1.Node](c)
	leases := 0
	c.drop(func(o object) bool {
		switch o := o.(type) {
		case *corev1.Service:
			return o.Namespace == metav1.NamespaceDefault && o.Name == "kubernetes"
		case *coordinationv1.Lease:
			if o.Namespace == corev1.NamespaceNodeLease && nodes[types.NamespacedName{Name: o.Name}] != nil {
				return false
			}
			leases++
			return true
		}
		return false
	})
	c.notes.add(leases, "Lease", "left out, since its holder does not run here")
}

// free takes off what would have objects deleted, or kept from it: owners that are not there, for which the garbage
// collector deletes what they own, and finalizers of programs that do not run. Owners of kinds that the lab does not know
// stay: the garbage collector waits for what it cannot look up.
func (c *contents) free() {
	gone, foreign, finalizers := map[string]int{}, map[string]int{}, map[string]int{}
	for _, o := range c.objects {
		o.SetOwnerReferences(slices.DeleteFunc(o.GetOwnerReferences(), func(ref metav1.OwnerReference) bool {
			if _, there := c.uids[ref.UID]; there {
				return false
			}
			gv, err := schema.ParseGroupVersion(ref.APIVersion)
			if err == nil && !scheme.Scheme.IsGroupRegistered(gv.Group) {
				foreign[ref.Kind+"."+gv.Group]++
				return false
			}
			gone[ref.Kind]++
			return true
		}))
		if _, is := o.(*corev1.Namespace); is {
			continue // a namespace's own are in its spec
		}
		o.SetFinalizers(slices.DeleteFunc(o.GetFinalizers(), func(finalizer string) bool {
			if tended(finalizer) {
				return false
			}
			finalizers[finalizer]++
			return true
		}))
	}
	for _, kind := range slices.Sorted(maps.Keys(foreign)) {
		c.notes.add(foreign[kind], "object owned by a "+kind, "kept, but its controller does not run here: nobody makes it again")
	}
	for _, kind := range slices.Sorted(maps.Keys(gone)) {
		c.notes.add(gone[kind], "object owned by a "+kind+" that is not in the snapshot", "kept without an owner")
	}
	for _, finalizer := range slices.Sorted(maps.Keys(finalizers)) {
		c.notes.add(finalizers[finalizer], "object with the finalizer "+finalizer, "kept without it, since what removes it does not run here")
	}
}

// tended says whether a part of the lab removes the finalizer.
func tended(finalizer string) bool {
	switch finalizer {
	case metav1.FinalizerOrphanDependents, metav1.FinalizerDeleteDependents, batchv1.JobTrackingFinalizer,
		"external-attacher/ebs-csi-aws-com", "external-provisioner.volume.kubernetes.io/finalizer",
		"resource.kubernetes.io/delete-protection":
		return true
	}
	return strings.HasPrefix(finalizer, "kubernetes.io/") // pvc-protection, pv-protection
}

// catchUp has what counts time since the snapshot begin to count now, where the twin would otherwise do at once what the
// cluster did, or did not, in the meantime: runs of CronJobs, deadlines and clean-up of Jobs.
func (c *contents) catchUp(now metav1.Time) {
	away := now.Sub(c.header.Taken)
	later := func(t *metav1.Time) {
		if t != nil && !t.IsZero() {
			*t = metav1.NewTime(t.Add(away))
		}
	}
	for _, cron := range all[*batchv1.CronJob](c) {
		cron.Status.LastScheduleTime = &now
	}
	for _, job := range all[*batchv1.Job](c) {
		if job.Spec.ActiveDeadlineSeconds != nil {
			later(job.Status.StartTime)
		}
		if job.Spec.TTLSecondsAfterFinished != nil {
			for i := range job.Status.Conditions {
				later(&job.Status.Conditions[i].LastTransitionTime)
			}
		}
	}
	c.notes.add(len(all[*batchv1.CronJob](c)), "CronJob", "what it missed since the snapshot is not made up for")
}
