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
	of map[string]*admission.Quotas
	// beyond are the pods that they refuse.
	beyond []*corev1.Pod
	// gone are pods that they counted and that have gone since the last count.
	gone []*corev1.Pod
	// due is how many counts there are to be for pods that have gone.
	due int
	// fresh are pods that they have allowed since the last count.
	fresh []*corev1.Pod
	// missed are pods that the last count did not see.
	missed []*corev1.Pod
}

func newQuotas() quotas { return quotas{of: map[string]*admission.Quotas{}} }

// exceeded is what quotas of its namespace have against a new pod. One that they allow is charged to them.
//
// Source: k8s.io/apiserver/pkg/admission/plugin/resourcequota.
func (f *future) exceeded(pod *corev1.Pod) error {
	of := f.quotasOf(pod.Namespace)
	if of == nil {
		return nil
	}
	if err := of.Forbids(pod); err != nil {
		return err
	}
	of.Charge(pod)
	f.quotas.fresh = append(f.quotas.fresh, pod)
	return nil
}

// quotasOf are those of a namespace, nil if it has none.
func (f *future) quotasOf(namespace string) *admission.Quotas {
	of, known := f.quotas.of[namespace]
	if known {
		return of
	}
	if list := ofNamespace(f.world().Quotas(), namespace); len(list) > 0 {
		of = admission.NewQuotas(list, f.pods.in(namespace), f.moment().Time)
	}
	f.quotas.of[namespace] = of
	return of
}

// uncharge takes a pod that has gone from its quotas: at once, or, if it so falls, when its owner has asked for another already.
func (f *future) uncharge(pod *corev1.Pod) {
	of := f.quotas.of[pod.Namespace]
	if of == nil {
		return
	}
	same := func(other *corev1.Pod) bool { return other.UID == pod.UID && nameOf(other) == nameOf(pod) }
	f.quotas.fresh, f.quotas.missed = slices.DeleteFunc(f.quotas.fresh, same), slices.DeleteFunc(f.quotas.missed, same)
	f.quotas.gone = append(f.quotas.gone, pod)
	f.quotas.due = countsPerPod
	if !f.chance.countedLater() {
		of.Release(pod)
	}
}

// quotaResync is how often the quota controller counts even if no pod has gone.
//
// Source: cmd/kube-controller-manager, flag --resource-quota-sync-period.
const quotaResync = 5 * time.Minute

// unchargeStuck takes a pod from its quotas that should have ended and whose node cannot say so: at the next resync, unless its node
// goes before.
//
// Source: pkg/quota/v1/evaluator/core of Kubernetes (QuotaV1Pod).
func (f *future) unchargeStuck(pod *corev1.Pod) {
	if f.quotasOf(pod.Namespace) == nil {
		return
	}
	if wait, before := f.chance.within(quotaResync); before {
		f.in(graceOf(pod)+wait, func(context.Context) error {
			f.uncharge(pod)
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
func (f *future) recount() {
	q := &f.quotas
	for _, pod := range q.missed {
		q.of[pod.Namespace].Charge(pod)
	}
	q.missed = f.chance.unseen(q.fresh)
	for _, pod := range slices.Concat(q.gone, q.missed) {
		q.of[pod.Namespace].Release(pod)
	}
	q.gone, q.fresh = nil, nil
}

// askAgain asks for the pods again that quotas have refused, if pods have gone since. It says whether any is made.
func (f *future) askAgain() bool {
	if f.quotas.due == 0 {
		return false
	}
	f.quotas.due--
	f.recount()
	beyond := f.quotas.beyond
	f.quotas.beyond = nil
	shuffle(f.chance, beyond) // Which of their owners tries first nobody decides.
	made := false
	for _, pod := range beyond {
		l := f.book.now[nameOf(pod)]
		if l == nil { // Its owner wants it no more.
			continue
		}
		if f.exceeded(pod) != nil {
			f.quotas.beyond = append(f.quotas.beyond, pod)
			continue
		}
		l.fate.Kind, l.fate.Why = "", message.Sentence{}
		f.offer(pod)
		made = true
	}
	return made
}

// refusedOf are the pods of a controller that quotas refuse and that it still wants.
func (f *future) refusedOf(controller types.UID) []*corev1.Pod {
	var pods []*corev1.Pod
	for _, pod := range f.quotas.beyond {
		if owner := metav1.GetControllerOfNoCopy(pod); owner != nil && owner.UID == controller && f.book.now[nameOf(pod)] != nil {
			pods = append(pods, pod)
		}
	}
	return pods
}

// giveUp says that the owner of pods that quotas refuse wants them no more.
func (f *future) giveUp(pods []*corev1.Pod) {
	for _, pod := range pods {
		f.uncount(pod)
		f.book.ends(pod, Ended, message.Of(message.FateScaled, nil), f.until())
	}
}
