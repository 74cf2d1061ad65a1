package nodes

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/lab/pace"
)

// podState is the state of one pod on a machine.
type podState struct {
	startTime   time.Time // when the kubelet first saw it: status.startTime
	hasSandbox  bool      // its volumes are mounted and it has an address
	containers  []container
	initialized bool         // the init containers are done with
	termination *termination // the kubelet's own decision to end it
	killAt      time.Time    // when containers that were asked to stop are killed
	terminated  bool         // nothing runs, and nothing will again
}

// termination is why a kubelet ends a pod that was not deleted.
type termination struct {
	reason, message string
	// rejected pods never ran here; their status says nothing else.
	rejected bool
	// disrupted pods get the DisruptionTarget condition.
	disrupted bool
	// grace is for how long containers may stop; never means the pod's own.
	grace time.Duration
}

// syncInput is all that a pod's next state depends on, but the pod and its state.
type syncInput struct {
	now      time.Time
	canStart bool // all volumes can be mounted, and there is an address
	deleted  bool // the API has the pod no more
	pace     *pace.Pace
}

func (s syncInput) real(d time.Duration) time.Duration { return s.pace.Real(d) }

// nextSync collects the times at which a pod must be synced again, and keeps the first that is still to come.
type nextSync struct{ now, at time.Time }

func (w *nextSync) add(t time.Time) {
	if t.After(w.now) && (w.at.IsZero() || t.Before(w.at)) {
		w.at = t
	}
}

// advance brings a pod's state on a machine up to now, as its kubelet would have, and says when to sync it again (zero:
// when something else changes). It changes nothing but what it returns.
func advance(pod *corev1.Pod, l podState, s syncInput) (podState, time.Time) {
	if l.terminated {
		return l, time.Time{}
	}
	l.containers = slices.Clone(l.containers)
	w := &nextSync{now: s.now}
	v := podSync{pod: pod, state: &l, in: s, next: w}
	v.applyProgramExits()
	v.checkActiveDeadline()
	if !v.shouldTerminate() && s.canStart {
		v.startContainers()
	}
	if v.shouldTerminate() {
		v.terminate()
	}
	for i := range l.containers {
		c, p := &l.containers[i], v.program(i)
		w.add(c.ends(p))
		if p.held && p.runFor != never {
			w.add(s.now.Add(s.real(relistPeriod))) // nothing else tells that it has begun to count
		}
		if c.alive() {
			w.add(startedAt(v.spec(i), p, *c))
			w.add(readyAt(v.spec(i), p, *c))
		}
	}
	return l, w.at
}

// withProgramExits is a pod's state up to now on a machine whose kubelet does nothing: programs end all the same.
func withProgramExits(pod *corev1.Pod, l podState, s syncInput) podState {
	l.containers = slices.Clone(l.containers)
	podSync{pod: pod, state: &l, in: s}.applyProgramExits()
	return l
}

// podSync is one call of advance.
type podSync struct {
	pod   *corev1.Pod
	state *podState
	in    syncInput
	next  *nextSync
}

// spec is the i-th container's, counting init containers first.
func (v podSync) spec(i int) *corev1.Container { return containerSpec(v.pod, i) }

func (v podSync) program(i int) program {
	return programOf(v.pod, v.spec(i), i < len(v.pod.Spec.InitContainers), v.in.pace)
}

func containerSpec(pod *corev1.Pod, i int) *corev1.Container {
	if n := len(pod.Spec.InitContainers); i >= n {
		return &pod.Spec.Containers[i-n]
	}
	return &pod.Spec.InitContainers[i]
}

func (v podSync) applyProgramExits() {
	for i := range v.state.containers {
		v.state.containers[i].applyProgramExit(v.program(i), v.in.now)
	}
}

// checkActiveDeadline is pkg/kubelet/active_deadline.go.
func (v podSync) checkActiveDeadline() {
	if v.pod.Spec.ActiveDeadlineSeconds == nil || v.state.termination != nil || v.state.startTime.IsZero() {
		return
	}
	at := v.state.startTime.Add(time.Duration(*v.pod.Spec.ActiveDeadlineSeconds) * time.Second)
	if v.next.add(at); at.After(v.in.now) || v.finished() {
		return
	}
	v.state.termination = &termination{
		reason: "DeadlineExceeded", message: "Pod was active on the node longer than the specified deadline", grace: never,
	}
}

func (v podSync) shouldTerminate() bool {
	return v.pod.DeletionTimestamp != nil || v.in.deleted || v.state.termination != nil || v.finished()
}

// finished says whether the pod's work is over: its regular containers are, or an init container has failed for good.
func (v podSync) finished() bool {
	inits := len(v.pod.Spec.InitContainers)
	for i, c := range v.state.containers[:inits] {
		if !isSidecar(v.spec(i)) && c.stage == exited && c.exitCode != 0 && !restarts(v.pod, v.spec(i), true, c.exitCode) {
			return true
		}
	}
	if !v.state.initialized {
		return false
	}
	for i, c := range v.state.containers[inits:] {
		if c.stage != exited || restarts(v.pod, v.spec(inits+i), false, c.exitCode) {
			return false
		}
	}
	return true
}

// restarts says whether an exited container is to run again. Init containers run until they succeed.
func restarts(pod *corev1.Pod, c *corev1.Container, init bool, code int32) bool {
	policy := pod.Spec.RestartPolicy
	if c.RestartPolicy != nil {
		policy = corev1.RestartPolicy(*c.RestartPolicy)
	}
	switch {
	case policy == corev1.RestartPolicyNever:
		return false
	case init && !isSidecar(c), policy == corev1.RestartPolicyOnFailure:
		return code != 0
	}
	return true
}

// startContainers keeps running what should run: init containers one after the other, then all others at once.
func (v podSync) startContainers() {
	v.state.hasSandbox = true
	for i := range v.pod.Spec.InitContainers {
		c := &v.state.containers[i]
		switch {
		case isSidecar(v.spec(i)):
			v.runContainer(i)
			if at := startedAt(v.spec(i), v.program(i), *c); !v.state.initialized && (c.stage != running || at.After(v.in.now)) {
				v.next.add(at)
				return
			}
		case v.state.initialized || c.stage == exited && c.exitCode == 0:
		default:
			v.runContainer(i)
			return
		}
	}
	v.state.initialized = true
	for i := len(v.pod.Spec.InitContainers); i < len(v.state.containers); i++ {
		v.runContainer(i)
	}
}

// runContainer starts a container, starts it again, or stops it because its liveness probe fails.
func (v podSync) runContainer(i int) {
	c, p, now := &v.state.containers[i], v.program(i), v.in.now
	if c.stage == waiting {
		c.stage, c.due = starting, now.Add(p.startDelay)
	}
	v.scheduleRestart(i)
	if (c.stage == starting || c.stage == exited) && !c.due.IsZero() && !c.due.After(now) {
		c.run(now)
		c.applyProgramExit(p, now)
		v.scheduleRestart(i)
	}
	if c.stage == starting || c.stage == exited {
		v.next.add(c.due)
	}
	if fails := failsLivenessAt(v.spec(i), p, *c); c.stage == running && !fails.IsZero() {
		if fails.After(now) {
			v.next.add(fails)
		} else {
			c.stop(p, now, v.grace())
		}
	}
}

func (v podSync) scheduleRestart(i int) {
	c := &v.state.containers[i]
	if c.stage == exited && c.due.IsZero() && restarts(v.pod, v.spec(i), i < len(v.pod.Spec.InitContainers), c.exitCode) {
		c.restart(v.in)
	}
}

// grace is how long containers may take to stop, at least a second: pkg/kubelet/pod_workers.go, calculateEffectiveGracePeriod.
func (v podSync) grace() time.Duration {
	period := v.pod.Spec.TerminationGracePeriodSeconds
	if v.pod.DeletionGracePeriodSeconds != nil {
		period = v.pod.DeletionGracePeriodSeconds
	}
	grace := time.Second
	if period != nil {
		grace = max(grace, time.Duration(*period)*time.Second)
	}
	if d := v.state.termination; d != nil && d.grace != never {
		grace = d.grace
	}
	return grace
}

// terminate stops the regular containers, then the sidecars, the last first.
func (v podSync) terminate() {
	l, now := v.state, v.in.now
	if by := now.Add(v.grace()); l.killAt.IsZero() || by.Before(l.killAt) {
		l.killAt = by
	}
	inits, alive := len(v.pod.Spec.InitContainers), false
	stop := func(i int) {
		c := &l.containers[i]
		if c.stage == starting {
			c.stage, c.due = waiting, time.Time{}
		}
		c.stop(v.program(i), now, l.killAt.Sub(now))
		c.applyProgramExit(v.program(i), now)
		if c.stage == stopping && c.due.After(l.killAt) {
			c.due, c.exitCode = l.killAt, exitOnSIGKILL
		}
		alive = alive || c.alive()
	}
	for i := inits; i < len(l.containers); i++ {
		stop(i)
	}
	for i := inits - 1; i >= 0; i-- {
		if !isSidecar(v.spec(i)) {
			stop(i)
		}
	}
	for i := inits - 1; i >= 0 && !alive; i-- {
		stop(i)
	}
	l.terminated = !alive
}

// reboot is the machine's: whatever ran has ended, it is not known how, and the pod needs a new sandbox, in which its init
// containers run again. containerd reports such containers with exit code 255, reason Unknown.
func (l *podState) reboot(pod *corev1.Pod, now time.Time) {
	if l.terminated {
		return
	}
	l.containers = slices.Clone(l.containers)
	l.hasSandbox = false
	again := pod.Spec.RestartPolicy != corev1.RestartPolicyNever
	for i := range l.containers {
		c := &l.containers[i]
		switch {
		case c.alive():
			c.stage, c.due, c.finished, c.exitCode, c.reason = exited, time.Time{}, now, 255, "Unknown"
		case c.stage == starting:
			c.stage, c.due = waiting, time.Time{}
		}
		if again && i < len(pod.Spec.InitContainers) && c.stage == exited {
			*c = container{restarts: c.restarts + 1, last: c.terminated("")}
		}
	}
	l.initialized = l.initialized && !again
}
