package cli

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cluster/clustertest"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
)

// ofAWS are three nodes of an EKS node group, with what naosu's agent says on them, if there is one.
func ofAWS(agent bool) []runtime.Object {
	var objects []runtime.Object
	for _, name := range []string{"n1", "n2", "n3"} {
		node := &corev1.Node{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Node"}}
		node.Name, node.Labels = name, map[string]string{"eks.amazonaws.com/nodegroup": "workers", corev1.LabelTopologyZone: "eu-west-1a"}
		node.Spec.ProviderID = "aws:///eu-west-1a/i-0123456789abcdef" + name[1:]
		node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
		for _, kind := range []corev1.NodeConditionType{"KernelReady", "NetworkingReady", "StorageReady", "ContainerRuntimeReady"} {
			if agent {
				node.Status.Conditions = append(node.Status.Conditions, corev1.NodeCondition{Type: kind, Status: corev1.ConditionTrue, Reason: "NoFault", LastHeartbeatTime: metav1.Now()})
			}
		}
		objects = append(objects, node)
	}
	if agent {
		set := &appsv1.DaemonSet{TypeMeta: metav1.TypeMeta{APIVersion: "apps/v1", Kind: "DaemonSet"}}
		set.Namespace, set.Name, set.Spec.Selector = "naosu-system", "naosu-agent", &metav1.LabelSelector{}
		objects = append(objects, set)
	}
	return objects
}

// noRoom is a policy whose budget lets nothing through, ever.
func noRoom() *v1alpha1.NodeRepairPolicy {
	policy := &v1alpha1.NodeRepairPolicy{TypeMeta: metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: "NodeRepairPolicy"}}
	policy.Name, policy.Spec.Mode = "workers", v1alpha1.ModeAuto
	for _, kind := range []string{"NetworkingReady", "KernelReady"} {
		policy.Spec.Rules = append(policy.Spec.Rules, v1alpha1.RepairRule{Name: strings.ToLower(kind), Condition: kind, Status: "False", Action: v1alpha1.ActionReboot})
	}
	policy.Spec.Budgets.Zone = new(intstr.FromString("10%"))
	return policy
}

// TestAuditTellsOfRepairs holds an audit to what `repair check` says of the repairs that somebody set up, and to nothing more.
func TestAuditTellsOfRepairs(t *testing.T) {
	withoutCloud(t)
	host := (&clustertest.API{Objects: append(ofAWS(true), noRoom())}).Serve(t)
	var want []toldFinding
	for _, f := range tell(t, "repair", "check", "--server", host).Findings {
		if f.Severity == finding.Warning && f.Subjects[0].Kind == "NodeRepairPolicy" {
			want = append(want, f)
		}
	}
	got := slices.DeleteFunc(tell(t, "audit", "--server", host).Findings, func(f toldFinding) bool { return f.Code != finding.N302 })
	if diff := cmp.Diff(want, got); diff != "" || len(want) != 2 {
		t.Errorf("%d that check has (-check +audit):\n%s", len(want), diff)
	}
	page := strings.Join(strings.Fields(run(t, "audit", "--server", host)), " ")
	if strings.Count(page, "N302") != 1 || !strings.Contains(page, "10%") || !strings.Contains(page, "more like it") {
		t.Errorf("the page does not tell of one cause once:\n%s", page)
	}
	var log struct {
		Runs []struct {
			Results []struct {
				Fingerprints map[string]string `json:"partialFingerprints"`
			}
		}
	}
	if err := json.Unmarshal([]byte(run(t, "audit", "--server", host, "-o", "sarif")), &log); err != nil {
		t.Fatal(err)
	}
	marks := map[string]bool{}
	for _, r := range log.Runs[0].Results {
		marks[r.Fingerprints["primaryLocationLineHash"]] = true
	}
	if len(marks) != len(log.Runs[0].Results) {
		t.Errorf("%d results have %d fingerprints", len(log.Runs[0].Results), len(marks))
	}
}

// TestAuditWhereNobodyRepairs sees that no audit is longer for repairs that nobody set up, and that a cloud that cannot be asked is told of
// once, and only where an agent reports what it may act on.
func TestAuditWhereNobodyRepairs(t *testing.T) {
	withoutCloud(t)
	for name, tc := range map[string]struct {
		objects []runtime.Object
		gaps    int
	}{
		"no agent": {ofAWS(false), 0},
		"an agent": {ofAWS(true), 1},
	} {
		answer := tell(t, "audit", "--server", (&clustertest.API{Objects: tc.objects}).Serve(t))
		gaps := slices.DeleteFunc(answer.Unknown, func(g finding.Gap) bool { return !strings.Contains(message.English().Say(g.Message), "AWS") })
		if len(gaps) != tc.gaps || about(answer.Unknown) != 0 || slices.ContainsFunc(answer.Findings, func(f toldFinding) bool { return f.Code == finding.N302 }) {
			t.Errorf("%s: %+v", name, answer)
		}
	}
}

// withoutCloud has no cloud be asked.
func withoutCloud(t *testing.T) {
	t.Helper()
	for _, name := range []string{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_WEB_IDENTITY_TOKEN_FILE"} {
		t.Setenv(name, "")
	}
	t.Setenv("AWS_CONFIG_FILE", os.DevNull)
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", os.DevNull)
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
}
