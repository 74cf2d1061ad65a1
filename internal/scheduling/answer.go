package scheduling

import corev1 "k8s.io/api/core/v1"

// Basis describes the rules and the configuration by which a Judge answers.
type Basis struct {
	// Version is the minor version of Kubernetes whose plugins answer, such as "1.36".
	Version string
	// Profiles are the names of the schedulers that have a profile in the configuration.
	Profiles []string
	// Default says that no configuration was given, so that the default profile was assumed.
	Default bool
	// NotModelled are plugins, extenders and kinds of object that affect scheduling and are not taken into account.
	NotModelled []string
}

// Fit is where a pod may run.
type Fit struct {
	// Feasible nodes pass every filter; sorted by name.
	Feasible []string
	// Best are those of Feasible with the highest score, among which the scheduler picks by chance.
	Best []string
	// Sampled says that the scheduler scores some of Feasible only, so that others may be the best.
	Sampled bool
}

// Obstacle is the status by which one plugin rejects a node.
type Obstacle struct {
	// Plugin is its name in Kubernetes, such as "NodeResourcesFit".
	Plugin string
	// Reasons are those of the plugin's status.
	Reasons []string
	// Final says that no eviction from the node would help (the scheduler's UnschedulableAndUnresolvable).
	Final bool
}

// Obstacles is what keeps a pod off nodes.
type Obstacles struct {
	// Everywhere is what keeps the pod off every node, such as a claim that does not exist.
	Everywhere []Obstacle
	// Nodes are all of the cluster's, sorted by name; one without obstacles is feasible if Everywhere is empty.
	Nodes []NodeObstacles
}

// NodeObstacles is what keeps a pod off one node.
type NodeObstacles struct {
	Node      string
	Obstacles []Obstacle
}

// Preemption is the eviction of pods from a node so that another pod fits there.
type Preemption struct {
	Node string
	// Victims are the pods that are evicted, the most important first.
	Victims []*corev1.Pod
	// Violations is how many of them a PodDisruptionBudget protects.
	Violations int
}

// Placement is the result of one scheduling attempt.
type Placement struct {
	// Node is the node that is chosen for the pod, empty if it fits on none.
	Node string
	// Preemption is what the scheduler does for a pod that fits nowhere, nil if nothing.
	Preemption *Preemption
}
