package inprocess

import (
	"fmt"
	"time"

	"k8s.io/kubernetes/pkg/controller/job"
	"k8s.io/kubernetes/pkg/controller/volume/attachdetach"

	"github.com/naosu-dev/naosu/lab/controlplane"
	"github.com/naosu-dev/naosu/lab/pace"
)

// clientQPS and clientBurst lift the limits that the controller manager (20) and the scheduler (50) put on themselves, as
// managed control planes do: at 50 a second ten thousand pods would take three minutes to bind, whatever the machine.
const (
	clientQPS   = 1000
	clientBurst = 2000
)

// paced are the flags by which a faster lab's control plane keeps the lab's time. At real time there are none of them,
// and Kubernetes' own defaults hold, but for the two tolerations: their flags are global variables of the process, which
// would keep what an earlier plane set.
//
// Left alone are events' one hour, since a person reads them after the fact, and what does not wait for anything in the
// cluster (tokens, resyncs, compaction).
func paced(p *pace.Pace) map[controlplane.Component][]string {
	tolerations := []string{
		fmt.Sprintf("--default-not-ready-toleration-seconds=%d", p.Seconds("kube-apiserver --default-not-ready-toleration-seconds", 300)),
		fmt.Sprintf("--default-unreachable-toleration-seconds=%d", p.Seconds("kube-apiserver --default-unreachable-toleration-seconds", 300)),
	}
	if p.Scale() == 1 {
		return map[controlplane.Component][]string{controlplane.APIServer: tolerations}
	}
	period := func(name string, standard time.Duration) string {
		return fmt.Sprintf("--%s=%v", name, p.Real(standard))
	}
	rate := func(name string, standard float64) string {
		return fmt.Sprintf("--%s=%g", name, p.Rate(standard))
	}
	return map[controlplane.Component][]string{
		controlplane.APIServer: tolerations,
		controlplane.ControllerManager: {
			// At least one second, says the attach-detach controller.
			fmt.Sprintf("--attach-detach-reconcile-sync-period=%ds", p.Seconds("kube-controller-manager --attach-detach-reconcile-sync-period", 60)),
			period("horizontal-pod-autoscaler-cpu-initialization-period", 5*time.Minute),
			period("horizontal-pod-autoscaler-downscale-stabilization", 5*time.Minute),
			period("horizontal-pod-autoscaler-initial-readiness-delay", 30*time.Second),
			period("horizontal-pod-autoscaler-sync-period", 15*time.Second),
			period("namespace-sync-period", 5*time.Minute),
			rate("node-eviction-rate", 0.1),
			period("node-monitor-grace-period", 50*time.Second),
			period("node-monitor-period", 5*time.Second),
			period("node-startup-grace-period", time.Minute),
			period("pvclaimbinder-sync-period", 15*time.Second),
			period("resource-quota-sync-period", 5*time.Minute),
			rate("secondary-node-eviction-rate", 0.01),
		},
		controlplane.Scheduler: {
			period("pod-max-in-unschedulable-pods-duration", 5*time.Minute),
		},
	}
}

var (
	standardTimers  = attachdetach.DefaultTimerConfig
	standardBackOff = job.DefaultJobPodFailureBackOff
	longestBackOff  = job.MaxJobPodFailureBackOff

	standardAPIBackOff = job.DefaultJobApiBackOff
	longestAPIBackOff  = job.MaxJobApiBackOff
)

// setTimers scales the timers that controllers have no flags for: those of the attach-detach controller, among them the six minutes
// after which it takes a volume from a node that does not answer, while its loop stays at 100 ms; and how long a Job waits after a
// pod of its has failed or was refused, while the second in which it gathers what has happened stays.
func setTimers(p *pace.Pace) {
	timers := standardTimers
	timers.ReconcilerMaxWaitForUnmountDuration = p.Real(timers.ReconcilerMaxWaitForUnmountDuration)
	timers.DesiredStateOfWorldPopulatorLoopSleepPeriod = p.Real(timers.DesiredStateOfWorldPopulatorLoopSleepPeriod)
	timers.DesiredStateOfWorldPopulatorListPodsRetryDuration = p.Real(timers.DesiredStateOfWorldPopulatorListPodsRetryDuration)
	attachdetach.DefaultTimerConfig = timers
	job.DefaultJobPodFailureBackOff, job.MaxJobPodFailureBackOff = p.Real(standardBackOff), p.Real(longestBackOff)
	job.DefaultJobApiBackOff, job.MaxJobApiBackOff = p.Real(standardAPIBackOff), p.Real(longestAPIBackOff)
}
