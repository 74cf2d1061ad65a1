package play

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func messages(events []Event) []string {
	var said []string
	for _, e := range events {
		said = append(said, e.Object+": "+e.Message)
	}
	return said
}

func TestObserveRemediation(t *testing.T) {
	step := func(name, result string) map[string]any { return map[string]any{"name": name, "result": result} }
	remediation := func(phase string, conditions []any, steps ...any) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{
			"kind": "Remediation", "metadata": map[string]any{"name": "r"},
			"spec":   map[string]any{"plan": []any{map[string]any{"action": "Reboot"}}, "node": map[string]any{"name": "n"}, "evidence": map[string]any{"reason": "InterfaceNotUp"}},
			"status": map[string]any{"phase": phase, "steps": steps, "conditions": conditions},
		}}
	}
	ended := []any{map[string]any{"type": "Succeeded", "status": "True", "reason": "AsForecast", "message": "as told"}}
	policy := &unstructured.Unstructured{Object: map[string]any{"kind": "NodeRepairPolicy", "metadata": map[string]any{"name": "p"}}}
	evict := map[string]any{"action": "Evict"}
	evictions := &unstructured.Unstructured{Object: map[string]any{
		"kind": "Remediation", "metadata": map[string]any{"name": "e"},
		"spec": map[string]any{"plan": []any{evict, evict}, "evidence": map[string]any{"reason": "OutOfBalance"}},
	}}
	tests := map[string]struct {
		before, after any
		want          []string
	}{
		"proposed":      {nil, remediation("", nil), []string{"remediation/r: Reboot of node/n proposed: InterfaceNotUp"}},
		"evictions":     {nil, evictions, []string{"remediation/e: Evict of 2 proposed: OutOfBalance"}},
		"a step begins": {remediation("Running", nil), remediation("Running", nil, step("Cordon", "")), []string{"remediation/r: step Cordon begun"}},
		"a step ends, the next begins": {
			remediation("Running", nil, step("Cordon", "")), remediation("Running", nil, step("Cordon", "Done"), step("Drain", "")),
			[]string{"remediation/r: step Cordon Done", "remediation/r: step Drain begun"},
		},
		"ended": {
			remediation("Running", nil), remediation("Ended", ended),
			[]string{"remediation/r: Ended", "remediation/r: Succeeded is True: AsForecast: as told"},
		},
		"nothing new": {remediation("Ended", ended), remediation("Ended", ended), nil},
		"gone":        {remediation("Ended", ended), nil, nil},
		"a policy":    {nil, policy, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, messages(observe(tt.before, tt.after))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestObserveMonitoredConditions(t *testing.T) {
	monitored := func(status corev1.ConditionStatus, reason, boot string) *corev1.Node {
		n := node(corev1.ConditionTrue)
		n.Status.NodeInfo.BootID = boot
		n.Status.Conditions = append(n.Status.Conditions,
			corev1.NodeCondition{Type: "NetworkingReady", Status: status, Reason: reason},
			corev1.NodeCondition{Type: corev1.NodeMemoryPressure, Status: corev1.ConditionFalse})
		return n
	}
	well, unhealthy := monitored(corev1.ConditionTrue, "NetworkingIsReady", "1"), monitored(corev1.ConditionFalse, "InterfaceNotUp", "1")
	tests := map[string]struct {
		before, after *corev1.Node
		want          []string
	}{
		"unhealthy":       {well, unhealthy, []string{"node/n: NetworkingReady is False: InterfaceNotUp"}},
		"still unhealthy": {unhealthy, unhealthy, nil},
		"another reason":  {unhealthy, monitored(corev1.ConditionFalse, "IPAMDNotReady", "1"), []string{"node/n: NetworkingReady is False: IPAMDNotReady"}},
		"well again":      {unhealthy, well, []string{"node/n: NetworkingReady is True again"}},
		"first report":    {node(corev1.ConditionTrue), well, nil},
		"rebooted":        {well, monitored(corev1.ConditionTrue, "NetworkingIsReady", "2"), []string{"node/n: rebooted"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, messages(observe(tt.before, tt.after))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
