package rules

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/naosu-dev/naosu/internal/addresses"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/diagnosis/status"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// Addresses finds N401 to N405, in worlds that hold what a cloud tells of their network: subnets and nodes that have no address left or will have
// none, and interfaces that hold addresses for nothing.
type Addresses struct{}

var _ query.Rule = Addresses{}

// Codes of Addresses.
func (Addresses) Codes() []finding.Code {
	return []finding.Code{finding.N401, finding.N402, finding.N403, finding.N404, finding.N405}
}

// RequiredKinds of Addresses. What could not be read from the cloud is stated in each finding.
func (Addresses) RequiredKinds() []cluster.Kind { return []cluster.Kind{cluster.Node, cluster.Pod} }

// Applies where a cloud was asked about the network, to everything but pods that wait for a node.
func (Addresses) Applies(q query.Query) bool {
	return q.World.HasNetwork() && query.BeyondScheduling(q)
}

// Find examines subnets, nodes and interfaces.
func (rule Addresses) Find(ctx context.Context, q query.Query) []finding.Finding {
	if !q.Known(rule.RequiredKinds()...) {
		return nil
	}
	a := addressRule{Query: q, Report: q.Addresses(), waiting: map[waitingKey]waitingPods{}}
	a.group()
	found := slices.Concat(a.exhausted(ctx), a.atLimit(), a.fragmented(ctx))
	if !q.PresentOnly {
		found = slices.Concat(found, a.runOut(ctx), a.leaked(ctx), a.acceptMore())
	}
	return q.AboutSubject(found)
}

// addressRule is one Find.
type addressRule struct {
	query.Query
	*addresses.Report
	waiting map[waitingKey]waitingPods
}

// waitingKey is why pods wait for an address, and the subnet or node where.
type waitingKey struct {
	cause status.AddressCause
	at    string
}

// waitingPods are pods that wait for an address for one reason, with the state of the first.
type waitingPods struct {
	refs  []change.Ref
	event *corev1.Event
	state status.AddressState
}

// group groups the pods that wait for an address.
func (a addressRule) group() {
	for _, pod := range a.World.Pods() {
		event := status.WaitsForAddress(a.Query, pod)
		if event == nil {
			continue
		}
		state := status.AddressOf(a.Query, pod, event)
		key := waitingKey{cause: state.Cause}
		switch {
		case state.Node == nil:
			continue
		case state.Cause == status.NodeAtLimit:
			key.at = state.Node.Name
		case state.Node.ENIConfig != "" && len(state.Subnets) > 0:
			key.at = state.Subnets[0].ID
		default:
			key.at = state.Node.Subnet
		}
		those, before := a.waiting[key]
		if !before {
			those.event, those.state = event, state
		}
		those.refs = append(those.refs, facts.RefTo(cluster.Pod, pod))
		a.waiting[key] = those
	}
}

// exhausted finds subnets without a free address from which nodes get theirs alone.
func (a addressRule) exhausted(ctx context.Context) []finding.Finding {
	var found []finding.Finding
	for at := range a.Subnets {
		s := &a.Subnets[at]
		pods := a.waiting[waitingKey{status.SubnetExhausted, s.ID}]
		if s.Free > 0 || len(pods.refs) == 0 && (len(s.Nodes) == 0 || a.hasFree(s)) || a.Excludes(finding.N401, status.SubnetRef(s.ID)) {
			continue
		}
		f := a.about(finding.N401, s, pods)
		f.Message = sentence.SubnetExhausted(status.SubnetRef(s.ID), s.Zone, len(pods.refs), a.Enumerate(pods.refs))
		if s.Available == 0 {
			f.Causes = append(f.Causes, finding.Link{Message: sentence.CauseNoFree(status.SubnetRef(s.ID)), Evidence: status.FreeEvidence(s)})
		}
		f.Causes = append(f.Causes, reservedCause(s)...)
		f.Causes = append(f.Causes, a.eniConfigCause(pods)...)
		f.Causes = append(f.Causes, a.holders(s)...)
		f.RuledOut = append(f.RuledOut, pods.state.RuledOut...)
		if s.Leaked == 0 && a.Has(cloud.Interfaces) {
			f.RuledOut = append(f.RuledOut, finding.Link{Message: sentence.RuledOutLeaks(status.SubnetRef(s.ID)), Evidence: status.FreeEvidence(s)})
		}
		f.Remedies = a.remedies(ctx, s, int64(len(pods.refs)), pods.refs)
		found = append(found, f)
	}
	return found
}

// eniConfigCause says which ENIConfig the node of the first of some pods uses; none without custom networking.
func (a addressRule) eniConfigCause(pods waitingPods) []finding.Link {
	if pods.state.Node == nil {
		return nil
	}
	if link, known := status.ENIConfigLink(a.Report, pods.state.Node); known {
		return []finding.Link{link}
	}
	return nil
}

// reservedCause says how many addresses of a subnet CIDR reservations keep; none if there are none.
func reservedCause(s *addresses.Subnet) []finding.Link {
	if s.Reserved == 0 {
		return nil
	}
	return []finding.Link{{Message: sentence.CauseReserved(int(s.Reserved), status.SubnetRef(s.ID), s.Available), Evidence: status.FreeEvidence(s)}}
}

// hasFree says whether the nodes of a subnet get addresses from another one, too, that has some.
func (a addressRule) hasFree(s *addresses.Subnet) bool {
	usable := a.Usable(a.Node(s.Nodes[0]))
	return slices.ContainsFunc(usable, func(s *addresses.Subnet) bool { return s.Free > 0 })
}

// about is a finding about a subnet and the pods that wait for it, critical if there are any.
func (a addressRule) about(code finding.Code, s *addresses.Subnet, pods waitingPods) finding.Finding {
	f := finding.Finding{Code: code, Severity: finding.Warning, Unknown: status.AddressGaps(a.Report)}
	f.Subjects = append([]change.Ref{status.SubnetRef(s.ID)}, pods.refs...)
	if len(pods.refs) > 0 {
		f.Severity = finding.Critical
		f.Causes = append(f.Causes, finding.Link{
			Message:  sentence.AddressMissing(pods.refs[0], facts.NodeRef(pods.state.Node.Name)),
			Evidence: []finding.Evidence{query.EventEvidence(pods.event)},
		})
	}
	return f
}

// holders are links to who holds the addresses of a subnet.
func (a addressRule) holders(s *addresses.Subnet) []finding.Link {
	if !a.Has(cloud.Interfaces) || !s.Valid {
		return nil
	}
	ref := status.SubnetRef(s.ID)
	links := []finding.Link{{Message: sentence.CauseHolders(s.Size, ref, s.Pods, s.Primary, s.Warm, s.Leaked, s.Other), Evidence: status.FreeEvidence(s)}}
	if leaks := a.LeaksIn(s.ID); len(leaks) > 0 {
		links = append(links, finding.Link{Message: sentence.CauseLeakedIn(len(leaks), int(s.Leaked), a.oldest(leaks)), Evidence: leakEvidence(leaks)})
	}
	if s.Warm > 0 && len(s.Nodes) > 0 {
		links = append(links, finding.Link{Message: sentence.CauseWarmPool(int(s.Warm), len(s.Nodes)), Evidence: a.settingsEvidence()})
	}
	if a.Settings.Discovery && !a.Settings.Custom && len(a.Usable(&addresses.Node{Instance: cloud.Instance{Subnet: s.ID}})) < 2 {
		links = append(links, finding.Link{Message: sentence.CauseNoOtherSubnet(s.Zone), Evidence: []finding.Evidence{facts.Evidence(ref, "spec.roleCNI", s.RoleCNI)}})
	}
	return links
}

// settingsEvidence are the VPC CNI's settings of spare addresses.
func (a addressRule) settingsEvidence() []finding.Evidence {
	set := a.World.DaemonSet(metav1.NamespaceSystem, addresses.Plugin)
	if set == nil {
		return nil
	}
	var evidence []finding.Evidence
	for _, container := range set.Spec.Template.Spec.Containers {
		for _, variable := range container.Env {
			if strings.Contains(variable.Name, "WARM_") || variable.Name == "MINIMUM_IP_TARGET" {
				field := "spec.template.spec.containers[" + container.Name + "].env[" + variable.Name + "].value"
				evidence = append(evidence, facts.Evidence(facts.RefTo(cluster.DaemonSet, set), field, variable.Value))
			}
		}
	}
	return evidence
}

// leakEvidence is what the first of some leaked interfaces are recognized by.
func leakEvidence(leaks []addresses.Leak) []finding.Evidence {
	var evidence []finding.Evidence
	for _, l := range leaks[:min(len(leaks), query.MaxListed)] {
		ref := interfaceRef(l.ID)
		evidence = append(evidence, facts.Evidence(ref, "spec.status", string(l.State)), facts.Evidence(ref, "spec.description", l.Description))
	}
	return evidence
}

func interfaceRef(id string) change.Ref {
	return change.Ref{Kind: string(cluster.NetworkInterface), Name: id}
}

// oldest is the age of the oldest leaked interface; empty if none has a time of creation.
func (a addressRule) oldest(leaks []addresses.Leak) string {
	for _, l := range leaks {
		if l.CreatedAt != nil {
			return duration.HumanDuration(max(0, a.World.Taken().Sub(*l.CreatedAt).Truncate(time.Second)))
		}
	}
	return ""
}

// atLimit finds nodes that have all addresses that their type allows, and pods that wait for one.
func (a addressRule) atLimit() []finding.Finding {
	var found []finding.Finding
	for at := range a.Nodes {
		n := &a.Nodes[at]
		pods, node := a.waiting[waitingKey{status.NodeAtLimit, n.Name}], facts.NodeRef(n.Name)
		if len(pods.refs) == 0 || a.Excludes(finding.N404, node) {
			continue
		}
		f := finding.Finding{Code: finding.N404, Severity: finding.Critical, Subjects: append([]change.Ref{node}, pods.refs...), Unknown: status.AddressGaps(a.Report)}
		f.Message = sentence.NodeAtLimit(node, len(pods.refs), n.Type, n.MaxInterfaces, n.Capacity, a.Enumerate(pods.refs))
		f.Causes = []finding.Link{
			{Message: sentence.AddressMissing(pods.refs[0], node), Evidence: []finding.Evidence{query.EventEvidence(pods.event)}},
			{Message: sentence.CauseSlotsUsed(n.Pods, node, n.Capacity), Evidence: limitEvidence(n)},
		}
		f.RuledOut = pods.state.RuledOut
		f.Remedies = a.prefixRemedy()
		found = append(found, f)
	}
	return found
}

func limitEvidence(n *addresses.Node) []finding.Evidence {
	instance := change.Ref{Kind: string(cluster.Instance), Name: n.ID}
	return []finding.Evidence{
		facts.Evidence(instance, "metadata.labels["+corev1.LabelInstanceTypeStable+"]", n.Type),
		facts.Evidence(instance, "spec.maximumNetworkInterfaces", strconv.Itoa(n.MaxInterfaces)),
		facts.Evidence(instance, "spec.ipv4AddressesPerInterface", strconv.Itoa(n.AddressesPerInterface)),
		facts.Evidence(facts.NodeRef(n.Name), "status.allocatable.pods", strconv.Itoa(n.MaxPods)),
	}
}

// usualHostNetwork is how many pods without an address of their own EKS counts on each node in its maximum of pods: aws-node and kube-proxy.
//
// Source: https://docs.aws.amazon.com/eks/latest/userguide/choosing-instance-type.html.
const usualHostNetwork = 2

// acceptMore finds nodes whose kubelet accepts more pods than the type has addresses for, by type.
func (a addressRule) acceptMore() []finding.Finding {
	type kind struct {
		name             string
		accepts, allowed int
	}
	nodes := map[kind][]*addresses.Node{}
	var order []kind
	for at := range a.Nodes {
		n := &a.Nodes[at]
		accepts := n.MaxPods - max(n.HostNetwork, usualHostNetwork)
		if !n.Judged || n.Capacity == 0 || accepts <= n.Capacity || len(a.waiting[waitingKey{status.NodeAtLimit, n.Name}].refs) > 0 || a.Excludes(finding.N404, facts.NodeRef(n.Name)) {
			continue
		}
		key := kind{n.Type, accepts, n.Capacity}
		if nodes[key] == nil {
			order = append(order, key)
		}
		nodes[key] = append(nodes[key], n)
	}
	var found []finding.Finding
	for _, key := range order {
		f := finding.Finding{Code: finding.N404, Severity: finding.Warning, Unknown: status.AddressGaps(a.Report), Remedies: a.prefixRemedy()}
		for _, n := range nodes[key] {
			f.Subjects = append(f.Subjects, facts.NodeRef(n.Name))
		}
		f.Message = sentence.NodeAcceptsMore(a.Enumerate(f.Subjects), key.accepts, key.name, key.allowed)
		f.Causes = []finding.Link{{Message: f.Message, Evidence: limitEvidence(nodes[key][0])}}
		found = append(found, f)
	}
	return found
}

// fragmented finds subnets of which nodes want prefixes, and none is free although 16 addresses are.
func (a addressRule) fragmented(ctx context.Context) []finding.Finding {
	if !a.Settings.Prefixes || !a.Has(cloud.Interfaces) {
		return nil
	}
	var found []finding.Finding
	for at := range a.Subnets {
		s, ref := &a.Subnets[at], status.SubnetRef(a.Subnets[at].ID)
		pods := a.waiting[waitingKey{status.PrefixesFragmented, s.ID}]
		if !s.Valid || s.Free == 0 || s.FreeBlocks > 0 || len(pods.refs) == 0 && s.Free < 16 || a.Excludes(finding.N405, ref) {
			continue
		}
		f := a.about(finding.N405, s, pods)
		f.Message = sentence.PrefixesFragmented(ref, s.Zone, int(s.Free), len(pods.refs), a.Enumerate(pods.refs))
		f.Causes = append(f.Causes, finding.Link{Message: sentence.CauseNoBlock(ref), Evidence: status.FreeEvidence(s)})
		f.RuledOut = pods.state.RuledOut
		f.Remedies = append(a.tagRemedy(ctx, s, pods.refs), finding.Remedy{
			Message: sentence.RemedyReserve(ref), Command: change.SetPluginEnv("ENABLE_PREFIX_DELEGATION=false"), Cost: sentence.RemedyWarmPoolCost(), Risk: sentence.RemedyReserveRisk(),
		})
		found = append(found, f)
	}
	return found
}

// runOut finds subnets whose free addresses do not suffice for the new nodes of groups at their maximum.
func (a addressRule) runOut(ctx context.Context) []finding.Finding {
	var found []finding.Finding
	for at := range a.Subnets {
		s, ref := &a.Subnets[at], status.SubnetRef(a.Subnets[at].ID)
		left, known := s.AtMaximum()
		if !known || left >= 0 || s.Free == 0 || a.Excludes(finding.N402, ref) {
			continue
		}
		f := a.about(finding.N402, s, waitingPods{})
		f.Message = sentence.SubnetWillRunOut(ref, s.Zone, int(s.Free), *s.Growth, -left)
		f.Causes = append(f.Causes, finding.Link{Message: f.Message, Evidence: status.FreeEvidence(s)})
		for _, g := range a.Groups {
			if g.Known && g.Max > g.Nodes && slices.Contains(g.Subnets, s.ID) && len(f.Causes) <= query.MaxListed {
				group, evidence := a.maximum(g)
				f.Causes = append(f.Causes, finding.Link{Message: sentence.CauseGroupGrows(group, g.Nodes, g.Max, g.PodsPerNode, g.Held), Evidence: evidence})
			}
		}
		f.Causes = slices.Concat(f.Causes, reservedCause(s), a.holders(s))
		if !a.Settings.Known {
			f.Unknown = append(f.Unknown, finding.Gap{About: addresses.Plugin, Message: sentence.AddressSettingsUnknown()})
		}
		f.Remedies = a.remedies(ctx, s, -left, nil)
		found = append(found, f)
	}
	return found
}

// maximum is a group with what its maximum was read from.
func (a addressRule) maximum(g addresses.Group) (change.Ref, []finding.Evidence) {
	if !g.NodePool {
		group := change.Ref{Kind: string(cluster.AutoScalingGroup), Name: g.Name}
		return group, []finding.Evidence{facts.Evidence(group, "spec.maxSize", strconv.Itoa(g.Max))}
	}
	group := change.Ref{Kind: string(cluster.NodePool), Name: g.Name}
	var evidence []finding.Evidence
	if pool := a.World.NodePool(g.Name); pool != nil {
		for _, resource := range slices.Sorted(maps.Keys(pool.Spec.Limits)) {
			limit := pool.Spec.Limits[resource]
			evidence = append(evidence, facts.Evidence(group, "spec.limits."+string(resource), limit.String()))
		}
	}
	return group, evidence
}

// leaked finds leaked interfaces: those that a tag says are this cluster's, and those that no tag says whose they are.
func (a addressRule) leaked(ctx context.Context) []finding.Finding {
	var found []finding.Finding
	for _, tagged := range []bool{true, false} {
		leaks := slices.DeleteFunc(slices.Clone(a.Leaks), func(l addresses.Leak) bool {
			return l.Tagged != tagged || a.Excludes(finding.N403, status.SubnetRef(l.Subnet))
		})
		if len(leaks) > 0 {
			found = append(found, a.describeLeaks(ctx, leaks, tagged))
		}
	}
	return found
}

func (a addressRule) describeLeaks(ctx context.Context, leaks []addresses.Leak, tagged bool) finding.Finding {
	f := finding.Finding{Code: finding.N403, Severity: finding.Info, Unknown: status.AddressGaps(a.Report)}
	sum := 0
	for _, l := range leaks {
		sum += int(l.Held)
		if ref := status.SubnetRef(l.Subnet); !slices.Contains(f.Subjects, ref) {
			f.Subjects = append(f.Subjects, ref)
		}
		if s := a.Subnet(l.Subnet); s != nil && tagged && isShort(s) {
			f.Severity = finding.Warning
		}
	}
	subnets := a.Enumerate(f.Subjects)
	says, cause := sentence.InterfacesLeaked, sentence.CauseLeakOrigin()
	if !tagged {
		says, cause = sentence.InterfacesUntagged, sentence.CauseNoClusterTag()
	}
	f.Message = says(len(leaks), sum, subnets, a.oldest(leaks))
	f.Causes = []finding.Link{{Message: f.Message, Evidence: leakEvidence(leaks)}, {Message: cause, Evidence: []finding.Evidence{
		facts.Evidence(interfaceRef(leaks[0].ID), "spec.cluster", leaks[0].Cluster),
	}}}
	if tagged {
		f.Remedies = a.leakRemedy(ctx, leaks, a.waitingIn(leaks))
	}
	return f
}

// isShort says whether a subnet has fewer free addresses than leaked interfaces hold, or too few for its groups.
func isShort(s *addresses.Subnet) bool {
	left, known := s.AtMaximum()
	return s.Free < s.Leaked || known && left < 0
}

// waitingIn are the pods that wait for an address of the subnets of some leaked interfaces.
func (a addressRule) waitingIn(leaks []addresses.Leak) []change.Ref {
	var waiting []change.Ref
	seen := map[string]bool{}
	for _, l := range leaks {
		if !seen[l.Subnet] {
			seen[l.Subnet] = true
			waiting = append(waiting, a.waiting[waitingKey{status.SubnetExhausted, l.Subnet}].refs...)
		}
	}
	return waiting
}
