package cloud

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/message"
)

// Machine is the machine of a node, as its Node describes it.
type Machine struct {
	// Node is the Node's name, UID that of the object.
	Node, UID string
	// ProviderID is the Node's provider ID, such as aws:///us-east-1a/i-0123456789abcdef0; it may be empty.
	ProviderID string
	// Labels and Annotations are the Node's, by which providers recognise their machines.
	Labels, Annotations map[string]string
}

// MachineOf is the machine of a Node.
func MachineOf(node *corev1.Node) Machine {
	return Machine{node.Name, string(node.UID), node.Spec.ProviderID, node.Labels, node.Annotations}
}

// Key identifies the machine; empty if the Node has no provider ID. It is the provider ID, without the zone that EC2's has, because actions on an
// instance ignore the zone.
func (m Machine) Key() string {
	if rest, ok := strings.CutPrefix(m.ProviderID, "aws://"); ok {
		return "aws://" + rest[strings.LastIndex(rest, "/")+1:]
	}
	return m.ProviderID
}

// Provider is a system that runs or manages machines. It implements those of Power, Replacer, Permitter and Repairers that it offers.
type Provider interface {
	// Name is short, in lower case, such as aws.
	Name() string
	// Owns says whether a machine is this provider's.
	Owns(Machine) bool
}

// Power reboots machines.
type Power interface {
	// States are those of machines, in their order.
	States(context.Context, ...Machine) ([]State, error)
	// Reboot requests a reboot and does not wait for it. A second request may reboot the machine twice: after ErrUnsure the caller must
	// compare the boot ID instead of trying again.
	Reboot(context.Context, Machine) (Operation, error)
}

// Replacer replaces machines by new ones.
type Replacer interface {
	// Replace requests it and does not wait. For a machine that is terminated or terminating it does nothing and succeeds.
	Replace(context.Context, Machine) (Operation, error)
}

// Permitter says beforehand whether an action would be allowed. It changes nothing.
type Permitter interface {
	May(context.Context, v1alpha1.Action, Machine) (Permission, error)
}

// Repairers finds other systems that repair machines by themselves, of those that the provider owns.
type Repairers interface {
	Repairers(context.Context, []Machine) ([]Repairer, error)
}

// Running is the power state of a machine.
type Running string

// The power states of a machine.
const (
	On      Running = "On"
	Off     Running = "Off"
	Gone    Running = "Gone"    // and will not come back
	Changes Running = "Changes" // in transition to another
	// NotFound says that the provider has no record of the machine. That proves nothing: the credentials may be those of another
	// account or region.
	NotFound Running = "NotFound"
)

// State is the state of a machine as its provider reports it.
type State struct {
	Running Running
	// Impaired is whether the provider's own checks of the machine fail; nil if that is unknown.
	Impaired *bool
	// Message describes the state in the provider's terms.
	Message string
}

// IsOff says whether the provider has a record that the machine does not run.
func (s State) IsOff() bool { return s.Running == Off || s.Running == Gone }

// Operation is an action that was requested.
type Operation struct {
	// ID is the provider's token for it, empty if it gives none.
	ID string
	// At is when it was requested, zero if the provider does not return that.
	At time.Time
}

// Permission is whether an action is allowed, and how that is known.
type Permission struct {
	May v1alpha1.May
	Why message.Sentence
}

// Repairer is another system that repairs machines.
type Repairer struct {
	// By is the object or group that configures it.
	By change.Ref
	// Nodes are the names of the nodes that it repairs.
	Nodes []string
	// Rules are what it does; the first that fits a condition decides.
	Rules []RepairerRule
	// Unknown is why it could not be read whether it repairs these nodes; zero if it could. If it is set, naosu must not act on them for a condition
	// that Rules name, or for any if there are none.
	Unknown message.Sentence
}

// MayActOn says whether it acts on nodes with a condition, as far as that is known.
func (r Repairer) MayActOn(c corev1.NodeCondition) bool {
	at := slices.IndexFunc(r.Rules, func(rule RepairerRule) bool { return rule.Matches(c) })
	return r.MayActOnAny() || at >= 0 && r.Rules[at].Action != v1alpha1.ActionNone
}

// MayActOnAny says whether nothing is known of what it acts on.
func (r Repairer) MayActOnAny() bool { return !r.Known() && len(r.Rules) == 0 }

// Known says whether it could be read that it repairs its nodes.
func (r Repairer) Known() bool { return r.Unknown.ID == "" }

// RepairerRule is what a Repairer does about a node condition.
type RepairerRule struct {
	Condition corev1.NodeConditionType
	Status    corev1.ConditionStatus
	// Reasons are those it acts on; none means any.
	Reasons []string
	For     time.Duration
	// Action is None where it leaves such a node alone, and empty where that is unknown.
	Action v1alpha1.Action
}

// Matches says whether the rule is about a condition with this status and reason.
func (r RepairerRule) Matches(c corev1.NodeCondition) bool {
	return r.Condition == c.Type && r.Status == c.Status && (len(r.Reasons) == 0 || slices.Contains(r.Reasons, c.Reason))
}

// Gap is a provider that could not be used.
type Gap struct {
	// Provider is its name.
	Provider string
	Why      message.Sentence
}

// The classes of errors. Nothing was done in any of them but ErrUnsure. An error of no class counts as a RefusedError.
var (
	// ErrNotOffered says that no provider of a machine offers the action.
	ErrNotOffered = errors.New("no provider of the machine offers this")
	// ErrPassing says that a later request may succeed: another operation is in progress, there were too many requests, credentials have
	// expired, or there was no answer in time.
	ErrPassing = errors.New("may pass")
	// ErrUnsure says that there was no answer: the action may have been done or not. It takes precedence where an error is ErrPassing, too.
	ErrUnsure = errors.New("not known whether it was done")
)

// RefusedError says that the request was rejected. Another request is rejected as well until a person changes what the error names.
type RefusedError struct {
	// Permission is the permission that naosu lacks, such as ec2:RebootInstances or delete nodeclaims.karpenter.sh; empty if the request was
	// rejected for another reason.
	Permission string
	Err        error
}

func (e *RefusedError) Error() string { return e.Err.Error() }

func (e *RefusedError) Unwrap() error { return e.Err }

// Providers are all providers of a cluster, in order of precedence: those that manage machines before those that run them.
type Providers []Provider

// For finds the first that owns a machine and offers an action; false if none does.
func (p Providers) For(action v1alpha1.Action, m Machine) (Provider, bool) {
	at := slices.IndexFunc(p, func(one Provider) bool { return one.Owns(m) && offers(one, action) })
	if at < 0 {
		return nil, false
	}
	return p[at], true
}

// Unanswered is the error of a provider that could not be queried.
type Unanswered struct {
	Provider string
	Err      error
}

// Repairers are those of all providers, each for the nodes that it owns.
func (p Providers) Repairers(ctx context.Context, nodes []*corev1.Node) ([]Repairer, []Unanswered) {
	var found []Repairer
	var failed []Unanswered
	for _, one := range p {
		who, ok := one.(Repairers)
		if !ok {
			continue
		}
		var machines []Machine
		for _, node := range nodes {
			if m := MachineOf(node); one.Owns(m) {
				machines = append(machines, m)
			}
		}
		these, err := who.Repairers(ctx, machines)
		if err != nil {
			failed = append(failed, Unanswered{one.Name(), err})
		}
		found = append(found, these...)
	}
	return found, failed
}

// States are the states of machines by node name, each as the first provider that owns the machine and runs machines reports it. Machines
// without such a provider are left out, and so are those of providers that could not be queried.
func (p Providers) States(ctx context.Context, machines []Machine) (map[string]State, []Unanswered) {
	owned := map[int][]Machine{}
	for _, m := range machines {
		at := slices.IndexFunc(p, func(one Provider) bool { return one.Owns(m) && offers(one, v1alpha1.ActionReboot) })
		if at >= 0 {
			owned[at] = append(owned[at], m)
		}
	}
	found := map[string]State{}
	var failed []Unanswered
	for at, these := range owned {
		states, err := p[at].(Power).States(ctx, these...)
		if err != nil {
			failed = append(failed, Unanswered{p[at].Name(), err})
			continue
		}
		for i, m := range these {
			found[m.Node] = states[i]
		}
	}
	return found, failed
}

func offers(p Provider, action v1alpha1.Action) bool {
	var ok bool
	switch action {
	case v1alpha1.ActionReboot:
		_, ok = p.(Power)
	case v1alpha1.ActionReplace:
		_, ok = p.(Replacer)
	}
	return ok
}

// Act requests an action on a machine from a provider that For has found.
func Act(ctx context.Context, p Provider, action v1alpha1.Action, m Machine) (Operation, error) {
	switch action {
	case v1alpha1.ActionReboot:
		if power, ok := p.(Power); ok {
			return power.Reboot(ctx, m)
		}
	case v1alpha1.ActionReplace:
		if replacer, ok := p.(Replacer); ok {
			return replacer.Replace(ctx, m)
		}
	}
	return Operation{}, ErrNotOffered
}
