package nodes

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// syncKubelet does all that one machine has to do now: read the caches, advance its pods, and write to the API. It returns when
// it has something to do again (zero: when an object changes).
func (f *Fleet) syncKubelet(ctx context.Context, k *kubelet) (time.Time, error) {
	if k.currentState() == Off || k.currentState() == KubeletDown {
		return time.Time{}, nil // what containers do in the meantime follows from the clock
	}
	connected := k.currentState().connected()
	if !connected && !k.registered {
		return time.Time{}, nil // a kubelet that started without the API server has no pods
	}
	if connected {
		if err := f.register(ctx, k); err != nil {
			return time.Time{}, fmt.Errorf("registering: %w", err)
		}
		f.syncFromCache(ctx, k)
	}
	w := &nextSync{now: f.clock.Now()}
	for _, t := range k.pods {
		f.syncPod(k, t, w)
	}
	f.evictForMemory(k, w)
	var err error
	if connected {
		err = errors.Join(f.heartbeat(ctx, k, w), f.writePodStatuses(ctx, k, w), f.syncNode(ctx, k, w))
	}
	return w.at, err
}

// syncPod advances one pod to now.
func (f *Fleet) syncPod(k *kubelet, t *trackedPod, w *nextSync) {
	waits := !t.state.hasSandbox && !t.state.terminated
	if !waits && t.statusWritten && (t.nextSync.IsZero() || t.nextSync.After(w.now)) {
		w.add(t.nextSync)
		return
	}
	startable := t.state.hasSandbox || waits && f.volumesMountable(k, t, w) && f.addressAvailable(k, t, w)
	before := t.state
	t.state, t.nextSync = advance(t.pod, before, syncInput{now: w.now, canStart: startable, deleted: t.deletedInAPI, pace: f.pace})
	t.statusWritten = false
	f.recordPodChanges(k, t.pod, before, t.state)
	switch {
	case t.state.terminated:
		t.volumes = nil
		k.releaseAddress(t)
	case t.state.hasSandbox && t.ip == "":
		t.ip = k.InternalIP
		if !t.pod.Spec.HostNetwork {
			t.ip = k.addresses.Assign(k.NodeName, t.pod.UID)
		}
	}
	if t.deletedInAPI && t.state.terminated {
		delete(k.pods, t.pod.UID)
	}
	w.add(t.nextSync)
}

// mountTimeout is for how long a kubelet waits for volumes before it says so: pkg/kubelet/volumemanager, podAttachAndMountTimeout.
const mountTimeout = 2*time.Minute + 3*time.Second

// volumesMountable says whether all of a pod's volumes can be mounted. A kubelet that is not connected does not know.
func (f *Fleet) volumesMountable(k *kubelet, t *trackedPod, w *nextSync) bool {
	if !k.currentState().connected() {
		return false
	}
	var bound bool
	if t.volumes, bound = f.cache.attachableVolumes(t.pod); bound && attached(k.node, t.volumes) {
		return true
	}
	switch {
	case t.mountDeadline.IsZero():
	case t.mountDeadline.After(w.now):
		w.add(t.mountDeadline)
		return false
	default:
		f.recordPodEvent(k, t.pod, failedMountEvent(t.pod))
	}
	t.mountDeadline = w.now.Add(f.pace.Real(mountTimeout))
	w.add(t.mountDeadline)
	return false
}

// sandboxBackOff is after how long a kubelet tries again to make a sandbox: pkg/kubelet, backOffPeriod.
const sandboxBackOff = 10 * time.Second

// addressAvailable says whether a pod has an address, or gets one now, other than the machine's own.
func (f *Fleet) addressAvailable(k *kubelet, t *trackedPod, w *nextSync) bool {
	if t.pod.Spec.HostNetwork || t.ip != "" {
		return true
	}
	if !t.sandboxRetry.After(w.now) {
		if k.currentState() != NoAddresses {
			t.ip = k.addresses.Assign(k.NodeName, t.pod.UID)
		}
		if t.ip != "" {
			return true
		}
		f.recordPodEvent(k, t.pod, failedSandboxEvent(t.pod))
		t.sandboxRetry = w.now.Add(f.pace.Real(sandboxBackOff))
	}
	w.add(t.sandboxRetry)
	return false
}

// writePodStatuses writes the status of every pod that has changed, and deletes those that have terminated. The lease is renewed
// when it is due, however many pods are still to be written: a kubelet's lease controller and status manager do not wait for each
// other.
func (f *Fleet) writePodStatuses(ctx context.Context, k *kubelet, w *nextSync) error {
	var errs []error
	for _, t := range k.pods {
		if t.statusWritten || t.deletedInAPI {
			continue
		}
		w.now = f.clock.Now()
		if err := f.heartbeat(ctx, k, w); err != nil {
			errs = append(errs, err)
		}
		if err := f.writePodStatus(ctx, k, t); err != nil {
			errs = append(errs, err)
			if !answered(err) {
				break // the API server does not: no use in asking for the next pod
			}
			continue
		}
		t.statusWritten = true
	}
	return errors.Join(errs...)
}

func (f *Fleet) writePodStatus(ctx context.Context, k *kubelet, t *trackedPod) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	s := syncInput{now: f.clock.Now(), pace: f.pace}
	status := statusOf(t.pod, &t.pod.Status, t.state, addresses{pod: t.ip, host: k.InternalIP}, s)
	patch, err := statusPatch(t.pod.UID, &t.pod.Status, status)
	if err != nil {
		return err
	}
	pods := f.client.CoreV1().Pods(t.pod.Namespace)
	if patch != nil {
		pod, err := pods.Patch(ctx, t.pod.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status")
		switch {
		case gone(err):
			return nil
		case err != nil:
			return fmt.Errorf("patching the status of pod %s/%s: %w", t.pod.Namespace, t.pod.Name, err)
		}
		t.pod = pod
	}
	if t.deleteSent || !t.state.terminated || t.pod.DeletionTimestamp == nil || !terminal(t.pod.Status.Phase) {
		return nil
	}
	err = pods.Delete(ctx, t.pod.Name, metav1.DeleteOptions{
		GracePeriodSeconds: new(int64(0)), Preconditions: metav1.NewUIDPreconditions(string(t.pod.UID)),
	})
	if err != nil && !gone(err) {
		return fmt.Errorf("deleting pod %s/%s: %w", t.pod.Namespace, t.pod.Name, err)
	}
	t.deleteSent = true
	return nil
}

// gone says whether the pod is no longer there, or another has its name.
func gone(err error) bool { return apierrors.IsNotFound(err) || apierrors.IsConflict(err) }

// answered says whether an error came from the API server rather than from the way to it.
func answered(err error) bool {
	var status apierrors.APIStatus
	return errors.As(err, &status)
}
