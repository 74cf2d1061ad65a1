package repaircheck

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cli/repair"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/repaircheck"
)

// breakages are what breaks a chain in real clusters, with the link that check must name. A policy is changed
// with its status as its controller left it before.
func (b *fixture) breakages(ctx context.Context, t *testing.T) []breakage {
	t.Helper()
	const down = "InterfaceNotUp"
	rule := func(s *v1alpha1.NodeRepairPolicySpec) *v1alpha1.RepairRule { return &s.Rules[0] }
	spec := func(change func(*v1alpha1.NodeRepairPolicySpec)) func(*testing.T) {
		return func(t *testing.T) { t.Helper(); b.policyIs(ctx, t, change, permitted) }
	}
	permission := func(actuator string, may v1alpha1.May) func(*testing.T) {
		return func(t *testing.T) {
			t.Helper()
			told := v1alpha1.Permission{Action: v1alpha1.ActionReboot, Actuator: actuator, May: may, Message: "no", At: metav1.Now()}
			b.policyIs(ctx, t, nil, func(s *v1alpha1.NodeRepairPolicyStatus) { s.Permissions = []v1alpha1.Permission{told} })
		}
	}
	return []breakage{
		{"the agent is told to leave it", repaircheck.Detect, down, "off", b.node, func(t *testing.T) { t.Helper(); b.switchedOff(ctx, t, down) }},
		{"a reason that no agent has", repaircheck.Detect, "InterfaceDown", "InterfaceDown", b.node, spec(func(s *v1alpha1.NodeRepairPolicySpec) { rule(s).Reasons = []string{"InterfaceDown"} })},
		{"an agent that fell silent", repaircheck.Fresh, down, "16m", b.node, func(t *testing.T) { t.Helper(); b.heard(ctx, t, time.Hour) }},
		{"no rule", repaircheck.Match, down, "No policy rule", b.node, spec(func(s *v1alpha1.NodeRepairPolicySpec) { rule(s).Condition = "KernelReady" })},
		{"a rule that waits longer than the condition lasts", repaircheck.Wait, "CperHardwareErrorFatal", "24h", b.node, spec(func(s *v1alpha1.NodeRepairPolicySpec) {
			rule(s).Condition, rule(s).For.Duration = "KernelReady", 48*time.Hour
		})},
		{"nobody offers it", repaircheck.Action, down, "No provider supports", b.node, permission("None", v1alpha1.MayNo)},
		{"the cloud refuses", repaircheck.Permitted, down, "aws", b.node, permission("aws", v1alpha1.MayNo)},
		{"the cloud refuses the machines of a group", repaircheck.Permitted, down, "for machines of group/batch", batch, func(t *testing.T) { t.Helper(); b.refusedGroup(ctx, t) }},
		{"a budget that rounds to zero", repaircheck.Budget, down, "20%", b.node, spec(func(s *v1alpha1.NodeRepairPolicySpec) { s.Budgets.Cluster = new(intstr.FromString("20%")) })},
		{"the ledger is damaged", repaircheck.Budget, down, "damaged", b.node, func(t *testing.T) { t.Helper(); b.damagedLedger(ctx, t) }},
		{"paused", repaircheck.Mode, down, "paused", b.node, spec(func(s *v1alpha1.NodeRepairPolicySpec) { s.Paused = true })},
		{"only reported", repaircheck.Mode, down, "Report", b.node, spec(func(s *v1alpha1.NodeRepairPolicySpec) { s.Mode = v1alpha1.ModeReport })},
		{"Karpenter repairs too", repaircheck.Competing, down, "karpenter", karpenters, func(t *testing.T) { t.Helper(); b.karpenter(ctx, t) }},
		{"no controller", repaircheck.Controller, down, "Lease", b.node, func(t *testing.T) { t.Helper(); b.unled(ctx, t) }},
		{"drilled too long ago", repaircheck.Proven, down, "30 days", b.node, func(t *testing.T) { t.Helper(); b.drilled(ctx, t, 31*24*time.Hour) }},
	}
}

// rowOn is the row about a reason on a node.
func rowOn(t *testing.T, checked repair.Checked, reason, node string) repaircheck.Row {
	t.Helper()
	at := slices.IndexFunc(checked.Rows, func(r repaircheck.Row) bool { return r.Reason == reason && slices.Contains(r.On, node) })
	if at < 0 {
		t.Fatalf("no row for %s on %s", reason, node)
	}
	return checked.Rows[at]
}

type breakage struct {
	name         string
	link         repaircheck.LinkName
	reason, says string
	on           string // which node
	make         func(*testing.T)
}

// eachLink breaks each link, and requires that check names only that one.
func (b *fixture) eachLink(ctx context.Context, t *testing.T) {
	t.Helper()
	var links []repaircheck.LinkName
	named := map[repaircheck.LinkName]bool{}
	for _, c := range b.breakages(ctx, t) {
		t.Run(c.name, func(t *testing.T) {
			row := b.mended(ctx, t)
			for _, l := range row.Links {
				if !slices.Contains(links, l.Link) {
					links = append(links, l.Link)
				}
			}
			c.make(t)
			checked, err := ask[repair.Checked](ctx, t, b, "repair", "check")
			if err != nil {
				t.Fatal(err)
			}
			if row := rowOn(t, checked, c.reason, c.on); row.Verdict == repaircheck.WouldAct || row.BrokenLink != c.link || !strings.Contains(message.English().Say(row.Message), c.says) {
				t.Errorf("%s at %q: %s; want %q: …%s…", row.Verdict, row.BrokenLink, message.English().Say(row.Message), c.link, c.says)
			}
			named[c.link] = true
		})
	}
	for _, link := range links {
		if !named[link] {
			t.Errorf("nothing breaks %s", link)
		}
	}
	b.mended(ctx, t)
}

// mended is the row of a chain of which every link is whole again.
func (b *fixture) mended(ctx context.Context, t *testing.T) repaircheck.Row {
	t.Helper()
	b.policyIs(ctx, t, nil, permitted)
	b.heard(ctx, t, 0)
	b.drilled(ctx, t, 0)
	b.lease(ctx, t)
	checked, err := ask[repair.Checked](ctx, t, b, "repair", "check")
	row := rowOf(t, checked, "InterfaceNotUp")
	if err != nil || row.Verdict != repaircheck.WouldAct {
		t.Fatalf("%v: %s at %q: %s", err, row.Verdict, row.BrokenLink, message.English().Say(row.Message))
	}
	return row
}

// permitted is what a controller notes that may act.
func permitted(s *v1alpha1.NodeRepairPolicyStatus) {
	s.Permissions = []v1alpha1.Permission{{Action: v1alpha1.ActionReboot, Actuator: "aws", May: v1alpha1.MayYes, At: metav1.Now()}}
}

// write reads an object, changes it and writes it again, its status too.
func (b *fixture) write(ctx context.Context, t *testing.T, o client.Object, change, status func()) {
	t.Helper()
	err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		if err := b.client.Get(ctx, client.ObjectKeyFromObject(o), o); err != nil {
			return err
		}
		if change != nil {
			change()
			if err := b.client.Update(ctx, o); err != nil {
				return err
			}
		}
		status()
		return b.client.Status().Update(ctx, o)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// policyIs gives the policy its spec, but for a change, and a status as of that.
func (b *fixture) policyIs(ctx context.Context, t *testing.T, change func(*v1alpha1.NodeRepairPolicySpec), status func(*v1alpha1.NodeRepairPolicyStatus)) {
	t.Helper()
	p := &v1alpha1.NodeRepairPolicy{ObjectMeta: metav1.ObjectMeta{Name: "workers"}}
	b.write(ctx, t, p, func() {
		p.Spec = rebooting()
		if change != nil {
			change(&p.Spec)
		}
	}, func() {
		p.Status.ObservedGeneration, p.Status.Conditions = p.Generation, nil
		status(&p.Status)
	})
}

// heard sets the age of the agent's last heartbeat.
func (b *fixture) heard(ctx context.Context, t *testing.T, age time.Duration) {
	t.Helper()
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: b.node}}
	b.write(ctx, t, node, nil, func() {
		for i := range node.Status.Conditions {
			node.Status.Conditions[i].LastHeartbeatTime = metav1.NewTime(time.Now().Add(-age))
		}
	})
}

// drilled has the drill that went the whole way be so old, and of the policy as it is.
func (b *fixture) drilled(ctx context.Context, t *testing.T, age time.Duration) {
	t.Helper()
	p := &v1alpha1.NodeRepairPolicy{ObjectMeta: metav1.ObjectMeta{Name: "workers"}}
	var all v1alpha1.RemediationList
	if err := b.client.List(ctx, &all); err != nil {
		t.Fatal(err)
	}
	if err := b.client.Get(ctx, client.ObjectKeyFromObject(p), p); err != nil {
		t.Fatal(err)
	}
	for i := range all.Items {
		r := &all.Items[i]
		if !meta.IsStatusConditionTrue(r.Status.Conditions, v1alpha1.RemediationSucceeded) {
			continue
		}
		b.write(ctx, t, r, nil, func() {
			r.Status.Match.Generation = p.Generation
			meta.FindStatusCondition(r.Status.Conditions, v1alpha1.RemediationSucceeded).LastTransitionTime = metav1.NewTime(time.Now().Add(-age))
		})
	}
}

// unled releases the controller's lease.
func (b *fixture) unled(ctx context.Context, t *testing.T) {
	t.Helper()
	b.lease(ctx, t)
	if err := b.client.Delete(ctx, b.leased()); err != nil {
		t.Fatal(err)
	}
}

// switchedOff installs naosu's agent with a reason that is off.
func (b *fixture) switchedOff(ctx context.Context, t *testing.T, reason string) {
	t.Helper()
	labels := map[string]string{"app.kubernetes.io/name": "naosu-agent"}
	config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "naosu-system", Name: "naosu-agent"}}
	config.Data = map[string]string{"agent.yaml": "reasons: {" + reason + ": {severity: off}}"}
	agent := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: "naosu-system", Name: "naosu-agent"}}
	agent.Spec.Selector, agent.Spec.Template.Labels = &metav1.LabelSelector{MatchLabels: labels}, labels
	agent.Spec.Template.Spec.NodeSelector = map[string]string{"on": "none"}
	agent.Spec.Template.Spec.Containers = []corev1.Container{{Name: "agent", Image: "naosu-agent"}}
	agent.Spec.Template.Spec.Volumes = []corev1.Volume{{Name: "config", VolumeSource: corev1.VolumeSource{
		ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: "naosu-agent"}},
	}}}
	b.create(ctx, t, config)
	b.create(ctx, t, agent)
}

// damagedLedger truncates the ledger.
func (b *fixture) damagedLedger(ctx context.Context, t *testing.T) {
	t.Helper()
	b.create(ctx, t, &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: "naosu-system", Name: "naosu-ledger"}, Data: map[string]string{"ledger.json": `{"entries":[{"remediation":`},
	})
}

// karpenters is a node of Karpenter's.
const karpenters = "worker-of-karpenter"

// karpenter installs Karpenter with its own node repair, and a node of its.
func (b *fixture) karpenter(ctx context.Context, t *testing.T) {
	t.Helper()
	const pool = "karpenter.sh/nodepool"
	labels := map[string]string{"app.kubernetes.io/name": "karpenter"}
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: b.Namespace, Name: "karpenter", Labels: labels}}
	d.Spec.Selector, d.Spec.Template.Labels = &metav1.LabelSelector{MatchLabels: labels}, labels
	d.Spec.Template.Spec.NodeSelector = map[string]string{"on": "none"}
	d.Spec.Template.Spec.Containers = []corev1.Container{{Name: "c", Image: "karpenter", Args: []string{"--feature-gates=NodeRepair=true"}}}
	b.create(ctx, t, d)
	b.another(ctx, t, karpenters, "aws:///eu-west-1a/i-0123456789abcdef0", map[string]string{pool: "general"})
}

// batch is a node of a group whose machines the cloud does not let the controller reboot.
const batch = "worker-of-batch"

// refusedGroup makes that node, and has the controller find out.
func (b *fixture) refusedGroup(ctx context.Context, t *testing.T) {
	t.Helper()
	b.another(ctx, t, batch, "", map[string]string{"eks.amazonaws.com/nodegroup": "batch"})
	b.policyIs(ctx, t, nil, func(s *v1alpha1.NodeRepairPolicyStatus) {
		permitted(s)
		told := &s.Permissions[0]
		told.May, told.Groups = v1alpha1.MayNo, []v1alpha1.GroupPermission{{Name: "", May: v1alpha1.MayYes}, {Name: "batch", May: v1alpha1.MayNo}}
	})
	checked, err := ask[repair.Checked](ctx, t, b, "repair", "check")
	if row := rowOn(t, checked, "InterfaceNotUp", b.node); err != nil || row.Verdict != repaircheck.WouldAct {
		t.Errorf("machines that are let through: %v: %+v", err, row)
	}
}

// another makes a node beside that of the fixture, with the same conditions.
func (b *fixture) another(ctx context.Context, t *testing.T, name, providerID string, labels map[string]string) {
	t.Helper()
	other := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}}
	other.Spec.ProviderID = providerID
	b.create(ctx, t, other)
	mine := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: b.node}}
	if err := b.client.Get(ctx, client.ObjectKeyFromObject(mine), mine); err != nil {
		t.Fatal(err)
	}
	b.write(ctx, t, other, nil, func() { other.Status.Conditions = mine.Status.Conditions })
}

// create makes an object for as long as a test runs.
func (b *fixture) create(ctx context.Context, t *testing.T, o client.Object) {
	t.Helper()
	if err := b.client.Create(ctx, o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := client.IgnoreNotFound(b.client.Delete(context.WithoutCancel(ctx), o)); err != nil {
			t.Error(err)
		}
	})
}
