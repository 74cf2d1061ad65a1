package v1alpha1

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// HeadroomProtected is the condition type of a HeadroomPolicy that protects workloads: True if new ones that the policy selects are given its PriorityClass, and
// the next growth of a DaemonSet preempts none of their pods; False if one of both does not hold; Unknown if that is not known.
const HeadroomProtected = "Protected"

// The reasons of HeadroomProtected besides HeadroomReportOnlyReason, HeadroomNoPriorityClassReason, HeadroomUnreadReason, PolicyPausedReason,
// PolicyNotPermittedReason and PolicyInvalidSelectorReason.
const (
	// HeadroomProtectedReason is used when workloads are protected.
	HeadroomProtectedReason = "Protected"
	// HeadroomClassPreemptsReason is used when the PriorityClass would have pods preempt others.
	HeadroomClassPreemptsReason = "ClassPreempts"
	// HeadroomSystemClassReason is used when the PriorityClass is one of Kubernetes' own.
	HeadroomSystemClassReason = "SystemClass"
	// HeadroomClassTooLowReason is used when pods without a class have at least the priority of the PriorityClass.
	HeadroomClassTooLowReason = "ClassTooLow"
	// HeadroomNotServedReason is used when the API server does not serve MutatingAdmissionPolicies in admissionregistration.k8s.io/v1.
	HeadroomNotServedReason = "NotServed"
	// HeadroomNotInstalledReason is used when the MutatingAdmissionPolicy that sets the class is not installed.
	HeadroomNotInstalledReason = "NotInstalled"
	// HeadroomTooManyReason is used when the next growth of a DaemonSet would preempt protected pods: not enough pods have a lower priority.
	HeadroomTooManyReason = "TooMany"
)

const (
	// HeadroomProtectedClass is the PriorityClass of protected pods that the chart makes.
	HeadroomProtectedClass = "naosu-protected"
	// HeadroomProtectedPriority is its value.
	HeadroomProtectedPriority int32 = 100000
	// HeadroomProtectionPolicy is the name of the MutatingAdmissionPolicy that gives workloads their class, and of its binding.
	HeadroomProtectionPolicy = "naosu-protection"
)

// HeadroomProtectedKind is the kind of a workload that may be protected.
// +kubebuilder:validation:Enum=Job;Deployment;StatefulSet
type HeadroomProtectedKind string

// The kinds of workloads that may be protected.
const (
	ProtectedJob         HeadroomProtectedKind = "Job"
	ProtectedDeployment  HeadroomProtectedKind = "Deployment"
	ProtectedStatefulSet HeadroomProtectedKind = "StatefulSet"
)

// HeadroomProtection is which workloads are protected from preemption, and how.
type HeadroomProtection struct {
	// kinds are the kinds of the workloads: Job, Deployment and StatefulSet. Jobs are given the class when they are created, those of
	// CronJobs too. Deployments and StatefulSets are given it when they are created, and when a request changes their pod template, which
	// rolls them out anyway. Defaults to [Job].
	// +optional
	// +listType=set
	// +kubebuilder:default={Job}
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=3
	Kinds []HeadroomProtectedKind `json:"kinds,omitempty"`

	// namespaceSelector selects the namespaces of the workloads, by their labels, for example matchLabels: {kubernetes.io/metadata.name:
	// batch}. An empty selector ({}) selects all namespaces. At most 32 labels and 32 expressions, each with at most 32 values.
	// +required
	// +kubebuilder:validation:XValidation:rule="!has(self.matchLabels) || size(self.matchLabels) <= 32",message="at most 32 labels",fieldPath=".matchLabels"
	// +kubebuilder:validation:XValidation:rule="!has(self.matchExpressions) || size(self.matchExpressions) <= 32",message="at most 32 expressions",fieldPath=".matchExpressions"
	// +kubebuilder:validation:XValidation:rule="!has(self.matchExpressions) || self.matchExpressions.all(e, e.operator in ['In', 'NotIn'] ? has(e.values) && size(e.values) >= 1 && size(e.values) <= 32 : e.operator in ['Exists', 'DoesNotExist'] && (!has(e.values) || size(e.values) == 0))",message="In and NotIn take 1 to 32 values, Exists and DoesNotExist none; there is no other operator",fieldPath=".matchExpressions"
	NamespaceSelector metav1.LabelSelector `json:"namespaceSelector"`

	// podSelector selects workloads in these namespaces, by the labels of their pod templates, for example matchLabels: {app: report}.
	// A CronJob gives them to its Jobs. An empty selector ({}) selects all workloads. At most 32 labels and 32 expressions, each with at
	// most 32 values.
	// +required
	// +kubebuilder:validation:XValidation:rule="!has(self.matchLabels) || size(self.matchLabels) <= 32",message="at most 32 labels",fieldPath=".matchLabels"
	// +kubebuilder:validation:XValidation:rule="!has(self.matchExpressions) || size(self.matchExpressions) <= 32",message="at most 32 expressions",fieldPath=".matchExpressions"
	// +kubebuilder:validation:XValidation:rule="!has(self.matchExpressions) || self.matchExpressions.all(e, e.operator in ['In', 'NotIn'] ? has(e.values) && size(e.values) >= 1 && size(e.values) <= 32 : e.operator in ['Exists', 'DoesNotExist'] && (!has(e.values) || size(e.values) == 0))",message="In and NotIn take 1 to 32 values, Exists and DoesNotExist none; there is no other operator",fieldPath=".matchExpressions"
	PodSelector metav1.LabelSelector `json:"podSelector"`

	// priorityClassName is the PriorityClass that workloads are given if their pod template says nothing of priority, for example
	// batch-protected. It must exist, must not be one of Kubernetes' own, must have preemptionPolicy Never, and must be higher than the
	// default priority. Defaults to naosu-protected, of the priority 100000, which the chart makes.
	// +optional
	// +kubebuilder:default=naosu-protected
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	PriorityClassName string `json:"priorityClassName,omitempty"`
}

// Protects says whether workloads of a kind are protected.
func (p *HeadroomProtection) Protects(kind HeadroomProtectedKind) bool {
	if len(p.Kinds) == 0 {
		return kind == ProtectedJob
	}
	return slices.Contains(p.Kinds, kind)
}

// HeadroomProtectionStatus is what a policy protects.
type HeadroomProtectionStatus struct {
	// priorityClassName is the PriorityClass that workloads of the policy are given now, for example naosu-protected. Not set if they are given none.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	PriorityClassName string `json:"priorityClassName,omitempty"`

	// workloads are the numbers of the selected workloads, for each of the policy's kinds. Not set if they are not known.
	// +optional
	// +listType=map
	// +listMapKey=kind
	// +kubebuilder:validation:MaxItems=3
	Workloads []HeadroomProtectedWorkloads `json:"workloads,omitempty"`
}

// HeadroomProtectedWorkloads are the numbers of the workloads of one kind that a policy selects. Finished Jobs do not count.
type HeadroomProtectedWorkloads struct {
	// kind is the kind of these workloads, Job, Deployment or StatefulSet.
	// +required
	Kind HeadroomProtectedKind `json:"kind"`

	// protected is the number of those whose pod template gives pods at least the priority of the class, for example 3.
	// +required
	// +kubebuilder:validation:Minimum=0
	Protected int32 `json:"protected"`

	// exposed is the number of those whose pod template gives pods a lower priority, for example 2: it is older than the policy, or says
	// something of priority itself. Jobs stay exposed; Deployments and StatefulSets until their pod template is changed.
	// +required
	// +kubebuilder:validation:Minimum=0
	Exposed int32 `json:"exposed"`
}
