package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion is that of all of naosu's resources.
var GroupVersion = schema.GroupVersion{Group: "naosu.dev", Version: "v1alpha1"}

// AddToScheme makes naosu's resources known to a scheme.
func AddToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(GroupVersion, &AddressPolicy{}, &AddressPolicyList{}, &FailoverPolicy{}, &FailoverPolicyList{}, &HeadroomPolicy{}, &HeadroomPolicyList{}, &NodeRepairPolicy{}, &NodeRepairPolicyList{},
		&RebalancePolicy{}, &RebalancePolicyList{}, &Remediation{}, &RemediationList{})
	metav1.AddToGroupVersion(scheme, GroupVersion)
	return nil
}
