package controller

import (
	"encoding/json"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/ledger"
)

func outcome(r *v1alpha1.Remediation) string {
	if r == nil || r.Status.Phase != v1alpha1.PhaseEnded {
		return ""
	}
	if end := meta.FindStatusCondition(r.Status.Conditions, v1alpha1.RemediationSucceeded); end != nil {
		return end.Reason
	}
	return "ended without a word"
}

// mended waits for a policy's Remediation to end, and looks at what it left.
func mended(t *testing.T, policy string, node corev1.Node) *v1alpha1.Remediation {
	t.Helper()
	var r *v1alpha1.Remediation
	until(t, "the Remediation has ended", func() bool {
		r = of(t, policy)
		return outcome(r) != ""
	})
	if got := outcome(r); got != v1alpha1.RemediationAsForecastReason {
		said, _ := json.MarshalIndent(r.Status, "", " ")
		t.Errorf("it ended %s:\n%s", got, said)
	}
	if n := reboots(node); n != 1 {
		t.Errorf("AWS was asked %d times to reboot %s", n, node.Name)
	}
	var after corev1.Node
	if err := shared.Get(t.Context(), client.ObjectKey{Name: node.Name}, &after); err != nil {
		t.Fatal(err)
	}
	if after.Spec.Unschedulable || after.UID != node.UID || after.Status.NodeInfo.BootID == node.Status.NodeInfo.BootID {
		t.Errorf("afterwards: cordoned %v, UID %s, boot %s", after.Spec.Unschedulable, after.UID, after.Status.NodeInfo.BootID)
	}
	var kept corev1.ConfigMap
	if err := shared.Get(t.Context(), client.ObjectKey{Namespace: "naosu-system", Name: "naosu-ledger"}, &kept); err != nil {
		t.Fatal(err)
	}
	var stored ledger.Ledger
	if err := json.Unmarshal([]byte(kept.Data["ledger.json"]), &stored); err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(stored.Entries, func(e ledger.Entry) bool { return e.Remediation == r.Name })
	if at < 0 || stored.Entries[at].Result != ledger.Helped || stored.Entries[at].Ended.IsZero() {
		t.Errorf("the ledger: %+v", stored)
	}
	return r
}

// A node's condition turns, and through the real SDK its machine is rebooted: once, with its pods gone before, and back.
func TestRepairs(t *testing.T) {
	controller := start(t)
	node := nodes(t)[0]
	policy(t, "links", node)
	agent(t, node.Name)
	r := mended(t, "links", node)
	if r.Status.Forecast == nil || r.Spec.Evidence.Reason != "InterfaceNotUp" {
		t.Errorf("forecast %v, evidence %v", r.Status.Forecast, r.Spec.Evidence)
	}
	until(t, "the policy counts what turned out as forecast", func() bool {
		var p v1alpha1.NodeRepairPolicy
		if err := shared.Get(t.Context(), client.ObjectKey{Name: "links"}, &p); err != nil {
			t.Fatal(err)
		}
		ready := meta.FindStatusCondition(p.Status.Conditions, v1alpha1.PolicyReady)
		return p.Status.AsForecast != nil && *p.Status.AsForecast == 1 && *p.Status.Nodes == 1 && *p.Status.UnhealthyNodes == 0 &&
			ready.Status == metav1.ConditionTrue && len(p.Status.Permissions) == 1 && p.Status.Permissions[0].May == v1alpha1.MayYes
	})
	token := account(t, "reader", true)
	for _, want := range []string{
		`naosu_remediations{action="Reboot",outcome="AsForecast",phase="Ended",policy="links"} 1`, "naosu_unhealthy_nodes 0", "naosu_ledger_reservations 0", "naosu_ledger_read_timestamp_seconds ",
		`naosu_guard_verdicts_total{check="mode",decision="Allow",reason=""}`, "naosu_watch_age_seconds",
	} {
		until(t, "the metric "+want, func() bool {
			_, metrics := scrape(t, "https://"+controller.metrics, token)
			return strings.Contains(metrics, want)
		})
	}
	if code := status(t, "http://"+controller.health+"/livez"); code != http.StatusOK {
		t.Errorf("/livez answers %d", code)
	}
}

// Of two replicas the one that leads is killed when it has just asked for a reboot, written down or not: the other takes the
// repair to its end, and repeats no request.
func TestFailover(t *testing.T) {
	first := start(t)
	until(t, "somebody leads", func() bool { return leader(t) != "" })
	leading := leader(t)
	start(t)
	node := nodes(t)[1]
	policy(t, "next", node)
	agent(t, node.Name)
	until(t, "AWS was asked", func() bool { return reboots(node) > 0 })
	if leader(t) != leading {
		t.Fatal("who did not lead has acted")
	}
	if err := first.Process.Signal(os.Kill); err != nil {
		t.Fatal(err)
	}
	<-first.ended
	mended(t, "next", node)
	if now := leader(t); now == leading || now == "" {
		t.Errorf("%q leads, and %q was killed", now, leading)
	}
}

// A drill's evidence goes the whole way to the dry run, and nothing is done.
func TestDrill(t *testing.T) {
	start(t)
	node := nodes(t)[2]
	well := corev1.NodeCondition{Type: "NetworkingReady", Status: corev1.ConditionTrue, Reason: "NoFault", LastTransitionTime: metav1.Now(), LastHeartbeatTime: metav1.Now()}
	if err := say(t.Context(), &node, well); err != nil {
		t.Fatal(err)
	}
	policy(t, "drills", node)
	r := &v1alpha1.Remediation{ObjectMeta: metav1.ObjectMeta{Name: "drill"}, Spec: v1alpha1.RemediationSpec{
		Node: v1alpha1.NodeReference{Name: node.Name, UID: node.UID}, Drill: &v1alpha1.Drill{Nonce: "abcdefgh", Reason: "InterfaceNotUp", Depth: v1alpha1.DrillDryRun},
	}}
	if err := shared.Create(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	before := r.DeepCopy()
	now := metav1.NowMicro()
	r.Status.Agent = &v1alpha1.AgentReport{
		State: v1alpha1.AgentDone, At: now, Hops: []v1alpha1.Hop{{Name: v1alpha1.HopFault, At: now}},
		Evidence: &v1alpha1.Evidence{Condition: "NetworkingReady", Status: metav1.ConditionFalse, Reason: "InterfaceNotUp", Since: metav1.Now()},
	}
	if err := shared.Status().Patch(t.Context(), r, client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}
	until(t, "the drill has ended", func() bool {
		if err := shared.Get(t.Context(), client.ObjectKeyFromObject(r), r); err != nil {
			t.Fatal(err)
		}
		return outcome(r) != ""
	})
	last := r.Status.Steps[len(r.Status.Steps)-1]
	if got := outcome(r); got != v1alpha1.RemediationDrillPassedReason || last.Name != v1alpha1.StepAct || last.Actuator != "aws" || r.Status.Agent == nil {
		t.Errorf("it ended %s, its last step was %+v", got, last)
	}
	if reboots(node) > 0 || of(t, "drills") != nil {
		t.Error("a drill has done something")
	}
}
