// Package v1alpha1 holds naosu's custom resources: policies, which say what may be done, and Remediation, the record of
// each thing proposed or done. It has types, their bounds and the reasons of their conditions, and no behaviour.
//
// +kubebuilder:object:generate=true
// +groupName=naosu.dev
package v1alpha1

//go:generate go tool -modfile=../../go.tools.mod controller-gen object crd paths=. output:crd:dir=../../config/crd output:object:dir=.
//go:generate go run ../../hack/schema ../../config/crd/naosu.dev_noderepairpolicies.yaml
