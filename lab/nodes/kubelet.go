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

// kubelet is one machine and the agent on it. Whoever works on it holds mu.
type kubelet struct {
	Machine

	interrupt atomic.Pointer[context.CancelFunc] // ends what the present worker asks of the API

	state atomic.Pointer[State] // written under mu

	beats    chan struct{} // closed with the first renewal of the lease
	hasBeats sync.Once

	mu     sync.Mutex
	bootID string
	pods   map[types.UID]*tenant
	node   *corev1.Node // the newest version known; nil if there is none
	heard  bool         // the caches have told of it
	lease  *coordinationv1.Lease
	pool   *pool
	pace   *pace.Pace

	registered bool      // since the kubelet's last start
	known      bool      // ever registered
	stranger   bool      // its Node stood for another machine before: what the API says runs here does not
	leaseDue   time.Time // next renewal
	statusDue  time.Time // next look at the node's status
	reportDue  time.Time // when the status is written even if nothing changed
	failures   int       // in a row
	pressedAt  time.Time // when memory was last short
	pressed    bool      // MemoryPressure
}

// tenant is a pod on a machine.
type tenant struct {
	pod     *corev1.Pod // the newest version known
	heard   *corev1.Pod // what the cache said last
	life    life
	wake    time.Time
	ip      string
	volumes []corev1.UniqueVolumeName
	gone    bool      // from the API
	written bool      // the API knows what life says
	deleted bool      // the last word to the API was said
	mountBy time.Time // when the kubelet complains that volumes do not come
	// sandboxBy is when the kubelet tries again to make a sandbox that got no address.
	sandboxBy time.Time
}

func newKubelet(m Machine, addresses *pool, p *pace.Pace) *kubelet {
	k := &kubelet{Machine: m, pods: map[types.UID]*tenant{}, pool: addresses, pace: p, beats: make(chan struct{})}
	k.state.Store(new(On))
	k.newBootID()
	return k
}

// newBootID follows from the one before, so that no two boots of a machine share one, even over restarts of the lab.
func (k *kubelet) newBootID() {
	d := digest("boot", k.InstanceID, k.NodeName, k.bootID)
	k.bootID = fmt.Sprintf("%s-%s-%s-%s-%s", d[:8], d[8:12], d[12:16], d[16:20], d[20:32])
}

// enter and leave bracket a worker's time with the machine.
func (k *kubelet) enter(cancel context.CancelFunc) {
	k.mu.Lock()
	k.interrupt.Store(&cancel)
}

func (k *kubelet) leave() {
	k.interrupt.Store(nil)
	k.mu.Unlock()
}

// is the machine's state, without waiting for whoever works on it.
func (k *kubelet) is() State { return *k.state.Load() }

// become changes the machine's state, once whoever works on it has let go.
func (k *kubelet) become(s State, now time.Time) {
	if k.is() == s {
		return
	}
	if cancel := k.interrupt.Load(); cancel != nil {
		(*cancel)()
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	was := k.is()
	k.state.Store(&s)
	if s == Off {
		for _, t := range k.pods {
			t.life = settled(t.pod, t.life, situation{now: now, pace: k.pace})
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
		t.wake, t.written = time.Time{}, false
	}
}

func (k *kubelet) reboot(now time.Time) {
	k.newBootID()
	k.restart()
	for _, t := range k.pods {
		t.life.reboot(t.pod, now)
		k.release(t)
	}
}

// release gives a pod's address back.
func (k *kubelet) release(t *tenant) {
	if !t.pod.Spec.HostNetwork {
		k.pool.giveBack(t.ip)
	}
	t.ip = ""
}

// scrap is the end of the machine.
func (k *kubelet) scrap(now time.Time) {
	k.become(Off, now)
	k.mu.Lock()
	defer k.mu.Unlock()
	for uid, t := range k.pods {
		k.release(t)
		delete(k.pods, uid)
	}
}

// volumesInUse are those of all pods that may have them mounted.
func (k *kubelet) volumesInUse() []corev1.UniqueVolumeName {
	var names []corev1.UniqueVolumeName
	for _, t := range k.pods {
		if !t.life.stopped {
			names = append(names, t.volumes...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
