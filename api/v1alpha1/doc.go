// Package v1alpha1 contains naosu's custom resources: policies, which specify what naosu does, and Remediation, the record of
// each proposed or performed plan. It contains types, their validation and the reasons of their conditions, but no behaviour.
//
// +kubebuilder:object:generate=true
// +groupName=naosu.dev
package v1alpha1

//go:generate go tool -modfile=../../go.tools.mod controller-gen object crd paths=. output:crd:dir=../../config/crd output:object:dir=.
//go:generate go run ../../hack/schema ../../config/crd/naosu.dev_failoverpolicies.yaml ../../config/crd/naosu.dev_headroompolicies.yaml ../../config/crd/naosu.dev_noderepairpolicies.yaml ../../config/crd/naosu.dev_rebalancepolicies.yaml
