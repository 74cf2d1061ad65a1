package engine

import (
	"context"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/internal/admission"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/simulation/internal/names"
	"github.com/naosu-dev/naosu/internal/simulation/internal/randomness"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// quotas simulates the quota controller: the use of each namespace's quotas, and the pods that they refuse.
type quotas struct {
	// byNamespace are a namespace's quotas, once they were asked for, nil if there are none.
	byNamespace map[string]*admission.Quotas
	// refused are the pods that quotas refuse.
	refused []*corev1.Pod
	// removed are counted pods that were removed since the last count.
	removed []*corev1.Pod
	// pendingCounts is how often the controller still has to count for removed pods.
	pendingCounts int
	// counted says that the quota controller has counted since the refused pods were last created again.
	counted bool
	// uncounted are the pods admitted since the last count.
	uncounted []*corev1.Pod
	// missed are the pods that the last count did not see.
	missed []*corev1.Pod
}

func newQuotas() quotas { return quotas{byNamespace: map[string]*admission.Quotas{}} }

// chargeQuota is the error by which a quota of its namespace refuses a new pod. A pod that is not refused is charged.
//
// Source: k8s.io/apiserver/pkg/admission/plugin/resourcequota.
func (e *Engine) chargeQuota(pod *corev1.Pod) error {
	of := e.QuotasOf(pod.Namespace)
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

// QuotasOf are a namespace's quotas, nil if it has none.
func (e *Engine) QuotasOf(namespace string) *admission.Quotas {
	of, known := e.quotas.byNamespace[namespace]
	if known {
		return of
	}
	if list := names.InNamespace(e.World().Quotas(), namespace); len(list) > 0 {
		of = admission.NewQuotas(list, e.Pods.InNamespace(namespace), e.APITime().Time)
	}
	e.quotas.byNamespace[namespace] = of
	if of != nil {
		for _, pod := range of.Overdue() {
			e.releaseQuotaAtResync(pod, 0)
		}
	}
	return of
}

// releaseQuota takes a removed pod from its quotas: at once or, in some futures, after its owner has tried to create another.
func (e *Engine) releaseQuota(pod *corev1.Pod) {
	of := e.quotas.byNamespace[pod.Namespace]
	if of == nil {
		return
	}
	same := func(other *corev1.Pod) bool { return other.UID == pod.UID && names.Of(other) == names.Of(pod) }
	e.quotas.uncounted, e.quotas.missed = slices.DeleteFunc(e.quotas.uncounted, same), slices.DeleteFunc(e.quotas.missed, same)
	e.quotas.removed = append(e.quotas.removed, pod)
	e.quotas.pendingCounts = countsPerPod
	if !e.Randomness.QuotaDelayed() {
		of.Release(pod)
	}
}

// quotaSyncPeriod is how often the quota controller counts even if no pod was removed.
//
// Source: cmd/kube-controller-manager, flag --resource-quota-sync-period.
const quotaSyncPeriod = 5 * time.Minute

// releaseQuotaAfterGrace takes a pod from its quotas that is still Terminating after its grace period: at the next resync, unless
// its node is removed before.
//
// Source: pkg/quota/v1/evaluator/core of Kubernetes (QuotaV1Pod).
func (e *Engine) releaseQuotaAfterGrace(pod *corev1.Pod) {
	if e.QuotasOf(pod.Namespace) == nil {
		return
	}
	e.releaseQuotaAtResync(pod, terminationGracePeriod(pod))
}

// releaseQuotaAtResync takes a pod from its quotas at the first resync after some time, unless its node is removed before.
func (e *Engine) releaseQuotaAtResync(pod *corev1.Pod, after time.Duration) {
	if wait, before := e.Randomness.Within(quotaSyncPeriod); before {
		e.After(after+wait, func(context.Context) error {
			e.releaseQuota(pod)
			return nil
		})
	}
}

// countsPerPod is how often the quota controller counts for a removed pod: when it has terminated, and when it is deleted.
const countsPerPod = 2

// recount has the quota controller count what pods use, after some were removed. It writes what it sees: pods admitted just before
// may be missing, so that others exceed the quota until the next count.
//
// Source: pkg/controller/resourcequota of Kubernetes (syncResourceQuota); github.com/kubernetes/kubernetes/issues/123434.
func (e *Engine) recount() {
	q := &e.quotas
	for _, pod := range q.missed {
		q.byNamespace[pod.Namespace].Charge(pod)
	}
	q.missed = e.Randomness.Unobserved(q.uncounted)
	for _, pod := range slices.Concat(q.removed, q.missed) {
		q.byNamespace[pod.Namespace].Release(pod)
	}
	q.removed, q.uncounted = nil, nil
}

// retryRefused creates the pods again that quotas have refused, if pods were removed since. In some futures, it does so only after
// everything else, since a controller's retries become less frequent. It reports whether any is created.
func (e *Engine) retryRefused() bool {
	if e.quotas.pendingCounts > 0 {
		e.quotas.pendingCounts--
		e.quotas.counted = true
		e.recount()
	}
	if !e.quotas.counted || e.Randomness.RetriesLate && len(e.events) > 0 {
		return false
	}
	e.quotas.counted = e.quotas.pendingCounts > 0
	refused := e.quotas.refused
	e.quotas.refused = nil
	made := false
	for _, pod := range e.inOrderOfOwners(refused) {
		record := e.Fates.Find(names.Of(pod))
		if record == nil { // Its owner no longer wants it.
			continue
		}
		if e.owners.DeferIfBlocked(pod) {
			continue
		}
		if e.chargeQuota(pod) != nil {
			e.quotas.refused = append(e.quotas.refused, pod)
			continue
		}
		record.Fate.Kind, record.Fate.Why = "", message.Sentence{}
		e.enqueue(pod)
		made = true
	}
	return made
}

// inOrderOfOwners are pods with those of one owner after another: a controller creates all that are missing at once. The order of the
// owners is random.
func (e *Engine) inOrderOfOwners(pods []*corev1.Pod) []*corev1.Pod {
	byOwner := map[types.UID][]*corev1.Pod{}
	var owners []types.UID
	for _, pod := range pods {
		owner := types.UID("")
		if ref := metav1.GetControllerOfNoCopy(pod); ref != nil {
			owner = ref.UID
		}
		if byOwner[owner] == nil {
			owners = append(owners, owner)
		}
		byOwner[owner] = append(byOwner[owner], pod)
	}
	randomness.Shuffle(e.Randomness, owners)
	ordered := make([]*corev1.Pod, 0, len(pods))
	for _, owner := range owners {
		randomness.Shuffle(e.Randomness, byOwner[owner])
		ordered = append(ordered, byOwner[owner]...)
	}
	return ordered
}

// RefusedPodsOf are the pods of a controller that quotas refuse and that it still wants.
func (e *Engine) RefusedPodsOf(controller types.UID) []*corev1.Pod {
	var pods []*corev1.Pod
	for _, pod := range e.quotas.refused {
		if owner := metav1.GetControllerOfNoCopy(pod); owner != nil && owner.UID == controller && e.Fates.Find(names.Of(pod)) != nil {
			pods = append(pods, pod)
		}
	}
	return pods
}

// AbandonRefused drops refused pods that their owner no longer wants.
func (e *Engine) AbandonRefused(pods []*corev1.Pod) {
	for _, pod := range pods {
		e.DecrementActive(pod)
		e.Fates.End(pod, outcome.Ended, sentence.FateScaled(), e.Elapsed())
	}
}

// ForgetQuotas has a namespace's quotas read anew.
func (e *Engine) ForgetQuotas(namespace string) { delete(e.quotas.byNamespace, namespace) }
