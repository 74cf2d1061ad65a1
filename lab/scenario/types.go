package scenario

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/lab/cloud"
	"github.com/naosu-dev/naosu/lab/scenario/strictyaml"
)

// Scenario is one incident.
type Scenario struct {
	// Name is short, in lower case with dashes, such as "stranded-volume".
	Name string `json:"name"`
	// Title is one line for lists.
	Title string `json:"title"`
	// Story is the number of the incident that this plays.
	Story int `json:"story,omitempty"`
	// Description says what happens and why, for a reader who has not seen it.
	Description string `json:"description"`
	// Cluster is the cluster at the point "start", built and running.
	Cluster Cluster `json:"cluster"`
	// Steps happen after the start, one after the other.
	Steps []Step `json:"steps,omitempty"`
	// Expect is what must be seen with Kubernetes alone.
	Expect []Expectation `json:"expect"`
	// Naosu is the pass in which naosu is at work.
	Naosu *Naosu `json:"naosu,omitempty"`
	// Variants are passes of their own; at least one is the counter-run.
	Variants []Variant `json:"variants"`

	doc *strictyaml.Document
}

// Cluster is a control plane, a cloud and what runs on them.
type Cluster struct {
	// Cloud is the region, its zones and its node groups.
	Cloud cloud.Spec `json:"cloud,omitzero"`
	// Nodes gives names to nodes of the start, for steps and for node("name") in expressions.
	Nodes map[string]NodeRef `json:"nodes,omitempty"`
	// Flags are given to control plane components: by component, then by flag without dashes. Durations are real ones.
	Flags map[string]map[string]FlagValue `json:"flags,omitempty"`
	// FeatureGates are set on every component.
	FeatureGates map[string]bool `json:"featureGates,omitempty"`
	// Addons are programs of the cluster whose part the lab plays.
	Addons *Addons `json:"addons,omitempty"`
	// Manifests are applied in order, each when the pods of the one before have their nodes.
	Manifests []Object `json:"manifests,omitempty"`
}

// NodeRef says which node of the start is meant: the only one of the group, or of the group in the zone.
type NodeRef struct {
	Group string `json:"group"`
	// Zone is needed when the group has more than one node.
	Zone string `json:"zone,omitempty"`
}

// Addons are the programs whose part the lab can play.
type Addons struct {
	// ClusterAutoscaler resizes node groups for pods that wait, and removes empty nodes.
	ClusterAutoscaler bool `json:"clusterAutoscaler,omitempty"`
	// VerticalAutoscaler plays every Deployment that runs the cluster-proportional vertical autoscaler.
	VerticalAutoscaler bool `json:"verticalAutoscaler,omitempty"`
	// NodeMonitoringAgent plays the EKS node monitoring agent in its pods: those labelled
	// app.kubernetes.io/name=eks-node-monitoring-agent.
	NodeMonitoringAgent bool `json:"nodeMonitoringAgent,omitempty"`
	// NodeRepair plays EKS's own repair of nodes, for the groups whose nodeRepairConfig is enabled.
	NodeRepair bool `json:"nodeRepair,omitempty"`
	// VPCCNI plays the address manager of the Amazon VPC CNI plugin: pods get addresses of the cloud's subnets, as many as there
	// are. Without it, there are as many addresses as pods.
	VPCCNI bool `json:"vpcCNI,omitempty"`
}

// Step is one thing that happens. It has exactly one of the fields from apply to mark.
type Step struct {
	// Name lets expectations and --until refer to the moment at which the step is done.
	Name string `json:"name,omitempty"`
	// At is the time since the start before which the step does not begin.
	At *metav1.Duration `json:"at,omitempty"`
	// After is a pause between the step before and this one.
	After *metav1.Duration `json:"after,omitempty"`

	// Apply creates objects, or changes them to what is given.
	Apply []Object `json:"apply,omitempty"`
	// Delete deletes objects.
	Delete *Delete `json:"delete,omitempty"`
	// Patch changes fields of objects that exist.
	Patch *Patch `json:"patch,omitempty"`
	// Resize sets a node group's size.
	Resize *Resize `json:"resize,omitempty"`
	// Rotate replaces all nodes of a group with ones of a new launch version.
	Rotate *Rotate `json:"rotate,omitempty"`
	// Terminate ends instances, as the cloud's console does.
	Terminate *Terminate `json:"terminate,omitempty"`
	// Fault breaks machines.
	Fault *Fault `json:"fault,omitempty"`
	// Recover brings machines back.
	Recover *Target `json:"recover,omitempty"`
	// NodeRepair changes what a node group says of EKS's own repair.
	NodeRepair *NodeRepair `json:"nodeRepair,omitempty"`
	// Naosu runs a command of naosu's and judges what it prints.
	Naosu *Command `json:"naosu,omitempty"`
	// Wait goes on when an expression is true; if it does not become true in time, the pass has failed.
	Wait *Wait `json:"wait,omitempty"`
	// Mark does nothing but give this moment a name.
	Mark string `json:"mark,omitempty"`

	path string
}

// Delete says what is deleted.
type Delete struct {
	// Objects is an expression that gives them, such as `pods.named("redis-0")`.
	Objects string `json:"objects"`
	// Force deletes with a grace period of zero.
	Force bool `json:"force,omitempty"`
	// GoneWithin makes the step wait until the objects are gone, which must be within this time.
	GoneWithin *metav1.Duration `json:"goneWithin,omitempty"`
}

// Patch is a merge patch.
type Patch struct {
	// Objects is an expression that gives what is patched.
	Objects string `json:"objects"`
	// Merge is the patch: fields to set; null removes one.
	Merge Fragment `json:"merge"`
}

// Resize sets what is given and leaves the rest.
type Resize struct {
	Group   string `json:"group"`
	Desired *int   `json:"desired,omitempty"`
	Min     *int   `json:"min,omitempty"`
	Max     *int   `json:"max,omitempty"`
}

// Rotate starts nodes of a new launch version and then ends the old ones.
type Rotate struct {
	Group          string `json:"group"`
	cloud.Rotation `json:",inline"`
}

// Target is one node by the name the scenario gives it, or all nodes of a group, of a zone, or of a group in a zone.
type Target struct {
	Node  string `json:"node,omitempty"`
	Group string `json:"group,omitempty"`
	Zone  string `json:"zone,omitempty"`
}

// Terminate ends the instances of a target.
type Terminate struct {
	Target `json:",inline"`
	// Decrement lowers the group's desired size with each, so that it is not replaced.
	Decrement bool `json:"decrement,omitempty"`
}

// Fault brings the machines of a target into a state. A zone that is off is lost to the cloud too, volumes and all.
type Fault struct {
	Target `json:",inline"`
	// State is "off" (no power), "kubelet-down" (containers run on), "cut-off" (no network to the API server), "link-down" (a
	// second network interface is down, everything else works) or "no-addresses" (there is none for another pod).
	State string `json:"state"`
}

// Wait is a condition that the story waits for.
type Wait struct {
	// Until is an expression.
	Until string `json:"until"`
	// Holds is how long it must stay true before the story goes on.
	Holds *metav1.Duration `json:"holds,omitempty"`
	// Within is the deadline by which it must have become true.
	Within metav1.Duration `json:"within"`
	// RealSeconds are added to the deadline for what Kubernetes hard-codes, whatever the time scale.
	RealSeconds int `json:"realSeconds,omitempty"`
}

// Expectation is something that must be seen.
type Expectation struct {
	// Name is unique in a pass.
	Name string `json:"name"`
	// From is the point from which time is counted: "start", if it is left out, or the name of a step or mark.
	From string `json:"from,omitempty"`
	// That is an expression that must become true.
	That string `json:"that"`
	// Within is the deadline by which it must have become true.
	Within metav1.Duration `json:"within"`
	// NotBefore is the earliest that it may become true; sooner is a failure.
	NotBefore *metav1.Duration `json:"notBefore,omitempty"`
	// Holds is how long it must then stay true.
	Holds *metav1.Duration `json:"holds,omitempty"`
	// RealSeconds are added to the deadline for what Kubernetes hard-codes, whatever the time scale.
	RealSeconds int `json:"realSeconds,omitempty"`

	path string
}

// Variant is another pass. What it gives replaces the scenario's: steps and expectations as a whole; flags and feature
// gates one by one; node groups, named nodes and manifests by their names.
type Variant struct {
	// Name is what the pass is called.
	Name string `json:"name"`
	// Description says what is different, and what follows from it.
	Description string `json:"description"`
	// Counter marks the counter-run: the cause is removed, and the incident does not happen.
	Counter bool `json:"counter,omitempty"`
	// Cluster is what differs about the cluster.
	Cluster *Cluster `json:"cluster,omitempty"`
	// Steps replace the scenario's.
	Steps []Step `json:"steps,omitempty"`
	// Expect replaces the scenario's; a counter-run must have its own.
	Expect []Expectation `json:"expect,omitempty"`
}
