package simulation

import (
	"context"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/internal/admission"
	"github.com/naosu-dev/naosu/internal/message"
)

// quotas are those of namespaces, as the quota controller counts what pods use of them, and the pods that they refuse.
type quotas struct {
	// of are those of a namespace, once they are asked for, nil where there are none.
	byNamespace map[string]*admission.Quotas
	// beyond are the pods that they refuse.
	refused []*corev1.Pod
	// gone are pods that they counted and that have gone since the last count.
	removed []*corev1.Pod
	// due is how many counts there are to be for pods that have gone.
	pendingCounts int
	// fresh are pods that they have allowed since the last count.
	uncounted []*corev1.Pod
	// missed are pods that the last count did not see.
	missed []*corev1.Pod
}

func newQuotas() quotas { return quotas{byNamespace: map[string]*admission.Quotas{}} }

// exceeded is what quotas of its namespace have against a new pod. One that they allow is charged to them.
//
// Source: k8s.io/apiserver/pkg/admission/plugin/resourcequota.
func (e *engine) chargeQuota(pod *corev1.Pod) error {
	of := e.quotasOf(pod.Namespace)
	if of == nil {
		return nil
	}
	if err := of.Forbids(pod); err != nil {
		return err
	}
	of.Charge(pod)
	e.quotas.uncounted = append(e.quotas.uncounted, pod)
	return nil
}

// quotasOf are those of a namespace, nil if it has none.
func (e *engine) quotasOf(namespace string) *admission.Quotas {
	of, known := e.quotas.byNamespace[namespace]
	if known {
		return of
	}
	if list := ofNamespace(e.world().Quotas(), namespace); len(list) > 0 {
		of = admission.NewQuotas(list, e.pods.inNamespace(namespace), e.apiTime().Time)
	}
	e.quotas.byNamespace[namespace] = of
	return of
}

// uncharge takes a pod that has gone from its quotas: at once, or, if it so falls, when its owner has asked for another already.
func (e *engine) releaseQuota(pod *corev1.Pod) {
	of := e.quotas.byNamespace[pod.Namespace]
	if of == nil {
		return
	}
	same := func(other *corev1.Pod) bool { return other.UID == pod.UID && nameOf(other) == nameOf(pod) }
	e.quotas.uncounted, e.quotas.missed = slices.DeleteFunc(e.quotas.uncounted, same), slices.DeleteFunc(e.quotas.missed, same)
	e.quotas.removed = append(e.quotas.removed, pod)
	e.quotas.pendingCounts = countsPerPod
	if !e.randomness.quotaDelayed() {
		of.Release(pod)
	}
}

// quotaResync is how often the quota controller counts even if no pod has gone.
//
// Source: cmd/kube-controller-manager, flag --resource-quota-sync-period.
const quotaSyncPeriod = 5 * time.Minute

// unchargeStuck takes a pod from its quotas that should have ended and whose node cannot say so: at the next resync, unless its node
// goes before.
//
// Source: pkg/quota/v1/evaluator/core of Kubernetes (QuotaV1Pod).
func (e *engine) releaseQuotaAfterGrace(pod *corev1.Pod) {
	if e.quotasOf(pod.Namespace) == nil {
		return
	}
	if wait, before := e.randomness.within(quotaSyncPeriod); before {
		e.after(terminationGracePeriod(pod)+wait, func(context.Context) error {
			e.releaseQuota(pod)
			return nil
		})
	}
}

// countsPerPod is how often the quota controller counts for a pod that goes: once when its kubelet says that it has ended, and once when
// it is deleted.
const countsPerPod = 2

// recount has the quota controller count what pods use, because some have gone. What it writes is what it sees: pods that were
// allowed just before may be missing, which leaves room for others beyond the quota until the next count.
//
// Source: pkg/controller/resourcequota of Kubernetes (syncResourceQuota); github.com/kubernetes/kubernetes/issues/123434.
func (e *engine) recount() {
	q := &e.quotas
	for _, pod := range q.missed {
		q.byNamespace[pod.Namespace].Charge(pod)
	}
	q.missed = e.randomness.unobserved(q.uncounted)
	for _, pod := range slices.Concat(q.removed, q.missed) {
		q.byNamespace[pod.Namespace].Release(pod)
	}
	q.removed, q.uncounted = nil, nil
}

// askAgain asks for the pods again that quotas have refused, if pods have gone since. It says whether any is made.
func (e *engine) retryRefused() bool {
	if e.quotas.pendingCounts == 0 {
		return false
	}
	e.quotas.pendingCounts--
	e.recount()
	beyond := e.quotas.refused
	e.quotas.refused = nil
	shuffle(e.randomness, beyond) // Which of their owners tries first nobody decides.
	made := false
	for _, pod := range beyond {
		l := e.fates.byPod[nameOf(pod)]
		if l == nil { // Its owner wants it no more.
			continue
		}
		if e.chargeQuota(pod) != nil {
			e.quotas.refused = append(e.quotas.refused, pod)
			continue
		}
		l.fate.Kind, l.fate.Why = "", message.Sentence{}
		e.enqueue(pod)
		made = true
	}
	return made
}

// refusedOf are the pods of a controller that quotas refuse and that it still wants.
func (e *engine) refusedPodsOf(controller types.UID) []*corev1.Pod {
	var pods []*corev1.Pod
	for _, pod := range e.quotas.refused {
		if owner := metav1.GetControllerOfNoCopy(pod); owner != nil && owner.UID == controller && e.fates.byPod[nameOf(pod)] != nil {
			pods = append(pods, pod)
		}
	}
	return pods
}

// giveUp says that the owner of pods that quotas refuse wants them no more.
func (e *engine) abandonRefused(pods []*corev1.Pod) {
	for _, pod := range pods {
		e.decrementActive(pod)
		e.fates.end(pod, Ended, message.Of(message.FateScaled, nil), e.elapsed())
	}
}
