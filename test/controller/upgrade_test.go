package controller

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/config/crd"
	"github.com/naosu-dev/naosu/test/program"
)

const definition = "remediations.naosu.dev"

// TestUpgrade upgrades the definition of Remediations from the last version without plans, with records stored that its controller
// wrote. They are shown as before, a rejection stays, what turned out as forecast counts, and a proposal is approved and done.
func TestUpgrade(t *testing.T) {
	needLab(t)
	rejected, asked := nodes(t)[3], nodes(t)[4]
	serve(t, documents(t, read(t, "remediations-without-plans.yaml"))[0], false)
	for _, o := range stored(t, rejected, asked) {
		store(t, o)
	}
	for _, o := range documents(t, crd.YAML()) {
		if o.GetName() == definition {
			serve(t, o, true)
		}
	}
	remediations := func(name string) *v1alpha1.Remediation {
		r := &v1alpha1.Remediation{}
		if err := shared.Get(t.Context(), client.ObjectKey{Name: name}, r); err != nil {
			t.Fatal(err)
		}
		return r
	}
	since := remediations("rejected").Spec.Evidence.Since
	for _, node := range []corev1.Node{rejected, asked} {
		err := say(t.Context(), &node, corev1.NodeCondition{
			Type: "NetworkingReady", Status: corev1.ConditionFalse, Reason: "InterfaceNotUp", LastTransitionTime: since, LastHeartbeatTime: metav1.Now(),
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { well(t, rejected.Name) })
	agent(t, asked.Name)
	approve(t, rejected, asked)
	before := remediations("proposed").Status.Forecast.At
	start(t)
	until(t, "the proposal is looked at", func() bool { return before.Before(&remediations("proposed").Status.Forecast.At) })
	proposal := remediations("proposed")
	proposal.Spec.Approval = v1alpha1.Approved
	if err := shared.Update(t.Context(), proposal); err != nil {
		t.Fatal(err)
	}
	until(t, "the proposal is done", func() bool { return outcome(remediations("proposed")) == v1alpha1.RemediationAsForecastReason })
	if asks := [2]int{reboots(rejected), reboots(asked)}; asks != [2]int{0, 1} {
		t.Errorf("AWS was asked to reboot the rejected and the approved node's machine %v times", asks)
	}
	until(t, "the policy counts those that turned out as forecast, before and after", func() bool {
		p := &v1alpha1.NodeRepairPolicy{}
		if err := shared.Get(t.Context(), client.ObjectKey{Name: "approve"}, p); err != nil {
			t.Fatal(err)
		}
		return p.Status.AsForecast != nil && *p.Status.AsForecast == 2
	})
	shown(t)
}

// shown has naosu and kubectl print the stored records, and no further one of the node whose repair was rejected.
func shown(t *testing.T) {
	t.Helper()
	table := output(t, "kubectl", "get", "remediations")
	for name, want := range map[string]struct{ row, says string }{
		"helped":                 {"Reboot Ended", "Reboot of node/GONE-NODE for NetworkingReady InterfaceNotUp is Ended, AsForecast"},
		"restart":                {"RestartService Ended", "RestartService containerd.service of node/GONE-NODE for ContainerRuntimeReady"},
		"rejected":               {"Reboot Ended", "is Ended, Rejected (Rejected)"},
		"proposed":               {"Reboot Ended", "is Ended, AsForecast (Approved)"},
		"drill-apr5iat4grt5sdvk": {"Ended", "DrillDryRun of node/GONE-NODE"},
	} {
		if !holds(table, name, want.row) {
			t.Errorf("no row of %s has %q:\n%s", name, want.row, table)
		}
		said := strings.Join(strings.Fields(output(t, "naosu", "remediations", name)), " ")
		if !strings.Contains(said, want.says) {
			t.Errorf("of %s it is not said that %q:\n%s", name, want.says, said)
		}
	}
	if n := strings.Count(table, "Rejected"); n != 1 {
		t.Errorf("%d rejected:\n%s", n, table)
	}
}

// holds says whether the row of a name holds words, whatever the space between them.
func holds(table, name, words string) bool {
	for line := range strings.Lines(table) {
		if fields := strings.Fields(line); len(fields) > 0 && fields[0] == name {
			return strings.Contains(strings.Join(fields, " "), words)
		}
	}
	return false
}

func output(t *testing.T, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program.Need(t, name), args...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+shared.Plane.KubeconfigPath())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return string(out)
}

// serve replaces the definition and waits until the API server answers by it: only the new one has plans.
func serve(t *testing.T, wanted *unstructured.Unstructured, plans bool) {
	t.Helper()
	until(t, "the definition is written", func() bool {
		now := &unstructured.Unstructured{}
		now.SetGroupVersionKind(wanted.GroupVersionKind())
		if err := shared.Get(t.Context(), client.ObjectKey{Name: definition}, now); err != nil {
			t.Fatal(err)
		}
		now.Object["spec"] = wanted.Object["spec"]
		return shared.Update(t.Context(), now) == nil
	})
	planned := &v1alpha1.Remediation{
		ObjectMeta: metav1.ObjectMeta{Name: "planned"},
		Spec: v1alpha1.RemediationSpec{
			Policy: v1alpha1.PolicyReference{Kind: v1alpha1.NodeRepairPolicyKind, Name: "p", Rule: "r"}, Node: v1alpha1.NodeReference{Name: "n", UID: "u"},
			Evidence: v1alpha1.Evidence{Condition: "Ready", Status: metav1.ConditionFalse, Since: metav1.Now()}, Plan: v1alpha1.NodePlan(v1alpha1.ActionReboot, ""),
		},
	}
	until(t, "the API server answers by the definition", func() bool {
		return (shared.Create(t.Context(), planned.DeepCopy(), client.DryRunAll) == nil) == plans
	})
}

// stored are the records, two of them about nodes that there are.
func stored(t *testing.T, rejected, asked corev1.Node) []*unstructured.Unstructured {
	t.Helper()
	names := strings.NewReplacer(
		"ILL-NODE", rejected.Name, "ILL-UID", string(rejected.UID), "ILL-MACHINE", rejected.Spec.ProviderID,
		"ASKED-NODE", asked.Name, "ASKED-UID", string(asked.UID), "ASKED-MACHINE", asked.Spec.ProviderID,
	)
	return documents(t, []byte(names.Replace(string(read(t, "records-without-plans.yaml")))))
}

func store(t *testing.T, o *unstructured.Unstructured) {
	t.Helper()
	status := o.Object["status"]
	if err := shared.Create(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	o.Object["status"] = status
	if err := shared.Status().Update(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context())
		if err := shared.Get(ctx, client.ObjectKeyFromObject(o), o); err == nil {
			o.SetFinalizers(nil)
			_ = shared.Update(ctx, o)
			_ = shared.Delete(ctx, o)
		}
	})
}

// approve is the policy of the stored records.
func approve(t *testing.T, nodes ...corev1.Node) {
	t.Helper()
	var names []string
	for _, node := range nodes {
		names = append(names, node.Labels[corev1.LabelHostname])
	}
	second := metav1.Duration{Duration: time.Second}
	p := &v1alpha1.NodeRepairPolicy{ObjectMeta: metav1.ObjectMeta{Name: "approve"}, Spec: v1alpha1.NodeRepairPolicySpec{
		Mode:         v1alpha1.ModeApprove,
		NodeSelector: metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: corev1.LabelHostname, Operator: metav1.LabelSelectorOpIn, Values: names}}},
		Rules:        []v1alpha1.RepairRule{{Name: "network", Condition: "NetworkingReady", Status: metav1.ConditionFalse, Action: v1alpha1.ActionReboot}},
		Brake:        v1alpha1.Brake{Nodes: 5, Percent: 100}, Budgets: v1alpha1.Budgets{MaxPerDay: new(int32(9))}, // Other tests have used up the default.
		Verification: v1alpha1.Verification{Dwell: &second}, NodeStartupGracePeriod: &metav1.Duration{}, CoolDown: &metav1.Duration{},
	}}
	if err := shared.Create(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = shared.Delete(context.WithoutCancel(t.Context()), p) })
}

// well has a node's network be well again.
func well(t *testing.T, name string) {
	t.Helper()
	var n corev1.Node
	ctx := context.WithoutCancel(t.Context())
	if err := shared.Get(ctx, client.ObjectKey{Name: name}, &n); err != nil {
		t.Error(err)
		return
	}
	if err := say(ctx, &n, corev1.NodeCondition{Type: "NetworkingReady", Status: corev1.ConditionTrue, Reason: "NetworkingIsReady"}); err != nil {
		t.Error(err)
	}
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func documents(t *testing.T, data []byte) []*unstructured.Unstructured {
	t.Helper()
	var all []*unstructured.Unstructured
	for document := range bytes.SplitSeq(data, []byte("---\n")) {
		o := &unstructured.Unstructured{}
		if err := yaml.Unmarshal(document, &o.Object); err != nil {
			t.Fatal(err)
		}
		if len(o.Object) > 0 {
			all = append(all, o)
		}
	}
	return all
}
