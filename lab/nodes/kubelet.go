package nodes

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/lab/pace"
)

// kubelet is one machine and its kubelet. A worker holds mu.
type kubelet struct {
	Machine

	interrupt atomic.Pointer[context.CancelFunc] // cancels the present worker's requests

	state atomic.Pointer[State] // written under mu

	firstHeartbeat     chan struct{} // closed with the first renewal of the lease
	firstHeartbeatOnce sync.Once

	mu         sync.Mutex
	bootID     string
	pods       map[types.UID]*trackedPod
	node       *corev1.Node // the newest version known; nil if there is none
	nodeCached bool         // it was in the cache
	lease      *coordinationv1.Lease
	addresses  AddressManager
	pace       *pace.Pace

	registered         bool      // since the kubelet's last start
	everRegistered     bool      // ever registered
	pluginReady        time.Time // when its network plugin is ready
	nodeReused         bool      // its Node was another machine's before: what the API says runs here does not
	leaseDue           time.Time // next renewal
	statusDue          time.Time // next check of the node's status
	reportDue          time.Time // when the status is written even if nothing changed
	failures           int       // in a row
	lastMemoryShortage time.Time // when memory was last short
	memoryPressure     bool      // MemoryPressure
}

// trackedPod is a pod on a machine, with its kubelet's state of it.
type trackedPod struct {
	pod           *corev1.Pod // the newest version known
	cached        *corev1.Pod // the version that the cache had last
	state         podState
	nextSync      time.Time
	ip            string
	volumes       []corev1.UniqueVolumeName
	deletedInAPI  bool      // from the API
	statusWritten bool      // the API has the present status
	deleteSent    bool      // the final deletion was sent
	mountDeadline time.Time // when the kubelet complains that volumes do not come
	// sandboxRetry is when the kubelet tries again to make a sandbox that got no address.
	sandboxRetry time.Time
}

func newKubelet(m Machine, addresses AddressManager, p *pace.Pace) *kubelet {
	k := &kubelet{Machine: m, pods: map[types.UID]*trackedPod{}, addresses: addresses, pace: p, firstHeartbeat: make(chan struct{})}
	k.state.Store(new(On))
	k.newBootID()
	return k
}

// newBootID follows from the one before, so that no two boots of a machine share one, even over restarts of the lab.
func (k *kubelet) newBootID() {
	d := digest("boot", k.InstanceID, k.NodeName, k.bootID)
	k.bootID = fmt.Sprintf("%s-%s-%s-%s-%s", d[:8], d[8:12], d[12:16], d[16:20], d[20:32])
}

// lock and unlock bracket a worker's use of the machine.
func (k *kubelet) lock(cancel context.CancelFunc) {
	k.mu.Lock()
	k.interrupt.Store(&cancel)
}

func (k *kubelet) unlock() {
	k.interrupt.Store(nil)
	k.mu.Unlock()
}

// currentState is the machine's state, without waiting for the worker that holds it.
func (k *kubelet) currentState() State { return *k.state.Load() }

// setState changes the machine's state, once the worker that holds it has let go.
func (k *kubelet) setState(s State, now time.Time) {
	if k.currentState() == s {
		return
	}
	if cancel := k.interrupt.Load(); cancel != nil {
		(*cancel)()
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	was := k.currentState()
	k.state.Store(&s)
	if s == Off {
		for _, t := range k.pods {
			t.state = withProgramExits(t.pod, t.state, syncInput{now: now, pace: k.pace})
		}
	}
	switch {
	case was == s:
	case was == Off:
		k.reboot(now)
	case was == KubeletDown && s != Off:
		k.restart()
	}
}

// restart is a new start of the kubelet: it registers again and looks at everything anew.
func (k *kubelet) restart() {
	k.registered, k.lease = false, nil
	k.leaseDue, k.statusDue, k.reportDue = time.Time{}, time.Time{}, time.Time{}
	for _, t := range k.pods {
		t.nextSync, t.statusWritten = time.Time{}, false
	}
}

func (k *kubelet) reboot(now time.Time) {
	k.newBootID()
	k.restart()
	for _, t := range k.pods {
		t.state.reboot(t.pod, now)
		k.releaseAddress(t)
	}
}

// releaseAddress releases a pod's address.
func (k *kubelet) releaseAddress(t *trackedPod) {
	if !t.pod.Spec.HostNetwork {
		k.addresses.Release(k.NodeName, t.ip)
	}
	t.ip = ""
}

// decommission is the end of the machine.
func (k *kubelet) decommission(now time.Time) {
	k.setState(Off, now)
	k.mu.Lock()
	defer k.mu.Unlock()
	for uid, t := range k.pods {
		k.releaseAddress(t)
		delete(k.pods, uid)
	}
}

// volumesInUse are those of all pods that may have them mounted.
func (k *kubelet) volumesInUse() []corev1.UniqueVolumeName {
	var names []corev1.UniqueVolumeName
	for _, t := range k.pods {
		if !t.state.terminated {
			names = append(names, t.volumes...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
