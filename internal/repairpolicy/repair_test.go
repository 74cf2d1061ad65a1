package repairpolicy

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/ledger"
)

var now = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

func ago(d time.Duration) metav1.Time { return metav1.NewTime(now.Add(-d)) }

func span(d time.Duration) *metav1.Duration { return &metav1.Duration{Duration: d} }

func network(status corev1.ConditionStatus, reason string, since metav1.Time) corev1.NodeCondition {
	return corev1.NodeCondition{Type: "NetworkingReady", Status: status, Reason: reason, LastTransitionTime: since}
}

func ready(status corev1.ConditionStatus) corev1.NodeCondition {
	return corev1.NodeCondition{Type: corev1.NodeReady, Status: status, LastTransitionTime: ago(time.Hour)}
}

func rule(name string, lasting time.Duration, action v1alpha1.Action, reasons ...string) v1alpha1.RepairRule {
	return v1alpha1.RepairRule{
		Name: name, Condition: "NetworkingReady", Status: "False", Reasons: reasons, For: metav1.Duration{Duration: lasting}, Action: action,
	}
}

func TestMatch(t *testing.T) {
	down := network(corev1.ConditionFalse, "InterfaceNotUp", ago(10*time.Minute))
	const met, due = true, true
	for name, tc := range map[string]struct {
		rules      []v1alpha1.RepairRule
		conditions []corev1.NodeCondition
		want       string
		met, due   bool
		in         time.Duration // until it is due
	}{
		"no rule":                 {nil, []corev1.NodeCondition{down}, "", !met, !due, 0},
		"no condition":            {[]v1alpha1.RepairRule{rule("a", 0, v1alpha1.ActionReboot)}, nil, "", !met, !due, 0},
		"due":                     {[]v1alpha1.RepairRule{rule("a", 5*time.Minute, v1alpha1.ActionReboot)}, []corev1.NodeCondition{down}, "a", met, due, -5 * time.Minute},
		"due at this moment":      {[]v1alpha1.RepairRule{rule("a", 10*time.Minute, v1alpha1.ActionReboot)}, []corev1.NodeCondition{down}, "a", met, due, 0},
		"not due yet":             {[]v1alpha1.RepairRule{rule("a", 11*time.Minute, v1alpha1.ActionReboot)}, []corev1.NodeCondition{down}, "a", met, !due, time.Minute},
		"another status":          {[]v1alpha1.RepairRule{rule("a", 0, v1alpha1.ActionReboot)}, []corev1.NodeCondition{network(corev1.ConditionUnknown, "", ago(time.Hour))}, "", !met, !due, 0},
		"one of the reasons":      {[]v1alpha1.RepairRule{rule("a", 0, v1alpha1.ActionReboot, "Other", "InterfaceNotUp")}, []corev1.NodeCondition{down}, "a", met, due, -10 * time.Minute},
		"none of the reasons":     {[]v1alpha1.RepairRule{rule("a", 0, v1alpha1.ActionReboot, "Other")}, []corev1.NodeCondition{down}, "", !met, !due, 0},
		"the first decides":       {[]v1alpha1.RepairRule{rule("a", time.Minute, v1alpha1.ActionNone), rule("b", 0, v1alpha1.ActionReboot)}, []corev1.NodeCondition{down}, "a", met, due, -9 * time.Minute},
		"the first is not due":    {[]v1alpha1.RepairRule{rule("a", time.Hour, v1alpha1.ActionNone), rule("b", 0, v1alpha1.ActionReboot)}, []corev1.NodeCondition{down}, "b", met, due, -10 * time.Minute},
		"the sooner is told":      {[]v1alpha1.RepairRule{rule("a", time.Hour, v1alpha1.ActionReplace), rule("b", 20*time.Minute, v1alpha1.ActionReboot)}, []corev1.NodeCondition{down}, "b", met, !due, 10 * time.Minute},
		"since when is not known": {[]v1alpha1.RepairRule{rule("a", 0, v1alpha1.ActionReboot)}, []corev1.NodeCondition{network(corev1.ConditionFalse, "", metav1.Time{})}, "", !met, !due, 0},
	} {
		t.Run(name, func(t *testing.T) {
			found, ok := Match(tc.rules, tc.conditions, now)
			if ok != tc.met || found.Rule.Name != tc.want {
				t.Fatalf("met %v by %q, want %v by %q", ok, found.Rule.Name, tc.met, tc.want)
			}
			if ok && (found.IsDue(now) != tc.due || found.Due.Sub(now) != tc.in) {
				t.Errorf("due %v in %s, want %v in %s", found.IsDue(now), found.Due.Sub(now), tc.due, tc.in)
			}
		})
	}
}

func TestWould(t *testing.T) {
	rules := []v1alpha1.RepairRule{rule("a", 168*time.Hour, v1alpha1.ActionNone, "Other"), rule("b", 168*time.Hour, v1alpha1.ActionReboot)}
	for name, tc := range map[string]struct {
		evidence v1alpha1.Evidence
		want     string
		met      bool
	}{
		"met, however long it takes": {v1alpha1.Evidence{Condition: "NetworkingReady", Status: "False", Reason: "InterfaceNotUp", Since: ago(0)}, "b", true},
		"met by what does not tell":  {v1alpha1.Evidence{Condition: "NetworkingReady", Status: "False", Reason: "Other"}, "a", true},
		"not met":                    {v1alpha1.Evidence{Condition: "KernelReady", Status: "False", Since: ago(0)}, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			if found, met := MatchLasting(rules, tc.evidence); met != tc.met || found.Rule.Name != tc.want {
				t.Errorf("met %v by %q, want %v by %q", met, found.Rule.Name, tc.met, tc.want)
			}
		})
	}
}

func TestPreexisting(t *testing.T) {
	rules := []v1alpha1.RepairRule{
		rule("a", time.Hour, v1alpha1.ActionReboot),
		{Name: "gpu", Condition: "AcceleratedHardwareReady", Status: "False", Action: v1alpha1.ActionNone},
		{Name: "disk", Condition: "DiskPressure", Status: "True", Reasons: []string{"Full"}, For: metav1.Duration{Duration: time.Hour}, Action: v1alpha1.ActionReplace},
	}
	of := func(kind corev1.NodeConditionType, status corev1.ConditionStatus, reason string) corev1.NodeCondition {
		return corev1.NodeCondition{Type: kind, Status: status, Reason: reason}
	}
	got := Preexisting(rules, v1alpha1.Evidence{Condition: "NetworkingReady"}, []corev1.NodeCondition{
		network(corev1.ConditionFalse, "InterfaceNotUp", ago(0)), of("DiskPressure", corev1.ConditionTrue, "Full"), of("KernelReady", corev1.ConditionFalse, ""),
		of("AcceleratedHardwareReady", corev1.ConditionFalse, "X"), of("MemoryPressure", corev1.ConditionTrue, ""), ready(corev1.ConditionTrue),
	})
	if diff := cmp.Diff([]string{"AcceleratedHardwareReady", "DiskPressure"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := Preexisting(rules, v1alpha1.Evidence{Condition: "NetworkingReady"}, []corev1.NodeCondition{of("DiskPressure", corev1.ConditionTrue, "Other")}); got != nil {
		t.Errorf("a reason of no concern makes %v", got)
	}
}

func TestHolds(t *testing.T) {
	of := func(rule string) *v1alpha1.Remediation {
		return &v1alpha1.Remediation{Spec: v1alpha1.RemediationSpec{
			Policy: v1alpha1.PolicyReference{Kind: v1alpha1.NodeRepairPolicyKind, Rule: rule}, Evidence: v1alpha1.Evidence{Condition: "NetworkingReady", Status: "False", Reason: "InterfaceNotUp"},
		}}
	}
	rules := []v1alpha1.RepairRule{rule("a", time.Hour, v1alpha1.ActionReboot, "InterfaceNotUp")}
	for name, tc := range map[string]struct {
		of   string
		is   corev1.NodeCondition
		want bool
	}{
		"still so, for however long":            {"a", network(corev1.ConditionFalse, "InterfaceNotUp", ago(0)), true},
		"well":                                  {"a", network(corev1.ConditionTrue, "", ago(0)), false},
		"for a reason of no concern":            {"a", network(corev1.ConditionFalse, "Other", ago(0)), false},
		"the rule is gone, the problem remains": {"b", network(corev1.ConditionFalse, "Other", ago(0)), true},
		"the rule is gone, and the problem":     {"b", network(corev1.ConditionTrue, "", ago(0)), false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := EvidenceHolds(rules, of(tc.of), []corev1.NodeCondition{tc.is}); got != tc.want {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}

func TestNext(t *testing.T) {
	ladder := []v1alpha1.EscalationStep{{Action: v1alpha1.ActionReboot, Attempts: 2}, {Action: v1alpha1.ActionReplace, Attempts: 1}}
	const restart, reboot, replace = v1alpha1.ActionRestartService, v1alpha1.ActionReboot, v1alpha1.ActionReplace
	failed := func(action v1alpha1.Action, before time.Duration) ledger.Entry {
		return ledger.Entry{Remediation: "r", Node: "n1", Action: action, Ended: now.Add(-before), Result: ledger.NotHelped}
	}
	elsewhere, helped := failed(reboot, time.Hour), failed(reboot, time.Hour)
	refused := failed(reboot, time.Hour)
	elsewhere.Node, helped.Result, refused.Result = "n2", ledger.Helped, ledger.Refused
	renamed, another := elsewhere, failed(reboot, time.Hour)
	renamed.ProviderID, another.ProviderID = "aws:///1a/i-1", "aws:///1a/i-2"
	for name, tc := range map[string]struct {
		ladder []v1alpha1.EscalationStep
		asked  v1alpha1.Action
		past   []ledger.Entry
		want   v1alpha1.Action
	}{
		"nothing tried":                {ladder, reboot, nil, reboot},
		"attempts left":                {ladder, reboot, []ledger.Entry{failed(reboot, time.Hour)}, reboot},
		"no attempts left":             {ladder, reboot, []ledger.Entry{failed(reboot, time.Hour), failed(reboot, time.Minute)}, replace},
		"forgotten":                    {ladder, reboot, []ledger.Entry{failed(reboot, 25*time.Hour), failed(reboot, time.Minute)}, reboot},
		"on another node":              {ladder, reboot, []ledger.Entry{elsewhere, failed(reboot, time.Minute)}, reboot},
		"under another name":           {ladder, reboot, []ledger.Entry{renamed, failed(reboot, time.Minute)}, replace},
		"another machine of the name":  {ladder, reboot, []ledger.Entry{another, failed(reboot, time.Minute)}, reboot},
		"refused, however often":       {ladder, reboot, []ledger.Entry{refused, refused, refused}, reboot},
		"refused does not count":       {ladder, reboot, []ledger.Entry{refused, failed(reboot, time.Minute)}, reboot},
		"it helped":                    {ladder, reboot, []ledger.Entry{helped, failed(reboot, time.Minute)}, reboot},
		"not on the ladder, once":      {ladder, restart, []ledger.Entry{failed(restart, time.Hour)}, reboot},
		"two steps at once":            {ladder, restart, []ledger.Entry{failed(restart, time.Hour), failed(reboot, time.Hour), failed(reboot, time.Hour)}, replace},
		"the end of the ladder":        {ladder, replace, []ledger.Entry{failed(replace, time.Hour)}, replace},
		"never milder":                 {ladder[:1], replace, []ledger.Entry{failed(replace, time.Hour)}, replace},
		"no ladder: the guard says no": {nil, reboot, []ledger.Entry{failed(reboot, time.Hour)}, reboot},
	} {
		t.Run(name, func(t *testing.T) {
			spec := &v1alpha1.NodeRepairPolicySpec{Escalation: tc.ladder, RememberFailure: span(24 * time.Hour)}
			if got := NextAction(spec, tc.asked, ledger.Machine{Node: "n1", ProviderID: "aws:///1a/i-1"}, ledger.Ledger{Entries: tc.past}, now); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}

func node(name string, conditions ...corev1.NodeCondition) *corev1.Node {
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("uid-" + name), Labels: map[string]string{"pool": name[:1]}},
		Spec:       corev1.NodeSpec{ProviderID: "aws:///1a/i-" + name},
		Status:     corev1.NodeStatus{Conditions: append([]corev1.NodeCondition{ready(corev1.ConditionTrue)}, conditions...)},
	}
}

func policy(name, pool string, rules ...v1alpha1.RepairRule) v1alpha1.NodeRepairPolicy {
	return v1alpha1.NodeRepairPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: v1alpha1.NodeRepairPolicySpec{
			NodeSelector: metav1.LabelSelector{MatchLabels: map[string]string{"pool": pool}}, Rules: rules,
			CoolDown: span(10 * time.Minute), RememberFailure: span(24 * time.Hour),
		},
	}
}

func past(name, of string, since metav1.Time, change func(*v1alpha1.Remediation)) v1alpha1.Remediation {
	r := v1alpha1.Remediation{
		ObjectMeta: metav1.ObjectMeta{Name: name, CreationTimestamp: ago(time.Hour)},
		Spec: v1alpha1.RemediationSpec{
			Node:     v1alpha1.NodeReference{Name: of, UID: types.UID("uid-" + of)},
			Evidence: v1alpha1.Evidence{Condition: "NetworkingReady", Status: "False", Since: since},
		},
	}
	change(&r)
	return r
}

func ended(reason string, before time.Duration) func(*v1alpha1.Remediation) {
	return func(r *v1alpha1.Remediation) {
		r.Status.Phase = v1alpha1.PhaseEnded
		r.Status.Conditions = []metav1.Condition{{Type: v1alpha1.RemediationSucceeded, Reason: reason, LastTransitionTime: ago(before)}}
	}
}

func TestPropose(t *testing.T) {
	since := ago(10 * time.Minute)
	down := network(corev1.ConditionFalse, "InterfaceNotUp", since)
	reboot := rule("link", 5*time.Minute, v1alpha1.ActionReboot)
	for name, tc := range map[string]struct {
		policies []v1alpha1.NodeRepairPolicy
		node     *corev1.Node
		past     []v1alpha1.Remediation
		want     []string // policy/action
		next     time.Duration
	}{
		"due":                         {[]v1alpha1.NodeRepairPolicy{policy("p", "a", reboot)}, node("a", down), nil, []string{"p/Reboot"}, 0},
		"well":                        {[]v1alpha1.NodeRepairPolicy{policy("p", "a", reboot)}, node("a"), nil, nil, 0},
		"not selected":                {[]v1alpha1.NodeRepairPolicy{policy("p", "b", reboot)}, node("a", down), nil, nil, 0},
		"not due":                     {[]v1alpha1.NodeRepairPolicy{policy("p", "a", rule("r", 12*time.Minute, v1alpha1.ActionReboot))}, node("a", down), nil, nil, 2 * time.Minute},
		"None":                        {[]v1alpha1.NodeRepairPolicy{policy("p", "a", rule("r", 0, v1alpha1.ActionNone), reboot)}, node("a", down), nil, nil, 0},
		"the first policy by name":    {[]v1alpha1.NodeRepairPolicy{policy("q", "a", rule("r", 0, v1alpha1.ActionReplace)), policy("p", "a", reboot)}, node("a", down), nil, []string{"p/Reboot"}, 0},
		"the first policy says None":  {[]v1alpha1.NodeRepairPolicy{policy("q", "a", reboot), policy("p", "a", rule("r", 0, v1alpha1.ActionNone))}, node("a", down), nil, nil, 0},
		"the first policy is not due": {[]v1alpha1.NodeRepairPolicy{policy("q", "a", reboot), policy("p", "a", rule("r", time.Hour, v1alpha1.ActionNone))}, node("a", down), nil, []string{"q/Reboot"}, 50 * time.Minute},
		"one goes on": {
			[]v1alpha1.NodeRepairPolicy{policy("p", "a", reboot)},
			node("a", down),
			[]v1alpha1.Remediation{past("r1", "a", since, func(*v1alpha1.Remediation) {})},
			nil, 0,
		},
		"a drill is none": {
			[]v1alpha1.NodeRepairPolicy{policy("p", "a", reboot)},
			node("a", down),
			[]v1alpha1.Remediation{past("r1", "a", since, func(r *v1alpha1.Remediation) { r.Spec.Drill = &v1alpha1.Drill{} })},
			[]string{"p/Reboot"},
			0,
		},
		"one goes on elsewhere": {
			[]v1alpha1.NodeRepairPolicy{policy("p", "a", reboot)},
			node("a", down),
			[]v1alpha1.Remediation{past("r1", "b", since, func(*v1alpha1.Remediation) {})},
			[]string{"p/Reboot"},
			0,
		},
		"one ended just now": {
			[]v1alpha1.NodeRepairPolicy{policy("p", "a", reboot)},
			node("a", down),
			[]v1alpha1.Remediation{past("r1", "a", since, ended(v1alpha1.RemediationGaveUpReason, 4*time.Minute))},
			nil, 6 * time.Minute,
		},
		"one ended a while ago": {
			[]v1alpha1.NodeRepairPolicy{policy("p", "a", reboot)},
			node("a", down),
			[]v1alpha1.Remediation{past("r1", "a", since, ended(v1alpha1.RemediationGaveUpReason, 10*time.Minute))},
			[]string{"p/Reboot"},
			0,
		},
		"one was not needed": {
			[]v1alpha1.NodeRepairPolicy{policy("p", "a", reboot)},
			node("a", down),
			[]v1alpha1.Remediation{past("r1", "a", ago(time.Hour), ended(v1alpha1.RemediationNotNeededReason, time.Minute))},
			[]string{"p/Reboot"},
			0,
		},
		"a person said no": {
			[]v1alpha1.NodeRepairPolicy{policy("p", "a", reboot)},
			node("a", down),
			[]v1alpha1.Remediation{past("r1", "a", since, func(r *v1alpha1.Remediation) {
				r.Spec.Approval = v1alpha1.Rejected
				ended(v1alpha1.RemediationRejectedReason, time.Hour)(r)
			})},
			nil, 0,
		},
		"a person said no to another illness": {
			[]v1alpha1.NodeRepairPolicy{policy("p", "a", reboot)},
			node("a", down),
			[]v1alpha1.Remediation{past("r1", "a", ago(2*time.Hour), func(r *v1alpha1.Remediation) {
				r.Spec.Approval = v1alpha1.Rejected
				ended(v1alpha1.RemediationRejectedReason, time.Hour)(r)
			})},
			[]string{"p/Reboot"},
			0,
		},
		"it is being deleted": {[]v1alpha1.NodeRepairPolicy{policy("p", "a", reboot)}, func() *corev1.Node {
			n := node("a", down)
			n.DeletionTimestamp = new(ago(0))
			return n
		}(), nil, nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			plan := Propose(tc.policies, []*corev1.Node{tc.node}, tc.past, ledger.Ledger{}, now)
			var got []string
			for _, r := range plan.Remediations {
				got = append(got, r.Spec.Policy.Name+"/"+string(r.Spec.Action()))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("proposed (-want +got):\n%s", diff)
			}
			var next time.Time
			if tc.next > 0 {
				next = now.Add(tc.next)
			}
			if !plan.Next.Equal(next) {
				t.Errorf("next %s, want %s", plan.Next, next)
			}
		})
	}
}

func TestProposal(t *testing.T) {
	since := ago(10 * time.Minute)
	down := network(corev1.ConditionFalse, "InterfaceNotUp", since)
	down.Message = strings.Repeat("治", 5000)
	policies := []v1alpha1.NodeRepairPolicy{policy("p", "a", v1alpha1.RepairRule{
		Name: "link", Condition: "NetworkingReady", Status: "False", Action: v1alpha1.ActionRestartService, Service: "a.service",
	})}
	nodes := []*corev1.Node{node("a", down)}
	first := Propose(policies, nodes, nil, ledger.Ledger{}, now).Remediations[0]
	want := v1alpha1.RemediationSpec{
		Policy:   v1alpha1.PolicyReference{Kind: "NodeRepairPolicy", Name: "p", Rule: "link"},
		Node:     v1alpha1.NodeReference{Name: "a", UID: "uid-a", ProviderID: "aws:///1a/i-a"},
		Evidence: v1alpha1.Evidence{Finding: "N301", Condition: "NetworkingReady", Status: "False", Reason: "InterfaceNotUp", Message: strings.Repeat("治", 4095) + "…", Since: since},
		Plan:     v1alpha1.NodePlan(v1alpha1.ActionRestartService, "a.service"),
	}
	if diff := cmp.Diff(want, first.Spec); diff != "" {
		t.Errorf("proposed (-want +got):\n%s", diff)
	}
	if again := Propose(policies, nodes, nil, ledger.Ledger{}, now.Add(time.Minute)).Remediations[0]; again.Name != first.Name {
		t.Errorf("the same proposal is called %s and %s", first.Name, again.Name)
	}
	later := []v1alpha1.Remediation{past(first.Name, "a", since, ended(v1alpha1.RemediationDidNotHelpReason, time.Hour))}
	if second := Propose(policies, nodes, later, ledger.Ledger{}, now).Remediations[0]; second.Name == first.Name {
		t.Errorf("a second attempt is called as the first, %s", second.Name)
	}
	for _, long := range []string{strings.Repeat("a", 253), strings.Repeat("a", 241) + ".b"} {
		if got := name(long); len(validation.IsDNS1123Subdomain(got)) > 0 {
			t.Errorf("%s is no name", got)
		}
	}
}

func TestInvalidSelector(t *testing.T) {
	for name, tc := range map[string]struct {
		selector metav1.LabelSelector
		want     []string // parts of what is said, in order
	}{
		"all":            {},
		"an empty value": {selector: metav1.LabelSelector{MatchLabels: map[string]string{"node-role.kubernetes.io/worker": ""}}},
		"a blank":        {metav1.LabelSelector{MatchLabels: map[string]string{"role": "a worker"}}, []string{`spec.nodeSelector.matchLabels: Invalid value: "a worker"`}},
		"too long":       {metav1.LabelSelector{MatchLabels: map[string]string{"role": strings.Repeat("a", 64)}}, []string{"63"}},
		"two, in order":  {metav1.LabelSelector{MatchLabels: map[string]string{"b": "b b", "a": "a a", "c": "c"}}, []string{`"a a"`, `"b b"`}},
		"a key":          {metav1.LabelSelector{MatchLabels: map[string]string{"a/b/c": "x"}}, []string{`"a/b/c"`}},
		"a value of an expression": {
			metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "a", Operator: "NotIn", Values: []string{"x", "-"}}}},
			[]string{"spec.nodeSelector.matchExpressions[0].values[1]"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			spec := &v1alpha1.NodeRepairPolicySpec{NodeSelector: tc.selector}
			got := InvalidSelector(spec)
			if len(got) != len(tc.want) {
				t.Fatalf("got %q, want %q", got, tc.want)
			}
			for i, want := range tc.want {
				if !strings.Contains(got[i], want) {
					t.Errorf("got %q, want %q", got[i], want)
				}
			}
			labels := tc.selector.MatchLabels
			if n := node("n"); len(got) > 0 {
				n.Labels = labels // as an API server would not take them
				if selects(spec, n) {
					t.Error("it selects a node")
				}
			}
		})
	}
}

func TestUnhealthy(t *testing.T) {
	down := network(corev1.ConditionFalse, "", ago(0))
	silent := node("s")
	silent.Status.Conditions = []corev1.NodeCondition{ready(corev1.ConditionUnknown)}
	nodes := []*corev1.Node{node("a", down), node("b", down), node("well"), silent, node("new")}
	nodes[4].Status.Conditions = nil
	got := Unhealthy([]v1alpha1.NodeRepairPolicy{policy("p", "a", rule("r", time.Hour, v1alpha1.ActionNone))}, nodes)
	if diff := cmp.Diff(map[string]bool{"a": true, "s": true, "new": true}, got); diff != "" {
		t.Errorf("unhealthy (-want +got):\n%s", diff)
	}
}

func TestAsks(t *testing.T) {
	policy := v1alpha1.NodeRepairPolicySpec{
		NodeSelector: metav1.LabelSelector{MatchLabels: map[string]string{"role": "worker"}},
		Rules:        []v1alpha1.RepairRule{rule("a", 5*time.Minute, v1alpha1.ActionReboot)},
		Escalation:   []v1alpha1.EscalationStep{{Action: v1alpha1.ActionReboot, Attempts: 1}, {Action: v1alpha1.ActionReplace, Attempts: 1}},
	}
	down := corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n", Labels: policy.NodeSelector.MatchLabels}}
	down.Status.Conditions = []corev1.NodeCondition{ready(corev1.ConditionTrue), network(corev1.ConditionFalse, "InterfaceNotUp", ago(10*time.Minute))}
	asked := v1alpha1.Remediation{Spec: v1alpha1.RemediationSpec{Policy: v1alpha1.PolicyReference{Kind: v1alpha1.NodeRepairPolicyKind, Rule: "a"}, Plan: v1alpha1.NodePlan(v1alpha1.ActionReboot, "")}}
	inVain := ledger.Ledger{Entries: []ledger.Entry{{Remediation: "before", Node: "n", Action: v1alpha1.ActionReboot, Ended: now.Add(-time.Hour), Result: ledger.NotHelped}}}
	for name, tc := range map[string]struct {
		policy func(*v1alpha1.NodeRepairPolicySpec)
		node   func(*corev1.Node)
		asked  func(*v1alpha1.RemediationSpec)
		ledger ledger.Ledger
		want   Objection
	}{
		"as it is":                 {},
		"the node is not selected": {node: func(n *corev1.Node) { n.Labels = nil }, want: NotSelected},
		"a selector that no node can meet": {policy: func(p *v1alpha1.NodeRepairPolicySpec) {
			p.NodeSelector.MatchExpressions = []metav1.LabelSelectorRequirement{{Key: "role", Operator: "Like"}}
		}, want: NotSelected},
		"no such rule":                          {asked: func(s *v1alpha1.RemediationSpec) { s.Policy.Rule = "b" }, want: NoSuchRule},
		"no rule at all":                        {policy: func(p *v1alpha1.NodeRepairPolicySpec) { p.Rules = nil }, want: NoSuchRule},
		"the node is well":                      {node: func(n *corev1.Node) { n.Status.Conditions = n.Status.Conditions[:1] }, want: NotDue},
		"not for long enough":                   {policy: func(p *v1alpha1.NodeRepairPolicySpec) { p.Rules[0].For.Duration = time.Hour }, want: NotDue},
		"a relapse":                             {node: func(n *corev1.Node) { n.Status.Conditions[1].LastTransitionTime = ago(time.Second) }, want: NotDue},
		"another reason than the rule's":        {policy: func(p *v1alpha1.NodeRepairPolicySpec) { p.Rules[0].Reasons = []string{"Other"} }, want: NotDue},
		"the rule is for a person to see to":    {policy: func(p *v1alpha1.NodeRepairPolicySpec) { p.Rules[0].Action = v1alpha1.ActionNone }, want: AnotherAction},
		"an action that was not asked for":      {asked: func(s *v1alpha1.RemediationSpec) { s.Plan = v1alpha1.NodePlan(v1alpha1.ActionReplace, "") }, want: AnotherAction},
		"the next step after one in vain":       {asked: func(s *v1alpha1.RemediationSpec) { s.Plan = v1alpha1.NodePlan(v1alpha1.ActionReplace, "") }, ledger: inVain},
		"the same step again after one in vain": {ledger: inVain, want: AnotherAction},
		"a rule before it decides": {policy: func(p *v1alpha1.NodeRepairPolicySpec) {
			p.Rules = append([]v1alpha1.RepairRule{rule("first", 0, v1alpha1.ActionReboot)}, p.Rules...)
		}, want: AnotherRule},
		"another service": {
			policy: func(p *v1alpha1.NodeRepairPolicySpec) {
				p.Rules[0].Action, p.Rules[0].Service = v1alpha1.ActionRestartService, "kubelet.service"
			},
			asked: func(s *v1alpha1.RemediationSpec) {
				s.Plan = v1alpha1.NodePlan(v1alpha1.ActionRestartService, "sshd.service")
			}, want: AnotherAction,
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, n, r := policy.DeepCopy(), down.DeepCopy(), asked.DeepCopy()
			if tc.policy != nil {
				tc.policy(p)
			}
			if tc.node != nil {
				tc.node(n)
			}
			if tc.asked != nil {
				tc.asked(&r.Spec)
			}
			if got := ObjectionTo(p, n, r, tc.ledger, now); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}
