package random

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/failoverpolicy"
	"github.com/naosu-dev/naosu/internal/kube"
)

// othersTaint is one that is nobody's here.
var othersTaint = corev1.Taint{Key: "example.com/others", Effect: corev1.TaintEffectNoSchedule}

// nodeFault is what people and others do to a Node.
func (n *run) nodeFault(f fault) (end func(), is bool) {
	m := n.marked(n.target(f.Target), f.Kind)
	remove := func(keys ...string) func() {
		return func() {
			n.editNode(m, func(node *corev1.Node) {
				node.Spec.Taints = slices.DeleteFunc(node.Spec.Taints, func(t corev1.Taint) bool { return slices.Contains(keys, t.Key) })
			})
		}
	}
	switch f.Kind {
	case tainted:
		n.editNode(m, func(node *corev1.Node) { node.Spec.Taints = append(node.Spec.Taints, othersTaint) })
		return remove(othersTaint.Key), true
	case handTainted:
		if m.on || n.apiDown {
			return nil, true
		}
		n.editNode(m, func(node *corev1.Node) {
			if !kube.IsOutOfService(node) {
				node.Spec.Taints = append(node.Spec.Taints, kube.OutOfServiceTaint)
			}
		})
		return nil, true
	case cordoned:
		n.editNode(m, func(node *corev1.Node) { node.Spec.Unschedulable = true })
		return func() { n.editNode(m, func(node *corev1.Node) { node.Spec.Unschedulable = false }) }, true
	case taintRemoved:
		remove(failoverpolicy.SilentAnnotation, corev1.TaintNodeOutOfService)()
		return nil, true
	case noteRemoved, noteGarbled:
		n.editNode(m, func(node *corev1.Node) { spoil(node, f.Kind == noteGarbled) })
		return nil, true
	case confirmed: // The command refuses it if that is too early.
		n.powerOff(m)
		return func() {
			if !m.on && !n.apiDown {
				n.confirm(m)
			}
			n.bootAgain(m)
		}, true
	}
	return nil, false
}

// marked is the machine that people do something to which is about a machine that is off, or about the marks of naosu, if there is one.
func (n *run) marked(drawn *machine, kind kind) *machine {
	for _, m := range n.machines {
		node := n.nodeNamed(m.node)
		if n.machineOf(m.node) != m || node == nil {
			continue
		}
		_, silent := node.Annotations[failoverpolicy.SilentAnnotation]
		_, off := node.Annotations[failoverpolicy.OutOfServiceAnnotation]
		switch kind {
		case handTainted, confirmed:
			if !m.on {
				return m
			}
		case taintRemoved, noteRemoved, noteGarbled:
			if silent || off {
				return m
			}
		}
	}
	return drawn
}

func (n *run) nodeNamed(name string) *corev1.Node {
	for i := range n.nodes() {
		if n.nodes()[i].Name == name {
			return &n.nodes()[i]
		}
	}
	return nil
}

// spoil removes or garbles the annotations of naosu on a node. A taint whose annotation is gone is a person's.
func spoil(node *corev1.Node, garble bool) {
	for _, key := range []string{failoverpolicy.SilentAnnotation, failoverpolicy.OutOfServiceAnnotation} {
		if _, there := node.Annotations[key]; !there {
			continue
		}
		if garble {
			node.Annotations[key] = "{"
			continue
		}
		delete(node.Annotations, key)
	}
}

func (n *run) editNode(m *machine, edit func(*corev1.Node)) {
	node := &corev1.Node{}
	if err := n.api.Direct.Get(n.ctx, client.ObjectKey{Name: m.node}, node); err != nil {
		must(client.IgnoreNotFound(err))
		return
	}
	edit(node)
	n.write(n.api.Direct.Update(n.ctx, node))
}

// policyFault is what people do to policies and workloads.
func (n *run) policyFault(f fault) (end func(), is bool) {
	name := n.policies()[f.Target%len(n.Policies)].Name
	edit := func(edit func(*v1alpha1.FailoverPolicySpec)) {
		policy := &v1alpha1.FailoverPolicy{}
		if err := n.api.Direct.Get(n.ctx, client.ObjectKey{Name: name}, policy); err != nil {
			must(client.IgnoreNotFound(err))
			return
		}
		edit(&policy.Spec)
		policy.Generation++
		n.write(n.api.Direct.Update(n.ctx, policy))
		n.note()
	}
	switch f.Kind {
	case paused:
		edit(func(s *v1alpha1.FailoverPolicySpec) { s.Paused = !s.Paused })
		return func() { edit(func(s *v1alpha1.FailoverPolicySpec) { s.Paused = !s.Paused }) }, true
	case reportOnly:
		edit(func(s *v1alpha1.FailoverPolicySpec) { s.Mode = v1alpha1.ModeReport })
		return func() { edit(func(s *v1alpha1.FailoverPolicySpec) { s.Mode = v1alpha1.ModeAuto }) }, true
	case policyDeleted:
		n.write(n.api.Direct.Delete(n.ctx, &v1alpha1.FailoverPolicy{ObjectMeta: metav1.ObjectMeta{Name: name}}))
		n.note()
	case policyEdited:
		edit(func(s *v1alpha1.FailoverPolicySpec) { s.UnreachableSeconds = 30 + (s.UnreachableSeconds+17)%200 })
	case policyNever:
		edit(func(s *v1alpha1.FailoverPolicySpec) {
			s.OutOfService, s.ReplaceOnSilence, s.NotReadyOnSilence = v1alpha1.OutOfServiceNever, v1alpha1.ReplaceNever, v1alpha1.NotReadyNever
		})
	case scaledDown:
		if n.scale(f.Target, 1) {
			n.note()
		}
	default:
		return nil, false
	}
	return nil, true
}
