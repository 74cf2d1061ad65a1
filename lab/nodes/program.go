package nodes

import (
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/naosu-dev/naosu/lab/pace"
)

// Annotations on a pod say what the programs in its containers do. Durations are scenario time. Each can be given for
// one container alone by appending a dot and the container's name.
const (
	// AnnotationStartDelay is how long image pull and start take.
	AnnotationStartDelay = "lab.naosu.dev/start-delay"
	// AnnotationRunFor is after how long a program ends by itself; without it, it runs until it is stopped. In a scenario, it
	// counts from the scenario's start at the earliest, except for init containers.
	AnnotationRunFor = "lab.naosu.dev/run-for"
	// AnnotationExitCode is what a program that ends by itself ends with.
	AnnotationExitCode = "lab.naosu.dev/exit-code"
	// AnnotationReadyAfter is how long after its start a container is ready to serve.
	AnnotationReadyAfter = "lab.naosu.dev/ready-after"
	// AnnotationFailLivenessAfter is how long after its start a container begins to fail its liveness probe.
	AnnotationFailLivenessAfter = "lab.naosu.dev/fail-liveness-after"
	// AnnotationStopAfter is how long a program takes to end when it is asked to.
	AnnotationStopAfter = "lab.naosu.dev/stop-after"
	// AnnotationStopExitCode is what it then ends with.
	AnnotationStopExitCode = "lab.naosu.dev/stop-exit-code"
	// AnnotationMemoryUse is what all of the pod's containers use together, as a quantity.
	AnnotationMemoryUse = "lab.naosu.dev/memory-use"
)

const (
	defaultStartDelay = 2 * time.Second
	defaultStopAfter  = time.Second
	defaultInitRun    = time.Second
	defaultPeriod     = 10 * time.Second // of the API's probes
	never             = time.Duration(-1)
	// exitOnSIGTERM is how a shell reports a program that a TERM signal ended.
	exitOnSIGTERM = 143
	exitOnSIGKILL = 137
)

// program is what runs in one container. Durations are real time; never means it does not happen.
type program struct {
	startDelay, runFor, readyAfter, failLivenessAfter, stopAfter time.Duration
	exitCode, stopExitCode                                       int32
	probePeriod                                                  time.Duration // of probes that are not in the spec
	held                                                         bool          // runFor has not begun to count
	runFrom                                                      time.Time     // from when runFor counts at the earliest
}

// endsAt is when a program that was started at a time ends by itself; zero is never.
func (p program) endsAt(started time.Time) time.Time {
	if p.runFor == never || p.held {
		return time.Time{}
	}
	return latest(started, p.runFrom).Add(p.runFor)
}

// programOf reads a container's program. A value that cannot be read counts as not given. Init containers that are not
// sidecars end after a second. A server stops with 0 when asked to; work that is interrupted does not.
func programOf(pod *corev1.Pod, c *corev1.Container, init bool, p *pace.Pace) program {
	value := func(key string) string {
		if v, ok := pod.Annotations[key+"."+c.Name]; ok {
			return v
		}
		if init {
			return "" // what is said of the pod is said of its regular containers
		}
		return pod.Annotations[key]
	}
	duration := func(key string, otherwise time.Duration) time.Duration {
		if d, err := time.ParseDuration(value(key)); err == nil && d >= 0 {
			return p.Real(d)
		}
		if otherwise == never {
			return never
		}
		return p.Real(otherwise)
	}
	code := func(key string, otherwise int32) int32 {
		if n, err := strconv.ParseInt(value(key), 10, 32); err == nil {
			return int32(n)
		}
		return otherwise
	}
	runFor, stopCode := never, int32(0)
	if init && !isSidecar(c) {
		runFor = defaultInitRun
	}
	if !isSidecar(c) && (init || pod.Spec.RestartPolicy != corev1.RestartPolicyAlways) {
		stopCode = exitOnSIGTERM
	}
	runFrom, begun := time.Time{}, true
	if !init { // the start of a scenario waits for init containers
		runFrom, begun = p.Began()
	}
	return program{
		startDelay:        duration(AnnotationStartDelay, defaultStartDelay),
		runFor:            duration(AnnotationRunFor, runFor),
		readyAfter:        duration(AnnotationReadyAfter, 0),
		failLivenessAfter: duration(AnnotationFailLivenessAfter, never),
		stopAfter:         duration(AnnotationStopAfter, defaultStopAfter),
		exitCode:          code(AnnotationExitCode, 0),
		probePeriod:       p.Real(defaultPeriod),
		stopExitCode:      code(AnnotationStopExitCode, stopCode),
		held:              !begun,
		runFrom:           runFrom,
	}
}

// memoryUse is in bytes.
func memoryUse(pod *corev1.Pod) int64 {
	if q, err := resource.ParseQuantity(pod.Annotations[AnnotationMemoryUse]); err == nil {
		return q.Value()
	}
	return 0
}

func isSidecar(c *corev1.Container) bool {
	return c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways
}
