package play

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	cloudproviderapi "k8s.io/cloud-provider/api"
)

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
	if was, is := before.Status.NodeInfo.BootID, after.Status.NodeInfo.BootID; was != "" && was != is {
		say(after.Name, "rebooted")
	}
	for _, changes := range monitors(before, after) {
		say(after.Name, "%s", changes)
	}
	if added := taintsOnlyIn(after, before); len(added) > 0 {
		say(after.Name, "tainted %s", strings.Join(added, ", "))
	}
	if removed := taintsOnlyIn(before, after); len(removed) > 0 {
		say(after.Name, "no longer tainted %s", strings.Join(removed, ", "))
	}
	return events
}

// monitors is what the conditions that others than the kubelet write say that they did not say before.
func monitors(before, after *corev1.Node) []string {
	var changes []string
	for _, c := range after.Status.Conditions {
		switch {
		case !monitored(c.Type):
		case c.Status != corev1.ConditionTrue && !sameCondition(before, c):
			changes = append(changes, fmt.Sprintf("%s is %s: %s", c.Type, c.Status, c.Reason))
		case c.Status == corev1.ConditionTrue && turned(before, c):
			changes = append(changes, fmt.Sprintf("%s is True again", c.Type))
		}
	}
	return changes
}

// monitored says whether a condition is written by others than the kubelet.
func monitored(t corev1.NodeConditionType) bool {
	switch t {
	case corev1.NodeReady, corev1.NodeMemoryPressure, corev1.NodeDiskPressure, corev1.NodePIDPressure, corev1.NodeNetworkUnavailable:
		return false
	}
	return true
}

func sameCondition(n *corev1.Node, c corev1.NodeCondition) bool {
	return slices.ContainsFunc(n.Status.Conditions, func(o corev1.NodeCondition) bool {
		return o.Type == c.Type && o.Status == c.Status && o.Reason == c.Reason
	})
}

// turned says whether a condition had another status.
func turned(n *corev1.Node, c corev1.NodeCondition) bool {
	return slices.ContainsFunc(n.Status.Conditions, func(o corev1.NodeCondition) bool { return o.Type == c.Type && o.Status != c.Status })
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

// echo says whether a taint only repeats what the timeline says anyway, or changes with every scan of an autoscaler.
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
