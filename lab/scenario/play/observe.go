package play

import (
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	cloudproviderapi "k8s.io/cloud-provider/api"

	"github.com/naosu-dev/naosu/lab/cloud"
	"github.com/naosu-dev/naosu/lab/scenario/expr"
)

// observe says what a change of an object means for the timeline. Before or after is nil when the object is created or
// gone.
func observe(before, after any) []Event {
	o := after
	if o == nil {
		o = before
	}
	switch o.(type) {
	case *corev1.Node:
		return observeNode(as[corev1.Node](before), as[corev1.Node](after))
	case *corev1.Pod:
		return observePod(as[corev1.Pod](before), as[corev1.Pod](after))
	case *storagev1.VolumeAttachment:
		return observeAttachment(as[storagev1.VolumeAttachment](before), as[storagev1.VolumeAttachment](after))
	case *corev1.PersistentVolumeClaim:
		return observeClaim(as[corev1.PersistentVolumeClaim](before), as[corev1.PersistentVolumeClaim](after))
	case *appsv1.DaemonSet:
		return observeDaemonSet(as[appsv1.DaemonSet](before), as[appsv1.DaemonSet](after))
	case *batchv1.Job:
		return observeJob(as[batchv1.Job](before), as[batchv1.Job](after))
	case *expr.Group:
		return observeGroup(as[expr.Group](before), as[expr.Group](after))
	}
	return nil
}

// as is the object, or nil if there is none.
func as[T any](o any) *T {
	typed, _ := o.(*T)
	return typed
}

func observeNode(before, after *corev1.Node) []Event {
	var events []Event
	say := func(object, format string, args ...any) {
		events = append(events, Event{Sort: Node, Object: "node/" + object, Message: fmt.Sprintf(format, args...)})
	}
	if after == nil {
		say(before.Name, "deleted")
		return events
	}
	if before == nil {
		say(after.Name, "registered")
		before = &corev1.Node{}
	}
	if status, reason := nodeReady(after); status != "" {
		if was, _ := nodeReady(before); was != status && (was != "" || status == corev1.ConditionTrue) {
			say(after.Name, "%s", readiness(status, reason))
		}
	}
	if added := taintsOnlyIn(after, before); len(added) > 0 {
		say(after.Name, "tainted %s", strings.Join(added, ", "))
	}
	if removed := taintsOnlyIn(before, after); len(removed) > 0 {
		say(after.Name, "no longer tainted %s", strings.Join(removed, ", "))
	}
	return events
}

func nodeReady(n *corev1.Node) (corev1.ConditionStatus, string) {
	for _, c := range n.Status.Conditions {
		if c.Type == corev1.NodeReady {
			return c.Status, c.Reason
		}
	}
	return "", ""
}

func readiness(status corev1.ConditionStatus, reason string) string {
	switch status {
	case corev1.ConditionTrue:
		return "Ready"
	case corev1.ConditionFalse:
		return "NotReady: " + reason
	}
	return "NotReady, state unknown: " + reason
}

// echo tells taints that only repeat what the timeline says anyway, or that come and go with every look of an autoscaler.
func echo(t corev1.Taint) bool {
	switch t.Key {
	case cloudproviderapi.TaintExternalCloudProvider, "DeletionCandidateOfClusterAutoscaler":
		return true
	case corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable: // it is NoExecute that starts the clock of the tolerations
		return t.Effect != corev1.TaintEffectNoExecute
	}
	return false
}

func taintsOnlyIn(n, other *corev1.Node) []string {
	var only []string
	for _, t := range n.Spec.Taints {
		if !echo(t) && !slices.ContainsFunc(other.Spec.Taints, func(o corev1.Taint) bool { return o.MatchTaint(&t) }) {
			only = append(only, t.Key+":"+string(t.Effect))
		}
	}
	return only
}

func observePod(before, after *corev1.Pod) []Event {
	var events []Event
	o := after
	if o == nil {
		o = before
	}
	say := func(format string, args ...any) {
		events = append(events, Event{Sort: Pod, Object: "pod/" + o.Namespace + "/" + o.Name, Message: fmt.Sprintf(format, args...)})
	}
	if after == nil {
		say("gone%s", from(before))
		return events
	}
	if before == nil {
		say("created")
		before = &corev1.Pod{}
	}
	if after.Spec.NodeName != "" && before.Spec.NodeName == "" {
		say("placed on %s", after.Spec.NodeName)
	}
	if cause := disruption(after); cause != "" && disruption(before) == "" {
		say("%s", cause)
	}
	if after.DeletionTimestamp != nil && before.DeletionTimestamp == nil {
		say("terminating%s", from(after))
	}
	if after.Status.Phase != before.Status.Phase && after.Status.Phase != corev1.PodPending {
		say("%s%s", after.Status.Phase, because(after))
	} else if ready := podReady(after); ready != podReady(before) && after.Status.Phase == corev1.PodRunning {
		say("%s", map[bool]string{true: "ready again", false: "no longer ready"}[ready])
	}
	if n, was := restarts(after), restarts(before); n > was {
		say("restarted, %d times by now", n)
	}
	return events
}

func from(p *corev1.Pod) string {
	if p.Spec.NodeName == "" {
		return ""
	}
	return " on " + p.Spec.NodeName
}

func because(p *corev1.Pod) string {
	if p.Status.Phase == corev1.PodRunning {
		return from(p)
	}
	if p.Status.Reason != "" {
		return ": " + p.Status.Reason
	}
	return ""
}

// disruption says who is about to end the pod, by the condition that Kubernetes sets before it does (KEP-3329).
func disruption(p *corev1.Pod) string {
	for _, c := range p.Status.Conditions {
		if c.Type == corev1.DisruptionTarget && c.Status == corev1.ConditionTrue {
			switch c.Reason {
			case corev1.PodReasonPreemptionByScheduler:
				return "preempted by the scheduler" + from(p)
			case "DeletionByTaintManager":
				return "evicted because of a taint" + from(p)
			case "EvictionByEvictionAPI":
				return "evicted through the API" + from(p)
			case "DeletionByPodGC":
				return "collected as garbage" + from(p)
			}
			return "disrupted" + from(p) + ": " + c.Reason
		}
	}
	return ""
}

func restarts(p *corev1.Pod) (n int32) {
	for _, c := range p.Status.ContainerStatuses {
		n += c.RestartCount
	}
	return n
}

func observeAttachment(before, after *storagev1.VolumeAttachment) []Event {
	say := func(a *storagev1.VolumeAttachment, message string) []Event {
		volume := "(inline)"
		if a.Spec.Source.PersistentVolumeName != nil {
			volume = *a.Spec.Source.PersistentVolumeName
		}
		return []Event{{Sort: Volume, Object: "volume/" + volume, Message: fmt.Sprintf(message, a.Spec.NodeName)}}
	}
	switch {
	case after == nil:
		return say(before, "VolumeAttachment to %s is gone")
	case before == nil:
		return say(after, "VolumeAttachment to %s created")
	case after.DeletionTimestamp != nil && before.DeletionTimestamp == nil:
		return say(after, "VolumeAttachment to %s is being deleted")
	case after.Status.Attached && !before.Status.Attached:
		return say(after, "attached to %s")
	}
	return nil
}

func observeClaim(before, after *corev1.PersistentVolumeClaim) []Event {
	if after == nil || before == nil || before.Status.Phase == after.Status.Phase {
		return nil
	}
	return []Event{{
		Sort: Volume, Object: "claim/" + after.Namespace + "/" + after.Name,
		Message: fmt.Sprintf("%s to %s", after.Status.Phase, after.Spec.VolumeName),
	}}
}

func observeDaemonSet(before, after *appsv1.DaemonSet) []Event {
	if before == nil || after == nil {
		return nil
	}
	var events []Event
	for i, c := range after.Spec.Template.Spec.Containers {
		if i >= len(before.Spec.Template.Spec.Containers) {
			break
		}
		was := before.Spec.Template.Spec.Containers[i].Resources.Requests
		if !equality.Semantic.DeepEqual(was, c.Resources.Requests) {
			events = append(events, Event{
				Sort: Workload, Object: "daemonset/" + after.Namespace + "/" + after.Name,
				Message: fmt.Sprintf("container %s requests CPU %s, memory %s (before: %s, %s)", c.Name,
					c.Resources.Requests.Cpu(), c.Resources.Requests.Memory(), was.Cpu(), was.Memory()),
			})
		}
	}
	return events
}

func observeJob(before, after *batchv1.Job) []Event {
	if before == nil || after == nil || finished(before) || !finished(after) {
		return nil
	}
	for _, c := range after.Status.Conditions {
		if c.Status != corev1.ConditionTrue {
			continue
		}
		object := "job/" + after.Namespace + "/" + after.Name
		switch c.Type {
		case batchv1.JobFailed:
			return []Event{{Sort: Workload, Object: object, Message: "failed: " + c.Reason + ": " + c.Message}}
		case batchv1.JobComplete:
			return []Event{{Sort: Workload, Object: object, Message: "complete"}}
		}
	}
	return nil
}

func observeGroup(before, after *expr.Group) []Event {
	var events []Event
	say := func(format string, args ...any) {
		events = append(events, Event{Sort: Cloud, Object: "group/" + after.Name, Message: fmt.Sprintf(format, args...)})
	}
	if after.Desired != before.Desired {
		say("desired size %d (before: %d)", after.Desired, before.Desired)
	}
	states := map[string]string{}
	for _, i := range before.Instances {
		states[i.ID] = i.State
	}
	for _, i := range after.Instances {
		switch was, known := states[i.ID]; {
		case !known:
			say("launches %s in %s", i.ID, i.Zone)
		case was != i.State && i.State != string(cloud.Running):
			say("%s in %s is %s", i.ID, i.Zone, i.State)
		}
	}
	return events
}
