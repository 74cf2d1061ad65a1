package v1alpha1

import (
	"strconv"

	"k8s.io/apimachinery/pkg/types"
)

// Plan is the list of changes to perform, in order.
type Plan struct {
	// plan is the list of changes to perform, in this order. From 1 to 64 changes. The plan of a NodeRepairPolicy is one change of
	// its node, for example a Reboot. Records of older versions have action and service instead.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	Changes []Change `json:"plan,omitempty"`

	// action is the action to take on the node, in a record without a plan: RestartService, Reboot or Replace. None is not allowed.
	// The field is deprecated: naosu reads it but does not write it.
	// +optional
	// +kubebuilder:validation:Enum=None;RestartService;Reboot;Replace
	// +kubebuilder:validation:XValidation:rule="self != 'None'",message="must not be None"
	DeprecatedAction Action `json:"action,omitempty"`

	// service is the systemd unit to restart, in a record without a plan, for example containerd.service. Deprecated:
	// naosu reads this field but does not write it.
	// +optional
	// +kubebuilder:validation:MinLength=9
	// +kubebuilder:validation:MaxLength=128
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9:_.@-]+\.service$`
	DeprecatedService string `json:"service,omitempty"`
}

// Change is one change of the cluster.
//
// +kubebuilder:validation:XValidation:rule="self.action != 'None'",message="must not be None",fieldPath=".action"
// +kubebuilder:validation:XValidation:rule="self.action != 'RestartService' || has(self.parameters)",message="service is required with RestartService",fieldPath=".parameters"
// +kubebuilder:validation:XValidation:rule="self.action in ['RestartService', 'Evict', 'ResizeNodeGroup'] || !has(self.parameters)",message="is not allowed with this action",fieldPath=".parameters"
// +kubebuilder:validation:XValidation:rule="self.action != 'RestartService' || !has(self.parameters) || self.parameters.all(name, name == 'service' && self.parameters[name].matches('^[A-Za-z0-9:_.@-]{1,120}[.]service$'))",message="must be only service, a systemd unit such as containerd.service",fieldPath=".parameters"
// +kubebuilder:validation:XValidation:rule="self.action != 'Evict' || has(self.subject) && self.subject.kind == 'Pod' && has(self.subject.namespace) && has(self.subject.uid)",message="must be a pod with namespace and uid",fieldPath=".subject"
// +kubebuilder:validation:XValidation:rule="self.action != 'DeleteInterface' || has(self.subject) && self.subject.kind == 'NetworkInterface' && !has(self.subject.namespace)",message="must be a NetworkInterface",fieldPath=".subject"
// +kubebuilder:validation:XValidation:rule="self.action != 'Evict' || !has(self.parameters) || self.parameters.all(name, name == 'wave' && self.parameters[name].matches('^[1-9][0-9]?$'))",message="must be only wave, from 1 to 99",fieldPath=".parameters"
// +kubebuilder:validation:XValidation:rule="self.action != 'ResizeNodeGroup' || has(self.subject) && self.subject.kind == 'NodeGroup' && !has(self.subject.namespace)",message="must be a NodeGroup",fieldPath=".subject"
// +kubebuilder:validation:XValidation:rule="self.action != 'ResizeNodeGroup' || has(self.parameters) && self.parameters.all(name, name in ['zone', 'desired', 'min', 'cluster']) && 'zone' in self.parameters && ['desired', 'min'].all(name, name in self.parameters && self.parameters[name].matches('^[1-9][0-9]{0,4}$'))",message="must be zone, desired and min, and cluster for a group of EKS",fieldPath=".parameters"
type Change struct {
	// action is the action to take on the subject. RestartService restarts one systemd unit, Reboot reboots the machine, Replace
	// replaces the machine with a new one, Evict evicts a pod, DeleteInterface deletes a network interface, and
	// ResizeNodeGroup raises the size of a node group. None is not allowed.
	// +required
	// +kubebuilder:validation:Enum=None;RestartService;Reboot;Replace;Evict;DeleteInterface;ResizeNodeGroup
	Action Action `json:"action"`

	// subject is the object that the action is applied to: for Evict the pod with its uid, for DeleteInterface the
	// NetworkInterface, for ResizeNodeGroup the NodeGroup. Defaults to the node of the Remediation.
	// +optional
	Subject *Subject `json:"subject,omitempty"`

	// parameters are further parameters of the action, by name. RestartService has the parameter service, the systemd unit to
	// restart, for example containerd.service. Evict has the parameter wave, for example 2: the pods of a wave are evicted once
	// those of the waves before it have been replaced. It defaults to 1. ResizeNodeGroup has the parameters zone,
	// desired and min: the zone that needs a node, and the sizes; and cluster, the EKS cluster of a managed node group. Other actions have none. At most 8.
	// +optional
	// +kubebuilder:validation:MinProperties=1
	// +kubebuilder:validation:MaxProperties=8
	// +kubebuilder:validation:XValidation:rule="self.all(name, size(name) <= 63 && size(self[name]) <= 512)",message="a name has at most 63 characters, a value at most 512"
	Parameters map[string]ParameterValue `json:"parameters,omitempty"`
}

// ParameterValue is the value of a parameter.
// +kubebuilder:validation:MinLength=1
// +kubebuilder:validation:MaxLength=512
type ParameterValue string

// The parameters: service is RestartService's, wave is Evict's.
const (
	parameterService = "service"
	parameterWave    = "wave"
)

// Eviction is the eviction of a pod in a wave, from 1.
func Eviction(namespace, pod string, uid types.UID, wave int) Change {
	return Change{
		Action: ActionEvict, Subject: &Subject{Kind: "Pod", Namespace: namespace, Name: pod, UID: uid},
		Parameters: map[string]ParameterValue{parameterWave: ParameterValue(strconv.Itoa(wave))},
	}
}

// Deletion is the deletion of a network interface.
func Deletion(id string) Change {
	return Change{Action: ActionDeleteInterface, Subject: &Subject{Kind: "NetworkInterface", Name: id}}
}

// Wave is the wave that an eviction belongs to, from 1.
func (c Change) Wave() int {
	wave, err := strconv.Atoi(string(c.Parameters[parameterWave]))
	if err != nil || wave < 1 {
		return 1
	}
	return wave
}

// Subject identifies an object of the Kubernetes API, or a resource of the cloud provider, such as a NodeGroup, a Subnet or a NetworkInterface.
type Subject struct {
	// kind is the kind of the object, for example Deployment; for a resource of the cloud provider, NodeGroup, Subnet or
	// NetworkInterface.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[A-Z][A-Za-z0-9]*$`
	Kind string `json:"kind"`

	// namespace is the metadata.namespace of the object, for example shop. Not set if the object is cluster-scoped.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Namespace string `json:"namespace,omitempty"`

	// name is the metadata.name of the object, or the cloud provider's ID of the resource, for example subnet-0a1b2c3d4e5f60718.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`

	// uid is the metadata.uid of the object, which distinguishes it from a later one of the same name. Not set if it is not an
	// object of the Kubernetes API.
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	UID types.UID `json:"uid,omitempty"`
}

// NodePlan is a plan of one change of the record's node. The service is for RestartService, and empty otherwise.
func NodePlan(action Action, service string) Plan {
	change := Change{Action: action}
	if service != "" {
		change.Parameters = map[string]ParameterValue{parameterService: ParameterValue(service)}
	}
	return Plan{Changes: []Change{change}}
}

// InOrder are the changes of a plan, those of a record without one too.
func (p Plan) InOrder() []Change {
	if len(p.Changes) == 0 && p.DeprecatedAction != "" {
		return NodePlan(p.DeprecatedAction, p.DeprecatedService).Changes
	}
	return p.Changes
}

// Action is what the first change of a plan does; empty if there is none, as in a drill.
func (p Plan) Action() Action {
	if changes := p.InOrder(); len(changes) > 0 {
		return changes[0].Action
	}
	return ""
}

// Service is the systemd unit that the first change of a plan restarts; empty if it restarts none.
func (p Plan) Service() string {
	if changes := p.InOrder(); len(changes) > 0 {
		return string(changes[0].Parameters[parameterService])
	}
	return ""
}
