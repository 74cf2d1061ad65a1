package twin

import (
	"maps"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/naosu-dev/naosu/lab/pace"
)

// removeLabOwned removes what the twin's own parts make: the API server's service, and the Leases of programs that do not run.
func (c *contents) removeLabOwned() {
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

// removeDanglingReferences removes what would have objects deleted, or keep them from it: owners that are not there, for which the garbage
// collector deletes what they own, and finalizers of programs that do not run. Owners of kinds that the lab does not know
// stay: the garbage collector waits for what it cannot look up.
func (c *contents) removeDanglingReferences() {
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
			if labRemovesFinalizer(finalizer) {
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

// labRemovesFinalizer says whether a part of the lab removes the finalizer.
func labRemovesFinalizer(finalizer string) bool {
	switch finalizer {
	case metav1.FinalizerOrphanDependents, metav1.FinalizerDeleteDependents, batchv1.JobTrackingFinalizer,
		"external-attacher/ebs-csi-aws-com", "external-provisioner.volume.kubernetes.io/finalizer",
		"resource.kubernetes.io/delete-protection":
		return true
	}
	return strings.HasPrefix(finalizer, "kubernetes.io/") // pvc-protection, pv-protection
}

// rolledOut is the reason of a rollout that is done: pkg/controller/deployment/util, NewRSAvailableReason.
const rolledOut = "NewReplicaSetAvailable"

// shiftTimes has what counts time go on from where it stood, at the lab's pace, where the twin would otherwise do at once what
// the cluster did, or did not, since the snapshot: runs of CronJobs, deadlines and clean-up of Jobs, deadlines of rollouts.
func (c *contents) shiftTimes(now metav1.Time, p *pace.Pace) {
	crons := all[*batchv1.CronJob](c)
	for _, cron := range crons {
		cron.Status.LastScheduleTime = &now
	}
	c.notes.add(len(crons), "CronJob", "what it missed since the snapshot is not made up for")
	goOn := func(t *metav1.Time) {
		if !t.IsZero() {
			*t = metav1.NewTime(now.Add(-p.Real(c.header.Taken.Sub(t.Time))))
		}
	}
	c.shiftJobTimes(goOn)
	deadlines := 0
	for _, pod := range all[*corev1.Pod](c) {
		if pod.Spec.ActiveDeadlineSeconds != nil {
			goOn(pod.Status.StartTime)
			deadlines++
		}
	}
	c.notes.add(deadlines, "pod with a deadline", "what is left of it counts from now on")
	for _, deployment := range all[*appsv1.Deployment](c) {
		for i := range deployment.Status.Conditions {
			condition := &deployment.Status.Conditions[i]
			if condition.Type == appsv1.DeploymentProgressing && condition.Reason != rolledOut {
				goOn(&condition.LastUpdateTime)
			}
		}
	}
}

func (c *contents) shiftJobTimes(goOn func(*metav1.Time)) {
	timed := 0
	for _, job := range all[*batchv1.Job](c) {
		deadline, ends := job.Spec.ActiveDeadlineSeconds != nil, job.Spec.TTLSecondsAfterFinished != nil
		if deadline {
			goOn(job.Status.StartTime)
		}
		for i := range job.Status.Conditions {
			if ends {
				goOn(&job.Status.Conditions[i].LastTransitionTime)
			}
		}
		if deadline || ends {
			timed++
		}
	}
	c.notes.add(timed, "Job with a deadline or a time to live", "what is left of it counts from now on")
}
