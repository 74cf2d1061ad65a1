package cluster

import (
	"maps"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cluster/custom"
)

// The kinds that are read from a cloud. A Snapshot holds them if WithNetwork added them, or its file has them.
const (
	Subnet           = Kind(cloud.Subnets)
	NetworkInterface = Kind(cloud.Interfaces)
	Instance         = Kind(cloud.Instances)
	AutoScalingGroup = Kind(cloud.ScalingGroups)
)

// NetworkKinds are the kinds that are read from a cloud.
func NetworkKinds() []Kind { return []Kind{Subnet, NetworkInterface, Instance, AutoScalingGroup} }

// WithNetwork is the Snapshot with what a cloud tells of the cluster's network.
func (s *Snapshot) WithNetwork(n cloud.Network) *Snapshot { return s.withNetwork(n, NetworkKinds()) }

// WithScalingGroups is the Snapshot with what a cloud tells of its node groups, and of the network no more than that.
func (s *Snapshot) WithScalingGroups(n cloud.Network) *Snapshot {
	var kinds []Kind
	for _, part := range cloud.ScalingGroupParts {
		kinds = append(kinds, Kind(part))
	}
	return s.withNetwork(n, kinds)
}

func (s *Snapshot) withNetwork(n cloud.Network, kinds []Kind) *Snapshot {
	with := s.With(networkEdits(n)...)
	with.knowledge, with.unread = map[Kind]Knowledge{}, n.Unread
	maps.Copy(with.knowledge, s.knowledge)
	maps.Copy(with.knowledge, networkKnowledge(n, kinds))
	return with
}

// networkEdits add a network's objects.
func networkEdits(n cloud.Network) []Edit {
	var edits []Edit
	for _, one := range n.Subnets {
		edits = append(edits, Put(&custom.Subnet{ObjectMeta: named(one.ID, corev1.LabelTopologyZone, one.Zone), Spec: one}))
	}
	for _, one := range n.Interfaces {
		edits = append(edits, Put(&custom.NetworkInterface{ObjectMeta: metav1.ObjectMeta{Name: one.ID}, Spec: one}))
	}
	for _, one := range n.Instances {
		edits = append(edits, Put(&custom.Instance{ObjectMeta: named(one.ID, corev1.LabelInstanceTypeStable, one.Type), Spec: one}))
	}
	for _, one := range n.Groups {
		edits = append(edits, putGroup(one))
	}
	return edits
}

// networkKnowledge is how much of each of some kinds a network holds.
func networkKnowledge(n cloud.Network, kinds []Kind) map[Kind]Knowledge {
	known := map[Kind]Knowledge{}
	for _, kind := range kinds {
		known[kind] = Complete
		if why, failed := n.Unread[cloud.NetworkPart(kind)]; failed && why.Permission != "" {
			known[kind] = Forbidden
		} else if failed {
			known[kind] = Absent
		}
	}
	return known
}

func named(name, label, value string) metav1.ObjectMeta {
	o := metav1.ObjectMeta{Name: name}
	if value != "" {
		o.Labels = map[string]string{label: value}
	}
	return o
}

// HasNetwork says whether a cloud was asked about the network, even if it did not answer, and HasScalingGroups whether it was about node groups.
func (s *Snapshot) HasNetwork() bool { return s.wasAsked(cloud.Interfaces) }

// HasScalingGroups is explained at HasNetwork.
func (s *Snapshot) HasScalingGroups() bool { return s.wasAsked(cloud.ScalingGroups) }

func (s *Snapshot) wasAsked(part cloud.NetworkPart) bool {
	_, unread := s.unread[part]
	return unread || s.Knowledge(Kind(part)) != Absent
}

// Network is what a cloud tells of the cluster's network. Its parts are sorted by ID. It may come from a file that anybody wrote.
func (s *Snapshot) Network() cloud.Network {
	n := cloud.Network{Unread: s.unread}
	for _, o := range list[*custom.Subnet](s, Subnet) {
		one := o.Spec
		one.ID, one.Zone = o.Name, o.Labels[corev1.LabelTopologyZone]
		n.Subnets = append(n.Subnets, one)
	}
	for _, o := range list[*custom.NetworkInterface](s, NetworkInterface) {
		one := o.Spec
		one.ID = o.Name
		n.Interfaces = append(n.Interfaces, one)
	}
	for _, o := range list[*custom.Instance](s, Instance) {
		one := o.Spec
		one.ID, one.Type = o.Name, o.Labels[corev1.LabelInstanceTypeStable]
		n.Instances = append(n.Instances, one)
	}
	for _, o := range list[*custom.AutoScalingGroup](s, AutoScalingGroup) {
		one := o.Spec
		one.Name = o.Name
		n.Groups = append(n.Groups, one)
	}
	return n
}
