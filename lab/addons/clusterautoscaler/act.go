package clusterautoscaler

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
	"k8s.io/klog/v2"
	"sigs.k8s.io/yaml"
)

const statusName = "cluster-autoscaler-status"

// act performs actions and records their outcomes in the state.
func (a *autoscaler) act(ctx context.Context, do actions) {
	a.recordEvents(do.events)
	for _, r := range do.resizes {
		a.applyOutcome(ctx, a.state.resized(a.cfg, r, a.cloud.SetDesired(r.group, r.to), a.clock.Now()))
	}
	for _, l := range do.remove {
		err := a.setTaint(ctx, l.node.Name, toBeDeletedTaint, corev1.TaintEffectNoSchedule)
		a.applyOutcome(ctx, a.state.tainted(l, err, a.clock.Now()))
	}
	for _, pod := range do.evict {
		if err := a.evict(ctx, pod); err != nil { // asked again at the next scan
			klog.FromContext(ctx).V(2).Info("not evicted", "pod", klog.KObj(pod), "err", err)
		}
	}
	for _, t := range do.terminate {
		a.applyOutcome(ctx, a.state.terminated(t, a.cloud.Terminate(t.instance, true)))
	}
	for _, n := range do.soft {
		logError(ctx, a.setTaint(ctx, n.Name, deletionCandidateTaint, corev1.TaintEffectPreferNoSchedule))
	}
	for _, n := range do.hard {
		logError(ctx, a.clearTaint(ctx, n.Name, deletionCandidateTaint))
	}
	for _, n := range do.untaint {
		logError(ctx, a.clearTaint(ctx, n.Name, toBeDeletedTaint))
	}
}

// applyOutcome performs what follows from the outcome of an action: events, and taints to remove.
func (a *autoscaler) applyOutcome(ctx context.Context, do actions) {
	a.recordEvents(do.events)
	for _, n := range do.untaint {
		logError(ctx, a.clearTaint(ctx, n.Name, toBeDeletedTaint))
	}
}

func (a *autoscaler) recordEvents(events []event) {
	for _, e := range events {
		kind := corev1.EventTypeNormal
		if e.warning {
			kind = corev1.EventTypeWarning
		}
		switch {
		case e.subject != nil:
			a.recorder.Event(e.subject, kind, e.reason, e.message)
		case a.statusMap != nil:
			a.recorder.Event(a.statusMap, kind, e.reason, e.message)
		}
	}
}

func logError(ctx context.Context, err error) {
	if err != nil && ctx.Err() == nil {
		klog.FromContext(ctx).Error(err, "cluster autoscaler")
	}
}

func (a *autoscaler) setTaint(ctx context.Context, node, key string, effect corev1.TaintEffect) error {
	return a.editTaints(ctx, node, func(taints []corev1.Taint) []corev1.Taint {
		if slices.ContainsFunc(taints, func(t corev1.Taint) bool { return t.Key == key }) {
			return taints
		}
		return append(taints, corev1.Taint{Key: key, Value: strconv.FormatInt(a.clock.Now().Unix(), 10), Effect: effect})
	})
}

func (a *autoscaler) clearTaint(ctx context.Context, node, key string) error {
	return a.editTaints(ctx, node, func(taints []corev1.Taint) []corev1.Taint {
		return slices.DeleteFunc(taints, func(t corev1.Taint) bool { return t.Key == key })
	})
}

// editTaints leaves a node alone that has gone or needs no change.
func (a *autoscaler) editTaints(ctx context.Context, name string, edit func([]corev1.Taint) []corev1.Taint) error {
	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		node, err := a.client.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		before := len(node.Spec.Taints)
		if node.Spec.Taints = edit(node.Spec.Taints); len(node.Spec.Taints) == before {
			return nil
		}
		_, err = a.client.CoreV1().Nodes().Update(ctx, node, metav1.UpdateOptions{})
		return err
	})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("changing the taints of node %s: %w", name, err)
	}
	return nil
}

func (a *autoscaler) evict(ctx context.Context, pod *corev1.Pod) error {
	err := a.client.PolicyV1().Evictions(pod.Namespace).Evict(ctx, &policyv1.Eviction{
		ObjectMeta:    metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name},
		DeleteOptions: &metav1.DeleteOptions{GracePeriodSeconds: pod.Spec.TerminationGracePeriodSeconds},
	})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// writeStatus keeps the ConfigMap, which is also what events about the autoscaler itself are about.
func (a *autoscaler) writeStatus(ctx context.Context, s Status) error {
	s.Time = a.clock.Now().UTC().Format("2006-01-02 15:04:05.999999999 -0700 MST")
	text, err := yaml.Marshal(s)
	if err != nil {
		return fmt.Errorf("writing the autoscaler's status: %w", err)
	}
	maps := a.client.CoreV1().ConfigMaps(metav1.NamespaceSystem)
	cm, err := maps.Get(ctx, statusName, metav1.GetOptions{})
	missing := apierrors.IsNotFound(err)
	if missing {
		cm, err = &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: metav1.NamespaceSystem, Name: statusName}}, nil
	}
	if err != nil {
		return fmt.Errorf("reading ConfigMap %s: %w", statusName, err)
	}
	metav1.SetMetaDataAnnotation(&cm.ObjectMeta, "cluster-autoscaler.kubernetes.io/last-updated", s.Time)
	cm.Data = map[string]string{"status": string(text)}
	if missing {
		cm, err = maps.Create(ctx, cm, metav1.CreateOptions{})
	} else {
		cm, err = maps.Update(ctx, cm, metav1.UpdateOptions{})
	}
	if err != nil {
		return fmt.Errorf("writing ConfigMap %s: %w", statusName, err)
	}
	a.statusMap = cm
	return nil
}
