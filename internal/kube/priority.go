package kube

import (
	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// HighestUserPriority is the highest value of a PriorityClass that is not one of Kubernetes' own.
//
// Source: pkg/apis/scheduling of Kubernetes (HighestUserDefinablePriority).
const HighestUserPriority = 1_000_000_000

// systemPriorityClasses are those that the API server makes in every cluster. A snapshot need not hold them.
//
// Source: pkg/apis/scheduling/v1 of Kubernetes (systemPriorityClasses).
var systemPriorityClasses = map[string]*schedulingv1.PriorityClass{
	"system-cluster-critical": {ObjectMeta: metav1.ObjectMeta{Name: "system-cluster-critical"}, Value: 2 * HighestUserPriority},
	"system-node-critical":    {ObjectMeta: metav1.ObjectMeta{Name: "system-node-critical"}, Value: 2*HighestUserPriority + 1000},
}

// PriorityClasses are those of a cluster.
type PriorityClasses interface {
	// PriorityClass is the one of that name, nil if there is none.
	PriorityClass(name string) *schedulingv1.PriorityClass
	PriorityClasses() []*schedulingv1.PriorityClass
}

// SetPriority sets what the API server sets in a new pod: the priority and preemption policy of its class, or of the default class if it
// names none, or zero if there is no default. A pod with a priority keeps it. A pod of a class that does not exist, which the API server
// rejects, gets none.
//
// Source: plugin/pkg/admission/priority of Kubernetes (admitPod).
func SetPriority(pod *corev1.PodSpec, classes PriorityClasses) {
	if pod.Priority != nil {
		return
	}
	class := priorityClassOf(pod.PriorityClassName, classes)
	if class == nil {
		return
	}
	pod.PriorityClassName, pod.Priority = class.Name, new(class.Value)
	if pod.PreemptionPolicy == nil {
		pod.PreemptionPolicy = class.PreemptionPolicy
	}
	if pod.PreemptionPolicy == nil { // The API server defaults that of a class likewise.
		pod.PreemptionPolicy = new(corev1.PreemptLowerPriority)
	}
}

// priorityClassOf is the class of that name, or the default one without a name, which is the one of the lowest value if a race made
// several; nil if there is no such class.
func priorityClassOf(name string, classes PriorityClasses) *schedulingv1.PriorityClass {
	if name != "" {
		if class := classes.PriorityClass(name); class != nil {
			return class
		}
		return systemPriorityClasses[name]
	}
	lowest := &schedulingv1.PriorityClass{}
	for _, class := range classes.PriorityClasses() {
		if class.GlobalDefault && (!lowest.GlobalDefault || class.Value < lowest.Value) {
			lowest = class
		}
	}
	return lowest
}
