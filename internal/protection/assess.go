package protection

import (
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// Admission is whether the API server gives Jobs a PriorityClass.
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

// Read are the kinds without which nothing is assessed.
var Read = []cluster.Kind{cluster.Job, cluster.Namespace, cluster.Pod, cluster.PriorityClass}

// Assessment is what a policy protects.
type Assessment struct {
	// Protected says whether Jobs are protected, Reason and Why say why they are not, or that they are.
	Protected metav1.ConditionStatus
	Reason    string
	Why       message.Sentence
	// Status has the class that new Jobs may be given, and the numbers of Jobs.
	Status v1alpha1.HeadroomProtectionStatus
}

// Assess says what a policy protects, which must have spec.protect. Preempted are the protected Jobs that the next growth of a DaemonSet would preempt
// nevertheless, as Preempted returns them.
func Assess(world *cluster.Snapshot, policy *v1alpha1.HeadroomPolicy, admission Admission, preempted []change.NamespacedRef) Assessment {
	var a Assessment
	a.Protected, a.Reason, a.Why = obstacle(world, policy, admission)
	class := world.PriorityClass(policy.Spec.Protect.PriorityClassName)
	if class != nil && a.Reason != v1alpha1.HeadroomUnreadReason && a.Reason != v1alpha1.PolicyInvalidSelectorReason {
		a.count(world, policy, class.Value)
	}
	if a.Reason != "" {
		return a
	}
	a.Status.PriorityClassName = class.Name
	if len(preempted) > 0 {
		a.Protected, a.Reason, a.Why = metav1.ConditionFalse, v1alpha1.HeadroomTooManyReason, sentence.ProtectionTooMany(message.ListOf(preempted))
		return a
	}
	a.Protected, a.Reason, a.Why = metav1.ConditionTrue, v1alpha1.HeadroomProtectedReason, sentence.ProtectionGiven(class.Name, int(*a.Status.ExposedJobs))
	return a
}

// obstacle is why new Jobs are not given the policy's class; no reason if they are.
func obstacle(world *cluster.Snapshot, policy *v1alpha1.HeadroomPolicy, admission Admission) (metav1.ConditionStatus, string, message.Sentence) {
	protect := policy.Spec.Protect
	if invalid := kube.InvalidPodSelector(&protect.NamespaceSelector, &protect.PodSelector); len(invalid) > 0 {
		return metav1.ConditionFalse, v1alpha1.PolicyInvalidSelectorReason, sentence.ProtectionInvalidSelector(message.ListOf(invalid))
	}
	var unread []string
	for _, kind := range Read {
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

// classObstacle is why Jobs must not be given a PriorityClass; no reason if they may.
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

// count counts the policy's Jobs.
func (a *Assessment) count(world *cluster.Snapshot, policy *v1alpha1.HeadroomPolicy, class int32) {
	var protected, exposed int32
	for _, job := range Jobs(world, policy) {
		if priority(world, job) >= class {
			protected++
		} else {
			exposed++
		}
	}
	a.Status.ProtectedJobs, a.Status.ExposedJobs = &protected, &exposed
}

// Jobs are those that a policy selects and that have not finished.
func Jobs(world *cluster.Snapshot, policy *v1alpha1.HeadroomPolicy) []*batchv1.Job {
	protect := policy.Spec.Protect
	selector, err := kube.NewPodSelector(&protect.NamespaceSelector, &protect.PodSelector)
	if err != nil {
		return nil // The condition says so.
	}
	var jobs []*batchv1.Job
	for _, job := range world.Jobs() {
		finished := kube.TrueJobCondition(job, batchv1.JobComplete) != nil || kube.TrueJobCondition(job, batchv1.JobFailed) != nil
		if !finished && job.DeletionTimestamp == nil && selector.Selects(world.NamespaceLabels(job.Namespace), job.Spec.Template.Labels) {
			jobs = append(jobs, job)
		}
	}
	return jobs
}

// priority is the one that a Job's next pod has.
func priority(world *cluster.Snapshot, job *batchv1.Job) int32 {
	spec := job.Spec.Template.Spec.DeepCopy()
	kube.SetPriority(spec, world)
	return ptr.Deref(spec.Priority, 0)
}
