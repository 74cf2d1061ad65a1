package reporting

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/naosu-dev/naosu/internal/agent/report/kube"
	"github.com/naosu-dev/naosu/lab/controlplane/testbed"
)

// guarded is the shared plane with the agent's access and policy in force.
func guarded(t *testing.T) *testbed.Environment {
	t.Helper()
	env := testbed.Shared(t)
	apply(t, env.AdminConfig(), "access.yaml")
	apply(t, env.AdminConfig(), "policy.yaml")
	remediations := defined(t, env)
	name := named(t, "canary")
	node(t, env.Client, name)
	canary := drill(name, "u")
	if err := remediations.Create(t.Context(), canary); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = remediations.Delete(context.WithoutCancel(t.Context()), canary) })
	who := as(t, env, token(t, env.Client, name))
	for _, try := range []func() error{
		func() error {
			options := metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}}
			_, err := who.CoreV1().Nodes().Patch(t.Context(), name, types.StrategicMergePatchType, []byte(`{"metadata":{"labels":{"in":"force"}}}`), options, "status")
			return err
		},
		func() error { return event(t.Context(), who, name+".x", "nobody", kube.Manager) },
		func() error {
			return patchRemediation(t.Context(), who, canary.Name, "status", types.MergePatchType, `{"status":{"phase":"Running"}}`, "All")
		},
	} {
		testbed.Eventually(t, func() error {
			// Until the authorizer's cache has the agent's role, the authorizer forbids it.
			if err := try(); !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), "ValidatingAdmissionPolicy") {
				return fmt.Errorf("the policy is not in force yet: %w", err)
			}
			return nil
		})
	}
	return env
}

func as(t *testing.T, env *testbed.Environment, token string) kubernetes.Interface {
	t.Helper()
	admin := env.AdminConfig()
	client, err := kubernetes.NewForConfig(&rest.Config{Host: admin.Host, BearerToken: token, TLSClientConfig: rest.TLSClientConfig{CAData: admin.CAData}, QPS: -1})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func patchNode(ctx context.Context, client kubernetes.Interface, node, subresource string, kind types.PatchType, body string) error {
	request := client.CoreV1().RESTClient().Patch(kind).Resource("nodes").Name(node)
	if subresource != "" {
		request = request.SubResource(subresource)
	}
	return request.Body([]byte(body)).Do(ctx).Error()
}

func event(ctx context.Context, client kubernetes.Interface, name, about, by string) error {
	e := &corev1.Event{
		ObjectMeta:     metav1.ObjectMeta{Name: name, Namespace: "default"},
		InvolvedObject: corev1.ObjectReference{APIVersion: "v1", Kind: "Node", Name: about},
		Reason:         "Test", Type: "Normal", Source: corev1.EventSource{Component: by}, ReportingController: by,
	}
	_, err := client.CoreV1().Events("default").Create(ctx, e, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	return err
}

func TestAgentWritesWhatIsItsOwn(t *testing.T) {
	env := guarded(t)
	name := named(t, "n")
	node(t, env.Client, name)
	client, err := kube.Connect(kubeconfig(t, env.AdminConfig(), env.AdminConfig().Host, token(t, env.Client, name)))
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now().UTC().Truncate(time.Second)
	for i, status := range []string{kube.True, kube.False, kube.Unknown} {
		var conditions []kube.Condition
		for _, kind := range []string{"KernelReady", "NetworkingReady", "StorageReady", "ContainerRuntimeReady", "AcceleratedHardwareReady"} {
			conditions = append(conditions, kube.Condition{Type: kind, Status: status, Reason: "Test", Message: "m", LastHeartbeatTime: now, LastTransitionTime: now})
		}
		shown, err := client.PatchConditions(t.Context(), name, conditions)
		if err != nil {
			t.Fatalf("write %s: %v", status, err)
		}
		if len(shown.Status.Conditions) != 6 {
			t.Errorf("the node has conditions %+v", shown.Status.Conditions)
		}
		e := kube.Event{Name: name + ".1", Node: name, UID: shown.Metadata.UID, Warning: true, Reason: "Test", Message: "m", Count: i + 1, FirstTimestamp: now, LastOne: now}
		if err := client.ApplyEvent(t.Context(), e); err != nil {
			t.Fatalf("write an event: %v", err)
		}
	}
	made, err := env.Client.CoreV1().Events("default").Get(t.Context(), name+".1", metav1.GetOptions{})
	if err != nil || made.Count != 3 {
		t.Errorf("the event is counted %d times, want 3 (%v)", made.Count, err)
	}
	ready, err := env.Client.CoreV1().Nodes().Get(t.Context(), name, metav1.GetOptions{})
	if err != nil || ready.Status.Conditions[0].Type != corev1.NodeReady && ready.Status.Conditions[5].Type != corev1.NodeReady {
		t.Errorf("the kubelet's own condition is gone: %v, %v", ready.Status.Conditions, err)
	}
}

func TestAgentIsRefused(t *testing.T) {
	env := guarded(t)
	own, other := named(t, "own"), named(t, "other")
	node(t, env.Client, own)
	node(t, env.Client, other)
	made := &corev1.Event{
		ObjectMeta:     metav1.ObjectMeta{Name: "kubelets", Namespace: "default"},
		InvolvedObject: corev1.ObjectReference{APIVersion: "v1", Kind: "Node", Name: own}, Reason: "Rebooted", Type: "Normal",
		Source: corev1.EventSource{Component: "kubelet"}, ReportingController: "kubelet",
	}
	if _, err := env.Client.CoreV1().Events("default").Create(t.Context(), made, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	agent, unbound := as(t, env, token(t, env.Client, own)), as(t, env, token(t, env.Client, ""))
	ctx := t.Context()
	const merge, strategic, jsonPatch = types.MergePatchType, types.StrategicMergePatchType, types.JSONPatchType
	condition := func(kind string) string {
		return fmt.Sprintf(`{"status":{"conditions":[{"type":%q,"status":"False","reason":"R"}]}}`, kind)
	}
	status := func(client kubernetes.Interface, node string, kind types.PatchType, body string) func() error {
		return func() error { return patchNode(ctx, client, node, "status", kind, body) }
	}
	for name, tc := range map[string]struct {
		do  func() error
		why string
	}{
		"a stolen token elsewhere":    {status(agent, other, strategic, condition("KernelReady")), "bound to node " + own + ", not to " + other},
		"a token bound to no node":    {status(unbound, own, strategic, condition("KernelReady")), "bound to node (none)"},
		"another's condition":         {status(agent, own, strategic, condition("Ready")), "in the conditions of a Node, the agent may change only"},
		"one that is named alike":     {status(agent, own, strategic, condition("AcceleratedHardware")), "in the conditions of a Node, the agent may change only"},
		"a condition of no one's":     {status(agent, own, strategic, condition("Other")), "in the conditions of a Node, the agent may change only"},
		"all conditions taken away":   {status(agent, own, merge, `{"status":{"conditions":null}}`), "in the conditions of a Node, the agent may change only"},
		"another's taken away":        {status(agent, own, jsonPatch, `[{"op":"remove","path":"/status/conditions/0"}]`), "in the conditions of a Node, the agent may change only"},
		"a label":                     {status(agent, own, strategic, `{"metadata":{"labels":{"a":"b"}}}`), "change the metadata"},
		"a label taken away":          {status(agent, own, strategic, `{"metadata":{"labels":{"kubernetes.io/hostname":null}}}`), "change the metadata"},
		"all labels taken away":       {status(agent, own, merge, `{"metadata":{"labels":null}}`), "change the metadata"},
		"an annotation":               {status(agent, own, strategic, `{"metadata":{"annotations":{"c":"d"}}}`), "change the metadata"},
		"a finalizer":                 {status(agent, own, strategic, `{"metadata":{"finalizers":["a.example/b"]}}`), "change the metadata"},
		"an owner":                    {status(agent, own, strategic, `{"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"x","uid":"y"}]}}`), "change the metadata"},
		"an address":                  {status(agent, own, strategic, `{"status":{"addresses":[{"type":"InternalIP","address":"10.0.0.1"}]}}`), "change only conditions"},
		"capacity":                    {status(agent, own, strategic, `{"status":{"capacity":{"cpu":"64"}}}`), "change only conditions"},
		"allocatable":                 {status(agent, own, strategic, `{"status":{"allocatable":{"cpu":"64"}}}`), "change only conditions"},
		"images":                      {status(agent, own, strategic, `{"status":{"images":[{"names":["a"],"sizeBytes":1}]}}`), "change only conditions"},
		"volumes in use":              {status(agent, own, strategic, `{"status":{"volumesInUse":["a"]}}`), "change only conditions"},
		"the kubelet's version":       {status(agent, own, strategic, `{"status":{"nodeInfo":{"kubeletVersion":"v2"}}}`), "change only conditions"},
		"a taint":                     {func() error { return patchNode(ctx, agent, own, "", strategic, `{"spec":{"unschedulable":true}}`) }, "cannot patch resource \"nodes\""},
		"reading nodes":               {func() error { _, err := agent.CoreV1().Nodes().Get(ctx, own, metav1.GetOptions{}); return err }, "cannot get resource"},
		"reading pods":                {func() error { _, err := agent.CoreV1().Pods("").List(ctx, metav1.ListOptions{}); return err }, "cannot list resource"},
		"deleting the node":           {func() error { return agent.CoreV1().Nodes().Delete(ctx, own, metav1.DeleteOptions{}) }, "cannot delete resource"},
		"an event about another node": {func() error { return event(ctx, agent, "x.1", other, kube.Manager) }, "only about its own Node"},
		"an event without a node":     {func() error { return event(ctx, unbound, "x.2", own, kube.Manager) }, "not bound to a node"},
		"an event in another's name":  {func() error { return event(ctx, agent, "x.3", own, "kubelet") }, "only in its own name"},
		"another's event": {func() error {
			_, err := agent.CoreV1().Events("default").Patch(ctx, "kubelets", strategic, []byte(`{"message":"x","source":{"component":"naosu-agent"},"reportingComponent":"naosu-agent"}`), metav1.PatchOptions{})
			return err
		}, "only in its own name"},
		"an event elsewhere": {func() error {
			_, err := agent.CoreV1().Events(namespace).Create(ctx, made.DeepCopy(), metav1.CreateOptions{})
			return err
		}, "cannot create resource"},
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
}

// What the policy lets through, others may still do: it is about the agent's account alone.
func TestPolicyIsAboutTheAgentAlone(t *testing.T) {
	env := guarded(t)
	name := named(t, "n")
	node(t, env.Client, name)
	for _, body := range []string{`{"metadata":{"labels":{"a":"b"}}}`, `{"status":{"capacity":{"cpu":"64"}}}`} {
		if err := patchNode(t.Context(), env.Client, name, "status", types.StrategicMergePatchType, body); err != nil {
			t.Errorf("an administrator's %s: %v", body, err)
		}
	}
}

// The API server's own check of the expressions against the types of nodes and events.
func TestPolicyTypes(t *testing.T) {
	env := guarded(t)
	for _, name := range []string{"naosu-agent-nodes", "naosu-agent-events", "naosu-agent-remediations"} {
		testbed.Eventually(t, func() error {
			policy, err := env.Client.AdmissionregistrationV1().ValidatingAdmissionPolicies().Get(t.Context(), name, metav1.GetOptions{})
			if err != nil || policy.Status.ObservedGeneration != policy.Generation {
				return fmt.Errorf("%s is not checked yet: %w", name, err)
			}
			for _, w := range policy.Status.TypeChecking.ExpressionWarnings {
				t.Errorf("%s: %s: %s", name, w.FieldRef, w.Warning)
			}
			return nil
		})
	}
}
