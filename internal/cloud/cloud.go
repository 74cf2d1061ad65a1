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

// Machine is what a node runs on, as its Node tells.
type Machine struct {
	// Node is the Node's name, UID that of the object.
	Node, UID string
	// ProviderID is the cloud's own name for the machine, such as aws:///us-east-1a/i-0123456789abcdef0; empty if the Node
	// does not tell.
	ProviderID string
	// Labels and Annotations are the Node's, by which providers know what is theirs.
	Labels, Annotations map[string]string
}

// MachineOf is the machine of a Node.
func MachineOf(node *corev1.Node) Machine {
	return Machine{node.Name, string(node.UID), node.Spec.ProviderID, node.Labels, node.Annotations}
}

// Key is what the machine is told apart by from others; empty if the Node does not tell. It is the provider ID, but that of an
// EC2 instance names a zone too, which whoever acts on the instance does not look at.
func (m Machine) Key() string {
	if rest, ok := strings.CutPrefix(m.ProviderID, "aws://"); ok {
		return "aws://" + rest[strings.LastIndex(rest, "/")+1:]
	}
	return m.ProviderID
}

// Provider is one of those who run machines. What it offers of Power, Replacer, Permitter and Repairers it implements.
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
	// Reboot asks for a reboot and does not wait for it. Asked twice, a machine may reboot twice: after ErrUnsure the boot ID
	// tells, not a second try.
	Reboot(context.Context, Machine) (Operation, error)
}

// Replacer gives machines up for new ones.
type Replacer interface {
	// Replace asks for it and does not wait. For a machine that is gone or going it does nothing and succeeds.
	Replace(context.Context, Machine) (Operation, error)
}

// Permitter says beforehand whether an action would be let through. It changes nothing.
type Permitter interface {
	May(context.Context, v1alpha1.Action, Machine) (Permission, error)
}

// Repairers finds others that repair machines by themselves, of those that the provider owns.
type Repairers interface {
	Repairers(context.Context, []Machine) ([]Repairer, error)
}

// Running is what power a machine has.
type Running string

// The powers of a machine.
const (
	On      Running = "On"
	Off     Running = "Off"
	Gone    Running = "Gone"    // and will not come back
	Changes Running = "Changes" // on its way to another
)

// State is what a provider sees of a machine.
type State struct {
	Running Running
	// Impaired is whether the provider's own checks of the machine fail; nil if it has no word on it.
	Impaired *bool
	// Message says it in the provider's words.
	Message string
}

// Operation is what was asked for.
type Operation struct {
	// ID is the provider's token for it, empty if it gives none.
	ID string
	// At is the zero time if the provider does not tell.
	At time.Time
}

// Permission is whether something may be done, and how that is known.
type Permission struct {
	May v1alpha1.May
	Why message.Sentence
}

// Repairer is something else that repairs machines.
type Repairer struct {
	// By is the object or group that says so.
	By change.Ref
	// Nodes are the names of the nodes that it repairs.
	Nodes []string
	// Rules are what it does; the first that fits a condition decides.
	Rules []RepairerRule
	// Unknown is why it could not be read whether it repairs these nodes; zero if it could. Who may not know must not act.
	Unknown message.Sentence
}

// Known says whether it could be read that it repairs its nodes.
func (r Repairer) Known() bool { return r.Unknown.ID == "" }

// RepairerRule is what a Repairer says that it does.
type RepairerRule struct {
	Condition corev1.NodeConditionType
	Status    corev1.ConditionStatus
	// Reasons are those it acts on; none means any.
	Reasons []string
	For     time.Duration
	// Action is None where it leaves such a node alone, and empty where it is not known what it does.
	Action v1alpha1.Action
}

// Matches says whether the rule is about a condition as it stands.
func (r RepairerRule) Matches(c corev1.NodeCondition) bool {
	return r.Condition == c.Type && r.Status == c.Status && (len(r.Reasons) == 0 || slices.Contains(r.Reasons, c.Reason))
}

// Gap is something that could not be asked or read.
type Gap struct {
	// Provider is who could not be asked.
	Provider string
	Why      message.Sentence
}

// The classes of errors. Nothing was done in any of them but ErrUnsure. An error of no class counts as a RefusedError.
var (
	// ErrNotOffered is that no provider of a machine can do what is asked.
	ErrNotOffered = errors.New("no provider of the machine offers this")
	// ErrPassing is that it cannot be done now, and may be when asked again: another operation is in progress, there were too
	// many requests, credentials have expired, no answer came in time.
	ErrPassing = errors.New("may pass")
	// ErrUnsure is that nobody answered: what was asked may have been done or not. Where an error is ErrPassing too, this
	// is what counts.
	ErrUnsure = errors.New("not known whether it was done")
)

// RefusedError is the answer that it will not be done. Asked again, who answered says the same until somebody changes what the
// answer names.
type RefusedError struct {
	// Permission is what naosu lacks, in the words of who refused, such as ec2:RebootInstances or
	// delete nodeclaims.karpenter.sh; empty if it was refused for something else.
	Permission string
	Err        error
}

func (e *RefusedError) Error() string { return e.Err.Error() }

func (e *RefusedError) Unwrap() error { return e.Err }

// Providers are all there are, in the order in which they are asked: who manages machines comes before who runs them.
type Providers []Provider

// For finds the first that owns a machine and can take an action; false if none can.
func (p Providers) For(action v1alpha1.Action, m Machine) (Provider, bool) {
	at := slices.IndexFunc(p, func(one Provider) bool { return one.Owns(m) && offers(one, action) })
	if at < 0 {
		return nil, false
	}
	return p[at], true
}

// Unanswered is a provider that could not say what it was asked.
type Unanswered struct {
	Provider string
	Err      error
}

// Repairers asks each provider that can tell who else repairs those of the nodes that are its own.
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

// Act takes an action on a machine through a provider that For has found.
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
