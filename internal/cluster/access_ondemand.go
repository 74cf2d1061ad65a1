package cluster

import (
	admissionv1 "k8s.io/api/admissionregistration/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	discoveryv1 "k8s.io/api/discovery/v1"
	networkingv1 "k8s.io/api/networking/v1"

	"github.com/naosu-dev/naosu/internal/cluster/custom"
)

// What follows reads the kinds that are read on demand, as those of access.go are read.

// Autoscalers are the HorizontalPodAutoscalers.
func (s *Snapshot) Autoscalers() []*autoscalingv2.HorizontalPodAutoscaler {
	return list[*autoscalingv2.HorizontalPodAutoscaler](s, HorizontalPodAutoscaler)
}

// Ingresses are all of the kind.
func (s *Snapshot) Ingresses() []*networkingv1.Ingress {
	return list[*networkingv1.Ingress](s, Ingress)
}

// EndpointSlices are all of the kind.
func (s *Snapshot) EndpointSlices() []*discoveryv1.EndpointSlice {
	return list[*discoveryv1.EndpointSlice](s, EndpointSlice)
}

// ValidatingWebhooks are the ValidatingWebhookConfigurations.
func (s *Snapshot) ValidatingWebhooks() []*admissionv1.ValidatingWebhookConfiguration {
	return list[*admissionv1.ValidatingWebhookConfiguration](s, ValidatingWebhookConfiguration)
}

// MutatingWebhooks are the MutatingWebhookConfigurations.
func (s *Snapshot) MutatingWebhooks() []*admissionv1.MutatingWebhookConfiguration {
	return list[*admissionv1.MutatingWebhookConfiguration](s, MutatingWebhookConfiguration)
}

// APIServices are all of the kind.
func (s *Snapshot) APIServices() []*custom.APIService { return list[*custom.APIService](s, APIService) }
