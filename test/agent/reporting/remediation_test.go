package reporting

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/agent/report/kube"
	"github.com/naosu-dev/naosu/lab/controlplane/testbed"
)

// defined has the API server know Remediations, and is a client of them that may do everything.
func defined(t *testing.T, env *testbed.Environment) client.Client {
	t.Helper()
	apply(t, env.AdminConfig(), "../crd/naosu.dev_remediations.yaml")
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	var c client.Client
	testbed.Eventually(t, func() (err error) {
		if c, err = client.New(env.AdminConfig(), client.Options{Scheme: scheme}); err != nil {
			return err
		}
		return c.List(t.Context(), &v1alpha1.RemediationList{})
	})
	return c
}

// drill is one of a link, on a node.
func drill(node string, uid types.UID) *v1alpha1.Remediation {
	return &v1alpha1.Remediation{
		ObjectMeta: metav1.ObjectMeta{Name: node + "-drill"},
		Spec: v1alpha1.RemediationSpec{
			Node:  v1alpha1.NodeReference{Name: node, UID: uid},
			Drill: &v1alpha1.Drill{Nonce: "c0ffee0ddba11", Reason: "InterfaceNotUp", Depth: v1alpha1.DrillDryRun},
		},
	}
}

// restart is one of a service, on a node.
func restart(node string, uid types.UID, service string) *v1alpha1.Remediation {
	return &v1alpha1.Remediation{
		ObjectMeta: metav1.ObjectMeta{Name: node + "-" + strings.TrimSuffix(service, ".service")},
		Spec: v1alpha1.RemediationSpec{
			Policy:   v1alpha1.PolicyReference{Kind: "NodeRepairPolicy", Name: "p", Rule: "r"},
			Node:     v1alpha1.NodeReference{Name: node, UID: uid},
			Evidence: v1alpha1.Evidence{Condition: "ContainerRuntimeReady", Status: metav1.ConditionFalse, Since: metav1.Now()},
			Plan:     v1alpha1.NodePlan(v1alpha1.ActionRestartService, service),
		},
	}
}

// made creates a Remediation and writes the status that it has.
func made(t *testing.T, c client.Client, r *v1alpha1.Remediation) *v1alpha1.Remediation {
	t.Helper()
	status := r.Status
	if err := c.Create(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Delete(context.WithoutCancel(t.Context()), r) })
	created := r.DeepCopy()
	if r.Status = status; status.Phase != "" {
		if err := c.Status().Patch(t.Context(), r, client.MergeFrom(created)); err != nil { // an agent that runs may write there too
			t.Fatal(err)
		}
	}
	return r
}

// acting is the status of a Remediation that is to be done now.
func acting() v1alpha1.RemediationStatus {
	return v1alpha1.RemediationStatus{
		Phase:      v1alpha1.PhaseRunning,
		Steps:      []v1alpha1.Step{{Name: v1alpha1.StepAct, StartedAt: metav1.NowMicro()}},
		Conditions: []metav1.Condition{{Type: "Allowed", Status: "True", Reason: "R", LastTransitionTime: metav1.Now()}},
	}
}

func patchRemediation(ctx context.Context, as kubernetes.Interface, name, subresource string, kind types.PatchType, body string, dryRun ...string) error {
	request := as.CoreV1().RESTClient().Patch(kind).AbsPath("/apis/naosu.dev/v1alpha1/remediations/" + name + "/" + subresource)
	for _, d := range dryRun {
		request = request.Param("dryRun", d)
	}
	return request.Body([]byte(body)).Do(ctx).Error()
}

// Periodic field of a report arrives, a later report takes back what an earlier one said, and what is not the agent's stays.
func TestAgentReportsOnRemediations(t *testing.T) {
	env := guarded(t)
	c := defined(t, env)
	name := named(t, "n")
	node(t, env.Client, name)
	agent, err := kube.Connect(kubeconfig(t, env.AdminConfig(), env.AdminConfig().Host, token(t, env.Client, name)))
	if err != nil {
		t.Fatal(err)
	}
	r := restart(name, "u", "kubelet.service")
	r.Status = acting()
	made(t, c, r)
	before := r.DeepCopy()
	at := time.Date(2026, 11, 21, 17, 40, 0, 120_000_000, time.UTC)
	full := kube.Report{
		State: kube.Accepted, At: kube.Micro{Time: at}, Version: "v1", Message: "m", Hops: []kube.Hop{{Name: "Fault", At: kube.Micro{Time: at}, By: "b"}},
		Evidence: &kube.Evidence{Condition: "NetworkingReady", Status: "False", Reason: "InterfaceNotUp", Message: "n", Since: at.Truncate(time.Second)},
	}
	shows := func(want *v1alpha1.AgentReport) {
		t.Helper()
		if err := c.Get(t.Context(), client.ObjectKeyFromObject(r), r); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, r.Status.Agent); diff != "" {
			t.Errorf("the report (-want +got):\n%s", diff)
		}
		r.Status.Agent = nil
		if diff := cmp.Diff([]any{before.Spec, before.Status}, []any{r.Spec, r.Status}); diff != "" {
			t.Errorf("all else (-want +got):\n%s", diff)
		}
	}
	version, err := agent.Report(t.Context(), r.Name, r.ResourceVersion, full)
	if err != nil {
		t.Fatal(err)
	}
	shows(&v1alpha1.AgentReport{
		State: v1alpha1.AgentAccepted, At: metav1.MicroTime{Time: at}, Version: "v1", Message: "m",
		Hops:     []v1alpha1.Hop{{Name: v1alpha1.HopFault, At: metav1.MicroTime{Time: at}, By: "b"}},
		Evidence: &v1alpha1.Evidence{Condition: "NetworkingReady", Status: "False", Reason: "InterfaceNotUp", Message: "n", Since: metav1.Time{Time: at.Truncate(time.Second)}},
	})
	if _, err := agent.Report(t.Context(), r.Name, before.ResourceVersion, full); kube.Code(err) != 409 {
		t.Errorf("a version that has changed: %v", err)
	}
	if _, err := agent.Report(t.Context(), r.Name, version, kube.Report{State: kube.Failed, At: kube.Micro{Time: at}, Message: "no"}); err != nil {
		t.Fatal(err)
	}
	shows(&v1alpha1.AgentReport{State: v1alpha1.AgentFailed, At: metav1.MicroTime{Time: at}, Message: "no"})
}

func TestAgentIsRefusedRemediations(t *testing.T) {
	env := guarded(t)
	c := defined(t, env)
	own, other := named(t, "own"), named(t, "other")
	node(t, env.Client, own)
	node(t, env.Client, other)
	open, over, others := restart(own, "u", "kubelet.service"), drill(own, "u"), restart(other, "u", "kubelet.service")
	open.Status, others.Status, over.Status = acting(), acting(), acting()
	over.Status.Agent = &v1alpha1.AgentReport{State: v1alpha1.AgentFailed, At: metav1.NowMicro(), Message: "no"}
	for _, r := range []*v1alpha1.Remediation{open, over, others} {
		made(t, c, r)
	}
	agent, unbound := as(t, env, token(t, env.Client, own)), as(t, env, token(t, env.Client, ""))
	ctx := t.Context()
	const merge, jsonPatch, nothingElse = types.MergePatchType, types.JSONPatchType, "change only agent"
	const done = `{"status":{"agent":{"state":"Done","at":"2026-11-21T17:40:00.000000Z"}}}`
	status := func(client kubernetes.Interface, about *v1alpha1.Remediation, kind types.PatchType, body string) func() error {
		return func() error { return patchRemediation(ctx, client, about.Name, "status", kind, body) }
	}
	for name, tc := range map[string]struct {
		do  func() error
		why string
	}{
		"another node's":            {status(agent, others, merge, done), "bound to node " + own + ", and this Remediation is about " + other},
		"a token bound to no node":  {status(unbound, open, merge, done), "bound to node (none)"},
		"the phase":                 {status(agent, open, merge, `{"status":{"phase":"Ended"}}`), nothingElse},
		"the phase beside a report": {status(agent, open, merge, strings.Replace(done, `"agent"`, `"phase":"Ended","agent"`, 1)), nothingElse},
		"a step":                    {status(agent, open, jsonPatch, `[{"op":"add","path":"/status/steps/0/message","value":"x"}]`), nothingElse},
		"the steps taken away":      {status(agent, open, merge, `{"status":{"steps":null}}`), nothingElse},
		"a condition":               {status(agent, open, merge, `{"status":{"conditions":[]}}`), nothingElse},
		"a verdict":                 {status(agent, open, merge, `{"status":{"verdicts":[{"check":"c","decision":"Allow","since":"2026-11-21T17:40:00Z"}]}}`), nothingElse},
		"a forecast":                {status(agent, open, merge, `{"status":{"forecast":{"at":"2026-11-21T17:40:00Z"}}}`), nothingElse},
		"a match":                   {status(agent, open, merge, `{"status":{"match":{"policy":{"kind":"NodeRepairPolicy","name":"p","rule":"r"},"action":"Reboot"}}}`), nothingElse},
		"its generation":            {status(agent, open, merge, `{"status":{"observedGeneration":7}}`), nothingElse},
		"the status taken away":     {status(agent, open, merge, `{"status":null}`), nothingElse},
		"another last word":         {status(agent, over, merge, done), "the final report of the agent"},
		"its last word taken away":  {status(agent, over, merge, `{"status":{"agent":null}}`), "the final report of the agent"},
		"a word added to it":        {status(agent, over, merge, `{"status":{"agent":{"message":"yes"}}}`), "the final report of the agent"},
		"an approval": {
			func() error {
				return patchRemediation(ctx, agent, open.Name, "", merge, `{"spec":{"approval":"Approved"}}`)
			}, `cannot patch resource "remediations"`,
		},
		"a label": {
			func() error {
				return patchRemediation(ctx, agent, open.Name, "", merge, `{"metadata":{"labels":{"a":"b"}}}`)
			}, `cannot patch resource "remediations"`,
		},
		"one of its own": {
			func() error {
				body := fmt.Sprintf(`{"apiVersion":"naosu.dev/v1alpha1","kind":"Remediation","metadata":{"name":"x"},"spec":{"node":{"name":%q,"uid":"u"},"drill":{"nonce":"c0ffee0ddba11","reason":"R"}}}`, own)
				return agent.CoreV1().RESTClient().Post().AbsPath("/apis/naosu.dev/v1alpha1/remediations").Body([]byte(body)).Do(ctx).Error()
			}, "cannot create resource",
		},
		"deleting one": {
			func() error {
				return agent.CoreV1().RESTClient().Delete().AbsPath("/apis/naosu.dev/v1alpha1/remediations/" + open.Name).Do(ctx).Error()
			}, "cannot delete resource",
		},
		"listing them": {
			func() error {
				return agent.CoreV1().RESTClient().Get().AbsPath("/apis/naosu.dev/v1alpha1/remediations").Do(ctx).Error()
			}, "cannot list resource",
		},
		"the policies": {
			func() error {
				return agent.CoreV1().RESTClient().Get().AbsPath("/apis/naosu.dev/v1alpha1/noderepairpolicies").Do(ctx).Error()
			}, "cannot list resource",
		},
	} {
		t.Run(name, func(t *testing.T) {
			err := tc.do()
			if err == nil {
				t.Fatal("it went through")
			}
			var refused *apierrors.StatusError
			if !apierrors.IsForbidden(err) || !errors.As(err, &refused) || !strings.Contains(err.Error(), tc.why) {
				t.Errorf("refused with %v, want because %q", err, tc.why)
			}
		})
	}
	for what, body := range map[string]string{"a label": `{"metadata":{"labels":{"a":"b"}}}`, "an approval": `{"spec":{"approval":"Approved"}}`} {
		if err := status(agent, open, merge, body)(); err != nil {
			t.Errorf("%s by way of the status: %v", what, err)
		}
	}
	now := &v1alpha1.Remediation{}
	if err := c.Get(ctx, client.ObjectKeyFromObject(open), now); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(open.Status, now.Status); diff != "" || len(now.Labels) > 0 || now.Spec.Approval != "" {
		t.Errorf("it has changed: labels %v, %s\n%s", now.Labels, now.Spec.Approval, diff)
	}
}

// Others than the agent write what they may.
func TestPolicyOfRemediationsIsAboutTheAgentAlone(t *testing.T) {
	env := guarded(t)
	c := defined(t, env)
	r := made(t, c, drill(named(t, "n"), "u"))
	if err := patchRemediation(t.Context(), env.Client, r.Name, "status", types.MergePatchType, `{"status":{"phase":"Ended"}}`); err != nil {
		t.Errorf("the controller's phase: %v", err)
	}
}
