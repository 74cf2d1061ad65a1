package csi

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	storagelisters "k8s.io/client-go/listers/storage/v1"
	"k8s.io/client-go/tools/cache"
)

// The wanted places are what external-provisioner v6.4.0 computes for the same names over three zones.
func TestSpread(t *testing.T) {
	tests := []struct {
		claim string
		want  uint32
	}{
		{"redis", 1},
		{"redash-redis", 0},
		{"data-redis-0", 1},
		{"data-redis-1", 2},
		{"data-redis-2", 0},
		{"logs-redis-0", 1},
		{"claim-jovyan", 1},
		{"x-7", 1},
		{"9", 1},
		{"data-web-42949672955", 2},
	}
	for _, test := range tests {
		if got := spread(test.claim) % 3; got != test.want {
			t.Errorf("claim %s goes to zone %d of three, want %d", test.claim, got, test.want)
		}
	}
}

func TestZone(t *testing.T) {
	anywhere := &storagev1.StorageClass{}
	only := func(key string, zones ...string) *storagev1.StorageClass {
		return &storagev1.StorageClass{AllowedTopologies: []corev1.TopologySelectorTerm{{
			MatchLabelExpressions: []corev1.TopologySelectorLabelRequirement{{Key: key, Values: zones}},
		}}}
	}
	tests := map[string]struct {
		nodes    map[string]string // name to zone
		without  []string          // nodes without the driver
		class    *storagev1.StorageClass
		claim    string
		selected string
		want     string
		fault    string
		gone     bool
	}{
		"a selected node decides":               {nodes: map[string]string{"n1": "1a", "n2": "1b"}, class: anywhere, selected: "n2", want: "1b"},
		"a selected node in an allowed zone":    {nodes: map[string]string{"n1": "1a"}, class: only(corev1.LabelTopologyZone, "1a", "1b"), selected: "n1", want: "1a"},
		"a selected node outside":               {nodes: map[string]string{"n1": "1c"}, class: only(corev1.LabelTopologyZone, "1a"), selected: "n1", fault: `topology 1c from selected node "n1" is not in requisite: [1a]`},
		"a selected node that is gone":          {class: anywhere, selected: "n1", fault: `failed to get selected CSINode n1`, gone: true},
		"a selected node without the driver":    {nodes: map[string]string{"n1": "1a"}, without: []string{"n1"}, class: anywhere, selected: "n1", fault: "no topology key found for node n1"},
		"a selected node without a zone":        {nodes: map[string]string{"n1": ""}, class: anywhere, selected: "n1", fault: "does not match topology keys from CSINode"},
		"at once, by the claim's name":          {nodes: map[string]string{"n1": "1a", "n2": "1b", "n3": "1c"}, class: anywhere, claim: "redis", want: "1b"},
		"at once, another name":                 {nodes: map[string]string{"n1": "1a", "n2": "1b", "n3": "1c"}, class: anywhere, claim: "redash-redis", want: "1a"},
		"at once, only zones with nodes":        {nodes: map[string]string{"n1": "1c", "n2": "1c"}, class: anywhere, claim: "redis", want: "1c"},
		"at once, allowed zones need no nodes":  {class: only(corev1.LabelTopologyZone, "1c"), claim: "redis", want: "1c"},
		"at once, allowed by the driver's key":  {class: only("topology.ebs.csi.aws.com/zone", "1b"), claim: "redis", want: "1b"},
		"at once, before there is any node":     {class: anywhere, claim: "redis", fault: "no available topology found"},
		"at once, before there is any driver":   {nodes: map[string]string{"n1": "1a"}, without: []string{"n1"}, class: anywhere, claim: "redis", fault: "no available topology found"},
		"at once, allowed by a key that is not": {nodes: map[string]string{"n1": "1a"}, class: only("rack", "1"), claim: "redis", want: "1a"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			zone, err := topologyOf(test.nodes, test.without).zone(ebsName, test.claim, test.class, test.selected)
			if zone != test.want {
				t.Errorf("zone is %q, want %q", zone, test.want)
			}
			if (err == nil) != (test.fault == "") || (err != nil && !strings.Contains(err.Error(), test.fault)) {
				t.Errorf("error is %v, want %q", err, test.fault)
			}
			if apierrors.IsNotFound(err) != test.gone {
				t.Errorf("error %v says the node is gone: %t, want %t", err, !test.gone, test.gone)
			}
		})
	}
}

func topologyOf(zones map[string]string, without []string) topology {
	nodes := cache.NewIndexer(cache.MetaNamespaceKeyFunc, nil)
	csiNodes := cache.NewIndexer(cache.MetaNamespaceKeyFunc, nil)
	for name, zone := range zones {
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{}}}
		if zone != "" {
			node.Labels[corev1.LabelTopologyZone] = zone
		}
		_ = nodes.Add(node)
		_ = csiNodes.Add(csiNode(name, "i-"+name))
	}
	for _, name := range without {
		_ = csiNodes.Update(&storagev1.CSINode{ObjectMeta: metav1.ObjectMeta{Name: name}})
	}
	return topology{nodes: corelisters.NewNodeLister(nodes), csiNodes: storagelisters.NewCSINodeLister(csiNodes)}
}

// csiNode is what a kubelet with the EBS driver on its machine registers.
func csiNode(node, instanceID string) *storagev1.CSINode {
	return &storagev1.CSINode{
		ObjectMeta: metav1.ObjectMeta{Name: node},
		Spec: storagev1.CSINodeSpec{Drivers: []storagev1.CSINodeDriver{
			{Name: ebsName, NodeID: instanceID, TopologyKeys: []string{corev1.LabelTopologyZone}},
		}},
	}
}
