package custom

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// APIService registers the server of a version of an API group (k8s.io/kube-aggregator/pkg/apis/apiregistration/v1).
type APIService = Object[APIServiceSpec, APIServiceStatus]

// APIServiceSpec says who serves what.
type APIServiceSpec struct {
	// Group and Version are those served, such as metrics.k8s.io and v1beta1.
	Group   string `json:"group,omitempty"`
	Version string `json:"version,omitempty"`
	// Service is where another server answers; nil if the API server itself does.
	Service *ServiceReference `json:"service,omitempty"`
}

// ServiceReference names a Service.
type ServiceReference struct {
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name,omitempty"`
	// Port is 443 if it is not set.
	Port *int32 `json:"port,omitempty"`
}

// APIServiceStatus tells whether the server answers: condition Available.
type APIServiceStatus struct {
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}
