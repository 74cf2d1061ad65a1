package guard

import (
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/ledger"
	"github.com/naosu-dev/naosu/internal/simulation"
)

// Proposal is what is to be done, and by whose leave.
type Proposal struct {
	// Remediation and UID are its name and its UID, by which its own entry in the ledger is known from others'.
	Remediation string
	UID         types.UID
	Node        Node
	Action      v1alpha1.Action
	// Approval is a person's word, empty if nobody has spoken.
	Approval v1alpha1.Approval
	// May is what whoever would act last said when asked beforehand whether the action is let through; empty if nobody was asked.
	May v1alpha1.May
	// Policy is whose proposal it is, with the API server's defaults. What is left out counts as the strictest.
	Policy v1alpha1.NodeRepairPolicySpec
	// Confirmed is when the evidence was last seen to hold.
	Confirmed time.Time
	// IllSince is when the evidence came to hold; zero is not known, and as ill from the beginning.
	IllSince time.Time
}

func (p Proposal) holder() ledger.Holder { return ledger.Holder{Name: p.Remediation, UID: p.UID} }

// disrupts says whether the action makes pods leave the node.
func (p Proposal) disrupts() bool { return p.Action != v1alpha1.ActionRestartService }

// Node is what the guard needs to know of a node. What a node does not tell is empty.
type Node struct {
	Name, Zone, Group                 string
	Image, InstanceType, AgentVersion string
	// Ready is that of the node's own condition; Unhealthy is whether any rule of a policy matches it, or it is not Ready.
	Ready, Unhealthy bool
	// Leaving is what says that others remove the node or have shut it down, such as the key of a taint; empty if nothing does.
	Leaving string
	// Annotations are those that naosu itself has not set.
	Annotations map[string]string
	// UID is that of the Node, Created when it was made, ProviderID the cloud's name for its machine.
	UID        types.UID
	Created    time.Time
	ProviderID string
	// MachineKey is by what two nodes are seen to claim one machine; empty if the node does not tell.
	MachineKey string
	// ControlPlane is whether it is one of a control plane that the cluster's owner runs.
	ControlPlane bool
}

// Machine is the node's machine.
func (n Node) Machine() ledger.Machine {
	return ledger.Machine{Node: n.Name, UID: n.UID, ProviderID: n.ProviderID}
}

// Fact is something gathered at a time. The zero time says that it is not known.
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
	// ShiftedZones are those that traffic is being moved away from.
	ShiftedZones Fact[[]string]
	// Outcome is the future in which the proposal is done beside all that is going on, compared with the same one without it.
	Outcome Fact[simulation.Outcome]
	// Pods are those that a drain of the node would evict.
	Pods Fact[[]Pod]
	// AsForecast is how many Remediations of the policy with the same action turned out as forecast.
	AsForecast Fact[int]
	// Repairers are others that repair the node by themselves.
	Repairers Fact[[]change.Ref]
}

// APIServer is what is seen of the API server and of the kubelets' way to it.
type APIServer struct {
	Ready bool
	// Leases is how many nodes have a lease, Expired how many of those are overdue, or renewed at a time yet to come.
	Leases, Expired int
}

// Pod is one pod on the node.
type Pod struct {
	Ref         change.Ref
	Annotations map[string]string
	Ready       bool
	// Replicas is how many its workload should have, ReadyElsewhere how many of them are ready on other nodes.
	Replicas, ReadyElsewhere int
	// LocalData is whether it has data on the node alone, which it loses when it is evicted.
	LocalData bool
}

// ages are when each fact was gathered, by its name.
func (f Facts) ages() []gathered {
	return []gathered{
		{"leading", f.Leading.At},
		{"ledger", f.Ledger.At},
		{"nodes", f.Nodes.At},
		{"apiServer", f.APIServer.At},
		{"shiftedZones", f.ShiftedZones.At},
		{"outcome", f.Outcome.At},
		{"pods", f.Pods.At},
		{"asForecast", f.AsForecast.At},
		{"repairers", f.Repairers.At},
	}
}

type gathered struct {
	name string
	at   time.Time
}
