package repairpolicy

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/ledger"
)

// no is a Remediation of a node's network, an age old, that a person rejected.
func no(name, of string, since metav1.Time, age time.Duration, change func(*v1alpha1.Remediation)) v1alpha1.Remediation {
	return past(name, of, since, func(r *v1alpha1.Remediation) {
		ended(v1alpha1.RemediationRejectedReason, age)(r)
		r.CreationTimestamp, r.Spec.Approval = ago(age), v1alpha1.Rejected
		if change != nil {
			change(r)
		}
	})
}

// TestRejectionStands has other Remediations made and ended after the one that a person rejected: by other rules, for other
// conditions of the node, by somebody's hand.
func TestRejectionStands(t *testing.T) {
	since := ago(3 * time.Hour)
	down := network(corev1.ConditionFalse, "InterfaceNotUp", since)
	after := past("after", "a", ago(90*time.Minute), ended(v1alpha1.RemediationNotNeededReason, time.Hour))
	after.Spec.Evidence.Condition = "KernelReady"
	for name, tc := range map[string]struct {
		rule     v1alpha1.Action
		rejected func(*v1alpha1.Remediation)
		ledger   []ledger.Entry
		node     func(*corev1.Node)
		want     int
	}{
		"the same":                 {rule: v1alpha1.ActionReboot},
		"a rule for a harsher one": {rule: v1alpha1.ActionReplace},
		"another policy's":         {rule: v1alpha1.ActionReboot, rejected: func(r *v1alpha1.Remediation) { r.Spec.Policy.Name = "another" }},
		"the next step of a ladder": {
			rule: v1alpha1.ActionReboot, ledger: []ledger.Entry{{Remediation: "x", Node: "a", Action: v1alpha1.ActionReboot, Ended: now.Add(-30 * time.Minute), Result: ledger.NotHelped}},
		},
		"the reason is another": {rule: v1alpha1.ActionReboot, node: func(n *corev1.Node) { n.Status.Conditions[1].Reason = "RouteMissing" }},
		"it was well in between": {
			rule: v1alpha1.ActionReboot, want: 1, node: func(n *corev1.Node) { n.Status.Conditions[1].LastTransitionTime = ago(time.Hour) },
		},
		"another node of the name": {rule: v1alpha1.ActionReboot, want: 1, node: func(n *corev1.Node) { n.UID = "another" }},
		"another status":           {rule: v1alpha1.ActionReboot, want: 1, rejected: func(r *v1alpha1.Remediation) { r.Spec.Evidence.Status = "Unknown" }},
		"a drill":                  {rule: v1alpha1.ActionReboot, want: 1, rejected: func(r *v1alpha1.Remediation) { r.Spec.Drill = &v1alpha1.Drill{} }},
	} {
		t.Run(name, func(t *testing.T) {
			n := node("a", down)
			if tc.node != nil {
				tc.node(n)
			}
			p := policy("p", "a", rule("link", 5*time.Minute, tc.rule))
			p.Spec.Escalation = []v1alpha1.EscalationStep{{Action: v1alpha1.ActionReboot}, {Action: v1alpha1.ActionReplace}}
			all := []v1alpha1.Remediation{no("no", "a", since, 2*time.Hour, tc.rejected), after}
			plan := Propose([]v1alpha1.NodeRepairPolicy{p}, []*corev1.Node{n}, all, ledger.Ledger{Entries: tc.ledger}, now)
			if len(plan.Remediations) != tc.want {
				t.Errorf("proposed %d, want %d", len(plan.Remediations), tc.want)
			}
		})
	}
}

func TestNeeded(t *testing.T) {
	since := ago(time.Hour)
	unhealthy := node("a", network(corev1.ConditionFalse, "", since), corev1.NodeCondition{Type: "KernelReady", Status: "False", LastTransitionTime: since})
	well := node("b", network(corev1.ConditionTrue, "", since))
	kernel := func(r *v1alpha1.Remediation) { r.Spec.Evidence.Condition = "KernelReady" }
	all := []v1alpha1.Remediation{
		no("stands", "a", since, 50*time.Minute, nil), no("stands-too", "a", since, 40*time.Minute, kernel),
		no("stands-again", "a", since, 55*time.Minute, nil), no("another-time", "a", ago(2*time.Hour), 45*time.Minute, nil),
		no("well-again", "b", since, 30*time.Minute, nil), no("nobody", "c", since, 30*time.Minute, nil),
		past("before", "b", since, func(r *v1alpha1.Remediation) { ended("", time.Hour)(r); r.CreationTimestamp = ago(time.Hour) }),
		past("last", "a", since, func(r *v1alpha1.Remediation) { ended("", time.Minute)(r); r.CreationTimestamp = ago(time.Minute) }),
		past("drill", "a", since, func(r *v1alpha1.Remediation) { r.CreationTimestamp, r.Spec.Drill = ago(0), &v1alpha1.Drill{} }),
	}
	// The last of b was rejected, and its evidence is gone.
	want := map[string]bool{"stands": true, "stands-too": true, "last": true, "well-again": true}
	if diff := cmp.Diff(want, NeededRemediations([]*corev1.Node{unhealthy, well}, all)); diff != "" {
		t.Errorf("needed (-want +got):\n%s", diff)
	}
}

// TestNeededIsBounded makes rejections by the thousand: there are no more needed than nodes and their conditions.
func TestNeededIsBounded(t *testing.T) {
	since := ago(time.Hour)
	var all []v1alpha1.Remediation
	for i := range 5000 {
		all = append(all, no(fmt.Sprint("no-", i), "a", since, time.Minute, func(r *v1alpha1.Remediation) { r.Spec.Policy.Name = fmt.Sprint("p-", i) }))
	}
	unhealthy := node("a", network(corev1.ConditionFalse, "", since))
	if n := len(NeededRemediations([]*corev1.Node{unhealthy}, all)); n == 0 || n > 2 {
		t.Errorf("%d are needed of one node with one condition that is unhealthy", n)
	}
}
