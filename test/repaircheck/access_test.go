package repaircheck

import (
	"context"
	"slices"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/lab/controlplane/testbed"
)

// forbid takes one verb from the controller's account for as long as a test runs: by its ClusterRole, or its Role.
func (b *fixture) forbid(ctx context.Context, t *testing.T, role client.Object, verb, group, resource string) {
	t.Helper()
	role.SetName("naosu-controller")
	var rules *[]rbacv1.PolicyRule
	switch role := role.(type) {
	case *rbacv1.ClusterRole:
		rules = &role.Rules
	case *rbacv1.Role:
		role.Namespace, rules = "naosu-system", &role.Rules
	}
	if err := b.client.Get(ctx, client.ObjectKeyFromObject(role), role); err != nil {
		t.Fatal(err)
	}
	before := slices.Clone(*rules)
	var less []rbacv1.PolicyRule
	for _, rule := range before {
		if slices.Contains(rule.APIGroups, group) && slices.Contains(rule.Resources, resource) {
			rule.Verbs = slices.DeleteFunc(slices.Clone(rule.Verbs), func(v string) bool { return v == verb })
		}
		if len(rule.Verbs) > 0 {
			less = append(less, rule)
		}
	}
	asked := authorizationv1.ResourceAttributes{Namespace: role.GetNamespace(), Verb: verb, Group: group, Resource: resource}
	if asked.Resource == "configmaps" {
		asked.Name = "naosu-ledger" // the only one that it may read
	}
	set := func(ctx context.Context, to []rbacv1.PolicyRule, may bool) {
		*rules = to
		if err := b.client.Update(ctx, role); err != nil {
			t.Fatal(err)
		}
		b.mayBecome(ctx, t, asked, may)
	}
	set(ctx, less, false)
	t.Cleanup(func() { set(context.WithoutCancel(ctx), before, true) })
}

// mayBecome waits until the API server lets the controller's account do something, or no longer.
func (b *fixture) mayBecome(ctx context.Context, t *testing.T, asked authorizationv1.ResourceAttributes, may bool) {
	t.Helper()
	err := wait.PollUntilContextTimeout(ctx, 20*time.Millisecond, testbed.Patience, true, func(ctx context.Context) (bool, error) {
		review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{User: account, ResourceAttributes: &asked}}
		err := b.client.Create(ctx, review)
		return review.Status.Allowed == may, err
	})
	if err != nil {
		t.Fatalf("wait for rights: %v", err)
	}
}

// workload makes a ReplicaSet of one, whose pod is on the node and is made anew elsewhere: of it is to be foreseen what becomes.
func (b *fixture) workload(ctx context.Context, t *testing.T) {
	t.Helper()
	labels := map[string]string{"app": "shop"}
	set := &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Namespace: b.Namespace, Name: "shop"}}
	set.Spec.Replicas, set.Spec.Selector, set.Spec.Template.Labels = new(int32(1)), &metav1.LabelSelector{MatchLabels: labels}, labels
	set.Spec.Template.Spec.NodeName, set.Spec.Template.Spec.Containers = b.node, []corev1.Container{{Name: "c", Image: "c"}}
	b.create(ctx, t, set)
	err := wait.PollUntilContextTimeout(ctx, 20*time.Millisecond, testbed.Patience, true, func(ctx context.Context) (bool, error) {
		var pods corev1.PodList
		err := b.client.List(ctx, &pods, client.InNamespace(b.Namespace), client.MatchingLabels(labels))
		return len(pods.Items) > 0, err
	})
	if err != nil {
		t.Fatalf("wait for the ReplicaSet's pod: %v", err)
	}
}
