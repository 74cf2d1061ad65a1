package noderepair

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// TestCompetingRepairers: a repairer of which not everything is known competes for the conditions that it may act on, or for all if nothing is known.
func TestCompetingRepairers(t *testing.T) {
	onReady := []cloud.RepairerRule{{Condition: corev1.NodeReady, Status: corev1.ConditionFalse, Action: v1alpha1.ActionReplace}}
	spared := []cloud.RepairerRule{{Condition: corev1.NodeReady, Status: corev1.ConditionFalse, Action: v1alpha1.ActionNone}}
	unknown := sentence.CloudGKERepair("group/a")
	for name, tc := range map[string]struct {
		repairer   cloud.Repairer
		ready, net bool // whether it competes for Ready, and for NetworkingReady
	}{
		"known":                   {cloud.Repairer{Rules: onReady}, true, false},
		"known to leave it alone": {cloud.Repairer{Rules: spared}, false, false},
		"unknown, with the conditions it acts on": {cloud.Repairer{Rules: onReady, Unknown: unknown}, true, false},
		"unknown": {cloud.Repairer{Unknown: unknown}, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			tc.repairer.By, tc.repairer.Nodes = change.Ref{Kind: "Group", Name: "a"}, []string{"n"}
			for condition, want := range map[corev1.NodeConditionType]bool{corev1.NodeReady: tc.ready, "NetworkingReady": tc.net} {
				node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}}
				node.Status.Conditions = []corev1.NodeCondition{{Type: condition, Status: corev1.ConditionFalse}}
				rules := []v1alpha1.RepairRule{{Condition: string(condition), Status: metav1.ConditionFalse, Action: v1alpha1.ActionReboot}}
				if got := len(competingRepairersOf([]cloud.Repairer{tc.repairer}, node)) > 0; got != want {
					t.Errorf("it competes for a node with %s: %v, want %v", condition, got, want)
				}
				if got := len(competingRepairersIn([]cloud.Repairer{tc.repairer}, rules, []*corev1.Node{node})) > 0; got != want {
					t.Errorf("it competes with a policy for %s: %v, want %v", condition, got, want)
				}
			}
		})
	}
}
