package guard

import (
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/ledger"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// Proposal is the action that is proposed, and the policy and approval that it rests on.
type Proposal struct {
	// Remediation and UID identify the Remediation, and so its own entry in the ledger.
	Remediation string
	UID         types.UID
	Node        Node
	Action      v1alpha1.Action
	// Approval is a person's approval or rejection; empty if there is none.
	Approval v1alpha1.Approval
	// May is whether the actuator permits the action, as it answered last; empty if it was not asked.
	May v1alpha1.May
	// Policy is the spec of the policy that proposes it, with the API server's defaults. A field without a value counts as the strictest.
	Policy v1alpha1.NodeRepairPolicySpec
	// Confirmed is when the evidence was last confirmed.
	Confirmed time.Time
	// Dwell is for how long nodes must not have changed; only RebalanceChecks look at it.
	Dwell time.Duration
	// UnhealthySince is since when the evidence holds; zero is not known, and counts as since the node was created.
	UnhealthySince time.Time
}

func (p Proposal) holder() ledger.Holder { return ledger.Holder{Name: p.Remediation, UID: p.UID} }

// disrupts says whether the action evicts pods from the node.
func (p Proposal) disrupts() bool { return p.Action != v1alpha1.ActionRestartService }

// Node is what the guard needs to know of a node. What is not known is empty.
type Node struct {
	Name, Zone, Group                 string
	Image, InstanceType, AgentVersion string
	// Ready is that of the node's own condition; Unhealthy is whether any rule of a policy matches it, or it is not Ready.
	Ready, Unhealthy bool
	// Leaving is what shows that others remove the node or have shut it down, such as the key of a taint; empty if nothing does.
	Leaving string
	// Annotations are those that naosu itself has not set.
	Annotations map[string]string
	// UID is that of the Node, Created its creation time, ProviderID the cloud's identifier of its machine.
	UID        types.UID
	Created    time.Time
	ProviderID string
	// MachineKey is equal for two nodes that claim the same machine; empty if it is not known.
	MachineKey string
	// ControlPlane says whether the node is a member of a self-managed control plane.
	ControlPlane bool
}

// Machine is the node's machine.
func (n Node) Machine() ledger.Machine {
	return ledger.Machine{Node: n.Name, UID: n.UID, ProviderID: n.ProviderID}
}

// Fact is a value and when it was gathered. The zero time means that it is not known.
type Fact[T any] struct {
	Value T
	At    time.Time
}

// Known makes a Fact.
func Known[T any](value T, at time.Time) Fact[T] { return Fact[T]{value, at} }

func (f Fact[T]) known() bool { return !f.At.IsZero() }

// Facts are what the checks decide by.
type Facts struct {
	Now time.Time
	// Leading is whether this process holds the controller's lease.
	Leading Fact[bool]
	Ledger  Fact[ledger.Ledger]
	// Nodes are all of the cluster.
	Nodes     Fact[[]Node]
	APIServer Fact[APIServer]
	// LastNodeChange is the latest change of a node.
	LastNodeChange Fact[NodeChange]
	// ShiftedZones are the zones that traffic is shifted away from.
	ShiftedZones Fact[[]string]
	// Outcome is that of the simulated action beside all ongoing disruptions, compared with the same one without the action.
	Outcome Fact[outcome.Outcome]
	// Pods are the pods that a drain of the node would evict.
	Pods Fact[[]Pod]
	// AsForecast is how many Remediations of the policy with the same action turned out as forecast.
	AsForecast Fact[int]
	// Repairers are other controllers that repair the node.
	Repairers Fact[[]change.Ref]
}

// APIServer is the readiness of the API server, and how many kubelets reach it.
type APIServer struct {
	Ready bool
	// Leases is how many nodes have a lease, Expired how many of those have expired, or were renewed in the future.
	Leases, Expired int
}

// NodeChange is when a node was created, or last became ready or not ready.
type NodeChange struct {
	Node string
	At   time.Time
}

// Pod is one pod on the node.
type Pod struct {
	Ref         change.Ref
	Annotations map[string]string
	Ready       bool
	// Replicas is how many its workload should have, ReadyElsewhere how many of them are ready on other nodes.
	Replicas, ReadyElsewhere int
	// LocalData says whether it has data on the node only, which it loses when it is evicted.
	LocalData bool
}

// gatheredTimes are when each fact was gathered, by its name.
func (f Facts) gatheredTimes() []gatheredTime {
	return []gatheredTime{
		{"leading", f.Leading.At},
		{"ledger", f.Ledger.At},
		{"nodes", f.Nodes.At},
		{"apiServer", f.APIServer.At},
		{"lastNodeChange", f.LastNodeChange.At},
		{"shiftedZones", f.ShiftedZones.At},
		{"outcome", f.Outcome.At},
		{"pods", f.Pods.At},
		{"asForecast", f.AsForecast.At},
		{"repairers", f.Repairers.At},
	}
}

type gatheredTime struct {
	name string
	at   time.Time
}
