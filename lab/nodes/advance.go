package nodes

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/lab/pace"
)

// life is what a machine knows of one pod.
type life struct {
	since      time.Time // when the kubelet first saw it: status.startTime
	sandbox    bool      // its volumes are mounted and it has an address
	containers []container
	begun      bool      // the init containers are done with
	verdict    *verdict  // the kubelet's own decision to end it
	by         time.Time // when containers that were asked to stop are killed
	stopped    bool      // nothing runs, and nothing will again
}

// verdict is why a kubelet ends a pod that nobody deleted.
type verdict struct {
	reason, message string
	// rejected pods never ran here; their status says nothing else.
	rejected bool
	// disrupted pods get the DisruptionTarget condition.
	disrupted bool
	// grace is for how long containers may stop; never means the pod's own.
	grace time.Duration
}

// situation is all of the world that bears on one pod at one moment.
type situation struct {
	now       time.Time
	startable bool // all volumes can be mounted, and there is an address
	gone      bool // the API no longer has the pod
	pace      *pace.Pace
}

func (s situation) real(d time.Duration) time.Duration { return s.pace.Real(d) }

// wake collects the moments at which a pod must be looked at again, and keeps the first that is still to come.
type wake struct{ now, at time.Time }

func (w *wake) add(t time.Time) {
	if t.After(w.now) && (w.at.IsZero() || t.Before(w.at)) {
		w.at = t
	}
}

// advance brings a pod's life on a machine up to now, as its kubelet would have, and says when to look again (zero:
// when something else changes). It changes nothing but what it returns.
func advance(pod *corev1.Pod, l life, s situation) (life, time.Time) {
	if l.stopped {
		return l, time.Time{}
	}
	l.containers = slices.Clone(l.containers)
	w := &wake{now: s.now}
	v := view{pod: pod, life: &l, s: s, w: w}
	v.settle()
	v.deadline()
	if !v.mustEnd() && s.startable {
		v.run()
	}
	if v.mustEnd() {
		v.end()
	}
	for i := range l.containers {
		c, p := &l.containers[i], v.program(i)
		w.add(c.ends(p))
		if c.alive() {
			w.add(startedAt(v.spec(i), p, *c))
			w.add(readyAt(v.spec(i), p, *c))
		}
	}
	return l, w.at
}

// settled is a pod's life up to now on a machine whose kubelet does nothing: programs end all the same.
func settled(pod *corev1.Pod, l life, s situation) life {
	l.containers = slices.Clone(l.containers)
	view{pod: pod, life: &l, s: s}.settle()
	return l
}

// view is one pod under advance.
type view struct {
	pod  *corev1.Pod
	life *life
	s    situation
	w    *wake
}

// spec is the i-th container's, counting init containers first.
func (v view) spec(i int) *corev1.Container { return containerSpec(v.pod, i) }

func (v view) program(i int) program {
	return programOf(v.pod, v.spec(i), i < len(v.pod.Spec.InitContainers), v.s.pace)
}

func containerSpec(pod *corev1.Pod, i int) *corev1.Container {
	if n := len(pod.Spec.InitContainers); i >= n {
		return &pod.Spec.Containers[i-n]
	}
	return &pod.Spec.InitContainers[i]
}

func (v view) settle() {
	for i := range v.life.containers {
		v.life.containers[i].settle(v.program(i), v.s.now)
	}
}

// deadline is pkg/kubelet/active_deadline.go.
func (v view) deadline() {
	if v.pod.Spec.ActiveDeadlineSeconds == nil || v.life.verdict != nil || v.life.since.IsZero() {
		return
	}
	at := v.life.since.Add(time.Duration(*v.pod.Spec.ActiveDeadlineSeconds) * time.Second)
	if v.w.add(at); at.After(v.s.now) || v.finished() {
		return
	}
	v.life.verdict = &verdict{
		reason: "DeadlineExceeded", message: "Pod was active on the node longer than the specified deadline", grace: never,
	}
}

func (v view) mustEnd() bool {
	return v.pod.DeletionTimestamp != nil || v.s.gone || v.life.verdict != nil || v.finished()
}

// finished says whether the pod's work is over: its regular containers are, or an init container has failed for good.
func (v view) finished() bool {
	inits := len(v.pod.Spec.InitContainers)
	for i, c := range v.life.containers[:inits] {
		if !isSidecar(v.spec(i)) && c.stage == exited && c.exitCode != 0 && !restarts(v.pod, v.spec(i), true, c.exitCode) {
			return true
		}
	}
	if !v.life.begun {
		return false
	}
	for i, c := range v.life.containers[inits:] {
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

// run keeps running what should run: init containers one after the other, then all others at once.
func (v view) run() {
	v.life.sandbox = true
	for i := range v.pod.Spec.InitContainers {
		c := &v.life.containers[i]
		switch {
		case isSidecar(v.spec(i)):
			v.keep(i)
			if at := startedAt(v.spec(i), v.program(i), *c); !v.life.begun && (c.stage != running || at.After(v.s.now)) {
				v.w.add(at)
				return
			}
		case v.life.begun || c.stage == exited && c.exitCode == 0:
		default:
			v.keep(i)
			return
		}
	}
	v.life.begun = true
	for i := len(v.pod.Spec.InitContainers); i < len(v.life.containers); i++ {
		v.keep(i)
	}
}

// keep starts a container, starts it again, or stops it because its liveness probe fails.
func (v view) keep(i int) {
	c, p, now := &v.life.containers[i], v.program(i), v.s.now
	if c.stage == waiting {
		c.stage, c.due = starting, now.Add(p.startDelay)
	}
	v.scheduleRestart(i)
	if (c.stage == starting || c.stage == exited) && !c.due.IsZero() && !c.due.After(now) {
		c.run(now)
		c.settle(p, now)
		v.scheduleRestart(i)
	}
	if c.stage == starting || c.stage == exited {
		v.w.add(c.due)
	}
	if fails := failsLivenessAt(v.spec(i), p, *c); c.stage == running && !fails.IsZero() {
		if fails.After(now) {
			v.w.add(fails)
		} else {
			c.stop(p, now, v.grace())
		}
	}
}

func (v view) scheduleRestart(i int) {
	c := &v.life.containers[i]
	if c.stage == exited && c.due.IsZero() && restarts(v.pod, v.spec(i), i < len(v.pod.Spec.InitContainers), c.exitCode) {
		c.restart(v.s)
	}
}

// grace is how long containers may take to stop, at least a second: pkg/kubelet/pod_workers.go, calculateEffectiveGracePeriod.
func (v view) grace() time.Duration {
	period := v.pod.Spec.TerminationGracePeriodSeconds
	if v.pod.DeletionGracePeriodSeconds != nil {
		period = v.pod.DeletionGracePeriodSeconds
	}
	grace := time.Second
	if period != nil {
		grace = max(grace, time.Duration(*period)*time.Second)
	}
	if d := v.life.verdict; d != nil && d.grace != never {
		grace = d.grace
	}
	return grace
}

// end stops the regular containers, then the sidecars, the last first.
func (v view) end() {
	l, now := v.life, v.s.now
	if by := now.Add(v.grace()); l.by.IsZero() || by.Before(l.by) {
		l.by = by
	}
	inits, alive := len(v.pod.Spec.InitContainers), false
	stop := func(i int) {
		c := &l.containers[i]
		if c.stage == starting {
			c.stage, c.due = waiting, time.Time{}
		}
		c.stop(v.program(i), now, l.by.Sub(now))
		c.settle(v.program(i), now)
		if c.stage == stopping && c.due.After(l.by) {
			c.due, c.exitCode = l.by, exitOnSIGKILL
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
	l.stopped = !alive
}

// reboot is the machine's: whatever ran has ended, nobody knows how, and the pod needs a new sandbox, in which its init
// containers run again. containerd reports such containers with exit code 255, reason Unknown.
func (l *life) reboot(pod *corev1.Pod, now time.Time) {
	if l.stopped {
		return
	}
	l.containers = slices.Clone(l.containers)
	l.sandbox = false
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
	l.begun = l.begun && !again
}
