package action

import (
	"context"
	"errors"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/naosu-dev/naosu/internal/failoverpolicy"
	"github.com/naosu-dev/naosu/internal/kube"
)

// machine is a node that is off, with the Lease of its kubelet, in an API that calls before ahead of each patch.
type machine struct {
	client.WithWatch
	node  *corev1.Node
	lease *coordinationv1.Lease
}

var (
	lastRenewal = metav1.NewMicroTime(time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC))
	declaration = failoverpolicy.Declaration{By: "failoverpolicy/web", Proof: "stopped", BootID: "b1", RenewTime: &lastRenewal}
	critical    = corev1.Taint{Key: "a", Effect: corev1.TaintEffectNoSchedule}
)

func newMachine(edit func(*machine), before func(client.WithWatch) error) *machine {
	m := &machine{
		node: &corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: "n1", UID: "u1"}, Spec: corev1.NodeSpec{ProviderID: "aws:///a/i-1", Taints: []corev1.Taint{critical}},
			Status: corev1.NodeStatus{
				NodeInfo:   corev1.NodeSystemInfo{BootID: "b1"},
				Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionUnknown}},
			},
		},
		lease: &coordinationv1.Lease{
			ObjectMeta: metav1.ObjectMeta{Namespace: corev1.NamespaceNodeLease, Name: "n1"}, Spec: coordinationv1.LeaseSpec{RenewTime: &lastRenewal},
		},
	}
	if edit != nil {
		edit(m)
	}
	objects := []client.Object{m.node}
	if m.lease != nil {
		objects = append(objects, m.lease)
	}
	m.WithWatch = fake.NewClientBuilder().WithObjects(objects...).WithInterceptorFuncs(interceptor.Funcs{
		Patch: func(ctx context.Context, c client.WithWatch, o client.Object, patch client.Patch, opts ...client.PatchOption) error {
			if before != nil {
				if err := before(c); err != nil {
					return err
				}
			}
			return c.Patch(ctx, o, patch, opts...)
		},
	}).Build()
	return m
}

// state is whether a node has the taint and the annotation.
func (m *machine) state(t *testing.T) (tainted, annotated bool) {
	t.Helper()
	var node corev1.Node
	if err := m.Get(t.Context(), client.ObjectKey{Name: "n1"}, &node); apierrors.IsNotFound(err) {
		return false, false
	} else if err != nil {
		t.Fatal(err)
	}
	if node.Spec.Taints[0] != critical {
		t.Errorf("taints %v", node.Spec.Taints)
	}
	_, annotated = node.Annotations[failoverpolicy.OutOfServiceAnnotation]
	return kube.IsOutOfService(&node), annotated
}

var errBroken = errors.New("broken")

func relabel(c client.WithWatch) error {
	var node corev1.Node
	if err := c.Get(context.Background(), client.ObjectKey{Name: "n1"}, &node); err != nil {
		return err
	}
	node.Labels = map[string]string{"a": "b"}
	return c.Update(context.Background(), &node)
}

func TestDeclareOutOfService(t *testing.T) {
	for name, tc := range map[string]struct {
		edit    func(*machine)
		before  func(client.WithWatch) error
		changed bool
		fails   func(error) bool
	}{
		"off":                             {changed: true},
		"it never had a Lease":            {edit: func(m *machine) { m.lease = nil }, changed: true},
		"not ready":                       {edit: func(m *machine) { m.node.Status.Conditions[0].Status = corev1.ConditionFalse }, changed: true},
		"ready":                           {edit: func(m *machine) { m.node.Status.Conditions[0].Status = corev1.ConditionTrue }},
		"another node":                    {edit: func(m *machine) { m.node.UID = "u2" }},
		"another machine":                 {edit: func(m *machine) { m.node.Spec.ProviderID = "aws:///a/i-2" }},
		"booted":                          {edit: func(m *machine) { m.node.Status.NodeInfo.BootID = "b2" }},
		"gone":                            {edit: func(m *machine) { m.node.Name, m.lease.Name = "n2", "n2" }},
		"its Lease was renewed":           {edit: func(m *machine) { m.lease.Spec.RenewTime = new(metav1.NewMicroTime(lastRenewal.Add(time.Second))) }},
		"somebody changes the node first": {before: relabel, fails: apierrors.IsConflict},
		"the API server is out of order":  {before: func(client.WithWatch) error { return errBroken }, fails: func(err error) bool { return errors.Is(err, errBroken) }},
	} {
		t.Run(name, func(t *testing.T) {
			seen := newMachine(nil, nil).node
			m := newMachine(tc.edit, tc.before)
			changed, err := DeclareOutOfService(t.Context(), m, m, seen, declaration)
			if tc.fails == nil && err != nil || tc.fails != nil && !tc.fails(err) {
				t.Errorf("error %v", err)
			}
			if tainted, annotated := m.state(t); changed != tc.changed || tainted != tc.changed || annotated != tc.changed {
				t.Errorf("changed %t, tainted %t, annotated %t; want %t", changed, tainted, annotated, tc.changed)
			}
			if !tc.changed {
				return
			}
			if again, err := DeclareOutOfService(t.Context(), m, m, seen, declaration); again || err != nil {
				t.Errorf("the second time: changed %t, %v", again, err)
			}
		})
	}
}

// The taint that a person has set is neither taken over nor removed.
func TestDeclareOutOfServiceTaintedByOthers(t *testing.T) {
	m := newMachine(func(m *machine) { m.node.Spec.Taints = append(m.node.Spec.Taints, kube.OutOfServiceTaint) }, nil)
	if changed, err := DeclareOutOfService(t.Context(), m, m, m.node, declaration); changed || err != nil {
		t.Errorf("declared: %t, %v", changed, err)
	}
	if changed, err := WithdrawOutOfService(t.Context(), m, m, "n1"); changed || err != nil {
		t.Errorf("withdrawn: %t, %v", changed, err)
	}
	if tainted, annotated := m.state(t); !tainted || annotated {
		t.Errorf("tainted %t, annotated %t", tainted, annotated)
	}
}

func TestWithdrawOutOfService(t *testing.T) {
	renewed := func(m *machine) { m.lease.Spec.RenewTime = new(metav1.NewMicroTime(lastRenewal.Add(time.Second))) }
	for name, tc := range map[string]struct {
		edit      func(*machine)
		before    func(client.WithWatch) error
		withdrawn bool
		fails     func(error) bool
	}{
		"still off":                       {},
		"booted":                          {edit: func(m *machine) { m.node.Status.NodeInfo.BootID = "b2" }, withdrawn: true},
		"ready":                           {edit: func(m *machine) { m.node.Status.Conditions[0].Status = corev1.ConditionTrue }, withdrawn: true},
		"renewed":                         {edit: renewed, withdrawn: true},
		"its Lease was deleted":           {edit: func(m *machine) { m.lease = nil }},
		"a person has removed the taint":  {edit: func(m *machine) { m.node.Spec.Taints = m.node.Spec.Taints[:1] }, withdrawn: true},
		"somebody changes the node first": {edit: renewed, before: relabel, fails: apierrors.IsConflict},
	} {
		t.Run(name, func(t *testing.T) {
			declared := newMachine(nil, nil)
			if _, err := DeclareOutOfService(t.Context(), declared, declared, declared.node, declaration); err != nil {
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
			withdrawn, err := WithdrawOutOfService(t.Context(), m, m, "n1")
			if tc.fails == nil && err != nil || tc.fails != nil && !tc.fails(err) {
				t.Errorf("error %v", err)
			}
			if tainted, annotated := m.state(t); withdrawn != tc.withdrawn || tainted == tc.withdrawn || annotated == tc.withdrawn {
				t.Errorf("withdrawn %t, tainted %t, annotated %t; want %t", withdrawn, tainted, annotated, tc.withdrawn)
			}
			if again, err := WithdrawOutOfService(t.Context(), m, m, "n3"); again || err != nil {
				t.Errorf("a node that does not exist: %t, %v", again, err)
			}
		})
	}
}
