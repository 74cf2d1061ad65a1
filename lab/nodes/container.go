package nodes

import (
	"cmp"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// stage is how far a container has come.
type stage int

const (
	waiting  stage = iota // has not been started yet
	starting              // image pull and start, running when due
	running
	stopping // was asked to stop, exits when due
	exited   // is started again when due, if due is set
)

// container is the state of one container on a machine: its present run and the one before.
type container struct {
	stage             stage
	due               time.Time
	started, finished time.Time
	exitCode          int32
	reason            string // why it exited, when neither Completed nor Error says it
	restarts          int32
	last              *corev1.ContainerStateTerminated
	backoff           time.Duration // before the next restart
	crash             bool          // the restart under way was put off
}

// Restart delays of the kubelet: pkg/kubelet/kubelet.go (backOffPeriod, MaxCrashLoopBackOff), and a pod lifecycle
// generator that looks once a second. A run of twice the longest back-off is forgiven.
const (
	relistPeriod   = time.Second
	initialBackoff = 10 * time.Second
	maxBackoff     = 5 * time.Minute
)

// crashing says whether an exited container is held back before its restart.
func (c container) crashing() bool { return c.stage == exited && !c.due.IsZero() && c.crash }

func (c container) alive() bool { return c.stage == running || c.stage == stopping }

// applyProgramExit notes that the container's program ended by itself, at its own time, however late the kubelet looks.
func (c *container) applyProgramExit(p program, now time.Time) {
	end, code, reason := time.Time{}, c.exitCode, c.reason
	if c.stage == stopping {
		end = c.due
	}
	if natural := p.endsAt(c.started); c.alive() && !natural.IsZero() && (end.IsZero() || natural.Before(end)) {
		end, code, reason = natural, p.exitCode, ""
	}
	if end.IsZero() || end.After(now) {
		return
	}
	c.stage, c.due, c.finished, c.exitCode, c.reason = exited, time.Time{}, end, code, reason
}

// ends is when the container will exit if nothing else happens; zero is never.
func (c container) ends(p program) time.Time {
	switch c.stage {
	case stopping:
		return c.due
	case running:
		return p.endsAt(c.started)
	}
	return time.Time{}
}

func (c *container) run(now time.Time) {
	if c.stage == exited {
		c.last = c.terminated("")
		c.restarts++
	}
	c.stage, c.due, c.started, c.finished, c.exitCode, c.reason = running, time.Time{}, now, time.Time{}, 0, ""
}

// stop sends SIGTERM to a running container, and kills it after its grace period.
func (c *container) stop(p program, now time.Time, grace time.Duration) {
	if c.stage != running {
		return
	}
	c.stage, c.due, c.exitCode = stopping, now.Add(p.stopAfter), p.stopExitCode
	if p.stopAfter > grace {
		c.due, c.exitCode = now.Add(grace), exitOnSIGKILL
	}
}

// restart says when an exited container is started again, and lengthens the delay of the time after.
func (c *container) restart(s syncInput) {
	if c.finished.Sub(c.started) > s.real(2*maxBackoff) {
		c.backoff = 0
	}
	c.due, c.crash = c.finished.Add(max(c.backoff, s.real(relistPeriod))), c.backoff > 0
	c.backoff = min(max(2*c.backoff, s.real(initialBackoff)), s.real(maxBackoff))
}

func (c *container) terminated(id string) *corev1.ContainerStateTerminated {
	reason := c.reason
	switch {
	case reason != "":
	case c.exitCode == 0:
		reason = "Completed"
	default:
		reason = "Error"
	}
	return &corev1.ContainerStateTerminated{
		ExitCode: c.exitCode, Reason: reason, ContainerID: id,
		StartedAt: metav1.NewTime(seconds(c.started)), FinishedAt: metav1.NewTime(seconds(c.finished)),
	}
}

// seconds is how exactly the API keeps time.
func seconds(t time.Time) time.Time { return t.Truncate(time.Second) }

// probes of one container: when they come to what verdict. Kubelet's pkg/kubelet/prober/worker.go, simplified: ticks
// are counted from the container's start.

// startedAt is when the startup probe has passed.
func startedAt(spec *corev1.Container, p program, c container) time.Time {
	if spec.StartupProbe == nil {
		return c.started
	}
	return tick(spec.StartupProbe, c.started, p.readyAfter)
}

// readyAt is when the container can serve and the readiness probe knows it.
func readyAt(spec *corev1.Container, p program, c container) time.Time {
	from := startedAt(spec, p, c)
	if spec.ReadinessProbe == nil {
		return latest(from, c.started.Add(p.readyAfter))
	}
	first := latest(from, tick(spec.ReadinessProbe, c.started, p.readyAfter))
	return first.Add(period(spec.ReadinessProbe) * time.Duration(max(spec.ReadinessProbe.SuccessThreshold, 1)-1))
}

// failsLivenessAt is when the kubelet has seen enough failures; zero is never. A container that is said to fail and has no
// probe is given the API's default one.
func failsLivenessAt(spec *corev1.Container, p program, c container) time.Time {
	const failureThreshold = 3
	probe := spec.LivenessProbe
	switch {
	case p.failLivenessAfter == never:
		return time.Time{}
	case probe == nil:
		return c.started.Add(p.failLivenessAfter + (failureThreshold-1)*p.probePeriod)
	}
	more := cmp.Or(probe.FailureThreshold, failureThreshold) - 1
	return tick(probe, c.started, p.failLivenessAfter).Add(period(probe) * time.Duration(more))
}

// tick is the first probing of a container that started at from, once it has run for after.
func tick(probe *corev1.Probe, from time.Time, after time.Duration) time.Time {
	delay := time.Duration(probe.InitialDelaySeconds) * time.Second
	if after > delay {
		every := period(probe)
		delay += (after - delay + every - 1).Truncate(every)
	}
	return from.Add(delay)
}

func period(probe *corev1.Probe) time.Duration {
	if probe.PeriodSeconds == 0 {
		return defaultPeriod
	}
	return time.Duration(probe.PeriodSeconds) * time.Second
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
