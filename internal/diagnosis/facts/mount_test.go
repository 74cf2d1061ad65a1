package facts_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
)

func TestResolveMount(t *testing.T) {
	in := func(key string, values ...string) corev1.NodeSelectorTerm {
		return corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{{Key: key, Operator: corev1.NodeSelectorOpIn, Values: values}}}
	}
	volume := func(labels map[string]string, terms ...corev1.NodeSelectorTerm) *corev1.PersistentVolume {
		v := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "v", Labels: labels}}
		if terms != nil {
			v.Spec.NodeAffinity = &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{NodeSelectorTerms: terms}}
		}
		return v
	}
	class := func(mode storagev1.VolumeBindingMode, topologies ...corev1.TopologySelectorTerm) *storagev1.StorageClass {
		return &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "c"}, VolumeBindingMode: &mode, AllowedTopologies: topologies}
	}
	topology := func(key string, values ...string) corev1.TopologySelectorTerm {
		return corev1.TopologySelectorTerm{MatchLabelExpressions: []corev1.TopologySelectorLabelRequirement{{Key: key, Values: values}}}
	}
	const other = "topology.example.com/rack"
	for name, tc := range map[string]struct {
		volumeName string
		objects    []runtime.Object
		want       facts.VolumeScope
		zones      []string
		allows     map[string]bool // by zone
	}{
		"one zone":              {"v", []runtime.Object{volume(nil, in(corev1.LabelTopologyZone, "a"))}, facts.ScopeZone, []string{"a"}, map[string]bool{"a": true, "b": false}},
		"terms are alternative": {"v", []runtime.Object{volume(nil, in(corev1.LabelTopologyZone, "b"), in(corev1.LabelTopologyZone, "a"))}, facts.ScopeZone, []string{"a", "b"}, map[string]bool{"a": true, "b": true, "c": false}},
		"a zone label, of two":  {"v", []runtime.Object{volume(map[string]string{corev1.LabelFailureDomainBetaZone: "a__b"})}, facts.ScopeZone, []string{"a", "b"}, map[string]bool{"a": true, "b": true, "c": false}},
		"affinity and label":    {"v", []runtime.Object{volume(map[string]string{corev1.LabelTopologyZone: "b"}, in(corev1.LabelTopologyZone, "a", "b"))}, facts.ScopeZone, []string{"a", "b"}, map[string]bool{"a": false, "b": true}},
		"a node":                {"v", []runtime.Object{volume(nil, in(corev1.LabelHostname, "a"))}, facts.ScopeNodes, nil, map[string]bool{"a": true, "b": false}},
		"anywhere":              {"v", []runtime.Object{volume(nil)}, facts.ScopeCluster, nil, map[string]bool{"a": true, "b": true}},
		"the volume is gone":    {"v", nil, facts.ScopeUnknown, nil, nil},
		"made where it goes":    {"", []runtime.Object{class(storagev1.VolumeBindingWaitForFirstConsumer)}, facts.ScopeUnprovisioned, nil, map[string]bool{"a": true}},
		"made in a zone":        {"", []runtime.Object{class(storagev1.VolumeBindingWaitForFirstConsumer, topology(corev1.LabelTopologyZone, "b"))}, facts.ScopeZone, []string{"b"}, map[string]bool{"a": false, "b": true}},
		"made in a rack":        {"", []runtime.Object{class(storagev1.VolumeBindingWaitForFirstConsumer, topology(other, "r"))}, facts.ScopeUnprovisioned, nil, map[string]bool{"a": false}},
		"made at once":          {"", []runtime.Object{class(storagev1.VolumeBindingImmediate, topology(corev1.LabelTopologyZone, "b"))}, facts.ScopeUnknown, nil, nil},
		"no class":              {"", nil, facts.ScopeUnknown, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			claim := &corev1.PersistentVolumeClaim{
				ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "data"},
				Spec:       corev1.PersistentVolumeClaimSpec{VolumeName: tc.volumeName, StorageClassName: new("c")},
			}
			m := facts.ResolveMount(cluster.New(cluster.Contents{Objects: tc.objects}), "data", claim)
			if m.Scope != tc.want {
				t.Errorf("its scope is %q, want %q", m.Scope, tc.want)
			}
			if diff := cmp.Diff(tc.zones, m.Zones); diff != "" {
				t.Errorf("zones (-want +got):\n%s", diff)
			}
			for zone, want := range tc.allows {
				n := node(func(n *corev1.Node) {
					n.Labels = map[string]string{corev1.LabelHostname: zone, corev1.LabelTopologyZone: zone}
				})
				if got := m.Allows(n); got != want {
					t.Errorf("a node in %s: allowed %v, want %v", zone, got, want)
				}
			}
		})
	}
}
