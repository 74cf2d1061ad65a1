// Package admission has a real API server judge who may do what with naosu's objects: users who have some of the rights that
// config/rbac gives, and try for more.
package admission

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/lab/controlplane"
	"github.com/naosu-dev/naosu/lab/controlplane/testbed"
)

func TestMain(m *testing.M) {
	flags := testbed.WithoutKubelets()
	// Pods here name owners that are not there. One that is collected meanwhile is being deleted, and no policy is asked about deleting it again.
	flags[controlplane.ControllerManager] = append(flags[controlplane.ControllerManager], "--controllers=*,-garbage-collector-controller")
	testbed.Main(m, controlplane.Options{Flags: flags})
}

const (
	controller = "system:serviceaccount:naosu-system:naosu-controller"
	aborter    = "system:serviceaccount:naosu-system:naosu-abort-repairs"
	agent      = "system:serviceaccount:naosu-system:naosu-agent"
	node       = "worker-1"
)

// The users, each with a ClusterRole: those of config/rbac for people, and what a cluster's administrator may have given
// instead, to all of whom every verb that Kubernetes knows says nothing of naosu's own.
var users = map[string]string{
	"viewer": "naosu-viewer", "driller": "naosu-driller", "approver": "naosu-approver", "second": "naosu-approver",
	"rebalancer": "naosu-rebalancer", "shop-owner": "naosu-driller",
	"editor": "editor", "proposer": "proposer", "performer": "performer", "only-one": "only-one", controller: "everything-of-nodes-and-pods",
	aborter: "everything-of-nodes",
}

var roles = map[string][]rbacv1.PolicyRule{
	"editor":    {rule("get", "list", "watch", "create", "update", "patch", "delete")},
	"proposer":  {rule("get", "create", "update", "patch", "propose")},
	"performer": {rule("get", "create", "update", "patch", "propose", "act")},
	"only-one": {rule("get", "patch"), {
		APIGroups: []string{"naosu.dev"}, Resources: []string{"remediations"}, ResourceNames: []string{"the-one"}, Verbs: []string{"approve"},
	}},
	"everything-of-nodes-and-pods": {{APIGroups: []string{""}, Resources: []string{"nodes", "nodes/status", "pods", "pods/status", "pods/ephemeralcontainers", "pods/eviction"}, Verbs: []string{"*"}}, rule("automate")},
	"everything-of-nodes":          {{APIGroups: []string{""}, Resources: []string{"nodes", "nodes/status"}, Verbs: []string{"*"}}, rule("get")},
}

func rule(verbs ...string) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{APIGroups: []string{"naosu.dev"}, Resources: []string{"remediations", "remediations/status"}, Verbs: verbs}
}

// fixture is a cluster with naosu's definitions, rights and admission policies.
type fixture struct {
	*testbed.Environment
	admin client.Client
}

var installed sync.Once

func newFixture(t *testing.T) *fixture {
	t.Helper()
	b := &fixture{Environment: testbed.Shared(t)}
	b.admin = b.as(t, "")
	installed.Do(func() { b.install(t) })
	return b
}

// as is a client with the rights of a user, or of the cluster's administrator if none is named.
func (b *fixture) as(t *testing.T, user string) client.Client {
	t.Helper()
	config := rest.CopyConfig(b.AdminConfig())
	config.QPS = -1
	config.WarningHandlerWithContext = rest.NoWarnings{}
	if config.Impersonate.UserName = user; user == agent {
		config.Impersonate.Extra = map[string][]string{"authentication.kubernetes.io/node-name": {node}}
	}
	if user != "" {
		config.Impersonate.Groups = []string{"system:authenticated"}
	}
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	c, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// install is what kubectl apply does with config/, after a record was stored of which the policies know nothing.
func (b *fixture) install(t *testing.T) {
	t.Helper()
	b.apply(t, "crd/naosu.dev_addresspolicies.yaml", "crd/naosu.dev_failoverpolicies.yaml", "crd/naosu.dev_headroompolicies.yaml", "crd/naosu.dev_noderepairpolicies.yaml", "crd/naosu.dev_rebalancepolicies.yaml", "crd/naosu.dev_remediations.yaml", "agent/access.yaml")
	old := repair("old")
	old.Spec.Approval = v1alpha1.Approved
	b.soon(t, func(ctx context.Context) error { return b.admin.Create(ctx, old) })
	b.apply(t, "agent/policy.yaml", "rbac/access.yaml", "rbac/role.yaml", "rbac/people.yaml", "rbac/policy.yaml", "failover/policy.yaml", "rbac/headroom.yaml", "protection/policy.yaml")
	for name, rules := range roles {
		b.create(t, &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: rules})
	}
	for user, role := range users {
		b.create(t, &rbacv1.ClusterRoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: strings.ReplaceAll(user, ":", ".")},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
			Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user}},
		})
	}
	b.create(t, &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "viewer", Namespace: "naosu-system"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "naosu-viewer"},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: "viewer"}},
	})
	b.create(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop"}})
	b.create(t, &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: "evicter", Namespace: "shop"}, Rules: []rbacv1.PolicyRule{
		{APIGroups: []string{""}, Resources: []string{"pods/eviction"}, Verbs: []string{"create"}},
	}})
	b.create(t, &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "evicter", Namespace: "shop"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "evicter"},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: "shop-owner"}},
	})
	worker := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: node}}
	b.create(t, worker)
	b.create(t, repair("canary"))
	b.serviceAccount(t, "default")
	for user, forbidden := range map[string]func(context.Context, client.Client) error{
		"editor": func(ctx context.Context, c client.Client) error {
			return c.Create(ctx, repair("early"), client.DryRunAll)
		},
		controller: func(ctx context.Context, c client.Client) error {
			if err := c.Create(ctx, web("early"), client.DryRunAll); !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), "ValidatingAdmissionPolicy") {
				return err // Its policies come into force one by one.
			}
			return c.Patch(ctx, worker.DeepCopy(), merge(`{"metadata":{"labels":{"in":"force"}}}`), client.DryRunAll)
		},
		agent: func(ctx context.Context, c client.Client) error {
			return c.Status().Patch(ctx, repair("canary"), merge(`{"status":{"phase":"Waiting"}}`), client.DryRunAll)
		},
	} {
		c := b.as(t, user)
		b.soon(t, func(ctx context.Context) error {
			// Until the authorizer's cache has the role, the authorizer forbids it.
			if err := forbidden(ctx, c); !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), "ValidatingAdmissionPolicy") {
				return fmt.Errorf("%s is not held by a policy yet: %w", user, err)
			}
			return nil
		})
	}
	// The authorizer knows all roles when it knows those that were made last.
	for user := range users {
		if c := b.as(t, user); user != controller {
			b.soon(t, func(ctx context.Context) error {
				return c.Get(ctx, client.ObjectKey{Name: "canary"}, &v1alpha1.Remediation{})
			})
		}
	}
}

// apply creates what files of config/ hold, as strictly as kubectl does.
func (b *fixture) apply(t *testing.T, files ...string) {
	t.Helper()
	for _, file := range files {
		data, err := os.ReadFile(filepath.Join("../../config", file))
		if err != nil {
			t.Fatal(err)
		}
		for document := range bytes.SplitSeq(data, []byte("---\n")) {
			o := &unstructured.Unstructured{}
			if err := yaml.Unmarshal(document, &o.Object); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			if len(o.Object) > 0 {
				b.create(t, o)
			}
		}
	}
}

func (b *fixture) create(t *testing.T, o client.Object) {
	t.Helper()
	if err := b.admin.Create(t.Context(), o, client.FieldValidation(metav1.FieldValidationStrict)); err != nil {
		t.Fatalf("create %s: %v", o.GetName(), err)
	}
}

func (b *fixture) soon(t *testing.T, holds func(context.Context) error) {
	t.Helper()
	var last error
	err := wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, testbed.Patience, true, func(ctx context.Context) (bool, error) {
		last = holds(ctx)
		return last == nil, nil
	})
	if err != nil {
		t.Fatal(last)
	}
}

// repair is a Remediation to be carried out.
func repair(name string) *v1alpha1.Remediation {
	return &v1alpha1.Remediation{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: v1alpha1.RemediationSpec{
			Policy:   v1alpha1.PolicyReference{Kind: "NodeRepairPolicy", Name: "p", Rule: "r"},
			Node:     v1alpha1.NodeReference{Name: node, UID: "u"},
			Evidence: v1alpha1.Evidence{Condition: "NetworkingReady", Status: metav1.ConditionFalse, Since: metav1.NewTime(time.Unix(1_800_000_000, 0))},
			Plan:     v1alpha1.NodePlan(v1alpha1.ActionReboot, ""),
		},
	}
}

// request is a Remediation by which a user requests the eviction of pods, each in a namespace.
func request(by string, namespaces ...string) *v1alpha1.Remediation {
	r := &v1alpha1.Remediation{
		ObjectMeta: metav1.ObjectMeta{Name: "request"},
		Spec: v1alpha1.RemediationSpec{
			Request:  &v1alpha1.Request{By: by, MaxSharePercent: 33},
			Subjects: []v1alpha1.Subject{{Kind: "Deployment", Namespace: "shop", Name: "web"}},
			Evidence: v1alpha1.Evidence{Finding: "N203", Since: metav1.NewTime(time.Unix(1_800_000_000, 0))},
		},
	}
	for i, namespace := range namespaces {
		r.Spec.Changes = append(r.Spec.Changes, v1alpha1.Eviction(namespace, "web", "u", i+1))
	}
	return r
}

// drill is a Remediation by which nothing is done.
func drill(name string) *v1alpha1.Remediation {
	return &v1alpha1.Remediation{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: v1alpha1.RemediationSpec{
			Node: v1alpha1.NodeReference{Name: node, UID: "u"}, Drill: &v1alpha1.Drill{Nonce: "c0ffee0ddba11", Reason: "InterfaceNotUp"},
		},
	}
}

// kept is a Remediation that stays until the test ends.
func (b *fixture) kept(t *testing.T, r *v1alpha1.Remediation) *v1alpha1.Remediation {
	t.Helper()
	b.create(t, r)
	t.Cleanup(func() {
		if err := b.admin.Delete(context.WithoutCancel(t.Context()), r); err != nil {
			t.Error(err)
		}
	})
	return r
}
