package repair

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/message"
)

var began = time.Date(2026, 11, 20, 15, 0, 0, 0, time.UTC)

func micro(after time.Duration) metav1.MicroTime { return metav1.NewMicroTime(began.Add(after)) }

func agentSays(state v1alpha1.AgentState, hops ...v1alpha1.HopName) *v1alpha1.AgentReport {
	report := &v1alpha1.AgentReport{State: state, At: micro(time.Second), Version: "v1", Message: "its words"}
	for i, hop := range hops {
		report.Hops = append(report.Hops, v1alpha1.Hop{Name: hop, At: micro(time.Duration(i+2) * time.Second)})
	}
	return report
}

func stepped(results ...v1alpha1.StepResult) []v1alpha1.Step {
	names := []v1alpha1.StepName{v1alpha1.StepDetect, v1alpha1.StepMatch, v1alpha1.StepAssess, v1alpha1.StepGuard, v1alpha1.StepAct}
	var all []v1alpha1.Step
	for i, result := range results {
		at := micro(time.Duration(i+6) * time.Second)
		all = append(all, v1alpha1.Step{Name: names[i], StartedAt: at, EndedAt: &at, Result: result, Message: string(names[i]) + " says"})
	}
	return all
}

func ending(status metav1.ConditionStatus) []metav1.Condition {
	return []metav1.Condition{{Type: v1alpha1.RemediationSucceeded, Status: status, Message: "the end"}}
}

// TestFollow fails each hop of a drill in turn, and requires that only that one is named.
func TestFollow(t *testing.T) {
	whole := []v1alpha1.HopName{v1alpha1.HopFault, v1alpha1.HopDetect, v1alpha1.HopEvidence, v1alpha1.HopReport}
	const done, failed, skipped = v1alpha1.StepDone, v1alpha1.StepFailed, v1alpha1.StepSkipped
	for name, tc := range map[string]struct {
		status   v1alpha1.RemediationStatus
		passed   string
		failedAt HopName
		next     HopName
		why      string
		over     bool
	}{
		"nobody has answered":      {v1alpha1.RemediationStatus{}, "", "", HopAgent, "", false},
		"the agent refuses":        {v1alpha1.RemediationStatus{Agent: agentSays(v1alpha1.AgentRefused)}, "", HopAgent, HopAgent, "its words", true},
		"taken up":                 {v1alpha1.RemediationStatus{Agent: agentSays(v1alpha1.AgentAccepted)}, "Agent", "", HopFault, "", false},
		"no fault":                 {v1alpha1.RemediationStatus{Agent: agentSays(v1alpha1.AgentFailed)}, "Agent", HopFault, HopFault, "its words", true},
		"not detected":             {v1alpha1.RemediationStatus{Agent: agentSays(v1alpha1.AgentFailed, whole[:1]...)}, "Agent Fault", HopDetect, HopDetect, "its words", true},
		"not evidence enough":      {v1alpha1.RemediationStatus{Agent: agentSays(v1alpha1.AgentFailed, whole[:2]...)}, "Agent Fault Detect", HopEvidence, HopEvidence, "its words", true},
		"not reported":             {v1alpha1.RemediationStatus{Agent: agentSays(v1alpha1.AgentFailed, whole[:3]...)}, "Agent Fault Detect Evidence", HopReport, HopReport, "its words", true},
		"the controller is silent": {v1alpha1.RemediationStatus{Agent: agentSays(v1alpha1.AgentDone, whole...)}, "Agent Fault Detect Evidence Report", "", HopController, "", false},
		"no rule": {v1alpha1.RemediationStatus{
			Agent: agentSays(v1alpha1.AgentDone, whole...), Steps: stepped(done, failed), Phase: v1alpha1.PhaseEnded, Conditions: ending("False"),
		}, "Agent Fault Detect Evidence Report Controller", HopMatch, HopMatch, "Match says", true},
		"not assessed": {v1alpha1.RemediationStatus{
			Agent: agentSays(v1alpha1.AgentDone, whole...), Steps: stepped(done, done, failed), Phase: v1alpha1.PhaseEnded, Conditions: ending("False"),
		}, "Agent Fault Detect Evidence Report Controller Match", HopAssess, HopAssess, "Assess says", true},
		"the guard denies it": {v1alpha1.RemediationStatus{
			Agent: agentSays(v1alpha1.AgentDone, whole...), Steps: stepped(done, done, done, failed), Phase: v1alpha1.PhaseEnded, Conditions: ending("False"),
		}, "Agent Fault Detect Evidence Report Controller Match Assess", HopGuard, HopGuard, "Guard says", true},
		"the action would be refused": {v1alpha1.RemediationStatus{
			Agent: agentSays(v1alpha1.AgentDone, whole...), Steps: stepped(done, done, done, done, failed), Phase: v1alpha1.PhaseEnded, Conditions: ending("False"),
		}, "Agent Fault Detect Evidence Report Controller Match Assess Guard", HopAction, HopAction, "Act says", true},
		"whole": {v1alpha1.RemediationStatus{
			Agent: agentSays(v1alpha1.AgentDone, whole...), Steps: stepped(done, done, done, done, skipped), Phase: v1alpha1.PhaseEnded, Conditions: ending("True"),
		}, "Agent Fault Detect Evidence Report Controller Match Assess Guard Action", "", HopAction, "", true},
		"the controller tells that the agent failed": {v1alpha1.RemediationStatus{
			Agent: agentSays(v1alpha1.AgentFailed, whole[:1]...), Steps: stepped(failed), Phase: v1alpha1.PhaseEnded, Conditions: ending("False"),
		}, "Agent Fault", HopDetect, HopDetect, "its words", true},
		"ended without a word": {v1alpha1.RemediationStatus{Phase: v1alpha1.PhaseEnded, Conditions: ending("False")}, "", HopAgent, HopAgent, "the end", true},
	} {
		t.Run(name, func(t *testing.T) {
			p := follow(&v1alpha1.Remediation{Status: tc.status}, began)
			var passed []string
			for _, hop := range p.hops {
				passed = append(passed, string(hop.Name))
				if hop.Latency != "1s" {
					t.Errorf("%s took %s, want 1s", hop.Name, hop.Latency)
				}
			}
			if got := strings.Join(passed, " "); got != tc.passed || p.failedAt != tc.failedAt || p.why != tc.why || p.over != tc.over || p.next() != tc.next {
				t.Errorf("passed %s, failed at %q: %s, over %v, next %s; want %+v", got, p.failedAt, p.why, p.over, p.next(), tc)
			}
		})
	}
}

func TestComplete(t *testing.T) {
	for name, tc := range map[string]struct {
		args []string
		o    DrillOptions
		want string // of the error
	}{
		"a node":                       {[]string{"node/a"}, DrillOptions{Reason: "InterfaceNotUp"}, ""},
		"nothing":                      {nil, DrillOptions{}, "give it as node/NAME"},
		"a pod":                        {[]string{"pod/a"}, DrillOptions{}, "give it as node/NAME"},
		"two nodes":                    {[]string{"node/a", "node/b"}, DrillOptions{}, "give it as node/NAME"},
		"act, and no word of the node": {[]string{"node/a"}, DrillOptions{Act: true}, "no node is given as expendable"},
		"act on another node":          {[]string{"node/a"}, DrillOptions{Act: true, Expendable: "node/b", Reason: "InterfaceNotUp"}, "is not node/a"},
		"act":                          {[]string{"node/a"}, DrillOptions{Act: true, Expendable: "node/a", Reason: "InterfaceNotUp"}, ""},
		"act, the node named once":     {nil, DrillOptions{Act: true, Expendable: "node/a", Reason: "InterfaceNotUp"}, ""},
		"act on a bare name":           {nil, DrillOptions{Act: true, Expendable: "a", Reason: "InterfaceNotUp"}, "give it as node/NAME"},
		"expendable, and no act":       {[]string{"node/a"}, DrillOptions{Expendable: "node/a"}, "without --act"},
		"act for a reason of others":   {nil, DrillOptions{Act: true, Expendable: "node/a", Reason: "NvidiaNVLinkError"}, "give the condition"},
		"act for it on its condition":  {nil, DrillOptions{Act: true, Expendable: "node/a", Reason: "NvidiaNVLinkError", Condition: "AcceleratedHardwareReady"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			err := tc.o.Complete(tc.args)
			switch {
			case tc.want == "" && err != nil, tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)):
				t.Errorf("err = %v, want %q", err, tc.want)
			case err == nil && tc.o.Node != "a":
				t.Errorf("node %q", tc.o.Node)
			case err == nil && tc.o.Act && tc.o.Condition == "":
				t.Error("nothing says which condition")
			}
		})
	}
}

func TestSeen(t *testing.T) {
	before := &corev1.Node{}
	before.UID, before.Status.NodeInfo.BootID = "u", "b1"
	for name, tc := range map[string]struct {
		change     func(*corev1.Node)
		says, sign string
	}{
		"nothing":               {func(*corev1.Node) {}, "", ""},
		"rebooted":              {func(n *corev1.Node) { n.Status.NodeInfo.BootID = "b2" }, "rebooted", ""},
		"replaced":              {func(n *corev1.Node) { n.UID = "v" }, "another machine", ""},
		"cordoned":              {func(n *corev1.Node) { n.Spec.Unschedulable = true }, "", "spec.unschedulable"},
		"going":                 {func(n *corev1.Node) { n.DeletionTimestamp = new(metav1.NewTime(began)) }, "", "metadata.deletionTimestamp"},
		"tainted":               {func(n *corev1.Node) { n.Spec.Taints = []corev1.Taint{{Key: "a"}} }, "", "spec.taints"},
		"its word is not there": {func(n *corev1.Node) { n.Status.NodeInfo.BootID = "" }, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			trial := &conditionDrill{DrillOptions: &DrillOptions{Node: "a", node: before, Say: message.English()}}
			now := before.DeepCopy()
			tc.change(now)
			if says := trial.observedAction(now); !strings.Contains(says, tc.says) || (says == "") != (tc.says == "") || trial.sign != tc.sign {
				t.Errorf("%q, sign %q; want %q, %q", says, trial.sign, tc.says, tc.sign)
			}
		})
	}
}
