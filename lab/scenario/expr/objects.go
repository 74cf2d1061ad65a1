package expr

import (
	"reflect"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// groupLabel is put on nodes by EKS managed node groups.
const groupLabel = "eks.amazonaws.com/nodegroup"

// zoneKeys are the topology keys of zones: Kubernetes' own, and what the EBS driver used before version 1.50.
var zoneKeys = []string{corev1.LabelTopologyZone, "topology.ebs.csi.aws.com/zone"}

// zoneOf is the zone of a node or a volume.
func zoneOf(o metav1.Object) string {
	volume, ok := o.(*corev1.PersistentVolume)
	if !ok {
		return o.GetLabels()[corev1.LabelTopologyZone]
	}
	if volume.Spec.NodeAffinity == nil || volume.Spec.NodeAffinity.Required == nil {
		return ""
	}
	for _, term := range volume.Spec.NodeAffinity.Required.NodeSelectorTerms {
		for _, e := range term.MatchExpressions {
			if slices.Contains(zoneKeys, e.Key) && len(e.Values) == 1 {
				return e.Values[0]
			}
		}
	}
	return ""
}

// KindOf is the kind of an object, such as "Pod".
func KindOf(o metav1.Object) string {
	if u, ok := o.(*unstructured.Unstructured); ok {
		return u.GetKind()
	}
	return reflect.Indirect(reflect.ValueOf(o)).Type().Name()
}

// concerns says whether an event is about an object. Events of nodes carry the node's name as its UID.
func concerns(e *corev1.Event, o metav1.Object) bool {
	about := e.InvolvedObject
	return about.Kind == KindOf(o) && about.Name == o.GetName() && about.Namespace == o.GetNamespace() &&
		(about.UID == o.GetUID() || about.UID == "" || string(about.UID) == o.GetName())
}

type conditionFacts struct{ status, reason, message string }

// conditionOf reads an entry of status.conditions, which every kind declares with a type of its own.
func conditionOf(o metav1.Object, name string) conditionFacts {
	if u, ok := o.(*unstructured.Unstructured); ok {
		return conditionOfUntyped(u, name)
	}
	status := reflect.Indirect(reflect.ValueOf(o)).FieldByName("Status")
	if !status.IsValid() {
		return conditionFacts{}
	}
	list := status.FieldByName("Conditions")
	if !list.IsValid() {
		return conditionFacts{}
	}
	for i := range list.Len() {
		c := list.Index(i)
		if c.FieldByName("Type").String() == name {
			return conditionFacts{c.FieldByName("Status").String(), c.FieldByName("Reason").String(), c.FieldByName("Message").String()}
		}
	}
	return conditionFacts{}
}

func conditionOfUntyped(u *unstructured.Unstructured, name string) conditionFacts {
	list, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions") // a kind without conditions has none
	for _, entry := range list {
		c, _ := entry.(map[string]any)
		text := func(field string) string { s, _ := c[field].(string); return s }
		if text("type") == name {
			return conditionFacts{text("status"), text("reason"), text("message")}
		}
	}
	return conditionFacts{}
}
