package clustertest

import (
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/internal/cluster"
)

// BigTaken is the time at which Big's Snapshot was taken.
var BigTaken = time.Date(2026, 11, 20, 15, 0, 0, 0, time.UTC)

// Zones are those of a big cluster.
var Zones = []string{"us-east-1a", "us-east-1b", "us-east-1c"}

// Big is a cluster of that size, the same each time: three zones; two node groups, of which the second is tainted; three
// DaemonSets; and for the rest of the pods, Deployments of 3 to 50 replicas and StatefulSets with a zonal volume for each
// pod. Every fifth Deployment must spread over zones, every twentieth keeps its pods on nodes of their own, and every
// fourth has a budget. Every pod runs; about half of each node's CPU is asked for, so that two zones can hold what three
// do. Pods must be enough for the DaemonSets: more than three for each node.
func Big(nodes, pods int) *cluster.Snapshot {
	return cluster.New(BigContents(nodes, pods))
}

// BigContents is what Big is made of.
func BigContents(nodes, pods int) cluster.Contents {
	b := &big{pods: pods}
	b.basics()
	for i := range nodes {
		b.node(i)
	}
	b.daemonSet("aws-node", "25m", "")
	b.daemonSet("ebs-csi-node", "30m", "120Mi")
	b.daemonSet("kube-proxy", "100m", "")
	for i := 0; b.pods > 0; i++ {
		if i%10 == 9 {
			b.statefulSet(i)
		} else {
			b.deployment(i)
		}
	}
	known := map[cluster.Kind]cluster.Knowledge{}
	for _, kind := range cluster.Kinds() {
		known[kind] = cluster.Complete
	}
	known[cluster.ConfigMap] = cluster.Partial
	return cluster.Contents{Objects: b.objects, Knowledge: known, Taken: BigTaken, Server: "v1.36.3"}
}

// big builds a cluster. Names and nodes are chosen by counters.
type big struct {
	objects []runtime.Object
	// nodes are those without a taint, where workloads go in turn; all includes the others.
	nodes, all []*corev1.Node
	next       int // the node that the next pod goes to
	pods       int // how many are yet to be made
	uid        int
}

func (b *big) add(o runtime.Object) { b.objects = append(b.objects, o) }

// meta names an object of a kind.
func (b *big) meta(namespace, name string, labels map[string]string) metav1.ObjectMeta {
	b.uid++
	return metav1.ObjectMeta{
		Namespace: namespace, Name: name, Labels: labels, ResourceVersion: fmt.Sprint(b.uid),
		UID: types.UID(fmt.Sprintf("%08x-5eed-4000-8000-%012x", b.uid, b.uid)), CreationTimestamp: at(-48 * time.Hour),
	}
}

// place is the node for the next pod.
func (b *big) place() *corev1.Node {
	b.next++
	return b.nodes[b.next%len(b.nodes)]
}

func at(since time.Duration) metav1.Time { return metav1.NewTime(BigTaken.Add(since)) }

func kind(version, kind string) metav1.TypeMeta {
	return metav1.TypeMeta{APIVersion: version, Kind: kind}
}

func resources(cpu, memory string) corev1.ResourceList {
	list := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)}
	if memory != "" {
		list[corev1.ResourceMemory] = resource.MustParse(memory)
	}
	return list
}

// basics adds the objects that every cluster has.
func (b *big) basics() {
	names := []string{"kube-system"}
	for i := range namespaces {
		names = append(names, namespaceOf(i))
	}
	for _, name := range names {
		b.add(&corev1.Namespace{TypeMeta: kind("v1", "Namespace"), ObjectMeta: b.meta("", name, map[string]string{corev1.LabelMetadataName: name})})
	}
	b.add(&schedulingv1.PriorityClass{TypeMeta: kind("scheduling.k8s.io/v1", "PriorityClass"), ObjectMeta: b.meta("", "system-node-critical", nil), Value: critical})
	b.add(&storagev1.StorageClass{
		TypeMeta: kind("storage.k8s.io/v1", "StorageClass"), ObjectMeta: b.meta("", "gp3", nil), Provisioner: driver,
		VolumeBindingMode: new(storagev1.VolumeBindingWaitForFirstConsumer),
	})
	b.add(&storagev1.CSIDriver{TypeMeta: kind("storage.k8s.io/v1", "CSIDriver"), ObjectMeta: b.meta("", driver, nil), Spec: storagev1.CSIDriverSpec{AttachRequired: new(true)}})
}

const (
	driver   = "ebs.csi.aws.com"
	critical = 2000001000 // the value of system-node-critical
)

// node is one of 16 cores; every tenth belongs to the tainted group.
func (b *big) node(i int) {
	group, itype := "general", "m6i.4xlarge"
	name := fmt.Sprintf("ip-10-%d-%d-%d.ec2.internal", i>>16&255, i>>8&255, i&255)
	node := &corev1.Node{TypeMeta: kind("v1", "Node")}
	if i%10 == 9 {
		group, itype = "batch", "c6i.4xlarge"
		node.Spec.Taints = []corev1.Taint{{Key: "dedicated", Value: "batch", Effect: corev1.TaintEffectNoSchedule}}
	}
	zone := Zones[i%len(Zones)]
	node.ObjectMeta = b.meta("", name, map[string]string{
		corev1.LabelHostname: name, corev1.LabelTopologyZone: zone, corev1.LabelTopologyRegion: "us-east-1", "topology.ebs.csi.aws.com/zone": zone,
		corev1.LabelInstanceTypeStable: itype, corev1.LabelArchStable: "amd64", corev1.LabelOSStable: "linux", "eks.amazonaws.com/nodegroup": group,
	})
	node.Spec.ProviderID = fmt.Sprintf("aws:///%s/i-%017x", zone, i)
	node.Status = corev1.NodeStatus{
		Capacity: resources("16", "64Gi"), Allocatable: resources("15890m", "58Gi"), Images: images(),
		Addresses: []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: fmt.Sprintf("10.%d.%d.%d", i>>16&255, i>>8&255, i&255)}, {Type: corev1.NodeHostName, Address: name}},
		NodeInfo:  corev1.NodeSystemInfo{KubeletVersion: "v1.36.3", OSImage: "Amazon Linux 2023", Architecture: "amd64", OperatingSystem: "linux"},
	}
	node.Status.Capacity[corev1.ResourcePods] = resource.MustParse("110")
	node.Status.Allocatable[corev1.ResourcePods] = resource.MustParse("110")
	for _, c := range []corev1.NodeConditionType{corev1.NodeMemoryPressure, corev1.NodeDiskPressure, corev1.NodePIDPressure} {
		node.Status.Conditions = append(node.Status.Conditions, corev1.NodeCondition{Type: c, Status: corev1.ConditionFalse, LastHeartbeatTime: at(0), LastTransitionTime: at(-48 * time.Hour), Reason: "Kubelet"})
	}
	node.Status.Conditions = append(node.Status.Conditions, corev1.NodeCondition{Type: corev1.NodeReady, Status: corev1.ConditionTrue, LastHeartbeatTime: at(0), LastTransitionTime: at(-48 * time.Hour), Reason: "KubeletReady"})
	b.add(node)
	b.all = append(b.all, node)
	if node.Spec.Taints == nil {
		b.nodes = append(b.nodes, node)
	}
	lease := &coordinationv1.Lease{TypeMeta: kind("coordination.k8s.io/v1", "Lease"), ObjectMeta: b.meta("kube-node-lease", name, nil)}
	lease.Spec = coordinationv1.LeaseSpec{HolderIdentity: new(name), LeaseDurationSeconds: new(int32(40)), RenewTime: new(metav1.NewMicroTime(BigTaken))}
	b.add(lease)
	b.add(&storagev1.CSINode{TypeMeta: kind("storage.k8s.io/v1", "CSINode"), ObjectMeta: b.meta("", name, nil), Spec: storagev1.CSINodeSpec{Drivers: []storagev1.CSINodeDriver{{
		Name: driver, NodeID: fmt.Sprintf("i-%017x", i), TopologyKeys: []string{"topology.ebs.csi.aws.com/zone"}, Allocatable: &storagev1.VolumeNodeResources{Count: new(int32(25))},
	}}}})
}

func images() []corev1.ContainerImage {
	var images []corev1.ContainerImage
	for i := range 20 {
		images = append(images, corev1.ContainerImage{Names: []string{fmt.Sprintf("registry.example.com/app-%d@sha256:%064x", i, i), fmt.Sprintf("registry.example.com/app-%d:v1", i)}, SizeBytes: int64(i) << 24})
	}
	return images
}

// daemonSet adds a DaemonSet with a pod on every node.
func (b *big) daemonSet(name, cpu, memory string) {
	labels := map[string]string{"k8s-app": name}
	ds := &appsv1.DaemonSet{TypeMeta: kind("apps/v1", "DaemonSet"), ObjectMeta: b.meta("kube-system", name, labels)}
	template := b.template(labels, name, cpu, memory)
	template.Spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
	template.Spec.PriorityClassName, template.Spec.Priority = "system-node-critical", new(int32(critical))
	ds.Spec = appsv1.DaemonSetSpec{Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: template}
	all := int32(len(b.all))
	ds.Status = appsv1.DaemonSetStatus{DesiredNumberScheduled: all, CurrentNumberScheduled: all, UpdatedNumberScheduled: all, NumberReady: all, NumberAvailable: all}
	b.add(ds)
	for i, node := range b.all {
		pod := b.pod(ds, "apps/v1", "DaemonSet", fmt.Sprintf("%s-%05x", name, i), &template, node)
		pod.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
			MatchFields: []corev1.NodeSelectorRequirement{{Key: metav1.ObjectNameField, Operator: corev1.NodeSelectorOpIn, Values: []string{node.Name}}},
		}}}}}
	}
}
