package nodes

import (
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Well-known names that a kubelet writes: k8s.io/cloud-provider/api, k8s.io/kubernetes/pkg/volume/util, pkg/volume/csi.
const (
	taintUninitialized         = "node.cloudprovider.kubernetes.io/uninitialized"
	annotationProvidedIP       = "alpha.kubernetes.io/provided-node-ip"
	annotationControllerAttach = "volumes.kubernetes.io/controller-managed-attach-detach"
	annotationCSINodeID        = "csi.volume.kubernetes.io/nodeid"
	// annotationSimulated marks nodes as simulated.
	annotationSimulated = "lab.naosu.dev/simulated"
	driverEBS           = "ebs.csi.aws.com"
	driverEFS           = "efs.csi.aws.com"
	kubeletPort         = 10250
)

// report is what a kubelet says of its machine at one moment.
type report struct {
	now            time.Time
	bootID         string
	ready          bool
	memoryPressure bool
	volumesInUse   []corev1.UniqueVolumeName
}

// initialNode is what a kubelet registers: pkg/kubelet/kubelet_node_status.go, initialNode.
func initialNode(m *Machine, r report) *corev1.Node {
	node := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Name: m.NodeName,
			Labels: map[string]string{
				corev1.LabelHostname: m.NodeName,
				corev1.LabelOSStable: "linux", corev1.LabelArchStable: "amd64",
				"beta.kubernetes.io/os": "linux", "beta.kubernetes.io/arch": "amd64",
			},
			Annotations: map[string]string{
				annotationControllerAttach: "true",
				annotationSimulated:        "true",
				annotationCSINodeID:        `{"` + driverEBS + `":"` + m.InstanceID + `","` + driverEFS + `":"` + m.InstanceID + `"}`,
			},
		},
		Spec: corev1.NodeSpec{Taints: slices.Clone(m.Taints)},
	}
	maps.Copy(node.Labels, m.Labels)
	if m.CloudProvider {
		node.Spec.Taints = append(node.Spec.Taints, corev1.Taint{Key: taintUninitialized, Value: "true", Effect: corev1.TaintEffectNoSchedule})
		node.Annotations[annotationProvidedIP] = m.InternalIP
	}
	node.Status = nodeStatusOf(m, &corev1.NodeStatus{}, r)
	return node
}

// nodeStatusOf is the status a kubelet wants its Node to have, everything that is not its own left as it is.
func nodeStatusOf(m *Machine, old *corev1.NodeStatus, r report) corev1.NodeStatus {
	status := *old
	if !m.CloudProvider || len(old.Addresses) == 0 {
		status.Addresses = []corev1.NodeAddress{
			{Type: corev1.NodeInternalIP, Address: m.InternalIP},
			{Type: corev1.NodeHostName, Address: m.NodeName},
		}
	}
	status.Capacity, status.Allocatable = resources(old.Capacity, m.capacity()), resources(old.Allocatable, m.allocatable())
	status.DaemonEndpoints.KubeletEndpoint.Port = kubeletPort
	status.NodeInfo = systemInfo(m, old.NodeInfo, r.bootID)
	status.VolumesInUse = r.volumesInUse
	status.Conditions = slices.Clone(old.Conditions)
	for _, c := range nodeConditions(r) {
		setNodeCondition(&status, c, r.now)
	}
	return status
}

// systemInfo is what runs on the machine: what its Node says already, for a machine keeps its system.
func systemInfo(m *Machine, info corev1.NodeSystemInfo, bootID string) corev1.NodeSystemInfo {
	if info.KubeletVersion == "" {
		info = corev1.NodeSystemInfo{
			KernelVersion: "6.12.40-64.114.amzn2023.x86_64", OSImage: "Amazon Linux 2023.9",
			ContainerRuntimeVersion: "containerd://2.1.4", KubeletVersion: "v1.36.3",
			OperatingSystem: "linux", Architecture: "amd64",
		}
	}
	m.Identify(&info)
	info.BootID = bootID
	return info
}

// resources puts own in the place of the same in old: extended resources are other people's.
func resources(old, own corev1.ResourceList) corev1.ResourceList {
	merged := maps.Clone(old)
	if merged == nil {
		return own
	}
	for name, q := range own {
		if was, ok := merged[name]; !ok || was.Cmp(q) != 0 {
			merged[name] = q
		}
	}
	return merged
}

// nodeConditions are the four conditions a kubelet owns: pkg/kubelet/nodestatus/setters.go.
func nodeConditions(r report) []corev1.NodeCondition {
	memory := corev1.NodeCondition{
		Type: corev1.NodeMemoryPressure, Status: corev1.ConditionFalse,
		Reason: "KubeletHasSufficientMemory", Message: "kubelet has sufficient memory available",
	}
	if r.memoryPressure {
		memory.Status, memory.Reason, memory.Message = corev1.ConditionTrue, "KubeletHasInsufficientMemory", "kubelet has insufficient memory available"
	}
	ready := corev1.NodeCondition{
		Type: corev1.NodeReady, Status: corev1.ConditionTrue,
		Reason: "KubeletReady", Message: "kubelet is posting ready status",
	}
	if !r.ready {
		ready.Status, ready.Reason, ready.Message = corev1.ConditionFalse, "KubeletNotReady", "CSINode is not yet initialized"
	}
	return []corev1.NodeCondition{
		memory,
		{Type: corev1.NodeDiskPressure, Status: corev1.ConditionFalse, Reason: "KubeletHasNoDiskPressure", Message: "kubelet has no disk pressure"},
		{Type: corev1.NodePIDPressure, Status: corev1.ConditionFalse, Reason: "KubeletHasSufficientPID", Message: "kubelet has sufficient PID available"},
		ready,
	}
}

func setNodeCondition(status *corev1.NodeStatus, c corev1.NodeCondition, now time.Time) {
	at := metav1.NewTime(seconds(now))
	c.LastHeartbeatTime, c.LastTransitionTime = at, at
	i := slices.IndexFunc(status.Conditions, func(o corev1.NodeCondition) bool { return o.Type == c.Type })
	if i < 0 {
		status.Conditions = append(status.Conditions, c)
		return
	}
	if status.Conditions[i].Status == c.Status {
		c.LastTransitionTime = status.Conditions[i].LastTransitionTime
	}
	status.Conditions[i] = c
}

func nodeCondition(status *corev1.NodeStatus, t corev1.NodeConditionType) corev1.ConditionStatus {
	for _, c := range status.Conditions {
		if c.Type == t {
			return c.Status
		}
	}
	return corev1.ConditionUnknown
}

// nodeDiff is what a kubelet writes to turn old into status, and whether anything but the time of the heartbeat changed.
// All of its conditions are in it, because each write is a heartbeat.
func nodeDiff(old, status *corev1.NodeStatus) (diff, bool) {
	d := diff{}
	d.deep("addresses", old.Addresses, status.Addresses)
	d.deep("capacity", old.Capacity, status.Capacity)
	d.deep("allocatable", old.Allocatable, status.Allocatable)
	d.deep("daemonEndpoints", old.DaemonEndpoints, status.DaemonEndpoints)
	d.deep("nodeInfo", old.NodeInfo, status.NodeInfo)
	d.deep("volumesInUse", old.VolumesInUse, status.VolumesInUse)
	changed := len(d) > 0
	var heartbeat []corev1.NodeCondition
	for _, own := range nodeConditions(report{}) {
		i := slices.IndexFunc(status.Conditions, func(c corev1.NodeCondition) bool { return c.Type == own.Type })
		c := status.Conditions[i]
		j := slices.IndexFunc(old.Conditions, func(o corev1.NodeCondition) bool { return o.Type == own.Type })
		if j < 0 {
			changed = true
		} else {
			was := old.Conditions[j]
			was.LastHeartbeatTime = c.LastHeartbeatTime
			changed = changed || !equality.Semantic.DeepEqual(was, c)
		}
		heartbeat = append(heartbeat, c)
	}
	d["conditions"] = heartbeat
	return d, changed
}
