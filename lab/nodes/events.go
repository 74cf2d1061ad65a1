package nodes

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes/scheme"
)

// event is an Event before it is recorded. Reasons and words are those of pkg/kubelet/events and where they are used.
type event struct {
	kind, reason, message string
	container             *corev1.Container // nil when it is the pod's
}

// podEvents are the Events that a kubelet records while a pod's state changes from before to after.
func podEvents(pod *corev1.Pod, before, after podState) []event {
	var all []event
	say := func(c *corev1.Container, kind, reason, message string, args ...any) {
		all = append(all, event{kind, reason, fmt.Sprintf(message, args...), c})
	}
	if d := after.termination; d != nil && before.termination == nil {
		kind := corev1.EventTypeWarning
		if d.reason == "DeadlineExceeded" {
			kind = corev1.EventTypeNormal
		}
		say(nil, kind, d.reason, "%s", d.message)
	}
	for i := range after.containers {
		c, was, is := containerSpec(pod, i), before.containers[i], after.containers[i]
		if is.stage == starting && was.stage != starting {
			say(c, corev1.EventTypeNormal, "Pulling", "Pulling image %q", c.Image)
		}
		if !is.started.Equal(was.started) {
			if was.stage == starting {
				say(c, corev1.EventTypeNormal, "Pulled", "Successfully pulled image %q", c.Image)
			} else {
				say(c, corev1.EventTypeNormal, "Pulled", "Container image %q already present on machine", c.Image)
			}
			say(c, corev1.EventTypeNormal, "Created", "Container created")
			say(c, corev1.EventTypeNormal, "Started", "Container started")
		}
		if is.stage == stopping && was.stage != stopping {
			if after.killAt.IsZero() {
				say(c, corev1.EventTypeWarning, "Unhealthy", "Liveness probe failed: HTTP probe failed with statuscode: 500")
				say(c, corev1.EventTypeNormal, "Killing", "Container %s failed liveness probe, will be restarted", c.Name)
			} else {
				say(c, corev1.EventTypeNormal, "Killing", "Stopping container %s", c.Name)
			}
		}
		if is.crashing() && !was.crashing() {
			say(c, corev1.EventTypeWarning, "BackOff", "Back-off restarting failed container %s in pod %s", c.Name, podFullName(pod))
		}
	}
	return all
}

func failedMountEvent(pod *corev1.Pod) event {
	var names []string
	for i := range pod.Spec.Volumes {
		if claimOf(pod, &pod.Spec.Volumes[i]) != "" {
			names = append(names, pod.Spec.Volumes[i].Name)
		}
	}
	return event{corev1.EventTypeWarning, "FailedMount", fmt.Sprintf("Unable to attach or mount volumes: "+
		"unmounted volumes=%v, unattached volumes=%v, failed to process volumes=[]: context deadline exceeded", names, names), nil}
}

// failedSandboxEvent is what a kubelet says when the VPC CNI has no address for a pod
// (https://github.com/aws/amazon-vpc-cni-k8s/blob/master/docs/troubleshooting.md).
func failedSandboxEvent(pod *corev1.Pod) event {
	return event{corev1.EventTypeWarning, "FailedCreatePodSandBox", fmt.Sprintf("Failed to create pod sandbox: rpc error: "+
		"code = Unknown desc = failed to setup network for sandbox %q: plugin type=\"aws-cni\" name=\"aws-cni\" failed (add): "+
		"add cmd: failed to assign an IP address to container", digest("sandbox", string(pod.UID))), nil}
}

// nodeEvents are the Events that a kubelet records when it has changed its node's status from old to status.
func nodeEvents(name string, old, status *corev1.NodeStatus) []event {
	var all []event
	say := func(reason string) {
		all = append(all, event{corev1.EventTypeNormal, reason, fmt.Sprintf("Node %s status is now: %s", name, reason), nil})
	}
	if was, is := old.NodeInfo.BootID, status.NodeInfo.BootID; was != "" && was != is {
		all = append(all, event{corev1.EventTypeWarning, "Rebooted", fmt.Sprintf("Node %s has been rebooted, boot id: %s", name, is), nil})
	}
	turned := func(t corev1.NodeConditionType, to corev1.ConditionStatus) bool {
		return nodeCondition(old, t) != to && nodeCondition(status, t) == to
	}
	if turned(corev1.NodeMemoryPressure, corev1.ConditionTrue) {
		say("NodeHasInsufficientMemory")
	}
	if turned(corev1.NodeMemoryPressure, corev1.ConditionFalse) {
		say("NodeHasSufficientMemory")
	}
	if turned(corev1.NodeReady, corev1.ConditionTrue) {
		say("NodeReady")
	}
	return all
}

// recordPodChanges records the Events of a pod, if Events are wanted and the machine is connected.
func (f *Fleet) recordPodChanges(k *kubelet, pod *corev1.Pod, before, after podState) {
	if f.events == nil || !k.currentState().connected() {
		return
	}
	for _, h := range podEvents(pod, before, after) {
		f.recordPodEvent(k, pod, h)
	}
}

func (f *Fleet) recordPodEvent(k *kubelet, pod *corev1.Pod, h event) {
	ref := &corev1.ObjectReference{
		APIVersion: "v1", Kind: "Pod", Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID, ResourceVersion: pod.ResourceVersion,
	}
	if h.container != nil {
		ref.FieldPath = "spec.containers{" + h.container.Name + "}"
		for i := range pod.Spec.InitContainers {
			if &pod.Spec.InitContainers[i] == h.container {
				ref.FieldPath = "spec.initContainers{" + h.container.Name + "}"
			}
		}
	}
	f.recordEvent(k, ref, h)
}

func (f *Fleet) recordNodeEvent(k *kubelet, h event) {
	f.recordEvent(k, &corev1.ObjectReference{APIVersion: "v1", Kind: "Node", Name: k.NodeName}, h)
}

func (f *Fleet) recordEvent(k *kubelet, about *corev1.ObjectReference, h event) {
	if f.events == nil || !k.currentState().connected() {
		return
	}
	f.events.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "kubelet", Host: k.NodeName}).Event(about, h.kind, h.reason, h.message)
}
