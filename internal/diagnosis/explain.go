package diagnosis

import (
	"context"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
)

// defaultScheduler is the name of kube-scheduler's default profile (k8s.io/api/core/v1 DefaultSchedulerName).
const defaultScheduler = corev1.DefaultSchedulerName

// Explain says why a pod is as it is. The View's subject must be a pod of its world.
func Explain(ctx context.Context, v View) finding.Explanation {
	pod := v.Pods()[0]
	e := finding.Explanation{Subject: refTo(cluster.Pod, pod), State: podState(pod), Summary: podSummary(v, pod)}
	e.NotModelled = notModelled(v, pod)
	if pod.Status.Phase == corev1.PodPending {
		e.Findings, e.Unknown = find(ctx, Rules(), v)
	}
	if len(e.Findings) > 0 {
		e.Summary = e.Findings[0].Message
	}
	return complete(e)
}

// notModelled is what might hold the pod and is not judged.
func notModelled(v View, pod *corev1.Pod) []finding.Gap {
	about := func(what string, id message.ID, args message.Args) finding.Gap {
		return finding.Gap{About: what, Message: v.Say.Text(id, args)}
	}
	switch {
	case pod.Status.Phase != corev1.PodPending || pod.DeletionTimestamp != nil:
		return nil
	case !waitsForNode(pod):
		return []finding.Gap{about(refTo(cluster.Pod, pod).String(), message.PodNotModelled, nil)}
	}
	gaps := []finding.Gap{about("scheduling", message.FitNotModelled, nil)}
	if name := pod.Spec.SchedulerName; name != "" && name != defaultScheduler {
		gaps = append(gaps, about("scheduling", message.OtherScheduler, message.Args{"scheduler": name}))
	}
	for _, m := range mounts(v.World, pod) {
		claim := refTo(cluster.PersistentVolumeClaim, m.claim)
		switch {
		case m.tie == tiedToZone:
			if nodes := openNodes(v.World, pod, m); len(nodes) > 0 {
				gaps = append(gaps, about(claim.String(), message.NodesOpen, message.Args{
					"claim": claim, "zones": m.zones, "nodes": refStrings(nodes[:min(len(nodes), mostListed)]),
				}))
			}
		case m.tie == tiedOther:
			volume := refTo(cluster.PersistentVolume, m.volume)
			gaps = append(gaps, about(claim.String(), message.VolumeElsewhere, message.Args{"claim": claim, "volume": volume}))
		case m.tie == tiedUnsure && m.claim.Spec.VolumeName == "":
			gaps = append(gaps, about(claim.String(), message.ClaimUnbound, message.Args{"claim": claim}))
		}
	}
	return gaps
}

// openNodes are those that the mount allows and whose own state leaves them open to the pod.
func openNodes(world *cluster.Snapshot, pod *corev1.Pod, m mount) []change.Ref {
	var refs []change.Ref
	for _, node := range world.Nodes() {
		if open(pod, node, []mount{m}) {
			refs = append(refs, refTo(cluster.Node, node))
		}
	}
	return refs
}

// podState is the pod's state in a word, as kubectl get shows it.
func podState(pod *corev1.Pod) string {
	switch {
	case pod.DeletionTimestamp != nil:
		return "Terminating"
	case len(pod.Spec.SchedulingGates) > 0 && pod.Spec.NodeName == "":
		return corev1.PodReasonSchedulingGated
	case pod.Status.Phase == corev1.PodPending && pod.Spec.NodeName != "":
		if reason, _ := waiting(pod); reason != "" {
			return reason
		}
		return "ContainerCreating"
	case pod.Status.Reason != "":
		return pod.Status.Reason
	default:
		return string(pod.Status.Phase)
	}
}

// podSummary is the pod's state in a sentence.
func podSummary(v View, pod *corev1.Pod) string {
	args := message.Args{"pod": refTo(cluster.Pod, pod), "node": change.Ref{Kind: string(cluster.Node), Name: pod.Spec.NodeName}}
	say := func(id message.ID, more ...any) string {
		for i := 0; i+1 < len(more); i += 2 {
			args[more[i].(string)] = more[i+1]
		}
		return v.Say.Text(id, args)
	}
	switch {
	case pod.DeletionTimestamp != nil:
		return say(message.PodDeleting)
	case pod.Status.Phase == corev1.PodSucceeded:
		return say(message.PodFinished)
	case pod.Status.Phase == corev1.PodFailed:
		return say(message.PodFailed, "why", failure(pod))
	case pod.Status.Phase == corev1.PodRunning:
		if ready := podCondition(pod, corev1.PodReady); ready != nil && ready.Status != corev1.ConditionTrue {
			return say(message.PodNotReady, "why", ready.Message)
		}
		return say(message.PodRunning)
	case pod.Status.Phase != corev1.PodPending:
		return say(message.PodUnknown, "state", string(pod.Status.Phase))
	case pod.Spec.NodeName != "":
		reason, text := waiting(pod)
		if reason == "" {
			return say(message.PodPlaced)
		}
		return say(message.PodNotStarted, "why", strings.TrimSpace(reason+" "+text))
	default:
		return pendingSummary(pod, say)
	}
}

func pendingSummary(pod *corev1.Pod, say func(message.ID, ...any) string) string {
	scheduled := podCondition(pod, corev1.PodScheduled)
	switch {
	case len(pod.Spec.SchedulingGates) > 0:
		var gates []string
		for _, gate := range pod.Spec.SchedulingGates {
			gates = append(gates, gate.Name)
		}
		return say(message.PodGated, "gates", gates)
	case scheduled == nil:
		return say(message.PodUnseen, "scheduler", pod.Spec.SchedulerName)
	case pod.Status.NominatedNodeName != "":
		return say(message.PodNominated, "node", change.Ref{Kind: string(cluster.Node), Name: pod.Status.NominatedNodeName})
	default:
		return say(message.PodPending, "why", scheduled.Message)
	}
}

// waiting is why the pod's first container that does not run waits.
func waiting(pod *corev1.Pod) (reason, text string) {
	for _, status := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		if w := status.State.Waiting; w != nil {
			return w.Reason, w.Message
		}
	}
	return "", ""
}

// failure is what the pod's status says of its end: its own message, or how its first failed container ended.
func failure(pod *corev1.Pod) string {
	if pod.Status.Message != "" {
		return pod.Status.Message
	}
	for _, status := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		if ended := status.State.Terminated; ended != nil && ended.ExitCode != 0 {
			return ended.Reason + ", exit code " + strconv.Itoa(int(ended.ExitCode))
		}
	}
	return pod.Status.Reason
}

func podCondition(pod *corev1.Pod, kind corev1.PodConditionType) *corev1.PodCondition {
	for i := range pod.Status.Conditions {
		if pod.Status.Conditions[i].Type == kind {
			return &pod.Status.Conditions[i]
		}
	}
	return nil
}

// complete makes every list an empty one rather than none, so that the JSON has the same shape for every answer.
func complete(e finding.Explanation) finding.Explanation {
	e.Findings, e.Unknown, e.NotModelled = list(e.Findings), list(e.Unknown), list(e.NotModelled)
	for i := range e.Findings {
		f := &e.Findings[i]
		f.Subjects, f.Causes, f.RuledOut = list(f.Subjects), list(f.Causes), list(f.RuledOut)
		f.Remedies, f.Unknown = list(f.Remedies), list(f.Unknown)
		for j := range f.Causes {
			f.Causes[j].Evidence = list(f.Causes[j].Evidence)
		}
		for j := range f.RuledOut {
			f.RuledOut[j].Evidence = list(f.RuledOut[j].Evidence)
		}
	}
	return e
}

func list[T any](items []T) []T {
	if items == nil {
		return []T{}
	}
	return items
}
