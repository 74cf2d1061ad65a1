package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// HeadroomProtected is the condition type of a HeadroomPolicy that protects Jobs: True if new Jobs that the policy selects are given its PriorityClass, and the
// next growth of a DaemonSet preempts none of them; False if one of both does not hold; Unknown if that is not known.
const HeadroomProtected = "Protected"

// The reasons of HeadroomProtected besides HeadroomReportOnlyReason, HeadroomNoPriorityClassReason, HeadroomUnreadReason, PolicyPausedReason,
// PolicyNotPermittedReason and PolicyInvalidSelectorReason.
const (
	// HeadroomProtectedReason is used when Jobs are protected.
	HeadroomProtectedReason = "Protected"
	// HeadroomClassPreemptsReason is used when the PriorityClass would have Jobs preempt other pods.
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
	// HeadroomProtectedClass is the PriorityClass of protected Jobs that the chart makes.
	HeadroomProtectedClass = "naosu-protected"
	// HeadroomProtectedPriority is its value.
	HeadroomProtectedPriority int32 = 100000
	// HeadroomProtectionPolicy is the name of the MutatingAdmissionPolicy that gives Jobs their class, and of its binding.
	HeadroomProtectionPolicy = "naosu-protection"
)

// HeadroomProtection is which Jobs are protected from preemption, and how.
type HeadroomProtection struct {
	// namespaceSelector selects the namespaces of the Jobs, by their labels, for example matchLabels: {kubernetes.io/metadata.name:
	// batch}. An empty selector ({}) selects all namespaces. At most 32 labels and 32 expressions, each with at most 32 values.
	// +required
	// +kubebuilder:validation:XValidation:rule="!has(self.matchLabels) || size(self.matchLabels) <= 32",message="at most 32 labels",fieldPath=".matchLabels"
	// +kubebuilder:validation:XValidation:rule="!has(self.matchExpressions) || size(self.matchExpressions) <= 32",message="at most 32 expressions",fieldPath=".matchExpressions"
	// +kubebuilder:validation:XValidation:rule="!has(self.matchExpressions) || self.matchExpressions.all(e, e.operator in ['In', 'NotIn'] ? has(e.values) && size(e.values) >= 1 && size(e.values) <= 32 : e.operator in ['Exists', 'DoesNotExist'] && (!has(e.values) || size(e.values) == 0))",message="In and NotIn take 1 to 32 values, Exists and DoesNotExist none; there is no other operator",fieldPath=".matchExpressions"
	NamespaceSelector metav1.LabelSelector `json:"namespaceSelector"`

	// podSelector selects Jobs in these namespaces, by the labels of their pod templates, for example matchLabels: {app: report}. A
	// CronJob gives them to its Jobs. An empty selector ({}) selects all Jobs. At most 32 labels and 32 expressions, each with at most
	// 32 values.
	// +required
	// +kubebuilder:validation:XValidation:rule="!has(self.matchLabels) || size(self.matchLabels) <= 32",message="at most 32 labels",fieldPath=".matchLabels"
	// +kubebuilder:validation:XValidation:rule="!has(self.matchExpressions) || size(self.matchExpressions) <= 32",message="at most 32 expressions",fieldPath=".matchExpressions"
	// +kubebuilder:validation:XValidation:rule="!has(self.matchExpressions) || self.matchExpressions.all(e, e.operator in ['In', 'NotIn'] ? has(e.values) && size(e.values) >= 1 && size(e.values) <= 32 : e.operator in ['Exists', 'DoesNotExist'] && (!has(e.values) || size(e.values) == 0))",message="In and NotIn take 1 to 32 values, Exists and DoesNotExist none; there is no other operator",fieldPath=".matchExpressions"
	PodSelector metav1.LabelSelector `json:"podSelector"`

	// priorityClassName is the PriorityClass that Jobs are given when they are created, if their pod template names none, for example
	// batch-protected. It must
	// exist, must not be one of Kubernetes' own, must have preemptionPolicy Never, and must be higher than the default priority.
	// Defaults to naosu-protected, of the priority 100000, which the chart makes.
	// +optional
	// +kubebuilder:default=naosu-protected
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	PriorityClassName string `json:"priorityClassName,omitempty"`
}

// HeadroomProtectionStatus is what a policy protects.
type HeadroomProtectionStatus struct {
	// priorityClassName is the PriorityClass that new Jobs of the policy are given now, for example naosu-protected. Not set if they are given none.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	PriorityClassName string `json:"priorityClassName,omitempty"`

	// protectedJobs is the number of selected Jobs whose pods have at least the priority of the class. Finished Jobs do not count.
	// +optional
	// +kubebuilder:validation:Minimum=0
	ProtectedJobs *int32 `json:"protectedJobs,omitempty"`

	// exposedJobs is the number of selected Jobs whose pods have a lower priority: they were created before the policy, or name a
	// PriorityClass of their own. Finished Jobs do not count.
	// +optional
	// +kubebuilder:validation:Minimum=0
	ExposedJobs *int32 `json:"exposedJobs,omitempty"`
}
