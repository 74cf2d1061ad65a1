package status

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/duration"
	"k8s.io/utils/ptr"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// preStopHook is the preStop hook of a container that still runs in a deleted pod. The kubelet stops the container only after the hook,
// and waits for it until the end of the grace period that was set first: a later, shorter one does not stop a hook that already runs
// (pkg/kubelet/kuberuntime, executePreStopHook; kubernetes/kubernetes#127339).
type preStopHook struct {
	container string
	// action is what it does, lasts the least time that this takes; zero if unknown.
	action   string
	field    string
	duration time.Duration
}

// hookOf is the longest preStop hook that a deleted pod may still run; false if there is none.
func hookOf(pod *corev1.Pod) (preStopHook, bool) {
	var hooks []preStopHook
	for _, c := range slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers) {
		if c.Lifecycle == nil || c.Lifecycle.PreStop == nil || !runs(pod, c.Name) {
			continue
		}
		h := preStopHook{container: c.Name, field: specField(pod, c.Name, "lifecycle.preStop.")}
		switch does := c.Lifecycle.PreStop; {
		case does.Exec != nil:
			h.action, h.duration = strings.Join(does.Exec.Command, " "), sleepDuration(does.Exec.Command)
			h.field += "exec.command"
		case does.Sleep != nil:
			h.action, h.duration = strconv.FormatInt(does.Sleep.Seconds, 10), time.Duration(does.Sleep.Seconds)*time.Second
			h.field += "sleep.seconds"
		default:
			continue // The kubelet has a timeout for HTTP requests.
		}
		hooks = append(hooks, h)
	}
	if len(hooks) == 0 {
		return preStopHook{}, false
	}
	return slices.MaxFunc(hooks, func(a, b preStopHook) int { return int(a.duration.Seconds()) - int(b.duration.Seconds()) }), true
}

func runs(pod *corev1.Pod, container string) bool {
	return slices.ContainsFunc(slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses), func(c corev1.ContainerStatus) bool {
		return c.Name == container && c.State.Running != nil
	})
}

// endless is the duration of a sleep without an end.
const endless = 100 * 365 * 24 * time.Hour

// sleepPattern matches a command, also of a shell, that only sleeps. Other scripts are not analysed.
var sleepPattern = regexp.MustCompile(`^(?:(?:\S*/)?(?:sh|bash|ash|dash) -[a-z]*c )?(?:exec )?(?:\S*/)?sleep ([0-9]+(?:\.[0-9]+)?)([smhd]?)$`)

var endlessSleepPattern = regexp.MustCompile(`^(?:(?:\S*/)?(?:sh|bash|ash|dash) -[a-z]*c )?(?:exec )?(?:\S*/)?sleep inf(?:inity)?$`)

// sleepDuration is how long a command sleeps that does nothing else; zero for other commands.
func sleepDuration(command []string) time.Duration {
	text := strings.Join(strings.Fields(strings.Join(command, " ")), " ")
	if endlessSleepPattern.MatchString(text) {
		return endless
	}
	m := sleepPattern.FindStringSubmatch(text)
	if m == nil {
		return 0
	}
	n, err := strconv.ParseFloat(m[1], 64)
	unit := map[string]time.Duration{"": time.Second, "s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour}[m[2]]
	if err != nil || n > endless.Seconds() || time.Duration(n)*unit > endless {
		return endless
	}
	return time.Duration(n * float64(unit))
}

// HeldByPreStop reports whether a deleted pod probably still runs its preStop hook: the hook takes longer than the pod has been
// terminating.
func HeldByPreStop(q query.Query, pod *corev1.Pod) bool {
	h, ok := hookOf(pod)
	if !ok || pod.DeletionTimestamp == nil {
		return false
	}
	given := time.Duration(ptr.Deref(pod.DeletionGracePeriodSeconds, 0)) * time.Second
	return h.duration > q.World.Taken().Sub(pod.DeletionTimestamp.Time)+given
}

// explainPreStop says that the preStop hook delays a deleted pod that is overdue on a node whose kubelet works, with the evidence; empty
// if it does not, or only might.
func (s *Status) explainPreStop(pod *corev1.Pod, age string) (message.Sentence, []finding.Evidence) {
	h, ok := hookOf(pod)
	if !ok {
		return message.Sentence{}, nil
	}
	grace := strconv.FormatInt(ptr.Deref(pod.Spec.TerminationGracePeriodSeconds, corev1.DefaultTerminationGracePeriodSeconds), 10)
	lasts := ""
	if h.duration < endless {
		lasts = duration.HumanDuration(h.duration)
	}
	evidence := []finding.Evidence{facts.Evidence(s.ref, h.field, h.action), facts.Evidence(s.ref, "spec.terminationGracePeriodSeconds", grace)}
	if !HeldByPreStop(s.Query, pod) {
		s.addCause(sentence.HookMayHold(h.container, h.action), evidence...)
		return message.Sentence{}, nil
	}
	return sentence.StopHook(s.ref, age, h.container, h.action, lasts, grace, facts.NodeRef(pod.Spec.NodeName)), evidence
}

// proposeEndPreStop proposes to end a hook that sleeps, and says where to change the hook.
func (s *Status) proposeEndPreStop(pod *corev1.Pod) {
	workload := facts.WorkloadRef(s.World, pod)
	s.addCause(sentence.HookWaits(workload == s.ref, workload))
	deleted := change.DeletePod{Namespace: pod.Namespace, Name: pod.Name}
	if h, _ := hookOf(pod); strings.HasSuffix(h.field, "exec.command") {
		w := s.Propose(deleted, sentence.RemedyEndHook(h.container), sentence.RemedyEndHookCost(), sentence.RemedyEndHookRisk(h.container))
		w.Command = change.EndSleep(s.ref, h.container)
		s.addRemedies(w.Remedy)
	}
	// A second deletion may only shorten the grace period (apiserver, registry/rest, BeforeDelete).
	if ptr.Deref(pod.DeletionGracePeriodSeconds, 0) == 0 || facts.ControlledBy(pod, cluster.StatefulSet) || len(facts.SingleNodeMounts(s.World, pod)) > 0 {
		return
	}
	deleted.Force = true
	s.addRemedies(s.Propose(deleted, sentence.RemedyForceHook(s.ref), sentence.RemedyForceHookCost(), sentence.RemedyForceHookRisk(facts.NodeRef(pod.Spec.NodeName))).Remedy)
}
