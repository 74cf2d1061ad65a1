package admission

import (
	"errors"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/resourcequota"
	quota "k8s.io/apiserver/pkg/quota/v1"
	"k8s.io/kubernetes/pkg/quota/v1/evaluator/core"
	"k8s.io/utils/clock"
)

// Quotas are the ResourceQuotas of one namespace, and the usage of its pods. The usage of other resources is that of their status.
type Quotas struct {
	pods   quota.Evaluator
	quotas []corev1.ResourceQuota
	// charged is the usage of each pod, one for each quota.
	charged map[types.UID][]corev1.ResourceList
	overdue []*corev1.Pod
}

// fixedClock is a clock that always shows the same time.
type fixedClock struct {
	clock.Clock
	now time.Time
}

func (m fixedClock) Now() time.Time { return m.now }

// NewQuotas charges the pods of a namespace to its quotas. A pod that is Terminating for longer than its grace period at the time
// now counts no longer, unless the status of a quota still has it.
func NewQuotas(quotas []*corev1.ResourceQuota, pods []*corev1.Pod, now time.Time) *Quotas {
	q := &Quotas{pods: core.NewPodEvaluator(nil, fixedClock{now: now}), charged: map[types.UID][]corev1.ResourceList{}}
	reported := make([]corev1.ResourceList, 0, len(quotas))
	for _, one := range quotas {
		reported = append(reported, one.Status.Used)
		one = one.DeepCopy()
		one.Status.Hard = one.Spec.Hard
		used := quota.Mask(one.Status.Used, quota.Difference(quota.ResourceNames(one.Spec.Hard), q.ofPods(one)))
		for _, name := range q.ofPods(one) {
			used[name] = resource.MustParse("0")
		}
		one.Status.Used = used
		q.quotas = append(q.quotas, *one)
	}
	for _, pod := range pods {
		q.Charge(pod)
	}
	for _, pod := range pods {
		if pod.DeletionTimestamp != nil {
			q.chargeOverdue(pod, reported)
		}
	}
	return q
}

// chargeOverdue charges a pod whose grace period is over to the quotas whose reported usage includes it: the quota controller has not
// counted since, which it may do as late as at its next resync.
//
// Source: pkg/quota/v1/evaluator/core of Kubernetes (QuotaV1Pod).
func (q *Quotas) chargeOverdue(pod *corev1.Pod, reported []corev1.ResourceList) {
	running := pod.DeepCopy()
	running.DeletionTimestamp = nil
	usage, err := q.pods.Usage(running)
	if err != nil {
		return
	}
	overdue := false
	for i := range q.quotas {
		match, err := q.pods.Matches(&q.quotas[i], pod)
		if err != nil || !match || !quota.IsZero(q.charged[pod.UID][i]) {
			continue
		}
		uses := quota.Mask(usage, q.ofPods(&q.quotas[i]))
		used := quota.Add(q.quotas[i].Status.Used, uses)
		if quota.IsZero(uses) || !atMost(quota.Mask(used, quota.ResourceNames(uses)), reported[i]) {
			continue
		}
		q.quotas[i].Status.Used, q.charged[pod.UID][i], overdue = used, uses, true
	}
	if overdue {
		q.overdue = append(q.overdue, pod)
	}
}

// atMost says whether no amount is above that of a list, which has all of them.
func atMost(amounts, list corev1.ResourceList) bool {
	for name, amount := range amounts {
		if limit, ok := list[name]; !ok || amount.Cmp(limit) > 0 {
			return false
		}
	}
	return true
}

// Overdue are the pods that are charged though their grace period is over, until the quota controller counts again.
func (q *Quotas) Overdue() []*corev1.Pod { return q.overdue }

// ofPods are the resources of a quota that pods use.
func (q *Quotas) ofPods(one *corev1.ResourceQuota) []corev1.ResourceName {
	return q.pods.MatchingResources(quota.ResourceNames(one.Spec.Hard))
}

// Charge adds the usage of a pod, unless it is charged already.
func (q *Quotas) Charge(pod *corev1.Pod) {
	if q.Counts(pod) {
		return
	}
	usage, err := q.pods.Usage(pod)
	if err != nil {
		return // The usage of a pod never fails.
	}
	uses := make([]corev1.ResourceList, len(q.quotas))
	for i := range q.quotas {
		if match, err := q.pods.Matches(&q.quotas[i], pod); err == nil && match {
			uses[i] = quota.Mask(usage, q.ofPods(&q.quotas[i]))
			q.quotas[i].Status.Used = quota.Add(q.quotas[i].Status.Used, uses[i])
		}
	}
	q.charged[pod.UID] = uses
}

// Counts says whether a pod is charged.
func (q *Quotas) Counts(pod *corev1.Pod) bool { return q.charged[pod.UID] != nil }

// Release subtracts the usage of a pod, if it is charged.
func (q *Quotas) Release(pod *corev1.Pod) {
	for i, used := range q.charged[pod.UID] {
		q.quotas[i].Status.Used = quota.Subtract(q.quotas[i].Status.Used, used)
	}
	delete(q.charged, pod.UID)
}

// Forbids returns the error with which the ResourceQuota plugin rejects a pod that is not charged yet; nil if it admits the pod.
func (q *Quotas) Forbids(pod *corev1.Pod) error {
	if q.Counts(pod) {
		return nil
	}
	pods := corev1.SchemeGroupVersion.WithResource("pods")
	asked := admission.NewAttributesRecord(pod, nil, corev1.SchemeGroupVersion.WithKind("Pod"), pod.Namespace, pod.Name, pods, "",
		admission.Create, nil, false, nil)
	_, err := resourcequota.CheckRequest(q.quotas, asked, q.pods, nil)
	if err == nil {
		return nil
	}
	_, why, _ := strings.Cut(err.Error(), " is forbidden: ")
	return errors.New(why)
}
