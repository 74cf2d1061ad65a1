package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster/clustertest"
	"github.com/naosu-dev/naosu/internal/finding"
)

// told is what a program reads of an explanation and of an audit.
type told struct {
	Summary  string
	Severity finding.Severity
	Findings []toldFinding
	Unknown  []finding.Gap
}

type toldFinding struct {
	Code     finding.Code
	Severity finding.Severity
	Subjects []change.Ref
	Message  string
	Causes   []struct {
		Message  string             `json:"message"`
		Evidence []finding.Evidence `json:"evidence"`
	}
	Remedies []struct{ Message, Command string }
}

// TestHeld asks those verbs that an on-call engineer types first what the guard holds back.
func TestHeld(t *testing.T) {
	host := (&clustertest.API{Objects: slices.Concat(sickNodes(), ownResources())}).Serve(t)
	for _, language := range []string{"en", "ja"} {
		var answers []any
		for _, q := range [][]string{{"why", "node/n1"}, {"why", "node/n2"}, {"why", "node/n3"}, {"audit"}} {
			answer := tell(t, append(q, "--server", host, "--lang", language)...)
			answers = append(answers, map[string]any{strings.Join(q, " "): answer.held()})
			if about(answer.Unknown) != 0 {
				t.Errorf("%v: unknown: %v", q, answer.Unknown)
			}
		}
		compareAnswers(t, "testdata/held."+language+".json", answers)
	}
	for _, q := range [][]string{{"why", "node/n1"}, {"audit"}} {
		page := run(t, append(q, "--server", host)...)
		if words := strings.Join(strings.Fields(page), " "); !strings.Contains(words, "N304") || !strings.Contains(words, "3 of 4 nodes with the same zone/a") {
			t.Errorf("%v:\n%s", q, page)
		}
	}
}

// TestHeldByNobody sees to it that whoever cannot ask about naosu's resources is answered as before: where it is not installed
// in silence, else with what is not known.
func TestHeldByNobody(t *testing.T) {
	no := apierrors.NewForbidden(schema.GroupResource{Group: v1alpha1.GroupVersion.Group, Resource: "noderepairpolicies"}, "", errors.New("eve may not"))
	broken := apierrors.NewInternalError(errors.New("etcd is gone"))
	everything := slices.Concat(sickNodes(), ownResources())
	absent := &clustertest.API{Objects: sickNodes()}
	for name, tc := range map[string]struct {
		from []string
		gaps int
	}{
		"forbidden": {[]string{"--server", (&clustertest.API{Objects: everything, Answers: map[string]*apierrors.StatusError{"noderepairpolicies": no}}).Serve(t)}, 1},
		"broken":    {[]string{"--server", (&clustertest.API{Objects: everything, Answers: map[string]*apierrors.StatusError{"noderepairpolicies": broken}}).Serve(t)}, 1},
		"absent":    {[]string{"--server", absent.Serve(t)}, 0},
		"a file":    {[]string{"--from", written(t, everything)}, 1},
	} {
		for _, q := range [][]string{{"why", "node/n1"}, {"audit"}} {
			answer := tell(t, append(q, tc.from...)...)
			if found := answer.held(); len(found) > 0 || about(answer.Unknown) != tc.gaps {
				t.Errorf("%s: %v: found %v, unknown %v", name, q, found, answer.Unknown)
			}
			before := tell(t, append(q, "--server", absent.Serve(t))...)
			if diff := cmp.Diff(before.rest(), answer.rest()); diff != "" {
				t.Errorf("%s: %v answered otherwise (-want +got):\n%s", name, q, diff)
			}
		}
	}
}

// A policy that may be read is told of though Remediations may not.
func TestHeldInPart(t *testing.T) {
	no := apierrors.NewForbidden(schema.GroupResource{Group: v1alpha1.GroupVersion.Group, Resource: "remediations"}, "", errors.New("eve may not"))
	host := (&clustertest.API{Objects: slices.Concat(sickNodes(), ownResources()), Answers: map[string]*apierrors.StatusError{"remediations": no}}).Serve(t)
	answer := tell(t, "why", "node/n1", "--server", host)
	if found := answer.held(); len(found) != 1 || found[0].Subjects[0].Kind != "NodeRepairPolicy" || about(answer.Unknown) != 1 {
		t.Errorf("found %v, unknown %v", found, answer.Unknown)
	}
}

func (a told) held() []toldFinding {
	held := []toldFinding{}
	for _, f := range a.Findings {
		if f.Code == finding.N304 {
			held = append(held, f)
		}
	}
	return held
}

// rest is what else an answer says.
func (a told) rest() []string {
	rest := []string{a.Summary, string(a.Severity)}
	for _, f := range a.Findings {
		if f.Code != finding.N304 {
			rest = append(rest, string(f.Code)+" "+string(f.Severity)+" "+f.Message)
		}
	}
	return rest
}

// about is how many gaps concern naosu's own resources.
func about(gaps []finding.Gap) int {
	n := 0
	for _, gap := range gaps {
		if gap.About == "naosu.dev" {
			n++
		}
	}
	return n
}

func tell(t *testing.T, args ...string) told {
	t.Helper()
	var answer told
	if err := json.Unmarshal([]byte(run(t, append(args, "-o", "json")...)), &answer); err != nil {
		t.Fatal(err)
	}
	return answer
}

func run(t *testing.T, args ...string) string {
	t.Helper()
	empty := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("KUBECONFIG", empty)
	var out bytes.Buffer
	root := NewCommand("naosu", genericiooptions.IOStreams{In: strings.NewReader(""), Out: &out, ErrOut: io.Discard})
	root.SetArgs(args)
	if err := root.ExecuteContext(t.Context()); err != nil {
		t.Fatalf("naosu %s: %v", strings.Join(args, " "), err)
	}
	return out.String()
}

// written is a file with objects, as kubectl writes them.
func written(t *testing.T, objects []runtime.Object) string {
	t.Helper()
	list := corev1.List{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "List"}}
	for _, o := range objects {
		list.Items = append(list.Items, runtime.RawExtension{Object: o})
	}
	data, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "cluster.json")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// sickNodes are two whose network is down, and one that is well.
func sickNodes() []runtime.Object {
	var nodes []runtime.Object
	for name, network := range map[string]corev1.ConditionStatus{"n1": corev1.ConditionFalse, "n2": corev1.ConditionFalse, "n3": corev1.ConditionTrue} {
		node := &corev1.Node{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Node"}}
		node.Name, node.UID = name, types.UID("uid-"+name)
		node.Status.Conditions = []corev1.NodeCondition{
			{Type: corev1.NodeReady, Status: corev1.ConditionTrue}, {Type: "NetworkingReady", Status: network, Reason: "InterfaceNotUp"},
		}
		nodes = append(nodes, node)
	}
	return nodes
}

// ownResources are a policy that is braked, a Remediation of n1 that shows why, one of an earlier n1, one of n2 that is over, and one of n3 that may
// go on.
func ownResources() []runtime.Object {
	const pattern = "3 of 4 nodes with the same zone/a are unhealthy at the same time: repairing one node does not remove the common cause."
	at := metav1.NewTime(taken)
	policy := &v1alpha1.NodeRepairPolicy{TypeMeta: metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: "NodeRepairPolicy"}}
	policy.Name = "workers"
	policy.Spec.Rules = []v1alpha1.RepairRule{{Condition: "NetworkingReady", Status: "False"}}
	policy.Status.Conditions = []metav1.Condition{{
		Type: v1alpha1.PolicyReady, Status: metav1.ConditionFalse, Reason: v1alpha1.PolicyBrakedReason, Message: pattern, LastTransitionTime: at,
	}}
	held := remediation("n1", "uid-n1", metav1.Condition{Status: metav1.ConditionFalse, Reason: "FailingTogether", Message: pattern, LastTransitionTime: at})
	held.Status.Verdicts = []v1alpha1.Verdict{
		{Check: "paused", Decision: v1alpha1.DecisionAllow, Since: at},
		{Check: "mode", Decision: v1alpha1.DecisionDelay, Reason: "AwaitingApproval", Message: "Nobody has approved it.", Since: at},
		{Check: "failing-together", Decision: v1alpha1.DecisionDelay, Reason: "FailingTogether", Message: pattern, Since: at},
	}
	earlier := remediation("n1", "uid-of-an-earlier-n1", held.Status.Conditions[0])
	earlier.Name = "n1-00"
	allowed := remediation("n3", "uid-n3", metav1.Condition{Status: metav1.ConditionTrue, Reason: "Allowed", LastTransitionTime: at})
	over := remediation("n2", "uid-n2", held.Status.Conditions[0])
	over.Status.Phase = v1alpha1.PhaseEnded
	return []runtime.Object{policy, held, earlier, over, allowed}
}

func remediation(node, uid string, allowed metav1.Condition) *v1alpha1.Remediation {
	r := &v1alpha1.Remediation{TypeMeta: metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: "Remediation"}}
	r.Name, r.Spec.Node = node+"-0a", v1alpha1.NodeReference{Name: node, UID: types.UID(uid)}
	r.Spec.Plan, r.Spec.Evidence.Reason = v1alpha1.NodePlan(v1alpha1.ActionReboot, ""), "InterfaceNotUp"
	allowed.Type = v1alpha1.RemediationAllowed
	r.Status.Phase, r.Status.Conditions = v1alpha1.PhaseProposed, []metav1.Condition{allowed}
	return r
}
