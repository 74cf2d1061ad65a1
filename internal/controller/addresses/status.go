package addresses

import (
	"context"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/addresses"
	"github.com/naosu-dev/naosu/internal/addresses/reclaim"
	"github.com/naosu-dev/naosu/internal/addresspolicy"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/textutil"
)

// longestMessage bounds what a status says.
const longestMessage = 4096

// observation is what one reading of the network says for a policy.
type observation struct {
	policy *v1alpha1.AddressPolicy
	at     time.Time
	// known says that the network was read completely. Otherwise, why says why not.
	known bool
	why   string
	// hasSubnets says that subnets were read: subnets are those of the nodes, low those that are low, and changes what has changed.
	hasSubnets bool
	subnets    []addresses.Subnet
	low        []v1alpha1.LowSubnet
	changes    []addresspolicy.Change
	decisions  []reclaim.Decision
	kept       []v1alpha1.InterfaceObservation
	// obstacle is the reason of the condition Ready if there is one, and says why.
	obstacle string
	says     string
	lastRun  *v1alpha1.AddressRun
}

// observe reads the network, and decides about subnets and interfaces.
func (c *Reconciler) observe(ctx context.Context, policy *v1alpha1.AddressPolicy, remediations []v1alpha1.Remediation) observation {
	o := observation{policy: policy, at: c.Clock.Now()}
	run, conclusion := addresspolicy.LastRun(policy, remediations)
	o.lastRun = run
	switch world := c.Snapshot(); {
	case world.DaemonSet(metav1.NamespaceSystem, addresses.Plugin) != nil:
	case !world.Knowledge(cluster.DaemonSet).Known():
		return o.unknown(sentence.AddressNodesUnknown())
	default:
		o = o.unknown(sentence.AddressNoVPCCNI())
		o.obstacle = v1alpha1.PolicyNoVPCCNIReason
		return o
	}
	n, offered := c.ReadNetwork(ctx)
	o.at = c.Clock.Now()
	if !offered {
		return o.unknown(sentence.AddressNoNetwork())
	}
	world := c.Snapshot().WithNetwork(n)
	report := addresses.Compute(world)
	if _, unread := n.Unread[cloud.Subnets]; !unread && report.Scope.Nodes != nil {
		o.hasSubnets, o.subnets = true, report.Subnets
		o.low, o.changes = addresspolicy.Low(policy, report, o.at)
	}
	switch parts := addresspolicy.UnreadParts(n); {
	case len(parts) > 0:
		why := n.Unread[parts[0]]
		return o.unknown(sentence.AddressPartUnread(message.ListOf(parts), why.Permission, why.Why()))
	case report.Scope.Nodes == nil:
		return o.unknown(sentence.AddressNodesUnknown())
	case policy.Status.ObservedAt != nil && !o.at.After(policy.Status.ObservedAt.Time):
		return o.unknown(sentence.AddressClockBack()) // It is no later reading.
	}
	scope := report.Scope
	scope.Now, o.known = o.at, true
	o.decisions, o.kept = addresspolicy.Pass(policy, scope, n.Interfaces, addresspolicy.Settled(remediations, policy))
	switch {
	case policy.Spec.Paused:
		o.obstacle, o.says = v1alpha1.PolicyPausedReason, english(sentence.GuardPaused())
	case scope.Cluster == "":
		o.obstacle, o.says = v1alpha1.PolicyNoClusterNameReason, english(sentence.AddressNoClusterName())
	case conclusion != nil && conclusion.Reason == v1alpha1.RemediationRefusedReason:
		o.obstacle, o.says = v1alpha1.PolicyNotPermittedReason, conclusion.Message
	}
	return o
}

// unknown is an observation of which it is not known which interfaces there are.
func (o observation) unknown(why message.Sentence) observation {
	text := english(why)
	o.why, o.obstacle, o.says = text, v1alpha1.PolicyAddressesUnknownReason, text
	return o
}

// apply is what an observation writes. What is not known leaves what was observed before as it was.
func (o observation) apply(s *v1alpha1.AddressPolicyStatus) {
	s.ObservedGeneration, s.LastRun = o.policy.Generation, o.lastRun
	meta.SetStatusCondition(&s.Conditions, o.ready())
	meta.SetStatusCondition(&s.Conditions, o.lowCondition())
	if o.hasSubnets {
		s.LowSubnets = o.low
	}
	if !o.known {
		since := metav1.NewTime(o.at.Truncate(time.Second))
		if s.Unknown != nil {
			since = s.Unknown.Since
		}
		s.Unknown = &v1alpha1.AddressesUnknown{Since: since, Message: o.why}
		return
	}
	s.Unknown, s.ObservedAt = nil, new(metav1.NewMicroTime(o.at))
	s.Decisions, s.Observations = addresspolicy.Counts(o.decisions), o.kept
}

// ready is the condition Ready.
func (o observation) ready() metav1.Condition {
	if o.obstacle != "" {
		return o.condition(v1alpha1.PolicyReady, metav1.ConditionFalse, o.obstacle, o.says)
	}
	return o.condition(v1alpha1.PolicyReady, metav1.ConditionTrue, v1alpha1.PolicyReadyReason, english(sentence.FailoverReady()))
}

// lowCondition is the condition AddressesLow.
func (o observation) lowCondition() metav1.Condition {
	const most = 10
	switch {
	case !o.hasSubnets:
		return o.condition(v1alpha1.AddressesLow, metav1.ConditionUnknown, v1alpha1.PolicyAddressesUnknownReason, o.why)
	case len(o.low) == 0:
		return o.condition(v1alpha1.AddressesLow, metav1.ConditionFalse, v1alpha1.AddressesSufficientReason, english(sentence.AddressSufficient()))
	}
	var low []string
	for _, s := range o.low[:min(len(o.low), most)] {
		low = append(low, s.ID)
	}
	return o.condition(v1alpha1.AddressesLow, metav1.ConditionTrue, v1alpha1.AddressesLowReason, english(sentence.AddressLowSubnets(message.ListOf(low))))
}

func (o observation) condition(kind string, status metav1.ConditionStatus, reason, says string) metav1.Condition {
	return metav1.Condition{
		Type: kind, Status: status, Reason: reason, Message: says, ObservedGeneration: o.policy.Generation, LastTransitionTime: metav1.NewTime(o.at),
	}
}

// english is what a status says.
func english(why message.Sentence) string {
	return textutil.Truncate(message.English().Say(why), longestMessage)
}

// deferTo writes that another policy decides.
func (c *Reconciler) deferTo(ctx context.Context, policy, decides *v1alpha1.AddressPolicy) error {
	o := observation{policy: policy, at: c.Clock.Now(), obstacle: v1alpha1.PolicyOtherPolicyReason, says: english(sentence.AddressOtherPolicy("addresspolicy/" + decides.Name))}
	_, err := c.Records.UpdateAddressPolicyStatus(ctx, policy, func(s *v1alpha1.AddressPolicyStatus) {
		ready := o.ready()
		conditions := slices.Clone(s.Conditions)
		*s = v1alpha1.AddressPolicyStatus{ObservedGeneration: policy.Generation}
		if before := meta.FindStatusCondition(conditions, v1alpha1.PolicyReady); before != nil {
			s.Conditions = []metav1.Condition{*before}
		}
		meta.SetStatusCondition(&s.Conditions, ready)
	})
	return err
}

// noteLow makes Events of subnets that have become low, or are low no longer.
func (c *Reconciler) noteLow(policy *v1alpha1.AddressPolicy, changes []addresspolicy.Change) {
	about := reference(policy.Name, policy.UID)
	for _, change := range changes {
		subnet := "subnet/" + change.ID
		kind, reason, says := corev1.EventTypeNormal, "SubnetClear", sentence.AddressSubnetClear(subnet, change.Zone, change.Free, change.Size)
		if change.Low {
			kind, reason, says = corev1.EventTypeWarning, "SubnetLow", sentence.AddressLowSubnet(subnet, change.Zone, change.Free, change.Size)
		}
		text := message.English().Say(says)
		c.Log.Info(text, "policy", policy.Name)
		c.Records.Event(about, kind, reason, "ReadNetwork", text)
	}
}
