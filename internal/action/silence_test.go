package action

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/naosu-dev/naosu/internal/failoverpolicy"
)

// saidSilent is whether a node has the taint and the annotation.
func (m *machine) saidSilent(t *testing.T) bool {
	t.Helper()
	var node corev1.Node
	if err := m.Get(t.Context(), client.ObjectKey{Name: "n1"}, &node); apierrors.IsNotFound(err) {
		return false
	} else if err != nil {
		t.Fatal(err)
	}
	_, annotated := node.Annotations[failoverpolicy.SilentAnnotation]
	if tainted := slices.Contains(node.Spec.Taints, failoverpolicy.SilentTaint); tainted != annotated || node.Spec.Taints[0] != critical {
		t.Errorf("annotated %t, taints %v", annotated, node.Spec.Taints)
	}
	return annotated
}

func isReady(m *machine) { m.node.Status.Conditions[0].Status = corev1.ConditionTrue }

func TestDeclareSilent(t *testing.T) {
	for name, tc := range map[string]struct {
		edit   func(*machine)
		before func(client.WithWatch) error
		want   bool
		fails  func(error) bool
	}{
		"ready, as far as Kubernetes knows": {edit: isReady, want: true},
		"not ready":                         {want: true},
		"it never had a Lease":              {edit: func(m *machine) { m.lease = nil }, want: true},
		"another node":                      {edit: func(m *machine) { m.node.UID = "u2" }},
		"another machine":                   {edit: func(m *machine) { m.node.Spec.ProviderID = "aws:///a/i-2" }},
		"booted":                            {edit: func(m *machine) { m.node.Status.NodeInfo.BootID = "b2" }},
		"gone":                              {edit: func(m *machine) { m.node.Name, m.lease.Name = "n2", "n2" }},
		"its Lease was renewed":             {edit: func(m *machine) { m.lease.Spec.RenewTime = new(metav1.NewMicroTime(lastRenewal.Add(time.Second))) }},
		"somebody changes the node first":   {before: relabel, fails: apierrors.IsConflict},
		"the API server is out of order":    {before: func(client.WithWatch) error { return errBroken }, fails: func(err error) bool { return errors.Is(err, errBroken) }},
	} {
		t.Run(name, func(t *testing.T) {
			seen := newMachine(nil, nil).node
			m := newMachine(tc.edit, tc.before)
			silent, changed, err := DeclareSilent(t.Context(), m, m, seen, declaration)
			if tc.fails == nil && err != nil || tc.fails != nil && !tc.fails(err) {
				t.Errorf("error %v", err)
			}
			if silent != tc.want || changed != tc.want || m.saidSilent(t) != tc.want {
				t.Errorf("silent %t, changed %t, want %t", silent, changed, tc.want)
			}
			if !tc.want {
				return
			}
			if silent, changed, err := DeclareSilent(t.Context(), m, m, seen, declaration); !silent || changed || err != nil {
				t.Errorf("the second time: silent %t, changed %t, %v", silent, changed, err)
			}
		})
	}
}

// Where somebody has removed the annotation alone, the taint is not added a second time: the API server rejects that.
//
// Source: validateNodeTaints in pkg/apis/core/validation of Kubernetes.
func TestDeclareSilentBesideItsTaint(t *testing.T) {
	m := newMachine(func(m *machine) { m.node.Spec.Taints = append(m.node.Spec.Taints, failoverpolicy.SilentTaint) }, nil)
	if silent, _, err := DeclareSilent(t.Context(), m, m, m.node, declaration); !silent || err != nil {
		t.Fatalf("silent %t, %v", silent, err)
	}
	var node corev1.Node
	if err := m.Get(t.Context(), client.ObjectKey{Name: "n1"}, &node); err != nil {
		t.Fatal(err)
	}
	if want := []corev1.Taint{critical, failoverpolicy.SilentTaint}; !slices.Equal(node.Spec.Taints, want) {
		t.Errorf("taints %v, want %v", node.Spec.Taints, want)
	}
}

func TestWithdrawSilent(t *testing.T) {
	renewed := func(m *machine) { m.lease.Spec.RenewTime = new(metav1.NewMicroTime(lastRenewal.Add(time.Second))) }
	for name, tc := range map[string]struct {
		edit      func(*machine)
		before    func(client.WithWatch) error
		withdrawn bool
		fails     func(error) bool
	}{
		"still silent":                    {},
		"ready, as it was":                {edit: isReady},
		"booted":                          {edit: func(m *machine) { m.node.Status.NodeInfo.BootID = "b2" }, withdrawn: true},
		"renewed":                         {edit: renewed, withdrawn: true},
		"its Lease was deleted":           {edit: func(m *machine) { m.lease = nil }},
		"somebody changes the node first": {edit: renewed, before: relabel, fails: apierrors.IsConflict},
	} {
		t.Run(name, func(t *testing.T) {
			declared := newMachine(nil, nil)
			if _, _, err := DeclareSilent(t.Context(), declared, declared, declared.node, declaration); err != nil {
				t.Fatal(err)
			}
			var node corev1.Node
			if err := declared.Get(t.Context(), client.ObjectKey{Name: "n1"}, &node); err != nil {
				t.Fatal(err)
			}
			node.ResourceVersion = ""
			m := newMachine(func(m *machine) {
				m.node = &node
				if tc.edit != nil {
					tc.edit(m)
				}
			}, tc.before)
			withdrawn, err := WithdrawSilent(t.Context(), m, m, "n1")
			if tc.fails == nil && err != nil || tc.fails != nil && !tc.fails(err) {
				t.Errorf("error %v", err)
			}
			if withdrawn != tc.withdrawn || m.saidSilent(t) == tc.withdrawn {
				t.Errorf("withdrawn %t, want %t", withdrawn, tc.withdrawn)
			}
		})
	}
}

func TestDeletePod(t *testing.T) {
	seen := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web-1", UID: "p1"}, Spec: corev1.PodSpec{NodeName: "n1"}}
	for name, tc := range map[string]struct {
		edit   func(*corev1.Pod)
		before func(client.WithWatch) error
		want   bool
		fails  func(error) bool
	}{
		"there":                       {want: true},
		"gone":                        {edit: func(p *corev1.Pod) { p.Name = "web-2" }},
		"another of its name":         {edit: func(p *corev1.Pod) { p.UID = "p2" }},
		"on another node":             {edit: func(p *corev1.Pod) { p.Spec.NodeName = "n2" }},
		"being deleted":               {edit: func(p *corev1.Pod) { p.DeletionTimestamp, p.Finalizers = new(metav1.Now()), []string{"a/b"} }},
		"gone before it is deleted":   {before: func(c client.WithWatch) error { return c.Delete(context.Background(), seen.DeepCopy()) }},
		"the API server has an error": {before: func(client.WithWatch) error { return errBroken }, fails: func(err error) bool { return errors.Is(err, errBroken) }},
	} {
		t.Run(name, func(t *testing.T) {
			pod := seen.DeepCopy()
			if tc.edit != nil {
				tc.edit(pod)
			}
			deletes := 0
			api := fake.NewClientBuilder().WithObjects(pod).WithInterceptorFuncs(interceptor.Funcs{
				Delete: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.DeleteOption) error {
					deletes++
					var options client.DeleteOptions
					options.ApplyOptions(opts)
					if p := options.Preconditions; p == nil || *p.UID != "p1" || *p.ResourceVersion == "" || options.GracePeriodSeconds != nil {
						t.Errorf("deleted with %+v", options)
					}
					if tc.before != nil {
						if err := tc.before(c); err != nil {
							return err
						}
					}
					return c.Delete(ctx, o)
				},
			}).Build()
			deleted, err := DeletePod(t.Context(), api, api, seen)
			if tc.fails == nil && err != nil || tc.fails != nil && !tc.fails(err) {
				t.Errorf("error %v", err)
			}
			if deleted != tc.want || tc.edit != nil && deletes > 0 {
				t.Errorf("deleted %t, want %t; %d requests", deleted, tc.want, deletes)
			}
		})
	}
}

func TestSetNotReady(t *testing.T) {
	at := metav1.NewTime(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	ready := corev1.PodCondition{Type: corev1.PodReady, Status: corev1.ConditionTrue, ObservedGeneration: 3, LastTransitionTime: at}
	scheduled := corev1.PodCondition{Type: corev1.PodScheduled, Status: corev1.ConditionTrue, LastTransitionTime: at}
	seen := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "db-0", UID: "p1"}, Spec: corev1.PodSpec{NodeName: "n1"},
		Status: corev1.PodStatus{Phase: corev1.PodRunning, Conditions: []corev1.PodCondition{scheduled, ready}},
	}
	now := at.Add(time.Hour)
	for name, tc := range map[string]struct {
		edit   func(*corev1.Pod)
		before func(client.WithWatch) error
		want   bool
		fails  func(error) bool
	}{
		"ready":               {want: true},
		"another of its name": {edit: func(p *corev1.Pod) { p.UID = "p2" }},
		"on another node":     {edit: func(p *corev1.Pod) { p.Spec.NodeName = "n2" }},
		"being deleted": {edit: func(p *corev1.Pod) {
			p.DeletionTimestamp, p.Finalizers = new(at), []string{"a.example/b"}
		}},
		"not ready":          {edit: func(p *corev1.Pod) { p.Status.Conditions[1].Status = corev1.ConditionFalse }},
		"without conditions": {edit: func(p *corev1.Pod) { p.Status.Conditions = nil }},
		"its kubelet writes first": {before: func(c client.WithWatch) error {
			var p corev1.Pod
			if err := c.Get(t.Context(), client.ObjectKeyFromObject(seen), &p); err != nil {
				return err
			}
			p.Status.Message = "alive"
			return c.Status().Update(t.Context(), &p)
		}, fails: apierrors.IsConflict},
	} {
		t.Run(name, func(t *testing.T) {
			pod := seen.DeepCopy()
			if tc.edit != nil {
				tc.edit(pod)
			}
			api := fake.NewClientBuilder().WithStatusSubresource(pod).WithObjects(pod).WithInterceptorFuncs(interceptor.Funcs{
				SubResourcePatch: func(ctx context.Context, c client.Client, sub string, o client.Object, patch client.Patch, options ...client.SubResourcePatchOption) error {
					if tc.before != nil {
						if err := tc.before(c.(client.WithWatch)); err != nil {
							return err
						}
					}
					return c.SubResource(sub).Patch(ctx, o, patch, options...)
				},
			}).Build()
			changed, err := SetNotReady(t.Context(), api, api, seen, now)
			if tc.fails == nil && err != nil || tc.fails != nil && !tc.fails(err) {
				t.Errorf("error %v", err)
			}
			if changed != tc.want {
				t.Errorf("changed %t, want %t", changed, tc.want)
			}
			if !tc.want {
				return
			}
			var got corev1.Pod
			if err := api.Get(t.Context(), client.ObjectKeyFromObject(seen), &got); err != nil {
				t.Fatal(err)
			}
			want := seen.Status.DeepCopy()
			want.Conditions[1].Status, want.Conditions[1].LastTransitionTime = corev1.ConditionFalse, metav1.NewTime(now)
			if diff := cmp.Diff(*want, got.Status); diff != "" {
				t.Errorf("status (-want +got):\n%s", diff)
			}
			if changed, err := SetNotReady(t.Context(), api, api, seen, now); changed || err != nil {
				t.Errorf("the second time: changed %t, %v", changed, err)
			}
		})
	}
}
