package repaircheck

import (
	"errors"
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/ledger"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

var now = time.Date(2026, 11, 20, 15, 0, 0, 0, time.UTC)

func ago(d time.Duration) metav1.Time { return metav1.NewTime(now.Add(-d)) }

func condition(kind, why string, beat time.Duration) corev1.NodeCondition {
	return corev1.NodeCondition{Type: corev1.NodeConditionType(kind), Status: corev1.ConditionTrue, Reason: why, LastHeartbeatTime: ago(beat), LastTransitionTime: ago(time.Hour)}
}

// node is one on which an agent's conditions were confirmed a minute ago.
func node(name string, conditions ...corev1.NodeCondition) *corev1.Node {
	n := &corev1.Node{}
	n.Name, n.Labels = name, map[string]string{corev1.LabelTopologyZone: "a", "pool": "p"}
	n.Spec.ProviderID = "aws:///a/i-" + name
	n.Status.Conditions = append([]corev1.NodeCondition{condition("Ready", "KubeletReady", time.Minute)}, conditions...)
	return n
}

func naosus() []corev1.NodeCondition {
	var all []corev1.NodeCondition
	for _, kind := range reason.Conditions {
		if !kind.Optional() {
			all = append(all, condition(string(kind), "NoFault", time.Minute))
		}
	}
	return all
}

func ekses() []corev1.NodeCondition {
	return []corev1.NodeCondition{
		condition("KernelReady", "KernelIsReady", time.Minute), condition("NetworkingReady", "NetworkingIsReady", time.Minute),
		condition("StorageReady", "DiskIsReady", time.Minute), condition("ContainerRuntimeReady", "ContainerRuntimeIsReady", time.Minute),
	}
}

func rule(name, condition string, action v1alpha1.Action, wait time.Duration, reasons ...string) v1alpha1.RepairRule {
	return v1alpha1.RepairRule{Name: name, Condition: condition, Status: metav1.ConditionFalse, Reasons: reasons, For: metav1.Duration{Duration: wait}, Action: action}
}

func one() *intstr.IntOrString { return new(intstr.FromInt32(1)) }

// drill is one that went the whole way through the policy, two days ago.
func drill(why string) v1alpha1.Remediation {
	r := v1alpha1.Remediation{}
	r.Name = "drill-1"
	r.Annotations = map[string]string{AgentImageAnnotation: "naosu-agent:1"}
	r.Spec.Node.Name = "n1"
	r.Spec.Drill = &v1alpha1.Drill{Nonce: "12345678", Reason: why, Depth: v1alpha1.DrillDryRun}
	r.Status.Phase = v1alpha1.PhaseEnded
	r.Status.Match = &v1alpha1.Match{Policy: v1alpha1.PolicyReference{Kind: "NodeRepairPolicy", Name: "workers", Rule: "network"}, Generation: 3, Plan: v1alpha1.NodePlan(v1alpha1.ActionReboot, "")}
	r.Status.Conditions = []metav1.Condition{{
		Type: v1alpha1.RemediationSucceeded, Status: metav1.ConditionTrue, Reason: v1alpha1.RemediationDrillPassedReason, LastTransitionTime: ago(48 * time.Hour),
	}}
	return r
}

// whole is a cluster on which naosu would repair: agent, policy, controller, permission and a drill are there.
func whole() Facts {
	policy := v1alpha1.NodeRepairPolicy{}
	policy.Name, policy.Generation = "workers", 3
	policy.Spec = v1alpha1.NodeRepairPolicySpec{
		Mode: v1alpha1.ModeAuto, Rules: []v1alpha1.RepairRule{rule("network", "NetworkingReady", v1alpha1.ActionReboot, 10*time.Minute)},
		Budgets: v1alpha1.Budgets{Zone: one(), Group: one(), Cluster: one()},
	}
	policy.Status = v1alpha1.NodeRepairPolicyStatus{
		ObservedGeneration: 3,
		Permissions:        []v1alpha1.Permission{{Action: v1alpha1.ActionReboot, Actuator: "aws", May: v1alpha1.MayYes}},
	}
	lease := &coordinationv1.Lease{}
	lease.Spec.HolderIdentity, lease.Spec.RenewTime, lease.Spec.LeaseDurationSeconds = new("c-1"), new(metav1.NewMicroTime(now.Add(-5*time.Second))), new(int32(15))
	return Facts{
		Now: now, Nodes: []*corev1.Node{node("n1", naosus()...), node("n2", naosus()...), node("n3", naosus()...)}, Agents: []Agent{Naosu},
		Groups:      map[string]string{"n1": "g", "n2": "g", "n3": "g"},
		AgentImages: map[string]string{"n1": "naosu-agent:1"},
		Policies:    []v1alpha1.NodeRepairPolicy{policy}, Remediations: []v1alpha1.Remediation{drill("InterfaceNotUp")},
		Ledger: &ledger.Ledger{}, Lease: lease,
	}
}

// managed is story 3's: the EKS agent, and a node group with a repair of its own.
func managed() Facts {
	rules := []cloud.RepairerRule{}
	for _, kind := range []corev1.NodeConditionType{"KernelReady", "NetworkingReady", "StorageReady", "ContainerRuntimeReady"} {
		rules = append(rules, cloud.RepairerRule{Condition: kind, Status: corev1.ConditionFalse, For: 30 * time.Minute, Action: v1alpha1.ActionReplace})
	}
	return Facts{
		Now: now, Nodes: []*corev1.Node{node("n1", ekses()...), node("n2", ekses()...)}, Agents: []Agent{EKS},
		Repairers: []cloud.Repairer{{By: change.Ref{Kind: "Group", Name: "workers"}, Nodes: []string{"n1", "n2"}, Rules: rules}},
		Own:       sentence.ProofOwnUnread("no such kind"),
	}
}

func policyOf(f *Facts) *v1alpha1.NodeRepairPolicy { return &f.Policies[0] }

// find is the row about a reason on n1.
func find(t *testing.T, rows []Row, why, by string) Row {
	t.Helper()
	for _, row := range rows {
		if row.Reason == why && row.By == by {
			return row
		}
	}
	t.Fatalf("no row for %s by %q", why, by)
	return Row{}
}

// TestEachLinkBreaks breaks each link in turn, and requires that only that one is named.
func TestEachLinkBreaks(t *testing.T) {
	const down, by = "InterfaceNotUp", "noderepairpolicy/workers"
	for name, tc := range map[string]struct {
		breaks  func(*Facts)
		reason  string
		verdict Verdict
		link    LinkName
		says    string
	}{
		"whole":                   {func(*Facts) {}, down, WouldAct, "", ""},
		"whole, no drill needed":  {func(f *Facts) { f.Remediations = []v1alpha1.Remediation{repaired()} }, down, WouldAct, "", ""},
		"switched off":            {func(f *Facts) { f.Configured = map[reason.ID]reason.Severity{down: reason.Off} }, down, Broken, Detect, "off"},
		"an Event only":           {func(f *Facts) { f.Configured = map[reason.ID]reason.Severity{down: reason.Warning} }, down, Broken, Detect, "Event"},
		"an Event by catalogue":   {func(*Facts) {}, "PortConflict", Broken, Detect, "Event"},
		"the agent cannot tell":   {func(f *Facts) { blindfold(f, "InterfaceNotUp unknown: netlink: operation not permitted") }, down, Broken, Detect, "netlink"},
		"the condition of nobody": {func(f *Facts) { policyOf(f).Spec.Rules[0].Condition = "DiskHealthy" }, "*", Broken, Detect, "DiskHealthy"},
		"the status of nobody":    {func(f *Facts) { policyOf(f).Spec.Rules[0].Status = "True" }, "*", Broken, Detect, "as True"},
		"a reason spelled wrong":  {func(f *Facts) { policyOf(f).Spec.Rules[0].Reasons = []string{"InterfaceDown"} }, "InterfaceDown", Broken, Detect, "InterfaceDown"},
		"an own reason": {func(f *Facts) {
			policyOf(f).Spec.Rules[0].Reasons = []string{"BondDegraded"}
			f.OwnReasons = []reason.Reason{{ID: "BondDegraded", Condition: reason.NetworkingReady, Severity: reason.Fatal}}
		}, "BondDegraded", WouldAct, "", ""},
		"an own reason that is a warning": {func(f *Facts) {
			policyOf(f).Spec.Rules[0].Reasons = []string{"BondDegraded"}
			f.OwnReasons = []reason.Reason{{ID: "BondDegraded", Condition: reason.NetworkingReady, Severity: reason.Warning}}
		}, "BondDegraded", Broken, Detect, "Event"},
		"a silent agent":           {func(f *Facts) { silence(f, 20*time.Minute) }, down, Broken, Fresh, "16m"},
		"an agent that never came": {func(f *Facts) { f.Nodes = []*corev1.Node{node("n1")} }, down, Broken, Fresh, "nothing has ever reported"},
		"a condition that passes": {func(f *Facts) {
			policyOf(f).Spec.Rules = []v1alpha1.RepairRule{rule("kernel", "KernelReady", v1alpha1.ActionReboot, 48*time.Hour)}
		}, "CperHardwareErrorFatal", Unproven, Wait, "24h"},
		"left alone":           {func(f *Facts) { policyOf(f).Spec.Rules[0].Action = v1alpha1.ActionNone }, down, Broken, Action, "by design"},
		"offered by nobody":    {func(f *Facts) { permit(f, "None", v1alpha1.MayNo) }, down, Broken, Action, "No provider supports Reboot"},
		"not permitted":        {func(f *Facts) { permit(f, "aws", v1alpha1.MayNo) }, down, Broken, Permitted, "UnauthorizedOperation"},
		"permission not known": {func(f *Facts) { permit(f, "aws", v1alpha1.MayUnknown) }, down, Unproven, Permitted, "not known"},
		"permission not asked": {func(f *Facts) { policyOf(f).Status.Permissions = nil }, down, Unproven, Permitted, "has not asked"},
		"permission not known, but done before": {func(f *Facts) {
			permit(f, "agent", v1alpha1.MayUnknown)
			f.Remediations = append(f.Remediations, repaired())
		}, down, WouldAct, "", ""},
		"a budget rounds to zero": {func(f *Facts) { policyOf(f).Spec.Budgets.Zone = new(intstr.FromString("20%")) }, down, Broken, Budget, "20%"},
		"a budget that is spent": {func(f *Facts) {
			f.Ledger = &ledger.Ledger{Entries: []ledger.Entry{{Remediation: "r9", Node: "n9", Zone: "a", Began: now}}}
		}, down, WouldAct, "", "used up"},
		"paused":                   {func(f *Facts) { policyOf(f).Spec.Paused = true }, down, Broken, Mode, "paused"},
		"a policy that reports":    {func(f *Facts) { policyOf(f).Spec.Mode = v1alpha1.ModeReport }, down, Broken, Mode, "Report"},
		"a policy that asks first": {func(f *Facts) { policyOf(f).Spec.Mode = v1alpha1.ModeApprove }, down, NeedsApproval, "", "approved"},
		"Auto that is not earned":  {func(f *Facts) { policyOf(f).Spec.EarnAuto = new(int32(3)) }, down, NeedsApproval, "", "as forecast"},
		"Auto that the controller's role does not let act unasked": {found(metav1.ConditionFalse), down, NeedsApproval, "", "automate"},
		"Auto that it lets act":                     {found(metav1.ConditionTrue), down, WouldAct, "", ""},
		"Auto of which nobody said whether it does": {found(metav1.ConditionUnknown), down, Unproven, Mode, "automate"},
		"Auto that is earned": {func(f *Facts) {
			policyOf(f).Spec.EarnAuto = new(int32(3))
			policyOf(f).Status.AsForecastByAction = []v1alpha1.ActionCount{{Action: v1alpha1.ActionReboot, Count: 3}}
		}, down, WouldAct, "", ""},
		"Auto that another action has earned": {func(f *Facts) {
			policyOf(f).Spec.EarnAuto = new(int32(3))
			policyOf(f).Status.AsForecast, policyOf(f).Status.AsForecastByAction = new(int32(3)), []v1alpha1.ActionCount{{Action: v1alpha1.ActionReplace, Count: 3}}
		}, down, NeedsApproval, "", "as forecast"},
		"it asks first, and the budget is spent": {func(f *Facts) {
			policyOf(f).Spec.Mode = v1alpha1.ModeApprove
			f.Ledger = &ledger.Ledger{Entries: []ledger.Entry{{Remediation: "r9", Node: "n9", Zone: "a", Began: now}}}
		}, down, NeedsApproval, "", "approved"},
		"it asks first, and was never drilled": {func(f *Facts) {
			policyOf(f).Spec.Mode, f.Remediations = v1alpha1.ModeApprove, nil
		}, down, Unproven, Proven, "No drill"},
		"it asks first, and nobody controls": {func(f *Facts) {
			policyOf(f).Spec.Mode, f.Lease = v1alpha1.ModeApprove, nil
		}, down, Broken, Controller, "nothing holds its Lease"},
		"a ledger that is damaged": {func(f *Facts) {
			f.Ledger, f.LedgerUnread, f.LedgerDamaged = nil, errors.New("unexpected end of JSON input"), true
		}, down, Broken, Budget, "unexpected end"},
		"a ledger that may not be read": {func(f *Facts) {
			f.Ledger, f.LedgerUnread = nil, errors.New("forbidden")
		}, down, Unproven, Budget, "forbidden"},
		"no ledger and no word of it": {func(f *Facts) { f.Ledger = nil }, down, Unproven, Budget, "ledger"},
		"a ledger that may not be read, and a budget of none": {func(f *Facts) {
			f.Ledger, f.LedgerUnread = nil, errors.New("forbidden")
			policyOf(f).Spec.Budgets.Cluster = new(intstr.FromString("0%"))
		}, down, Broken, Budget, "0%"},
		"a competing repairer": {func(f *Facts) { f.Repairers = managed().Repairers; f.Nodes = f.Nodes[:1] }, down, Broken, Competing, "group/workers"},
		"perhaps a competing one": {func(f *Facts) {
			f.Repairers = []cloud.Repairer{{By: change.Ref{Kind: "Group", Name: "g"}, Nodes: []string{"n1", "n2", "n3"}, Unknown: sentence.CloudNoRegion()}}
		}, down, Unproven, Competing, "AWS_REGION"},
		"perhaps one that acts on this condition": {func(f *Facts) { f.Repairers = perhaps("NetworkingReady") }, down, Unproven, Competing, "AWS_REGION"},
		"perhaps one that acts on another":        {func(f *Facts) { f.Repairers = perhaps(corev1.NodeReady) }, down, WouldAct, "", ""},
		"none, as the controller says": {func(f *Facts) {
			f.Gaps = []cloud.Gap{{Provider: "aws", Why: sentence.CloudNoRegion()}}
			told(f, "True", v1alpha1.PolicyReadyReason)
		}, down, WouldAct, "", ""},
		"none, as a controller says that did not ask either": {func(f *Facts) {
			f.Gaps = []cloud.Gap{{Provider: "aws", Why: sentence.CloudNoRegion()}}
			told(f, "True", v1alpha1.PolicyReadyReason)
			policyOf(f).Status.Permissions[0].Actuator = "karpenter"
		}, down, Unproven, Competing, "AWS_REGION"},
		"one, as the controller says": {func(f *Facts) {
			f.Gaps = []cloud.Gap{{Provider: "aws", Why: sentence.CloudNoRegion()}}
			told(f, "False", v1alpha1.PolicyCompetingReason)
		}, down, Broken, Competing, "group/workers"},
		"none, as the controller said of another generation": {func(f *Facts) {
			f.Gaps = []cloud.Gap{{Provider: "aws", Why: sentence.CloudNoRegion()}}
			told(f, "True", v1alpha1.PolicyReadyReason)
			policyOf(f).Status.Conditions[0].ObservedGeneration = 2
		}, down, Unproven, Competing, "AWS_REGION"},
		"no controller":       {func(f *Facts) { f.Lease = nil }, down, Broken, Controller, "nothing holds its Lease"},
		"a silent controller": {func(f *Facts) { f.Lease.Spec.RenewTime = new(metav1.NewMicroTime(now.Add(-time.Hour))) }, down, Broken, Controller, "60m"},
		"a lease not read": {func(f *Facts) {
			f.LeaseUnread = sentence.ProofLeaseUnread("forbidden")
		}, down, Unproven, Controller, "forbidden"},
		"a change not taken up": {func(f *Facts) {
			policyOf(f).Generation = 4
			f.Remediations[0].Status.Match.Generation = 4
		}, down, Unproven, Controller, "latest change"},
		"never drilled":    {func(f *Facts) { f.Remediations = nil }, down, Unproven, Proven, "No drill"},
		"drilled long ago": {func(f *Facts) { f.Remediations[0].Status.Conditions[0].LastTransitionTime = ago(31 * 24 * time.Hour) }, down, Unproven, Proven, "30 days"},
		"drilled with another policy": {func(f *Facts) {
			f.Remediations[0].Status.Match.Generation = 2
		}, down, Unproven, Proven, "policy has changed"},
		"drilled with another agent": {func(f *Facts) { f.AgentImages["n1"] = "naosu-agent:2" }, down, Unproven, Proven, "agent has changed"},
		"drilled to another action":  {func(f *Facts) { f.Remediations[0].Status.Match.Plan = v1alpha1.NodePlan(v1alpha1.ActionReplace, "") }, down, Unproven, Proven, "No drill"},
		"failed, and passed within the same second": {func(f *Facts) {
			r, at := drill(down), metav1.NewMicroTime(ago(48*time.Hour).Add(time.Millisecond))
			r.Status.Steps = []v1alpha1.Step{{Name: v1alpha1.StepAct, EndedAt: &at}}
			f.Remediations[0].Status.Conditions[0].Status = "False"
			f.Remediations = append([]v1alpha1.Remediation{r}, f.Remediations...)
		}, down, WouldAct, "", ""},
		"failed, and the policy has changed since": {func(f *Facts) {
			f.Remediations[0].Status.Conditions[0].Status, f.Remediations[0].Status.Conditions[0].Message = "False", "paused"
			f.Remediations[0].Status.Match.Generation = 2
		}, down, Unproven, Proven, "may have been fixed since: paused"},
		"a drill that failed": {func(f *Facts) {
			f.Remediations[0].Status.Conditions[0].Status, f.Remediations[0].Status.Conditions[0].Message = "False", "nothing detected it"
		}, down, Broken, Proven, "nothing detected it"},
	} {
		t.Run(name, func(t *testing.T) {
			f := whole()
			tc.breaks(&f)
			row := find(t, Check(f), tc.reason, by)
			if tc.reason == "PortConflict" && row.severity != finding.Info {
				t.Errorf("severity %s of what no rule names", row.severity)
			}
			if row.Verdict != tc.verdict || row.BrokenLink != tc.link || !strings.Contains(message.English().Say(row.Message), tc.says) {
				t.Errorf("%s at %q: %s; want %s at %q: …%s…", row.Verdict, row.BrokenLink, message.English().Say(row.Message), tc.verdict, tc.link, tc.says)
			}
			if (row.Code == finding.N302) != (tc.verdict == Unproven || tc.verdict == Broken) {
				t.Errorf("code %q with %s", row.Code, row.Verdict)
			}
		})
	}
}

func told(f *Facts, status metav1.ConditionStatus, why string) {
	policyOf(f).Status.Conditions = []metav1.Condition{{Type: v1alpha1.PolicyReady, Status: status, Reason: why, Message: "group/workers", ObservedGeneration: 3}}
}

// repaired is a repair that the policy did.
func repaired() v1alpha1.Remediation {
	r := drill("")
	r.Spec.Drill, r.Status.Match = nil, nil
	r.Spec.Policy, r.Spec.Plan = v1alpha1.PolicyReference{Kind: v1alpha1.NodeRepairPolicyKind, Name: "workers", Rule: "network"}, v1alpha1.NodePlan(v1alpha1.ActionReboot, "")
	r.Status.Conditions[0].Reason = v1alpha1.RemediationNotAsForecastReason
	return r
}

func blindfold(f *Facts, why string) {
	for _, n := range f.Nodes {
		for i := range n.Status.Conditions {
			if c := &n.Status.Conditions[i]; c.Type == "NetworkingReady" {
				c.Status, c.Reason, c.Message = corev1.ConditionUnknown, "NotKnown", why
			}
		}
	}
}

func silence(f *Facts, since time.Duration) {
	for _, n := range f.Nodes {
		for i := range n.Status.Conditions {
			n.Status.Conditions[i].LastHeartbeatTime = ago(since)
		}
	}
}

func permit(f *Facts, actuator string, may v1alpha1.May) {
	policyOf(f).Status.Permissions = []v1alpha1.Permission{{Action: v1alpha1.ActionReboot, Actuator: actuator, May: may, Message: "UnauthorizedOperation"}}
}

// TestOthers judges clusters that another agent watches and something else repairs.
func TestOthers(t *testing.T) {
	const group = "group/workers"
	for name, tc := range map[string]struct {
		change     func(*Facts)
		reason, by string
		verdict    Verdict
		link       LinkName
		says       string
	}{
		"story 3, beforehand":       {func(*Facts) {}, "InterfaceNotUp", group, Unproven, Proven, "accepted and still never happen"},
		"storage is Events only":    {func(*Facts) {}, "BlockDeviceIOError", group, Broken, Detect, "only as an Event"},
		"a line that is not logged": {func(*Facts) {}, "PodStuckTerminating", group, Broken, Detect, "verbosity 4"},
		"a condition without hardware": {func(f *Facts) {
			f.Repairers[0].Rules = append(f.Repairers[0].Rules, cloud.RepairerRule{Condition: acceleratedHardware, Status: "False", Action: v1alpha1.ActionReplace})
		}, "*", group, Broken, Detect, acceleratedHardware},
		"an override leaves it alone": {func(f *Facts) {
			f.Repairers[0].Rules = append([]cloud.RepairerRule{{Condition: "NetworkingReady", Status: "False", Reasons: []string{"InterfaceNotUp"}, Action: v1alpha1.ActionNone}}, f.Repairers[0].Rules...)
		}, "InterfaceNotUp", group, Broken, Action, "by design"},
		"raised and repaired":          {func(f *Facts) { f.Remediations = []v1alpha1.Remediation{raised(group, true)} }, "InterfaceNotUp", group, WouldAct, "", ""},
		"raised, and nothing happened": {func(f *Facts) { f.Remediations = []v1alpha1.Remediation{raised(group, false)} }, "InterfaceNotUp", group, Broken, Proven, "never happened"},
		"another group was raised":     {func(f *Facts) { f.Remediations = []v1alpha1.Remediation{raised("group/other", true)} }, "InterfaceNotUp", group, Unproven, Proven, "accepted"},
		"another reason was raised":    {func(f *Facts) { f.Remediations = []v1alpha1.Remediation{raised(group, true)} }, "InterfaceNotRunning", group, Unproven, Proven, "accepted"},
		"no repairer":                  {func(f *Facts) { f.Repairers, f.Own = nil, message.Sentence{} }, "InterfaceNotUp", "", Broken, Match, "No policy rule"},
		"no CRDs and no repairer":      {func(f *Facts) { f.Repairers = nil }, "InterfaceNotUp", "", Unproven, Match, "could not be read"},
		"no credentials": {func(f *Facts) {
			f.Repairers, f.Own = nil, message.Sentence{}
			f.Gaps = []cloud.Gap{{Provider: "aws", Why: sentence.CloudNoRegion()}}
		}, "InterfaceNotUp", "", Unproven, Match, "AWS_REGION"},
		"node-problem-detector": {func(f *Facts) {
			f.Nodes[0].Status.Conditions = append(f.Nodes[0].Status.Conditions, condition("KernelDeadlock", "KernelHasNoDeadlock", time.Minute))
		}, "DockerHung", "", Broken, Detect, "docker"},
		"the kubelet's own": {func(f *Facts) {
			f.Repairers[0].Rules = []cloud.RepairerRule{{Condition: "Ready", Status: "Unknown", For: 30 * time.Minute, Action: v1alpha1.ActionReplace}}
		}, "NodeStatusUnknown", group, Unproven, Proven, "accepted"},
	} {
		t.Run(name, func(t *testing.T) {
			f := managed()
			tc.change(&f)
			row := find(t, Check(f), tc.reason, tc.by)
			if row.Verdict != tc.verdict || row.BrokenLink != tc.link || !strings.Contains(message.English().Say(row.Message), tc.says) {
				t.Errorf("%s at %q: %s; want %s at %q: …%s…", row.Verdict, row.BrokenLink, message.English().Say(row.Message), tc.verdict, tc.link, tc.says)
			}
		})
	}
}

// TestWaitingInVain sees that a rule for a condition that no reason turns is graver than an Event that nobody counts on.
func TestWaitingInVain(t *testing.T) {
	rows := Check(managed())
	for why, want := range map[string]finding.Severity{"BlockDeviceIOError": finding.Warning, "PortConflict": finding.Info} {
		if row := find(t, rows, why, "group/workers"); row.severity != want {
			t.Errorf("%s: %s, want %s", why, row.severity, want)
		}
	}
}

// raised is a drill that raised InterfaceNotUp on a node of a group.
func raised(by string, helped bool) v1alpha1.Remediation {
	r := drill("InterfaceNotUp")
	r.Annotations = map[string]string{RepairerAnnotation: by}
	r.Spec.Drill.Depth, r.Spec.Drill.Condition, r.Status.Match = v1alpha1.DrillRaised, "NetworkingReady", nil
	if !helped {
		c := &r.Status.Conditions[0]
		c.Status, c.Reason, c.Message = metav1.ConditionFalse, v1alpha1.RemediationDrillFailedReason, "it was accepted and still never happened"
	}
	return r
}

// TestRowsAreSplitByNodes sees that a node whose agent is silent is not hidden by those whose agent is not.
func TestRowsAreSplitByNodes(t *testing.T) {
	f := whole()
	f.Nodes[2] = node("n3")
	var got []string
	for _, row := range Check(f) {
		if row.Reason == "InterfaceNotUp" {
			got = append(got, string(row.Verdict)+" on "+strings.Join(row.On, ","))
		}
	}
	if want := "WouldAct on n1,n2; Broken on n3"; strings.Join(got, "; ") != want {
		t.Errorf("got %s, want %s", strings.Join(got, "; "), want)
	}
}

// TestFindings sees that many reasons of one cause make one finding, the graver first, and that nothing is found of what would act.
func TestFindings(t *testing.T) {
	f := whole()
	found := Findings(Check(f))
	for i, one := range found {
		if one.Code != finding.N302 || strings.Contains(message.English().Say(one.Message), "InterfaceNotUp,") {
			t.Errorf("%s: %s", one.Code, message.English().Say(one.Message))
		}
		if i > 0 && one.Severity.Rank() < found[i-1].Severity.Rank() {
			t.Errorf("%s follows %s", one.Severity, found[i-1].Severity)
		}
	}
	if len(found) > 20 {
		t.Errorf("%d findings", len(found))
	}
	f.Repairers = managed().Repairers
	for _, one := range Findings(Check(f)) {
		if len(one.Remedies) == 1 && strings.Contains(one.Remedies[0].Command, "--nodegroup-name workers --node-repair-config enabled=false") {
			return
		}
	}
	t.Error("nothing says how the group's own repair is switched off")
}

// found is what the controller has found of its role.
func found(status metav1.ConditionStatus) func(*Facts) {
	return func(f *Facts) {
		text := map[metav1.ConditionStatus]string{metav1.ConditionUnknown: "no answer"}[status]
		policyOf(f).Status.Conditions = append(policyOf(f).Status.Conditions, metav1.Condition{Type: v1alpha1.PolicyUnasked, Status: status, Message: text})
	}
}

// perhaps is a repairer of which it is not known whether it acts on a condition.
func perhaps(condition corev1.NodeConditionType) []cloud.Repairer {
	return []cloud.Repairer{{
		By: change.Ref{Kind: "Group", Name: "g"}, Nodes: []string{"n1", "n2", "n3"}, Unknown: sentence.CloudNoRegion(),
		Rules: []cloud.RepairerRule{{Condition: condition, Status: corev1.ConditionFalse, Action: v1alpha1.ActionReplace}},
	}}
}
