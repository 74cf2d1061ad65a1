package chart

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	release "helm.sh/helm/v4/pkg/release/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/ledger"
	"github.com/naosu-dev/naosu/internal/record"
	"github.com/naosu-dev/naosu/lab/controlplane/testbed"
	"github.com/naosu-dev/naosu/test/program"
)

// hooks are the chart's hooks as Helm would make them, by event, kind and name.
func hooks(t *testing.T, given object) map[string]*release.Hook {
	t.Helper()
	made, err := template(t, namespace, given)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]*release.Hook{}
	for _, h := range made.Hooks {
		found[fmt.Sprintf("%s %s/%s", h.Events[0], h.Kind, h.Name)] = h
	}
	return found
}

// hooked are the objects of hooks, as rendered has others.
func hooked(t *testing.T, given object) map[string]*unstructured.Unstructured {
	t.Helper()
	var texts []string
	for _, h := range hooks(t, given) {
		texts = append(texts, h.Manifest)
	}
	return objects(t, strings.Join(texts, "\n---\n"))
}

// Which hooks there are, that a Job finds what it needs, and that nothing of it stays.
func TestHooks(t *testing.T) {
	abort := []string{
		"pre-delete ClusterRole/naosu-abort-repairs", "pre-delete ClusterRoleBinding/naosu-abort-repairs", "pre-delete Job/naosu-abort-repairs",
		"pre-delete Role/naosu-abort-repairs", "pre-delete RoleBinding/naosu-abort-repairs", "pre-delete ServiceAccount/naosu-abort-repairs",
	}
	conditions := []string{
		"post-delete ClusterRole/naosu-remove-conditions", "post-delete ClusterRoleBinding/naosu-remove-conditions", "post-delete Job/naosu-remove-conditions",
		"post-delete Role/naosu-remove-conditions", "post-delete RoleBinding/naosu-remove-conditions", "post-delete ServiceAccount/naosu-remove-conditions",
		"post-delete ValidatingAdmissionPolicy/naosu-remove-conditions", "post-delete ValidatingAdmissionPolicyBinding/naosu-remove-conditions",
	}
	for name, tc := range map[string]struct {
		values object
		want   []string
	}{
		"both parts":                   {values(), slices.Concat(conditions, abort)},
		"no abort":                     {values(object{"uninstall": object{"abortRepairs": false}}), conditions},
		"conditions stay":              {values(object{"uninstall": object{"removeConditions": false}}), abort},
		"the controller alone":         {values(object{"agent": object{"enabled": false}}), abort},
		"the agent alone":              {values(object{"controller": object{"enabled": false}}), conditions},
		"the agent alone, no image":    {object{"controller": object{"enabled": false}, "agent": object{"image": object{"repository": "a"}}}, nil},
		"the controller, mode report":  {values(object{"agent": object{"enabled": false}, "controller": object{"mode": "report"}}), abort},
		"the controller, mode approve": {values(object{"agent": object{"enabled": false}, "controller": object{"mode": "approve"}}), abort},
	} {
		t.Run(name, func(t *testing.T) {
			found := hooks(t, tc.values)
			if diff := cmp.Diff(tc.want, slices.Sorted(maps.Keys(found))); diff != "" {
				t.Errorf("hooks (-want +got):\n%s", diff)
			}
			for key, h := range found {
				if job := h.Kind == "Job"; job != (h.Weight > 0) {
					t.Errorf("%s has the weight %d", key, h.Weight)
				}
				// The Job's log goes with it, and says what could not be put back.
				if says := len(h.OutputLogPolicies) == 2; says != (h.Kind == "Job") {
					t.Errorf("%s has its log shown at %v", key, h.OutputLogPolicies)
				}
				if want := []release.HookDeletePolicy{release.HookBeforeHookCreation, release.HookSucceeded, release.HookFailed}; !slices.Equal(h.DeletePolicies, want) {
					t.Errorf("%s has the policies %v", key, h.DeletePolicies)
				}
			}
			for key, o := range hooked(t, tc.values) {
				if l := o.GetLabels(); l["app.kubernetes.io/part-of"] != "naosu" || l["app.kubernetes.io/instance"] != releaseName {
					t.Errorf("%s has the labels %v", key, l)
				}
				if o.GetKind() != "Job" {
					continue
				}
				job := typed[batchv1.Job](t, map[string]*unstructured.Unstructured{key: o}, key)
				if d := job.Spec.ActiveDeadlineSeconds; d == nil || *d >= 300 || job.Spec.BackoffLimit == nil || *job.Spec.BackoffLimit > 2 {
					t.Errorf("%s is bounded by %+v", key, job.Spec)
				}
			}
		})
	}
}

// In mode report there are no rights to nodes but to read them.
func TestHookRights(t *testing.T) {
	for mode, want := range map[string][]string{"report": {"get", "list"}, "approve": {"get", "list", "patch"}, "auto": {"get", "list", "patch"}} {
		role := typed[rbacv1.ClusterRole](t, hooked(t, values(object{"controller": object{"mode": mode}})), "ClusterRole/naosu-abort-repairs")
		at := slices.IndexFunc(role.Rules, func(r rbacv1.PolicyRule) bool { return slices.Contains(r.Resources, "nodes") })
		if diff := cmp.Diff(want, role.Rules[at].Verbs); diff != "" {
			t.Errorf("mode %s: verbs on nodes (-want +got):\n%s", mode, diff)
		}
	}
}

// TestUninstallAborts uninstalls naosu while a node is drained and another repair is proposed.
func TestUninstallAborts(t *testing.T) {
	env := newFixture(t)
	// The Jobs' pods keep to the level restricted.
	strict := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace, Labels: map[string]string{"pod-security.kubernetes.io/enforce": "restricted"}}}
	if err := env.objects(t).Create(t.Context(), strict); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		mode string
		// before is what happens before.
		before func(*cluster, *testing.T)
		// stays says that the node stays cordoned.
		stays bool
	}{
		"in mode auto": {mode: "auto"},
		// Nothing was begun in it, and the cordon is another's.
		"in mode report":                        {mode: "report", before: (*cluster).unmark, stays: true},
		"where a controller leads":              {mode: "approve", before: (*cluster).leads},
		"where CRDs are being deleted":          {mode: "auto", before: (*cluster).deleteDefinitions},
		"where admission policies were deleted": {mode: "auto", before: (*cluster).deletePolicies},
	} {
		t.Run(name, func(t *testing.T) {
			h := helm{t, env.config}
			if _, err := h.install(values(object{"agent": object{"enabled": false}, "controller": object{"mode": tc.mode}})); err != nil {
				t.Fatal(err)
			}
			node := env.anyNode(t)
			env.drains(t, node)
			if tc.before != nil {
				tc.before(env, t)
			}
			if tc.mode != "report" {
				env.mark(t, node, `{"metadata":{"finalizers":["example.com/other","naosu.dev/out-of-service"]}}`)
			}
			if err := h.uninstall(); err != nil {
				t.Error(err)
			}
			n, err := env.client.CoreV1().Nodes().Get(t.Context(), node, metav1.GetOptions{})
			if err != nil || n.Spec.Unschedulable != tc.stays || slices.Contains(n.Finalizers, "naosu.dev/out-of-service") || tc.mode != "report" && len(n.Finalizers) != 1 {
				t.Errorf("the node is cordoned: %t, with the finalizers %v (%v)", n.Spec.Unschedulable, n.Finalizers, err)
			}
			env.mark(t, node, `{"metadata":{"finalizers":null,"annotations":{"naosu.dev/cordoned-by":null}},"spec":{"unschedulable":null}}`)
			if run := lastRun(t, "naosu-abort-repairs"); t.Failed() || run.err != nil {
				t.Errorf("the hook ended with %v\n%s", run.err, run.output)
			}
			env.forgets(t)
			env.neverRefused(t, "naosu-abort-repairs")
		})
	}
	t.Run("where there is nothing to abort", uninstallsIdle)
	clear(t, env)
	env.needs(t, "naosu-abort-repairs")
}

// uninstallsIdle uninstalls where there is nothing to abort: once, again, and where the definitions are gone.
func uninstallsIdle(t *testing.T) {
	env := newFixture(t)
	h := helm{t, env.config}
	given := values(object{"agent": object{"enabled": false}})
	for name, before := range map[string]func(){"as it was installed": func() {}, "without the definitions": func() {
		env.deleteDefinitions(t)
		testbed.Eventually(t, func() error { return env.unserved(policies) })
	}} {
		if _, err := h.install(given); err != nil {
			t.Fatal(err)
		}
		before()
		if err := h.uninstall(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if run := lastRun(t, "naosu-abort-repairs"); run.err != nil || !strings.Contains(run.output, "nothing to abort") {
			t.Errorf("%s: %v: %s", name, run.err, run.output)
		}
	}
	if err := h.uninstall(); err == nil || !strings.Contains(err.Error(), "not found") {
		t.Errorf("again: %v", err)
	}
	// And by hand, which is without effect.
	for _, args := range [][]string{{"repair", "abort", "--all", "--force"}, {"cleanup"}} {
		if text, err := env.naosu(t, args...); err != nil {
			t.Errorf("naosu %s: %v\n%s", strings.Join(args, " "), err, text)
		}
	}
	env.neverRefused(t, "naosu-abort-repairs")
}

// TestUninstallRemovesConditions leaves what others write: of the same types, and on the same nodes.
func TestUninstallRemovesConditions(t *testing.T) {
	env := newFixture(t)
	h := helm{t, env.config}
	// The agent alone, as many have it.
	if _, err := h.install(values(object{"controller": object{"enabled": false}})); err != nil {
		t.Fatal(err)
	}
	all, err := env.client.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	if err != nil || len(all.Items) < 3 {
		t.Fatalf("%d nodes (%v)", len(all.Items), err)
	}
	own, shared, taken := all.Items[0].Name, all.Items[1].Name, all.Items[2].Name
	const agent, other = "naosu-agent", "eks-node-monitoring-agent"
	types := []string{"KernelReady", "NetworkingReady", "StorageReady", "AcceleratedHardwareReady", "ContainerRuntimeReady"}
	now := time.Now()
	env.writes(t, own, agent, now, types...)
	env.writes(t, shared, agent, now, types[1:]...)
	env.writes(t, shared, other, now, "KernelReady", "DiskPressureSoon")
	env.writes(t, taken, other, now.Add(-time.Hour), types...)
	env.writes(t, taken, agent, now, types[:4]...)
	before := map[string]map[string]corev1.NodeCondition{}
	for _, node := range []string{own, shared, taken} {
		before[node] = env.conditions(t, node)
	}
	if err := h.uninstall(); err != nil {
		t.Errorf("%v\n%s", err, lastRun(t, "naosu-remove-conditions").output)
	}
	for node, gone := range map[string][]string{own: types, shared: types[1:], taken: types[:4]} {
		after := env.conditions(t, node)
		for kind, was := range before[node] {
			is, there := after[kind]
			if want := !slices.Contains(gone, kind); there != want {
				t.Errorf("%s: %s is there: %t, want %t", node, kind, there, want)
			}
			if there && slices.Contains([]string{"KernelReady", "ContainerRuntimeReady", "DiskPressureSoon"}, kind) && is != was {
				t.Errorf("%s: %s has become %+v", node, kind, is)
			}
		}
	}
	env.neverRefused(t, "naosu-remove-conditions")
	env.removes(t, shared, "KernelReady", "DiskPressureSoon")
	env.removes(t, taken, "ContainerRuntimeReady")
	clear(t, env)
	// Where a node has changed meanwhile, or an agent does not end.
	env.needs(t, "naosu-remove-conditions", "get /nodes")
}

// TestHooksAreHeld has the accounts of the hooks try for more than they need. RBAC would let them.
func TestHooksAreHeld(t *testing.T) {
	env := newFixture(t)
	h := helm{t, env.config}
	if _, err := h.install(values()); err != nil {
		t.Fatal(err)
	}
	node := env.anyNode(t)
	// Which the uninstallation creates anew and deletes.
	for key, o := range hooked(t, values()) {
		kind, _, _ := strings.Cut(key, "/")
		if resource, ok := map[string]string{
			"ClusterRole": "rbac.authorization.k8s.io/clusterroles", "ClusterRoleBinding": "rbac.authorization.k8s.io/clusterrolebindings",
			"ValidatingAdmissionPolicy": "admissionregistration.k8s.io/validatingadmissionpolicies", "ValidatingAdmissionPolicyBinding": "admissionregistration.k8s.io/validatingadmissionpolicybindings",
		}[kind]; ok {
			group, plural, _ := strings.Cut(resource, "/")
			create(t, env, schema.GroupVersionResource{Group: group, Version: "v1", Resource: plural}, o)
		}
	}
	env.writes(t, node, "naosu-agent", time.Now(), "KernelReady")
	defer env.removes(t, node, "KernelReady")
	abort, conditions := env.as("naosu-abort-repairs"), env.as("naosu-remove-conditions")
	for name, tc := range map[string]struct {
		as          kubernetes.Interface
		patch       string
		subresource []string
		allowed     bool
	}{
		"cordon":                 {abort, `{"spec":{"unschedulable":true}}`, nil, true},
		"label":                  {abort, `{"metadata":{"labels":{"a":"b"}}}`, nil, false},
		"taint":                  {abort, `{"spec":{"taints":[{"key":"a","effect":"NoExecute"}]}}`, nil, false},
		"its condition":          {conditions, `{"status":{"conditions":[{"$patch":"delete","type":"KernelReady"}]}}`, []string{"status"}, true},
		"another's condition":    {conditions, `{"status":{"conditions":[{"$patch":"delete","type":"Ready"}]}}`, []string{"status"}, false},
		"write a condition":      {conditions, `{"status":{"conditions":[{"type":"KernelReady","status":"False"}]}}`, []string{"status"}, false},
		"a condition of its own": {conditions, `{"status":{"conditions":[{"type":"StorageReady","status":"False"}]}}`, []string{"status"}, false},
		"capacity":               {conditions, `{"status":{"capacity":{"example.com/x":"1"}}}`, []string{"status"}, false},
	} {
		try := func() error {
			_, err := tc.as.CoreV1().Nodes().Patch(t.Context(), node, types.StrategicMergePatchType, []byte(tc.patch), metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}}, tc.subresource...)
			return err
		}
		// A policy that was just made is in force a moment later, and rights are.
		testbed.Eventually(t, func() error {
			err := try()
			switch {
			case tc.allowed:
				return err
			case err == nil:
				return fmt.Errorf("%s is allowed", name)
			case !strings.Contains(err.Error(), "ValidatingAdmissionPolicy"):
				return fmt.Errorf("%s: %w", name, err)
			}
			return nil
		})
	}
	if err := h.uninstall(); err != nil {
		t.Error(err)
	}
	clear(t, env)
}

// as is a client with the rights of an account in naosu-system.
func (c *cluster) as(account string) kubernetes.Interface {
	config := rest.CopyConfig(c.config)
	config.Impersonate = rest.ImpersonationConfig{UserName: "system:serviceaccount:" + namespace + ":" + account, Groups: []string{"system:serviceaccounts", "system:authenticated"}}
	return kubernetes.NewForConfigOrDie(config)
}

// naosu runs the command with the rights of the cluster's administrator.
func (c *cluster) naosu(t *testing.T, args ...string) (string, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "kubeconfig")
	if err := c.Plane.WriteKubeconfig(file); err != nil {
		t.Fatal(err)
	}
	text, err := exec.CommandContext(t.Context(), program.Need(t, "naosu"), append(args, "--kubeconfig="+file)...).CombinedOutput()
	return string(text), err
}

// objects are the cluster's by their Go types, with the rights of its administrator.
func (c *cluster) objects(t *testing.T) client.Client {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	made, err := client.New(c.config, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func (c *cluster) records(t *testing.T) *record.Records {
	all := c.objects(t)
	return &record.Records{Client: all, Reader: all, Clock: clock.RealClock{}}
}

func (c *cluster) anyNode(t *testing.T) string {
	t.Helper()
	list, err := c.client.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	if err != nil || len(list.Items) == 0 {
		t.Fatalf("no node (%v)", err)
	}
	return list.Items[0].Name
}

func (c *cluster) mark(t *testing.T, node, patch string) {
	t.Helper()
	if _, err := c.client.CoreV1().Nodes().Patch(t.Context(), node, types.MergePatchType, []byte(patch), metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
}

// drains stores what a controller leaves that dies while it drains a node, and a proposal for another repair, with their policy.
func (c *cluster) drains(t *testing.T, node string) {
	t.Helper()
	n, err := c.client.CoreV1().Nodes().Get(t.Context(), node, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	all, records := c.objects(t), c.records(t)
	// What has just been defined is served a moment later.
	made := func(o client.Object) {
		testbed.Eventually(t, func() error {
			err := all.Create(t.Context(), o)
			if apierrors.IsInvalid(err) {
				t.Fatal(err)
			}
			return err
		})
	}
	made(&v1alpha1.NodeRepairPolicy{ObjectMeta: metav1.ObjectMeta{Name: "network"}, Spec: v1alpha1.NodeRepairPolicySpec{
		Rules: []v1alpha1.RepairRule{{Name: "network", Condition: "NetworkingReady", Status: "False", Action: v1alpha1.ActionReboot}},
	}})
	at := metav1.NowMicro()
	for name, status := range map[string]v1alpha1.RemediationStatus{
		"proposed": {Phase: v1alpha1.PhaseProposed},
		"runs": {Phase: v1alpha1.PhaseRunning, Steps: []v1alpha1.Step{
			{Name: v1alpha1.StepCordon, StartedAt: at, EndedAt: &at, Result: v1alpha1.StepDone}, {Name: v1alpha1.StepDrain, StartedAt: at},
		}},
	} {
		r := &v1alpha1.Remediation{
			ObjectMeta: metav1.ObjectMeta{Name: name, Finalizers: []string{v1alpha1.RemediationFinalizer}},
			Spec: v1alpha1.RemediationSpec{
				Plan: v1alpha1.NodePlan(v1alpha1.ActionReboot, ""), Node: v1alpha1.NodeReference{Name: node, UID: n.UID}, Policy: v1alpha1.PolicyReference{Kind: "NodeRepairPolicy", Name: "network", Rule: "network"},
				Evidence: v1alpha1.Evidence{Condition: "NetworkingReady", Status: "False", Reason: "InterfaceNotUp", Since: metav1.Now()},
			},
		}
		made(r)
		if _, err := records.UpdateStatus(t.Context(), r, func(s *v1alpha1.RemediationStatus) { *s = status }); err != nil {
			t.Fatal(err)
		}
		if name != "runs" {
			continue
		}
		read, err := records.ReadLedger(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := records.WriteLedger(t.Context(), read, read.Reserve(ledger.Entry{Remediation: name, UID: r.UID, Node: node, Action: v1alpha1.ActionReboot, Began: time.Now()})); err != nil {
			t.Fatal(err)
		}
	}
	c.mark(t, node, `{"metadata":{"annotations":{"naosu.dev/cordoned-by":"runs"}},"spec":{"unschedulable":true}}`)
}

// forgets deletes the records and their policy, which requires that no finalizer holds them.
func (c *cluster) forgets(t *testing.T) {
	t.Helper()
	all := c.objects(t)
	testbed.Eventually(t, func() error {
		var left v1alpha1.RemediationList
		err := errors.Join(all.DeleteAllOf(t.Context(), &v1alpha1.Remediation{}), all.DeleteAllOf(t.Context(), &v1alpha1.NodeRepairPolicy{}), all.List(t.Context(), &left))
		if apierrors.IsNotFound(err) || meta.IsNoMatchError(err) {
			return nil // Their definition has gone, and all of them.
		}
		if err == nil && len(left.Items) > 0 {
			return fmt.Errorf("%d Remediations are left, with the finalizers %v", len(left.Items), left.Items[0].Finalizers)
		}
		return err
	})
	testbed.Eventually(t, func() error { return c.deletingDefinitions(t) })
}

// deletingDefinitions is an error while a definition of naosu is being deleted: Helm would find it, and then find it gone.
func (c *cluster) deletingDefinitions(t *testing.T) error {
	t.Helper()
	client, err := dynamic.NewForConfig(c.config)
	if err != nil {
		return err
	}
	list, err := client.Resource(definitions).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, definition := range list.Items {
		if strings.HasSuffix(definition.GetName(), ".naosu.dev") && definition.GetDeletionTimestamp() != nil {
			return fmt.Errorf("%s is still being deleted", definition.GetName())
		}
	}
	return nil
}

// unmark takes naosu's mark off the cordoned nodes.
func (c *cluster) unmark(t *testing.T) {
	t.Helper()
	c.mark(t, c.anyNode(t), `{"metadata":{"annotations":{"naosu.dev/cordoned-by":null}}}`)
}

// leads has a controller lead that does nothing else, until its Lease is taken.
func (c *cluster) leads(t *testing.T) {
	t.Helper()
	records, holds := c.records(t), make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	go func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for held := false; ; {
			lease, err := records.Lease(ctx)
			if holder := record.Holder(lease, time.Now()); err != nil || lease == nil || holder != "" && holder != "controller" {
				return
			}
			if _, err = records.TakeLease(ctx, lease, "controller", 15*time.Second); err == nil && !held {
				held = true
				close(holds)
			}
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
	}()
	select {
	case <-holds:
	case <-time.After(patience):
		t.Fatal("nobody leads")
	}
}

// deleteDefinitions deletes the definitions, as `kubectl delete crd` does: that waits for what has a finalizer. To delete them
// as a collection would not.
//
// Source: REST.Delete in k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition/etcd.go.
func (c *cluster) deleteDefinitions(t *testing.T) {
	t.Helper()
	client, err := dynamic.NewForConfig(c.config)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.WithoutCancel(t.Context())
	for _, kind := range []string{"addresspolicies", "failoverpolicies", "headroompolicies", "noderepairpolicies", "rebalancepolicies", "remediations"} {
		if err := client.Resource(definitions).Delete(ctx, kind+".naosu.dev", metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
			t.Fatal(err)
		}
	}
}

func (c *cluster) deletePolicies(t *testing.T) {
	t.Helper()
	all := metav1.ListOptions{LabelSelector: "app.kubernetes.io/part-of=naosu"}
	if err := errors.Join(
		c.client.AdmissionregistrationV1().ValidatingAdmissionPolicyBindings().DeleteCollection(t.Context(), metav1.DeleteOptions{}, all),
		c.client.AdmissionregistrationV1().ValidatingAdmissionPolicies().DeleteCollection(t.Context(), metav1.DeleteOptions{}, all),
	); err != nil {
		t.Fatal(err)
	}
}

// writes applies conditions of a node as agents do.
func (c *cluster) writes(t *testing.T, node, manager string, at time.Time, kinds ...string) {
	t.Helper()
	var all []string
	for _, kind := range kinds {
		now := at.UTC().Format(time.RFC3339)
		all = append(all, fmt.Sprintf(`{"type":%q,"status":"True","reason":"By%s","message":%q,"lastTransitionTime":%q,"lastHeartbeatTime":%q}`, kind, manager[:3], "by "+manager, now, now))
	}
	patch := `{"status":{"conditions":[` + strings.Join(all, ",") + `]}}`
	if _, err := c.client.CoreV1().Nodes().Patch(t.Context(), node, types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{FieldManager: manager}, "status"); err != nil {
		t.Fatal(err)
	}
}

// removes takes conditions off a node.
func (c *cluster) removes(t *testing.T, node string, kinds ...string) {
	t.Helper()
	var all []string
	for _, kind := range kinds {
		all = append(all, fmt.Sprintf(`{"$patch":"delete","type":%q}`, kind))
	}
	patch := `{"status":{"conditions":[` + strings.Join(all, ",") + `]}}`
	if _, err := c.client.CoreV1().Nodes().Patch(context.WithoutCancel(t.Context()), node, types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{}, "status"); err != nil {
		t.Error(err)
	}
}

func (c *cluster) conditions(t *testing.T, node string) map[string]corev1.NodeCondition {
	t.Helper()
	n, err := c.client.CoreV1().Nodes().Get(t.Context(), node, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]corev1.NodeCondition{}
	for _, condition := range n.Status.Conditions {
		all[string(condition.Type)] = condition
	}
	return all
}

// neverRefused demands that an account was never forbidden what it asked for.
func (c *cluster) neverRefused(t *testing.T, account string) {
	t.Helper()
	_, refused := c.audit.asked(t, account)
	for _, what := range refused {
		t.Errorf("%s may not %s", account, what)
	}
}

// needs demands that a hook's account has done everything that it may do, but what is rare.
func (c *cluster) needs(t *testing.T, account string, rare ...string) {
	t.Helper()
	asked, _ := c.audit.asked(t, account)
	for _, what := range rare {
		asked[what] = true
	}
	all := hooked(t, values())
	rules := slices.Concat(typed[rbacv1.ClusterRole](t, all, "ClusterRole/"+account).Rules, typed[rbacv1.Role](t, all, "Role/"+account).Rules)
	c.unneeded(t, account, rules, asked)
}
