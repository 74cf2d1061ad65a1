package scheduling_test

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"

	"github.com/naosu-dev/naosu/internal/cluster"
)

// What follows draws worlds that are small enough to collide: few names, few values, every constraint.

var (
	zones   = []string{"a", "b", "c"}
	apps    = []string{"red", "green", "blue"}
	drivers = []string{"ebs.csi.aws.com"}
)

// anObject draws an object of some kind that bears on scheduling. Names repeat, so that objects replace one another.
func anObject(t *rapid.T) metav1.Object {
	switch rapid.SampledFrom([]string{
		"pod", "pod", "pod", "pod", "pod", "node", "node", "claim", "volume", "class", "csinode", "attachment", "budget", "priority", "service", "namespace",
	}).Draw(t, "kind") {
	case "node":
		return aNode(t)
	case "claim":
		return aClaim(t)
	case "volume":
		return aVolume(t)
	case "class":
		return aClass(t)
	case "csinode":
		return aCSINode(t)
	case "attachment":
		return anAttachment(t)
	case "budget":
		b := budget(rapid.SampledFrom(apps).Draw(t, "app"), rapid.Int32Range(0, 2).Draw(t, "allowed"))
		return b
	case "priority":
		return &schedulingv1.PriorityClass{
			ObjectMeta:    metav1.ObjectMeta{Name: rapid.SampledFrom([]string{"low", "high"}).Draw(t, "name")},
			Value:         rapid.Int32Range(-5, 5).Draw(t, "value"),
			GlobalDefault: rapid.Bool().Draw(t, "default"),
		}
	case "service":
		return &corev1.Service{
			ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: rapid.SampledFrom(apps).Draw(t, "name")},
			Spec:       corev1.ServiceSpec{Selector: map[string]string{"app": rapid.SampledFrom(apps).Draw(t, "selects")}},
		}
	case "namespace":
		return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "default", Labels: map[string]string{"team": rapid.SampledFrom(apps).Draw(t, "team")}}}
	default:
		return aPod(t, "p")
	}
}

func aNode(t *rapid.T) *corev1.Node {
	name := fmt.Sprintf("n%d", rapid.IntRange(0, 5).Draw(t, "node"))
	n := node(name, inZone(rapid.SampledFrom(zones).Draw(t, "zone")))
	n.Status.Allocatable = resources(
		rapid.SampledFrom([]string{"1", "2", "4"}).Draw(t, "cpu"), rapid.SampledFrom([]string{"2Gi", "8Gi"}).Draw(t, "memory"))
	n.Status.Allocatable[corev1.ResourcePods] = *resource.NewQuantity(rapid.Int64Range(1, 6).Draw(t, "pods"), resource.DecimalSI)
	n.Spec.Unschedulable = often(t, 8, "unschedulable")
	if often(t, 4, "taint") {
		tainted("dedicated", rapid.SampledFrom([]corev1.TaintEffect{
			corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoExecute,
		}).Draw(t, "effect"))(n)
	}
	if often(t, 3, "disk") {
		labelled("disk", "ssd")(n)
	}
	if often(t, 6, "incomplete") {
		delete(n.Labels, rapid.SampledFrom([]string{corev1.LabelTopologyZone, corev1.LabelHostname}).Draw(t, "lacks"))
	}
	for i, image := range apps {
		if often(t, 3, "image") {
			n.Status.Images = append(n.Status.Images, corev1.ContainerImage{Names: []string{image + ":latest"}, SizeBytes: int64(i+1) << 28})
		}
	}
	return n
}

// often is true one time of so many.
func often(t *rapid.T, of int, label string) bool { return rapid.IntRange(1, of).Draw(t, label) == 1 }

func aPod(t *rapid.T, prefix string) *corev1.Pod {
	p := pod(fmt.Sprintf("%s%d", prefix, rapid.IntRange(0, 11).Draw(t, "pod")), app(rapid.SampledFrom(apps).Draw(t, "app")))
	p.Spec.Containers[0].Image = p.Labels["app"]
	p.Spec.Containers[0].Resources.Requests = resources(
		rapid.SampledFrom([]string{"100m", "500m", "1", "2"}).Draw(t, "cpu"), rapid.SampledFrom([]string{"128Mi", "2Gi"}).Draw(t, "memory"))
	p.CreationTimestamp = metav1.NewTime(epoch)
	if often(t, 4, "abroad") {
		p.Namespace, p.UID = "abroad", types.UID("abroad-"+p.Name)
	}
	switch rapid.IntRange(0, 3).Draw(t, "state") {
	case 0:
	case 1:
		nominated(fmt.Sprintf("n%d", rapid.IntRange(0, 6).Draw(t, "nominated")))(p)
	default:
		on(fmt.Sprintf("n%d", rapid.IntRange(0, 6).Draw(t, "on")))(p)
		if often(t, 3, "not started") {
			p.Status.StartTime = nil
		}
		if often(t, 6, "ended") {
			p.Status.Phase = corev1.PodSucceeded
		}
	}
	prioritized(t, p)
	constrained(t, p)
	return p
}

func prioritized(t *rapid.T, p *corev1.Pod) {
	switch rapid.IntRange(0, 2).Draw(t, "priority") {
	case 0:
		p.Spec.Priority = nil
	case 1:
		p.Spec.Priority, p.Spec.PriorityClassName = nil, rapid.SampledFrom([]string{"low", "high"}).Draw(t, "class")
	default:
		p.Spec.Priority = new(rapid.Int32Range(-3, 3).Draw(t, "value"))
	}
	if often(t, 8, "never") {
		p.Spec.PreemptionPolicy = new(corev1.PreemptNever)
	}
}

// constrained adds at most a few of the constraints.
func constrained(t *rapid.T, p *corev1.Pod) {
	matching := &metav1.LabelSelector{MatchLabels: map[string]string{"app": rapid.SampledFrom(apps).Draw(t, "matching")}}
	topology := rapid.SampledFrom([]string{corev1.LabelTopologyZone, corev1.LabelHostname}).Draw(t, "topology")
	term := corev1.PodAffinityTerm{LabelSelector: matching, TopologyKey: topology}
	if often(t, 4, "elsewhere") {
		term.NamespaceSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"team": rapid.SampledFrom(apps).Draw(t, "team")}}
	}
	if often(t, 4, "named") {
		term.Namespaces = []string{rapid.SampledFrom([]string{"default", "abroad"}).Draw(t, "in")}
	}
	p.Spec.Affinity = &corev1.Affinity{}
	switch rapid.IntRange(0, 14).Draw(t, "constraint") {
	case 0:
		p.Spec.Affinity.PodAffinity = &corev1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{term}}
	case 1:
		p.Spec.Affinity.PodAntiAffinity = &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{term}}
	case 2:
		p.Spec.Affinity.PodAffinity = &corev1.PodAffinity{PreferredDuringSchedulingIgnoredDuringExecution: []corev1.WeightedPodAffinityTerm{{Weight: 10, PodAffinityTerm: term}}}
	case 3:
		p.Spec.Affinity.PodAntiAffinity = &corev1.PodAntiAffinity{PreferredDuringSchedulingIgnoredDuringExecution: []corev1.WeightedPodAffinityTerm{{Weight: 10, PodAffinityTerm: term}}}
	case 4, 5:
		constraint := corev1.TopologySpreadConstraint{MaxSkew: 1, TopologyKey: topology, LabelSelector: matching, WhenUnsatisfiable: corev1.DoNotSchedule}
		if often(t, 3, "honor taints") {
			constraint.NodeTaintsPolicy = new(corev1.NodeInclusionPolicyHonor)
		}
		if often(t, 3, "min domains") {
			constraint.MinDomains = new(rapid.Int32Range(1, 4).Draw(t, "domains"))
		}
		if often(t, 3, "soft") {
			constraint.WhenUnsatisfiable, constraint.MinDomains = corev1.ScheduleAnyway, nil
		}
		p.Spec.TopologySpreadConstraints = append(p.Spec.TopologySpreadConstraints, constraint)
		if often(t, 3, "both") {
			p.Spec.TopologySpreadConstraints = append(p.Spec.TopologySpreadConstraints, corev1.TopologySpreadConstraint{
				MaxSkew: 2, LabelSelector: matching, WhenUnsatisfiable: corev1.ScheduleAnyway,
				TopologyKey: map[string]string{corev1.LabelHostname: corev1.LabelTopologyZone, corev1.LabelTopologyZone: corev1.LabelHostname}[topology],
			})
		}
	case 6:
		p.Spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
	case 7:
		p.Spec.NodeSelector = map[string]string{"disk": "ssd"}
	case 8:
		p.Spec.Affinity.NodeAffinity = &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
			NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchFields: []corev1.NodeSelectorRequirement{{
				Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{fmt.Sprintf("n%d", rapid.IntRange(0, 6).Draw(t, "named"))},
			}}}},
		}}
	case 9:
		p.Spec.Containers[0].Ports = []corev1.ContainerPort{{HostPort: rapid.Int32Range(8080, 8081).Draw(t, "port"), ContainerPort: 80, Protocol: corev1.ProtocolTCP}}
	case 10, 11, 12:
		p.Spec.Volumes = []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{
			PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: fmt.Sprintf("c%d", rapid.IntRange(0, 3).Draw(t, "claim"))},
		}}}
	case 13:
		if p.Spec.NodeName == "" && often(t, 3, "gated") {
			p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "wait"}}
		}
	}
}

func aClaim(t *rapid.T) *corev1.PersistentVolumeClaim {
	c := &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: fmt.Sprintf("c%d", rapid.IntRange(0, 3).Draw(t, "claim"))},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes:      []corev1.PersistentVolumeAccessMode{rapid.SampledFrom([]corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce, corev1.ReadWriteOncePod}).Draw(t, "mode")},
			StorageClassName: new(rapid.SampledFrom([]string{"fast", "slow"}).Draw(t, "class")),
			Resources:        corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}},
		},
	}
	c.UID = types.UID(c.Name)
	if rapid.Bool().Draw(t, "bound") {
		c.Spec.VolumeName = fmt.Sprintf("v%d", rapid.IntRange(0, 3).Draw(t, "volume"))
		c.Status.Phase = corev1.ClaimBound
		c.Annotations = map[string]string{"pv.kubernetes.io/bind-completed": "yes"}
	}
	return c
}

func aVolume(t *rapid.T) *corev1.PersistentVolume {
	v := &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("v%d", rapid.IntRange(0, 3).Draw(t, "volume"))},
		Spec: corev1.PersistentVolumeSpec{
			AccessModes:      []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce, corev1.ReadWriteOncePod},
			Capacity:         corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")},
			StorageClassName: rapid.SampledFrom([]string{"fast", "slow"}).Draw(t, "class"),
			PersistentVolumeSource: corev1.PersistentVolumeSource{CSI: &corev1.CSIPersistentVolumeSource{
				Driver: drivers[0], VolumeHandle: fmt.Sprintf("vol-%d", rapid.IntRange(0, 3).Draw(t, "handle")),
			}},
		},
		Status: corev1.PersistentVolumeStatus{Phase: corev1.VolumeAvailable},
	}
	if rapid.Bool().Draw(t, "pinned") {
		v.Spec.NodeAffinity = &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
			MatchExpressions: []corev1.NodeSelectorRequirement{{
				Key: corev1.LabelTopologyZone, Operator: corev1.NodeSelectorOpIn, Values: []string{rapid.SampledFrom(zones).Draw(t, "zone")},
			}},
		}}}}
	} else if rapid.Bool().Draw(t, "zoned") {
		v.Labels = map[string]string{corev1.LabelTopologyZone: rapid.SampledFrom(zones).Draw(t, "zone")}
	}
	return v
}

func aClass(t *rapid.T) *storagev1.StorageClass {
	c := &storagev1.StorageClass{
		ObjectMeta:        metav1.ObjectMeta{Name: rapid.SampledFrom([]string{"fast", "slow"}).Draw(t, "class")},
		Provisioner:       drivers[0],
		VolumeBindingMode: new(rapid.SampledFrom([]storagev1.VolumeBindingMode{storagev1.VolumeBindingImmediate, storagev1.VolumeBindingWaitForFirstConsumer}).Draw(t, "mode")),
	}
	if rapid.Bool().Draw(t, "topology") {
		c.AllowedTopologies = []corev1.TopologySelectorTerm{{MatchLabelExpressions: []corev1.TopologySelectorLabelRequirement{{
			Key: corev1.LabelTopologyZone, Values: []string{rapid.SampledFrom(zones).Draw(t, "zone")},
		}}}}
	}
	return c
}

func aCSINode(t *rapid.T) *storagev1.CSINode {
	return &storagev1.CSINode{
		ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("n%d", rapid.IntRange(0, 5).Draw(t, "node"))},
		Spec: storagev1.CSINodeSpec{Drivers: []storagev1.CSINodeDriver{{
			Name: drivers[0], NodeID: "i", Allocatable: &storagev1.VolumeNodeResources{Count: new(rapid.Int32Range(0, 2).Draw(t, "volumes"))},
		}}},
	}
}

func anAttachment(t *rapid.T) *storagev1.VolumeAttachment {
	return &storagev1.VolumeAttachment{
		ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("a%d", rapid.IntRange(0, 3).Draw(t, "attachment"))},
		Spec: storagev1.VolumeAttachmentSpec{
			Attacher: drivers[0], NodeName: fmt.Sprintf("n%d", rapid.IntRange(0, 5).Draw(t, "node")),
			Source: storagev1.VolumeAttachmentSource{PersistentVolumeName: new(fmt.Sprintf("v%d", rapid.IntRange(0, 3).Draw(t, "volume")))},
		},
		Status: storagev1.VolumeAttachmentStatus{Attached: true},
	}
}

func anEdit(t *rapid.T) cluster.Edit {
	o := anObject(t)
	if often(t, 4, "remove") {
		return cluster.Remove(o)
	}
	return cluster.Put(o)
}

// aWorld always has a few nodes, and sometimes the kinds that claims need.
func randomSnapshot(t *rapid.T) *cluster.Snapshot {
	snapshot := snapshotOf()
	if rapid.Bool().Draw(t, "claims") {
		for i := range 4 {
			claim, volume := aClaim(t), aVolume(t)
			claim.Name, volume.Name = fmt.Sprintf("c%d", i), fmt.Sprintf("v%d", i)
			claim.UID = types.UID(claim.Name)
			snapshot = snapshot.With(cluster.Put(claim), cluster.Put(volume))
		}
		snapshot = snapshot.With(cluster.Put(aClass(t)))
	}
	for range rapid.IntRange(2, 40).Draw(t, "objects") {
		snapshot = snapshot.With(cluster.Put(anObject(t)))
	}
	for i := range 3 {
		if n := fmt.Sprintf("n%d", i); snapshot.Node(n) == nil {
			snapshot = snapshot.With(cluster.Put(node(n, inZone(zones[i]))))
		}
	}
	return snapshot
}
