package cloud

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	naosu "github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cloud/clusterapi"
	"github.com/naosu-dev/naosu/internal/cloud/karpenter"
	"github.com/naosu-dev/naosu/internal/cloud/medik8s"
	"github.com/naosu-dev/naosu/internal/cloud/object"
	"github.com/naosu-dev/naosu/lab/controlplane"
	"github.com/naosu-dev/naosu/lab/controlplane/testbed"
)

func TestMain(m *testing.M) { testbed.Main(m, controlplane.Options{}) }

// fixture is a cluster without the kinds until they are installed.
type fixture struct {
	*testbed.Environment
	t      *testing.T
	client client.Client
	ctx    context.Context // lasts until after the test's cleanups
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	b := &fixture{Environment: testbed.Shared(t), t: t, ctx: context.WithoutCancel(t.Context())}
	b.client = b.as("")
	return b
}

// as is a client for a user, the administrator if none is named.
func (b *fixture) as(user string) client.Client {
	b.t.Helper()
	config := rest.CopyConfig(b.AdminConfig())
	config.Impersonate.UserName = user
	c, err := client.New(config, client.Options{})
	b.must(err)
	return c
}

func (b *fixture) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// install adds a kind whose objects may hold anything, and takes it away after the test.
func (b *fixture) install(group, version, kind, scope string) {
	b.t.Helper()
	plural := strings.ToLower(kind) + "s"
	definition := b.create(fmt.Sprintf(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: %[4]s.%[1]s, annotations: {api-approved.kubernetes.io: "unapproved, a test's"}}
spec:
  group: %[1]s
  scope: %[5]s
  names: {kind: %[3]s, plural: %[4]s, listKind: %[3]sList, singular: %[6]s}
  versions:
  - {name: %[2]s, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}`,
		group, version, kind, plural, scope, strings.ToLower(kind)))
	b.t.Cleanup(func() {
		b.must(b.client.Delete(b.ctx, definition))
		b.must(wait.PollUntilContextTimeout(b.ctx, 20*time.Millisecond, testbed.Patience, true, func(context.Context) (bool, error) {
			return b.read(definition) == nil, nil
		}))
	})
	b.must(wait.PollUntilContextTimeout(b.t.Context(), 20*time.Millisecond, testbed.Patience, true, func(ctx context.Context) (bool, error) {
		list := &unstructured.UnstructuredList{Object: map[string]any{"apiVersion": group + "/" + version, "kind": kind + "List"}}
		return b.client.List(ctx, list) == nil, nil
	}))
}

// create makes an object of a manifest.
func (b *fixture) create(manifest string) *unstructured.Unstructured {
	b.t.Helper()
	o := &unstructured.Unstructured{}
	b.must(yaml.Unmarshal([]byte(manifest), &o.Object))
	b.must(b.client.Create(b.t.Context(), o))
	return o
}

// read is the object as it is now, nil if it is gone.
func (b *fixture) read(o *unstructured.Unstructured) *unstructured.Unstructured {
	b.t.Helper()
	now := o.DeepCopy()
	err := b.client.Get(b.ctx, client.ObjectKeyFromObject(o), now)
	if apierrors.IsNotFound(err) {
		return nil
	}
	b.must(err)
	return now
}

const claim = `
apiVersion: karpenter.sh/v1
kind: NodeClaim
metadata: {name: general-x7f2, finalizers: [example.com/held]}
status: {nodeName: a, providerID: "aws:///us-east-1a/i-0123456789abcdef0"}`

var ofKarpenter = naosu.Machine{
	Node: "a", ProviderID: "aws:///us-east-1a/i-0123456789abcdef0", Labels: map[string]string{"karpenter.sh/nodepool": "general"},
}

// TestKarpenter begins before Karpenter is installed.
func TestKarpenter(t *testing.T) {
	b := newFixture(t)
	p := karpenter.New(b.client)
	if _, err := p.Replace(t.Context(), ofKarpenter); err != nil {
		t.Errorf("before Karpenter is installed: %v", err)
	}
	if _, err := p.May(t.Context(), v1alpha1.ActionReplace, ofKarpenter); !errors.Is(err, naosu.ErrNotOffered) {
		t.Errorf("before Karpenter is installed: %v, want ErrNotOffered", err)
	}
	b.install("karpenter.sh", "v1", "NodeClaim", "Cluster")
	held := b.create(claim)
	t.Cleanup(func() {
		if now := b.read(held); now != nil {
			now.SetFinalizers(nil)
			b.must(b.client.Update(b.ctx, now))
		}
	})
	var going *metav1.Time
	for range 2 {
		done, err := p.Replace(t.Context(), ofKarpenter)
		b.must(err)
		now := b.read(held)
		if done.ID != string(held.GetUID()) || now == nil || now.GetDeletionTimestamp() == nil {
			t.Fatalf("operation %+v, NodeClaim %v; want it on its way out", done, now)
		}
		if going != nil && !going.Equal(now.GetDeletionTimestamp()) {
			t.Error("asked again, it was deleted again")
		}
		going = now.GetDeletionTimestamp()
	}
}

// TestDeletesWhatWasRead: neither a changed object nor another of its name is deleted.
func TestDeletesWhatWasRead(t *testing.T) {
	b := newFixture(t)
	read := b.create(`{apiVersion: v1, kind: ConfigMap, metadata: {name: read, namespace: ` + b.Namespace + `}}`)
	changed := read.DeepCopy()
	changed.SetAnnotations(map[string]string{"karpenter.sh/do-not-disrupt": "true"})
	b.must(b.client.Update(t.Context(), changed))
	if err := object.Delete(t.Context(), b.client, read); !errors.Is(err, naosu.ErrPassing) {
		t.Errorf("changed since it was read: %v, want ErrPassing", err)
	}
	if b.read(read) == nil {
		t.Fatal("an object that had changed was deleted")
	}
	b.must(object.Delete(t.Context(), b.client, changed))
	b.must(object.Delete(t.Context(), b.client, changed)) // is gone
	successor := b.create(`{apiVersion: v1, kind: ConfigMap, metadata: {name: read, namespace: ` + b.Namespace + `}}`)
	sameVersion := changed.DeepCopy()
	sameVersion.SetResourceVersion(successor.GetResourceVersion())
	if err := object.Delete(t.Context(), b.client, sameVersion); !errors.Is(err, naosu.ErrPassing) {
		t.Errorf("another of its name: %v, want ErrPassing", err)
	}
	if b.read(read) == nil {
		t.Error("another object of the same name was deleted")
	}
}

// TestMay checks the permissions of a user who has none, and then has them.
func TestMay(t *testing.T) {
	b := newFixture(t)
	b.install("karpenter.sh", "v1", "NodeClaim", "Cluster")
	p := karpenter.New(b.as("naosu-test"))
	may := func() v1alpha1.May {
		t.Helper()
		got, err := p.May(t.Context(), v1alpha1.ActionReplace, ofKarpenter)
		b.must(err)
		return got.May
	}
	if got := may(); got != v1alpha1.MayNo {
		t.Errorf("without a role: %s, want No", got)
	}
	role := &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: "naosu-test-" + b.Namespace},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{"karpenter.sh"}, Resources: []string{"nodeclaims"}, Verbs: []string{"delete"}}},
	}
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: role.Name},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.Name},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "User", Name: "naosu-test"}},
	}
	for _, o := range []client.Object{role, binding} {
		b.must(b.client.Create(t.Context(), o))
		t.Cleanup(func() { b.must(b.client.Delete(b.ctx, o)) })
	}
	b.must(wait.PollUntilContextTimeout(t.Context(), 20*time.Millisecond, testbed.Patience, true, func(context.Context) (bool, error) {
		return may() == v1alpha1.MayYes, nil
	}))
}

// TestClusterAPI reads numbers and selectors as the API server hands them out.
func TestClusterAPI(t *testing.T) {
	b := newFixture(t)
	for _, kind := range []string{"Machine", "MachineHealthCheck"} {
		b.install("cluster.x-k8s.io", "v1beta2", kind, "Namespaced")
	}
	machine := b.create(`
apiVersion: cluster.x-k8s.io/v1beta2
kind: Machine
metadata: {name: md-0-a, namespace: ` + b.Namespace + `, labels: {cluster.x-k8s.io/cluster-name: shop, pool: md-0}}
spec: {providerID: "metal:///a"}`)
	b.create(`
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachineHealthCheck
metadata: {name: md-0, namespace: ` + b.Namespace + `}
spec:
  clusterName: shop
  selector: {matchLabels: {pool: md-0}}
  checks: {unhealthyNodeConditions: [{type: Ready, status: Unknown, timeoutSeconds: 300}]}`)
	node := naosu.Machine{Node: "a", ProviderID: "metal:///a", Annotations: map[string]string{
		"cluster.x-k8s.io/machine": "md-0-a", "cluster.x-k8s.io/cluster-namespace": b.Namespace,
	}}
	p := clusterapi.New(b.client)
	found, err := p.Repairers(t.Context(), []naosu.Machine{node})
	b.must(err)
	want := []naosu.RepairerRule{{Condition: "Ready", Status: "Unknown", For: 5 * time.Minute, Action: v1alpha1.ActionReplace}}
	if len(found) != 1 || !cmp.Equal(found[0].Rules, want) {
		t.Errorf("repairers %+v, want one with %+v", found, want)
	}
	_, err = p.Replace(t.Context(), node)
	b.must(err)
	if _, marked := b.read(machine).GetAnnotations()["cluster.x-k8s.io/remediate-machine"]; !marked {
		t.Error("the Machine is not marked for remediation")
	}
}

// TestMedik8s comes and goes.
func TestMedik8s(t *testing.T) {
	b := newFixture(t)
	p := medik8s.New(b.client)
	machines := []naosu.Machine{{Node: "a", Labels: map[string]string{"pool": "a"}}}
	found, err := p.Repairers(t.Context(), machines)
	if err != nil || len(found) != 0 {
		t.Errorf("before it is installed: %+v, %v", found, err)
	}
	b.install("remediation.medik8s.io", "v1alpha1", "NodeHealthCheck", "Cluster")
	b.create(`
apiVersion: remediation.medik8s.io/v1alpha1
kind: NodeHealthCheck
metadata: {name: all}
spec: {selector: {}, unhealthyConditions: [{type: Ready, status: "False", duration: 5m}]}`)
	found, err = p.Repairers(t.Context(), machines)
	b.must(err)
	if len(found) != 1 || len(found[0].Rules) != 1 || found[0].Rules[0].For != 5*time.Minute {
		t.Errorf("repairers %+v, want one with one rule", found)
	}
}
