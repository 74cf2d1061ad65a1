package change

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// Evict asks for a pod to leave its node; what owns it makes another.
type Evict struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
}

// Subject is the pod.
func (e Evict) Subject() Ref { return Ref{Kind: "Pod", Namespace: e.Namespace, Name: e.Name} }

// Command posts an Eviction: kubectl has no command of its own that evicts one pod.
func (e Evict) Command() string { return eviction(e.Namespace, e.Name) }

// MarshalJSON adds the kind of change to its fields.
func (e Evict) MarshalJSON() ([]byte, error) {
	type fields Evict
	return marshalTagged("Evict", fields(e))
}

func (Evict) sealed() {}

// DeletePod deletes a pod; what owns it makes another.
type DeletePod struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// Force removes it at once, whether or not its containers have ended.
	Force bool `json:"force,omitempty"`
}

// Subject is the pod.
func (d DeletePod) Subject() Ref { return Ref{Kind: "Pod", Namespace: d.Namespace, Name: d.Name} }

// Command is kubectl's own.
func (d DeletePod) Command() string { return d.command() }

// MarshalJSON adds the kind of change to its fields.
func (d DeletePod) MarshalJSON() ([]byte, error) {
	type fields DeletePod
	return marshalTagged("DeletePod", fields(d))
}

func (DeletePod) sealed() {}

func (d DeletePod) command() string {
	words := []string{"kubectl", "delete", "pod", d.Name, "--namespace", d.Namespace}
	if d.Force {
		words = append(words, "--force", "--grace-period=0")
	}
	return command(words...)
}

// GrowDaemonSet sets what each pod of a DaemonSet asks for, which replaces its pods node by node.
type GrowDaemonSet struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// Container is the one that grows; empty is the first.
	Container string `json:"container,omitempty"`
	// Requests are the container's new ones; resources that are not named keep theirs.
	Requests corev1.ResourceList `json:"requests"`
}

// Subject is the DaemonSet.
func (g GrowDaemonSet) Subject() Ref {
	return Ref{Kind: "DaemonSet", Namespace: g.Namespace, Name: g.Name}
}

// Command is kubectl's own.
func (g GrowDaemonSet) Command() string { return g.command() }

// MarshalJSON adds the kind of change to its fields.
func (g GrowDaemonSet) MarshalJSON() ([]byte, error) {
	type fields GrowDaemonSet
	return marshalTagged("GrowDaemonSet", fields(g))
}

func (GrowDaemonSet) sealed() {}

func (g GrowDaemonSet) command() string {
	words := []string{"kubectl", "set", "resources", "daemonset", g.Name, "--namespace", g.Namespace}
	if g.Container != "" {
		words = append(words, "--containers", g.Container)
	}
	var requests []string
	for _, resource := range slices.Sorted(maps.Keys(g.Requests)) {
		quantity := g.Requests[resource]
		requests = append(requests, string(resource)+"="+quantity.String())
	}
	return command(append(words, "--requests", strings.Join(requests, ","))...)
}

// ScaleWorkload sets how many replicas a workload has.
type ScaleWorkload struct {
	// Kind is Deployment, StatefulSet or ReplicaSet.
	Kind      string `json:"workload"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Replicas  int    `json:"replicas"`
}

// Subject is the workload.
func (s ScaleWorkload) Subject() Ref { return Ref{Kind: s.Kind, Namespace: s.Namespace, Name: s.Name} }

// Command is kubectl's own.
func (s ScaleWorkload) Command() string {
	return command("kubectl", "scale", strings.ToLower(s.Kind), s.Name, "--namespace", s.Namespace, "--replicas", strconv.Itoa(s.Replicas))
}

// MarshalJSON adds the kind of change to its fields.
func (s ScaleWorkload) MarshalJSON() ([]byte, error) {
	type fields ScaleWorkload
	return marshalTagged("ScaleWorkload", fields(s))
}

func (ScaleWorkload) sealed() {}

// Patch changes fields of an object by a strategic merge patch, such as the tolerations or priority class of a workload
// whose pods are then replaced.
type Patch struct {
	Object Ref `json:"object"`
	// Patch is the strategic merge patch, in JSON.
	Patch string `json:"patch"`
}

// Subject is the object.
func (p Patch) Subject() Ref { return p.Object }

// Command is kubectl's own.
func (p Patch) Command() string { return p.command() }

// MarshalJSON adds the kind of change to its fields.
func (p Patch) MarshalJSON() ([]byte, error) {
	type fields Patch
	return marshalTagged("Patch", fields(p))
}

func (Patch) sealed() {}

func (p Patch) command() string {
	words := []string{"kubectl", "patch", strings.ToLower(p.Object.Kind), p.Object.Name}
	if p.Object.Namespace != "" {
		words = append(words, "--namespace", p.Object.Namespace)
	}
	return command(append(words, "--patch", p.Patch)...)
}
