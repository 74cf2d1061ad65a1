package scheduling

import corev1 "k8s.io/api/core/v1"

// Basis is what an answer rests on.
type Basis struct {
	// Version is that of the rules, such as "1.36".
	Version string
	// Profiles are the names of the schedulers spoken for.
	Profiles []string
	// Default says that no configuration was given, so that the default profile was assumed.
	Default bool
	// NotModelled are plugins, extenders and kinds of object that bear on scheduling and are not judged.
	NotModelled []string
}

// Fit is where a pod may run.
type Fit struct {
	// Feasible nodes pass every filter; sorted by name.
	Feasible []string
	// Best are those of Feasible with the highest score, among which the scheduler picks by chance.
	Best []string
}

// Obstacle is what one plugin has against a node.
type Obstacle struct {
	// Plugin is its name in Kubernetes, such as "NodeResourcesFit".
	Plugin string
	// Reasons are in the plugin's own words.
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

// Preemption is room made for a pod.
type Preemption struct {
	Node string
	// Victims lose their place, the most important first.
	Victims []*corev1.Pod
	// Violations is how many of them a PodDisruptionBudget protects.
	Violations int
}

// Placement is the outcome of one attempt.
type Placement struct {
	// Node is where the pod goes, empty if it fits nowhere.
	Node string
	// Preemption is what the scheduler does for a pod that fits nowhere, nil if nothing.
	Preemption *Preemption
}
