package status

import (
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/addresses"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// AddressCause is why a pod gets no address from the AWS VPC CNI.
type AddressCause int

// The causes; NoAddressCause is none that can be seen.
const (
	NoAddressCause AddressCause = iota
	PluginDown
	PermissionMissing
	Throttled
	NodeAtLimit
	SubnetExhausted
	PrefixesFragmented
	CoolDown
)

// AddressState is what is known of the addresses for a pod that waits for one.
type AddressState struct {
	Cause AddressCause
	// Node and Subnets are the pod's node and the subnets it gets addresses from; nil if they are not known.
	Node    *addresses.Node
	Subnets []*addresses.Subnet
	// Causes are links about the VPC CNI itself, RuledOut what is not the cause.
	Causes, RuledOut []finding.Link
}

// WaitsForAddress is the Event by which a pod waits for an address; nil if it does not.
func WaitsForAddress(q query.Query, pod *corev1.Pod) *corev1.Event {
	if pod.Spec.NodeName == "" || pod.Status.PodIP != "" || pod.Spec.HostNetwork || !facts.IsActive(pod) {
		return nil
	}
	events := q.Events(pod, "FailedCreatePodSandBox")
	if len(events) == 0 || !containsAny(strings.ToLower(events[0].Message), addressErrors) {
		return nil
	}
	return events[0]
}

// AddressOf says why a pod that waits for an address has none.
func AddressOf(q query.Query, pod *corev1.Pod, event *corev1.Event) AddressState {
	s := AddressState{}
	if s.plugin(q, pod, event); s.Cause != NoAddressCause {
		return s
	}
	r := q.Addresses()
	if r == nil {
		return s
	}
	if s.Node = r.Node(pod.Spec.NodeName); s.Node == nil || !s.Node.Judged {
		s.ofENIConfig(r)
		return s
	}
	s.Subnets = r.Usable(s.Node)
	s.Cause = s.ofNetwork(r)
	node := facts.NodeRef(s.Node.Name)
	if s.Cause != NodeAtLimit && s.Node.Capacity > 0 {
		s.RuledOut = append(s.RuledOut, finding.Link{
			Message:  sentence.RuledOutLimit(node, s.Node.Pods, s.Node.Capacity),
			Evidence: []finding.Evidence{facts.Evidence(node, "metadata.labels["+corev1.LabelInstanceTypeStable+"]", s.Node.Type)},
		})
	}
	for _, subnet := range s.Subnets {
		if subnet.Free > 0 && s.Cause != PrefixesFragmented {
			s.RuledOut = append(s.RuledOut, finding.Link{Message: sentence.RuledOutFree(SubnetRef(subnet.ID), int(subnet.Free)), Evidence: FreeEvidence(subnet)})
		}
	}
	return s
}

// ofENIConfig is what custom networking shows: whether the subnet of the node's ENIConfig has no free address.
func (s *AddressState) ofENIConfig(r *addresses.Report) {
	if s.Node == nil {
		return
	}
	if _, subnet := r.ENIConfigOf(s.Node); subnet != nil {
		s.Subnets = []*addresses.Subnet{subnet}
		if subnet.Free == 0 {
			s.Cause = SubnetExhausted
		}
	}
}

// ENIConfigLink says which ENIConfig a node uses, and how many addresses its subnet has; false if that is not known.
func ENIConfigLink(r *addresses.Report, n *addresses.Node) (finding.Link, bool) {
	config, subnet := r.ENIConfigOf(n)
	if config == nil {
		return finding.Link{}, false
	}
	node, ref := facts.NodeRef(n.Name), ENIConfigRef(config.Name)
	evidence := []finding.Evidence{facts.Evidence(ref, "spec.subnet", config.Subnet)}
	switch {
	case !config.Exists():
		return finding.Link{Message: sentence.ENIConfigMissing(node, ref), Evidence: evidence}, true
	case subnet == nil:
		return finding.Link{Message: sentence.ENIConfigSubnetUnknown(ref, node, SubnetRef(config.Subnet)), Evidence: evidence}, true
	}
	return finding.Link{
		Message: sentence.ENIConfigSubnet(ref, node, SubnetRef(subnet.ID), int(subnet.Free)), Evidence: append(evidence, FreeEvidence(subnet)...),
	}, true
}

// ENIConfigRef refers to an ENIConfig.
func ENIConfigRef(name string) change.Ref {
	return change.Ref{Kind: string(cluster.ENIConfig), Name: name}
}

// ofNetwork is the cause that the network facts show.
func (s *AddressState) ofNetwork(r *addresses.Report) AddressCause {
	free, blocks := int64(0), 0
	for _, subnet := range s.Subnets {
		free, blocks = free+subnet.Free, blocks+subnet.FreeBlocks
	}
	prefixes := r.Settings.Prefixes && r.Has(cloud.Interfaces)
	switch {
	case s.Node.Full():
		return NodeAtLimit
	case len(s.Subnets) > 0 && free == 0:
		return SubnetExhausted
	case len(s.Subnets) > 0 && prefixes && blocks == 0:
		return PrefixesFragmented
	case s.Node.Spare() > 0:
		return CoolDown
	}
	return NoAddressCause
}

// plugin looks at the VPC CNI's pod on the node.
func (s *AddressState) plugin(q query.Query, pod *corev1.Pod, event *corev1.Event) {
	set := q.World.DaemonSet(metav1.NamespaceSystem, addresses.Plugin)
	if set == nil {
		return
	}
	node := facts.NodeRef(pod.Spec.NodeName)
	pods := slices.DeleteFunc(slices.Clone(q.World.PodsOf(set.UID)), func(p *corev1.Pod) bool { return p.Spec.NodeName != node.Name })
	if len(pods) == 0 {
		s.Cause = PluginDown
		s.Causes = append(s.Causes, finding.Link{Message: sentence.AddressNoPlugin(node), Evidence: []finding.Evidence{facts.Evidence(facts.RefTo(cluster.DaemonSet, set), "status.desiredNumberScheduled", strconv.Itoa(int(set.Status.DesiredNumberScheduled)))}})
		return
	}
	plugin, ref := pods[0], facts.RefTo(cluster.Pod, pods[0])
	events := append(q.Events(plugin), event)
	denied := slices.IndexFunc(events, func(e *corev1.Event) bool {
		return e.Reason == missingPermissions || strings.Contains(e.Message, "UnauthorizedOperation")
	})
	throttled := slices.IndexFunc(events, func(e *corev1.Event) bool { return strings.Contains(e.Message, "RequestLimitExceeded") })
	switch {
	case !kube.IsPodReady(plugin):
		s.Cause = PluginDown
		s.Causes = append(s.Causes, finding.Link{Message: sentence.AddressPluginDown(node, ref, PodState(plugin)), Evidence: []finding.Evidence{stateEvidence(plugin)}})
	case denied >= 0:
		s.Cause = PermissionMissing
		s.Causes = append(s.Causes, finding.Link{Message: sentence.AddressNoPermission(node), Evidence: []finding.Evidence{query.EventEvidence(events[denied])}})
	case throttled >= 0:
		s.Cause = Throttled
		s.Causes = append(s.Causes, finding.Link{Message: sentence.AddressThrottled(node), Evidence: []finding.Evidence{query.EventEvidence(events[throttled])}})
	default:
		s.RuledOut = append(s.RuledOut,
			finding.Link{Message: sentence.RuledOutPlugin(node, ref), Evidence: []finding.Evidence{facts.Evidence(ref, "status.conditions[Ready]", string(corev1.ConditionTrue))}},
			finding.Link{Message: sentence.RuledOutPermission(), Evidence: []finding.Evidence{facts.Evidence(ref, "events["+missingPermissions+"]", "")}})
	}
}

// missingPermissions is the reason of the Event by which the VPC CNI reports that EC2 denied it a call.
//
// Source: amazon-vpc-cni-k8s, pkg/utils/eventrecorder and pkg/ipamd.
const missingPermissions = "MissingIAMPermissions"

// SubnetRef refers to a subnet.
func SubnetRef(id string) change.Ref { return change.Ref{Kind: string(cluster.Subnet), Name: id} }

// FreeEvidence is how many addresses of a subnet are free, and what is reserved of it.
func FreeEvidence(s *addresses.Subnet) []finding.Evidence {
	free := s.Free
	if s.Reserved > 0 {
		free = s.Available
	}
	evidence := []finding.Evidence{
		facts.Evidence(SubnetRef(s.ID), "spec.availableIpAddressCount", strconv.FormatInt(free, 10)),
		facts.Evidence(SubnetRef(s.ID), "spec.cidrBlock", s.CIDR),
	}
	for _, r := range s.Reservations[:min(len(s.Reservations), query.MaxListed)] {
		evidence = append(evidence, facts.Evidence(SubnetRef(s.ID), "spec.cidrReservations["+r.CIDR+"].reservationType", string(r.Type)))
	}
	return evidence
}

// explainAddress says why a pod has no address, as far as no finding about its subnet or node does.
func (s *Status) explainAddress(pod *corev1.Pod) {
	event := WaitsForAddress(s.Query, pod)
	r := s.Addresses()
	if event == nil {
		s.addUnknown("addresses", sentence.AddressesUnknown())
		return
	}
	state := AddressOf(s.Query, pod, event)
	s.Causes = append(s.Causes, state.Causes...)
	node := facts.NodeRef(pod.Spec.NodeName)
	switch state.Cause {
	case PermissionMissing:
		s.addRemedies(s.proposeCommand("", sentence.RemedyPermission(), sentence.RemedyNoCost(), sentence.RemedyNoCost()))
	case CoolDown:
		s.addCause(sentence.AddressCoolDown(node, state.Node.Spare()), facts.Evidence(node, "pods", strconv.Itoa(state.Node.Pods)))
	case NoAddressCause:
		if r == nil || state.Node == nil {
			s.addUnknown("addresses", sentence.AddressesUnknown())
			break
		}
		if len(state.Subnets) == 0 {
			s.addUnknown("addresses", sentence.AddressesUnknown())
		} else if state.Node.Judged {
			s.Causes = append(s.Causes, state.RuledOut...)
			s.addCause(sentence.AddressNoCause(node, "kubectl logs --namespace kube-system --selector k8s-app=aws-node --container aws-node --tail 200"))
		}
		if link, known := ENIConfigLink(r, state.Node); known {
			s.Causes = append(s.Causes, link)
		}
		if r.Has(cloud.Subnets) {
			s.addUnknown("addresses", sentence.AddressThrottleGap())
		}
	}
	if r != nil {
		s.Unknown = append(s.Unknown, AddressGaps(r)...)
		s.NotModelled = append(s.NotModelled, AddressExceptions(r)...)
	}
}

// AddressGaps are the parts of the network that could not be read.
func AddressGaps(r *addresses.Report) []finding.Gap {
	gaps := query.UnreadGaps(r.Unread, addresses.Parts(r))
	if unknown := r.WithoutENIConfig(); unknown > 0 {
		gaps = append(gaps, finding.Gap{About: string(cluster.ENIConfig), Message: sentence.ENIConfigUnknown(unknown)})
	}
	return gaps
}

// AddressExceptions are what naosu sees of the network and does not judge.
func AddressExceptions(r *addresses.Report) []finding.Gap {
	says := map[addresses.Exception]func() message.Sentence{
		addresses.CustomNetworking: sentence.NotJudgedCustomNetworking, addresses.BranchInterfaces: sentence.NotJudgedBranchInterfaces,
		addresses.AutoMode: sentence.NotJudgedAutoMode, addresses.IPv6: sentence.NotJudgedIPv6,
	}
	var gaps []finding.Gap
	for _, e := range r.NotJudged {
		gaps = append(gaps, finding.Gap{About: "addresses", Message: says[e]()})
	}
	return gaps
}
