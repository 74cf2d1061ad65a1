package play

import (
	"cmp"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	cloudproviderapi "k8s.io/cloud-provider/api"

	"github.com/naosu-dev/naosu/lab/cloud"
	"github.com/naosu-dev/naosu/lab/scenario/expr"
)

// nodesMissing says which node of the cloud is not there and usable yet, or "".
func nodesMissing(w expr.World, c *cloud.Cloud) string {
	nodes := map[string]*corev1.Node{}
	for _, o := range w.List("nodes") {
		nodes[o.(*corev1.Node).Name] = o.(*corev1.Node)
	}
	for _, i := range c.Instances() {
		if i.State != cloud.Running {
			continue
		}
		if n := nodes[i.NodeName]; n == nil || !usable(n) {
			return "node " + i.NodeName + " to be Ready"
		}
	}
	return ""
}

// usable says whether a node is Ready and its start is over, as the node and cloud controllers see it.
func usable(n *corev1.Node) bool {
	for _, t := range n.Spec.Taints {
		switch t.Key {
		case corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable, cloudproviderapi.TaintExternalCloudProvider:
			return false
		}
	}
	for _, c := range n.Status.Conditions {
		if c.Type == corev1.NodeReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}

// unplaced says which workload lacks pods, or has pods without a node, or "". A StatefulSet may start its pods one after
// the other, so the first is enough.
func unplaced(w expr.World) string {
	pods := podsByOwner(w)
	replicaSets := map[types.UID]types.UID{} // the newest of each Deployment, by its template's revision
	for _, o := range w.List("replicasets") {
		if rs := o.(*appsv1.ReplicaSet); metav1.GetControllerOf(rs) != nil && rs.Spec.Replicas != nil && *rs.Spec.Replicas > 0 {
			replicaSets[metav1.GetControllerOf(rs).UID] = rs.UID
		}
	}
	for _, need := range needs(w) {
		if need.unseen {
			return fmt.Sprintf("%s %s: its controller has not seen it", need.kind, need.name)
		}
		owner := need.uid
		if need.kind == "deployment" {
			owner = replicaSets[owner]
		}
		placed, hindrance := 0, ""
		for _, p := range pods[owner] {
			if p.Spec.NodeName != "" {
				placed++
			} else if hindrance == "" {
				hindrance = whyUnplaced(p)
			}
		}
		if placed < need.pods {
			return fmt.Sprintf("%s %s: %d of %d pods have a node%s", need.kind, need.name, placed, need.pods, hindrance)
		}
	}
	for _, p := range pods[""] {
		if p.Spec.NodeName == "" {
			return fmt.Sprintf("pod %s/%s: it has no node%s", p.Namespace, p.Name, whyUnplaced(p))
		}
	}
	return ""
}

// whyUnplaced is what the scheduler says of a pod.
func whyUnplaced(p *corev1.Pod) string {
	for _, c := range p.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Status != corev1.ConditionTrue && c.Message != "" {
			return " (" + c.Message + ")"
		}
	}
	return ""
}

// unmetNeed is how many pods a workload is to have at the least before the next manifest is applied.
type unmetNeed struct {
	kind, name string
	uid        types.UID
	pods       int
	unseen     bool
}

func needs(w expr.World) []unmetNeed {
	var all []unmetNeed
	add := func(kind string, o metav1.Object, pods int32) *unmetNeed {
		all = append(all, unmetNeed{kind: kind, name: o.GetNamespace() + "/" + o.GetName(), uid: o.GetUID(), pods: int(pods)})
		return &all[len(all)-1]
	}
	for _, o := range w.List("deployments") {
		d := o.(*appsv1.Deployment)
		add("deployment", d, *d.Spec.Replicas)
	}
	for _, o := range w.List("statefulsets") {
		s := o.(*appsv1.StatefulSet)
		add("statefulset", s, min(*s.Spec.Replicas, 1))
	}
	for _, o := range w.List("daemonsets") {
		d := o.(*appsv1.DaemonSet)
		add("daemonset", d, d.Status.DesiredNumberScheduled).unseen = d.Status.ObservedGeneration < d.Generation
	}
	for _, o := range w.List("jobs") {
		j := o.(*batchv1.Job)
		if !finished(j) {
			add("job", j, jobPods(j))
		}
	}
	return all
}

// jobPods is how many pods of a Job should exist, those that are done included.
func jobPods(j *batchv1.Job) int32 {
	if j.Spec.Suspend != nil && *j.Spec.Suspend {
		return 0
	}
	pods := *j.Spec.Parallelism
	if j.Spec.Completions != nil {
		pods = min(pods, *j.Spec.Completions)
	}
	return pods
}

func finished(j *batchv1.Job) bool {
	for _, c := range j.Status.Conditions {
		if (c.Type == batchv1.JobComplete || c.Type == batchv1.JobFailed) && c.Status == corev1.ConditionTrue {
			return true
		}
	}
	return false
}

// podsByOwner is the pods by the UID of their controller; those without one are under "".
func podsByOwner(w expr.World) map[types.UID][]*corev1.Pod {
	pods := map[types.UID][]*corev1.Pod{}
	for _, o := range w.List("pods") {
		p := o.(*corev1.Pod)
		owner := types.UID("")
		if c := metav1.GetControllerOf(p); c != nil {
			owner = c.UID
		}
		pods[owner] = append(pods[owner], p)
	}
	return pods
}

// notRunning says what of the start does not run yet, or "".
func notRunning(w expr.World) string {
	return cmp.Or(unplaced(w), podsNotReady(w), workloadsNotReady(w))
}

func podsNotReady(w expr.World) string {
	for _, o := range w.List("pods") {
		p := o.(*corev1.Pod)
		if p.DeletionTimestamp != nil {
			return fmt.Sprintf("pod %s/%s: it is being deleted", p.Namespace, p.Name)
		}
		if p.Status.Phase != corev1.PodSucceeded && p.Status.Phase != corev1.PodFailed && !podReady(p) {
			return fmt.Sprintf("pod %s/%s: it is %s and not ready", p.Namespace, p.Name, p.Status.Phase)
		}
	}
	return ""
}

func workloadsNotReady(w expr.World) string {
	for _, o := range w.List("deployments") {
		d := o.(*appsv1.Deployment)
		if d.Status.ObservedGeneration < d.Generation || d.Status.AvailableReplicas < *d.Spec.Replicas {
			return fmt.Sprintf("deployment %s/%s: %d of %d pods are available", d.Namespace, d.Name, d.Status.AvailableReplicas, *d.Spec.Replicas)
		}
	}
	for _, o := range w.List("statefulsets") {
		s := o.(*appsv1.StatefulSet)
		if s.Status.ObservedGeneration < s.Generation || s.Status.ReadyReplicas < *s.Spec.Replicas {
			return fmt.Sprintf("statefulset %s/%s: %d of %d pods are ready", s.Namespace, s.Name, s.Status.ReadyReplicas, *s.Spec.Replicas)
		}
	}
	for _, o := range w.List("daemonsets") {
		d := o.(*appsv1.DaemonSet)
		if d.Status.UpdatedNumberScheduled < d.Status.DesiredNumberScheduled || d.Status.NumberReady < d.Status.DesiredNumberScheduled {
			return fmt.Sprintf("daemonset %s/%s: %d of %d pods are ready", d.Namespace, d.Name, d.Status.NumberReady, d.Status.DesiredNumberScheduled)
		}
	}
	return ""
}

func podReady(p *corev1.Pod) bool {
	for _, c := range p.Status.Conditions {
		if c.Type == corev1.PodReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}
