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

// step does all that one machine has to do now: hear the news, bring its pods forward, and tell the API. It returns when
// it has something to do again (zero: when news come).
func (f *Fleet) step(ctx context.Context, k *kubelet) (time.Time, error) {
	if k.is() == Off || k.is() == KubeletDown {
		return time.Time{}, nil // what containers do in the meantime follows from the clock
	}
	connected := k.is().connected()
	if !connected && !k.registered {
		return time.Time{}, nil // a kubelet that started without the API server knows of no pods
	}
	if connected {
		if err := f.register(ctx, k); err != nil {
			return time.Time{}, fmt.Errorf("registering: %w", err)
		}
		f.listen(k)
	}
	w := &wake{now: f.clock.Now()}
	for _, t := range k.pods {
		f.forward(k, t, w)
	}
	f.relieve(k, w)
	var err error
	if connected {
		err = errors.Join(f.heartbeat(ctx, k, w), f.report(ctx, k), f.syncNode(ctx, k, w))
	}
	return w.at, err
}

// forward brings one pod up to now.
func (f *Fleet) forward(k *kubelet, t *tenant, w *wake) {
	waits := !t.life.sandbox && !t.life.stopped
	if !waits && t.written && (t.wake.IsZero() || t.wake.After(w.now)) {
		w.add(t.wake)
		return
	}
	startable := t.life.sandbox || waits && f.mountable(k, t, w) && f.addressable(k, t, w)
	before := t.life
	t.life, t.wake = advance(t.pod, before, situation{now: w.now, startable: startable, gone: t.gone, pace: f.pace})
	t.written = false
	f.tellChanges(k, t.pod, before, t.life)
	switch {
	case t.life.stopped:
		t.volumes = nil
		k.release(t)
	case t.life.sandbox && t.ip == "":
		t.ip = k.InternalIP
		if !t.pod.Spec.HostNetwork {
			t.ip = k.pool.take()
		}
	}
	if t.gone && t.life.stopped {
		delete(k.pods, t.pod.UID)
	}
	w.add(t.wake)
}

// mountTimeout is for how long a kubelet waits for volumes before it says so: pkg/kubelet/volumemanager, podAttachAndMountTimeout.
const mountTimeout = 2*time.Minute + 3*time.Second

// mountable says whether all of a pod's volumes are there to be mounted. A kubelet without news does not know.
func (f *Fleet) mountable(k *kubelet, t *tenant, w *wake) bool {
	if !k.is().connected() {
		return false
	}
	var bound bool
	if t.volumes, bound = f.news.attachables(t.pod); bound && attached(k.node, t.volumes) {
		return true
	}
	switch {
	case t.mountBy.IsZero():
	case t.mountBy.After(w.now):
		w.add(t.mountBy)
		return false
	default:
		f.tellPod(k, t.pod, failedMount(t.pod))
	}
	t.mountBy = w.now.Add(f.pace.Real(mountTimeout))
	w.add(t.mountBy)
	return false
}

// sandboxBackOff is after how long a kubelet tries again to make a sandbox: pkg/kubelet, backOffPeriod.
const sandboxBackOff = 10 * time.Second

// addressable says whether the machine has an address for a pod, other than its own.
func (f *Fleet) addressable(k *kubelet, t *tenant, w *wake) bool {
	if k.is() != NoAddresses || t.pod.Spec.HostNetwork {
		return true
	}
	if !t.sandboxBy.After(w.now) {
		f.tellPod(k, t.pod, failedSandbox(t.pod))
		t.sandboxBy = w.now.Add(f.pace.Real(sandboxBackOff))
	}
	w.add(t.sandboxBy)
	return false
}

// report writes the status of every pod whose life the API does not know, and ends those that are over.
func (f *Fleet) report(ctx context.Context, k *kubelet) error {
	var errs []error
	for _, t := range k.pods {
		if t.written || t.gone {
			continue
		}
		if err := f.reportPod(ctx, k, t); err != nil {
			errs = append(errs, err)
			if !answered(err) {
				break // the API server does not: no use in asking for the next pod
			}
			continue
		}
		t.written = true
	}
	return errors.Join(errs...)
}

func (f *Fleet) reportPod(ctx context.Context, k *kubelet, t *tenant) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	s := situation{now: f.clock.Now(), pace: f.pace}
	status := statusOf(t.pod, &t.pod.Status, t.life, addresses{pod: t.ip, host: k.InternalIP}, s)
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
	if t.deleted || !t.life.stopped || t.pod.DeletionTimestamp == nil || !terminal(t.pod.Status.Phase) {
		return nil
	}
	err = pods.Delete(ctx, t.pod.Name, metav1.DeleteOptions{
		GracePeriodSeconds: new(int64(0)), Preconditions: metav1.NewUIDPreconditions(string(t.pod.UID)),
	})
	if err != nil && !gone(err) {
		return fmt.Errorf("deleting pod %s/%s: %w", t.pod.Namespace, t.pod.Name, err)
	}
	t.deleted = true
	return nil
}

// gone says whether the pod is no longer there, or another stands under its name.
func gone(err error) bool { return apierrors.IsNotFound(err) || apierrors.IsConflict(err) }

// answered says whether an error came from the API server rather than from the way to it.
func answered(err error) bool {
	var status apierrors.APIStatus
	return errors.As(err, &status)
}
