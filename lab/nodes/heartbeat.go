package nodes

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// The kubelet's defaults: pkg/kubelet/apis/config/v1beta1/defaults.go. The lease is renewed every quarter of its duration.
const (
	leaseDuration   = 40 * time.Second
	renewInterval   = leaseDuration / 4
	statusInterval  = 10 * time.Second
	reportFrequency = 5 * time.Minute
)

// heartbeat renews the node's Lease when it is due.
func (f *Fleet) heartbeat(ctx context.Context, k *kubelet, w *nextSync) error {
	if k.leaseDue.After(w.now) {
		w.add(k.leaseDue)
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	if err := f.renew(ctx, k); err != nil {
		return fmt.Errorf("renewing the lease: %w", err)
	}
	if k.lease != nil {
		k.firstHeartbeatOnce.Do(func() { close(k.firstHeartbeat) })
	}
	interval := f.pace.Real(renewInterval)
	if k.leaseDue.IsZero() {
		interval = share(interval, k.NodeName) // machines that start together do not beat together
	}
	k.leaseDue = w.now.Add(interval)
	w.add(k.leaseDue)
	return nil
}

// share is a part of d that depends on nothing but the name.
func share(d time.Duration, name string) time.Duration {
	h := fnv.New32a()
	h.Write([]byte(name))
	return time.Duration(float64(d) * float64(h.Sum32()) / (1 << 32))
}

// renew retries once if the Lease was changed or deleted meanwhile.
func (f *Fleet) renew(ctx context.Context, k *kubelet) error {
	err := f.renewOnce(ctx, k)
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
		err = f.renewOnce(ctx, k)
	}
	return err
}

func (f *Fleet) renewOnce(ctx context.Context, k *kubelet) error {
	now := metav1.NewMicroTime(f.clock.Now().Truncate(time.Microsecond))
	if k.lease == nil {
		lease, err := f.ensureLease(ctx, k, now)
		if err != nil || lease == nil {
			return err
		}
		k.lease = lease
	}
	lease := k.lease.DeepCopy()
	k.lease = nil // read it again, unless this succeeds
	if !lease.Spec.RenewTime.Equal(&now) {
		var err error
		lease.Spec.RenewTime = &now
		lease, err = f.client.CoordinationV1().Leases(corev1.NamespaceNodeLease).Update(ctx, lease, metav1.UpdateOptions{})
		if err != nil {
			return err
		}
	}
	k.lease = lease
	return nil
}

// ensureLease makes the Lease, or reads it if there is one. It is not made while there is no Node to own it, as in
// k8s.io/component-helpers/apimachinery/lease.
func (f *Fleet) ensureLease(ctx context.Context, k *kubelet, now metav1.MicroTime) (*coordinationv1.Lease, error) {
	leases := f.client.CoordinationV1().Leases(corev1.NamespaceNodeLease)
	if k.node == nil {
		return nil, nil
	}
	duration := max(int32(f.pace.Real(leaseDuration)/time.Second), 1)
	lease, err := leases.Create(ctx, &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Name: k.NodeName, OwnerReferences: []metav1.OwnerReference{ownedBy(k.node)}},
		Spec: coordinationv1.LeaseSpec{
			HolderIdentity: &k.NodeName, LeaseDurationSeconds: new(duration), RenewTime: &now,
		},
	}, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		lease, err = leases.Get(ctx, k.NodeName, metav1.GetOptions{})
	}
	if err != nil {
		return nil, err
	}
	return lease, nil
}

// syncNode looks at the node's status every ten seconds, and writes it if something changed or five minutes have passed.
func (f *Fleet) syncNode(ctx context.Context, k *kubelet, w *nextSync) error {
	if k.statusDue.After(w.now) {
		w.add(k.statusDue)
		return nil
	}
	if k.node == nil {
		return nil
	}
	r := report{now: w.now, bootID: k.bootID, ready: !w.now.Before(k.pluginReady), memoryPressure: k.memoryPressure, volumesInUse: k.volumesInUse()}
	status := nodeStatusOf(&k.Machine, &k.node.Status, r)
	d, changed := nodeDiff(&k.node.Status, &status)
	if changed || !k.reportDue.After(w.now) {
		if err := f.patchNode(ctx, k, d); err != nil {
			return err
		}
		frequency := f.pace.Real(reportFrequency)
		if changed {
			frequency = frequency/2 + share(frequency, k.NodeName)
		}
		k.reportDue = w.now.Add(frequency)
	}
	interval := f.pace.Real(statusInterval)
	if k.statusDue.IsZero() {
		interval = share(interval, k.NodeName)
	}
	k.statusDue = w.now.Add(interval)
	w.add(k.statusDue)
	return nil
}

func (f *Fleet) patchNode(ctx context.Context, k *kubelet, d diff) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	patch, err := json.Marshal(map[string]any{"status": d})
	if err != nil {
		return fmt.Errorf("encoding the node's status: %w", err)
	}
	node, err := f.client.CoreV1().Nodes().Patch(ctx, k.NodeName, types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status")
	if apierrors.IsNotFound(err) {
		return nil // deleted under the kubelet, which goes on
	}
	if err != nil {
		return fmt.Errorf("patching the node's status: %w", err)
	}
	for _, h := range nodeEvents(k.NodeName, &k.node.Status, &node.Status) {
		f.recordNodeEvent(k, h)
	}
	k.node = node
	return nil
}
