package protection

import (
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// Admission is whether the API server gives workloads a PriorityClass.
type Admission string

// The states of Admission.
const (
	// Installed is that the admission policy and its binding exist.
	Installed Admission = "Installed"
	// NotInstalled is that one of them does not.
	NotInstalled Admission = "NotInstalled"
	// NotServed is that the API server has no such kind.
	NotServed Admission = "NotServed"
	// NotReadable is that they cannot be read.
	NotReadable Admission = "NotReadable"
)

// Assessment is what a policy protects.
type Assessment struct {
	// Protected says whether workloads are protected, Reason and Why say why they are not, or that they are.
	Protected metav1.ConditionStatus
	Reason    string
	Why       message.Sentence
	// Status has the class that workloads may be given, and their numbers.
	Status v1alpha1.HeadroomProtectionStatus
}

// Assess says what a policy protects, which must have spec.protect. Preempted are the protected workloads whose pods the next growth of a DaemonSet
// would preempt nevertheless, as Preempted returns them.
func Assess(world *cluster.Snapshot, policy *v1alpha1.HeadroomPolicy, admission Admission, preempted []change.NamespacedRef) Assessment {
	var a Assessment
	a.Protected, a.Reason, a.Why = obstacle(world, policy, admission)
	class := world.PriorityClass(policy.Spec.Protect.PriorityClassName)
	if class != nil && a.Reason != v1alpha1.HeadroomUnreadReason && a.Reason != v1alpha1.PolicyInvalidSelectorReason {
		a.Status.Workloads = count(world, policy, class.Value)
	}
	if a.Reason != "" {
		return a
	}
	a.Status.PriorityClassName = class.Name
	if len(preempted) > 0 {
		a.Protected, a.Reason, a.Why = metav1.ConditionFalse, v1alpha1.HeadroomTooManyReason, sentence.ProtectionTooMany(message.ListOf(preempted))
		return a
	}
	a.Protected, a.Reason, a.Why = metav1.ConditionTrue, v1alpha1.HeadroomProtectedReason, given(policy, a.Status)
	return a
}

// given says which workloads are given the class, and how many are not protected yet.
func given(policy *v1alpha1.HeadroomPolicy, status v1alpha1.HeadroomProtectionStatus) message.Sentence {
	jobs, others := 0, 0
	for _, of := range status.Workloads {
		if of.Kind == v1alpha1.ProtectedJob {
			jobs = int(of.Exposed)
		} else {
			others += int(of.Exposed)
		}
	}
	return sentence.ProtectionGiven(message.ListOf(kinds(policy)), status.PriorityClassName, jobs, others)
}

// kinds are those that a policy protects.
func kinds(policy *v1alpha1.HeadroomPolicy) []cluster.Kind {
	var all []cluster.Kind
	for _, kind := range []v1alpha1.HeadroomProtectedKind{v1alpha1.ProtectedJob, v1alpha1.ProtectedDeployment, v1alpha1.ProtectedStatefulSet} {
		if policy.Spec.Protect.Protects(kind) {
			all = append(all, cluster.Kind(kind))
		}
	}
	return all
}

// read are the kinds without which what a policy protects is not assessed.
func read(policy *v1alpha1.HeadroomPolicy) []cluster.Kind {
	all := append(kinds(policy), cluster.Namespace, cluster.Pod, cluster.PriorityClass)
	if policy.Spec.Protect.Protects(v1alpha1.ProtectedDeployment) {
		all = append(all, cluster.ReplicaSet) // Their pods are found by these.
	}
	return all
}

// obstacle is why new workloads are not given the policy's class; no reason if they are.
func obstacle(world *cluster.Snapshot, policy *v1alpha1.HeadroomPolicy, admission Admission) (metav1.ConditionStatus, string, message.Sentence) {
	protect := policy.Spec.Protect
	if invalid := kube.InvalidPodSelector(&protect.NamespaceSelector, &protect.PodSelector); len(invalid) > 0 {
		return metav1.ConditionFalse, v1alpha1.PolicyInvalidSelectorReason, sentence.ProtectionInvalidSelector(message.ListOf(invalid))
	}
	var unread []string
	for _, kind := range read(policy) {
		if !world.Knowledge(kind).Known() {
			unread = append(unread, string(kind))
		}
	}
	if len(unread) > 0 {
		return metav1.ConditionUnknown, v1alpha1.HeadroomUnreadReason, sentence.HeadroomPolicyUnread(message.ListOf(unread))
	}
	if reason, why := classObstacle(world, protect.PriorityClassName); reason != "" {
		return metav1.ConditionFalse, reason, why
	}
	switch {
	case policy.Spec.Mode != v1alpha1.ModeAuto:
		return metav1.ConditionFalse, v1alpha1.HeadroomReportOnlyReason, sentence.ProtectionReportOnly()
	case policy.Spec.Paused:
		return metav1.ConditionFalse, v1alpha1.PolicyPausedReason, sentence.ProtectionPaused()
	case admission == NotServed:
		return metav1.ConditionFalse, v1alpha1.HeadroomNotServedReason, sentence.ProtectionNotServed(protect.PriorityClassName)
	case admission == NotInstalled:
		return metav1.ConditionFalse, v1alpha1.HeadroomNotInstalledReason, sentence.ProtectionNotInstalled(v1alpha1.HeadroomProtectionPolicy)
	case admission == NotReadable:
		return metav1.ConditionUnknown, v1alpha1.PolicyNotPermittedReason, sentence.ProtectionNotReadable(v1alpha1.HeadroomProtectionPolicy)
	}
	return "", "", message.Sentence{}
}

// systemPrefix begins the names of Kubernetes' own PriorityClasses.
//
// Source: pkg/apis/scheduling of Kubernetes (SystemPriorityClassPrefix).
const systemPrefix = "system-"

// classObstacle is why workloads must not be given a PriorityClass; no reason if they may.
func classObstacle(world *cluster.Snapshot, name string) (string, message.Sentence) {
	class := world.PriorityClass(name)
	switch {
	case strings.HasPrefix(name, systemPrefix):
		return v1alpha1.HeadroomSystemClassReason, sentence.ProtectionSystemClass(name)
	case class == nil:
		return v1alpha1.HeadroomNoPriorityClassReason, sentence.ProtectionNoClass(name)
	case ptr.Deref(class.PreemptionPolicy, corev1.PreemptLowerPriority) != corev1.PreemptNever:
		return v1alpha1.HeadroomClassPreemptsReason, sentence.ProtectionClassPreempts(name)
	}
	if lowest := defaultPriority(world); class.Value <= lowest {
		return v1alpha1.HeadroomClassTooLowReason, sentence.ProtectionClassTooLow(name, int(class.Value), int(lowest))
	}
	return "", message.Sentence{}
}

// defaultPriority is the priority of pods that name no PriorityClass.
func defaultPriority(world *cluster.Snapshot) int32 {
	var spec corev1.PodSpec
	kube.SetPriority(&spec, world)
	return ptr.Deref(spec.Priority, 0)
}

// count is the numbers of the policy's workloads, by kind.
func count(world *cluster.Snapshot, policy *v1alpha1.HeadroomPolicy, class int32) []v1alpha1.HeadroomProtectedWorkloads {
	var counts []v1alpha1.HeadroomProtectedWorkloads
	workloads := Workloads(world, policy)
	for _, kind := range kinds(policy) {
		of := v1alpha1.HeadroomProtectedWorkloads{Kind: v1alpha1.HeadroomProtectedKind(kind)}
		for _, workload := range workloads {
			switch its, _ := cluster.KindOf(workload); {
			case its != kind:
			case priority(world, workload) >= class:
				of.Protected++
			default:
				of.Exposed++
			}
		}
		counts = append(counts, of)
	}
	return counts
}

// Workloads are those that a policy selects, without Jobs that have finished and those that are being deleted.
func Workloads(world *cluster.Snapshot, policy *v1alpha1.HeadroomPolicy) []metav1.Object {
	protect := policy.Spec.Protect
	selector, err := kube.NewPodSelector(&protect.NamespaceSelector, &protect.PodSelector)
	if err != nil {
		return nil // The condition says so.
	}
	var selected []metav1.Object
	for _, kind := range kinds(policy) {
		for _, workload := range objects(world, kind) {
			job, is := workload.(*batchv1.Job)
			finished := is && (kube.TrueJobCondition(job, batchv1.JobComplete) != nil || kube.TrueJobCondition(job, batchv1.JobFailed) != nil)
			if !finished && workload.GetDeletionTimestamp() == nil && selector.Selects(world.NamespaceLabels(workload.GetNamespace()), kube.PodTemplate(workload).Labels) {
				selected = append(selected, workload)
			}
		}
	}
	return selected
}

// objects are all workloads of a kind that may be protected.
func objects(world *cluster.Snapshot, kind cluster.Kind) []metav1.Object {
	var all []metav1.Object
	switch kind {
	case cluster.Job:
		for _, o := range world.Jobs() {
			all = append(all, o)
		}
	case cluster.Deployment:
		for _, o := range world.Deployments() {
			all = append(all, o)
		}
	case cluster.StatefulSet:
		for _, o := range world.StatefulSets() {
			all = append(all, o)
		}
	}
	return all
}

// PodsOf are the pods of workloads that have not ended.
func PodsOf(world *cluster.Snapshot, workloads []metav1.Object) []*corev1.Pod {
	var pods []*corev1.Pod
	for _, workload := range workloads {
		pods = append(pods, podsOf(world, workload)...)
	}
	return pods
}

func podsOf(world *cluster.Snapshot, workload metav1.Object) []*corev1.Pod {
	controllers := []types.UID{workload.GetUID()}
	if _, is := workload.(*appsv1.Deployment); is {
		controllers = nil
		for _, set := range world.ReplicaSetsOf(workload.GetUID()) {
			controllers = append(controllers, set.UID)
		}
	}
	var pods []*corev1.Pod
	for _, uid := range controllers {
		for _, pod := range world.PodsOf(uid) {
			if !cluster.Ended(pod) {
				pods = append(pods, pod)
			}
		}
	}
	return pods
}

// priority is the one that a workload's next pod has.
func priority(world *cluster.Snapshot, workload metav1.Object) int32 {
	spec := kube.PodTemplate(workload).Spec.DeepCopy()
	kube.SetPriority(spec, world)
	return ptr.Deref(spec.Priority, 0)
}
