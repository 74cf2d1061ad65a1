package nodes

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// State is what a machine is able to do.
type State string

const (
	// On is a machine that works.
	On State = "on"
	// LinkDown is a machine that works, but for a second network interface that is down.
	LinkDown State = "link-down"
	// NoAddresses is a machine that works, but whose subnet has no address left for another pod.
	NoAddresses State = "no-addresses"
	// CutOff is a machine without network: containers and kubelet go on, neither hears nor says anything.
	CutOff State = "cut-off"
	// KubeletDown is a machine whose kubelet does not run: containers go on, nothing looks after them.
	KubeletDown State = "kubelet-down"
	// Off is a machine without power: nothing runs.
	Off State = "off"
)

// States are all of them, the one that nothing is wrong with first.
var States = []State{On, LinkDown, NoAddresses, CutOff, KubeletDown, Off}

// connected says whether kubelet and API server hear each other.
func (s State) connected() bool { return s == On || s == LinkDown || s == NoAddresses }

// Machine is a machine: its size, and the flags of its kubelet.
type Machine struct {
	// NodeName is what the kubelet registers as.
	NodeName string
	// InstanceID is the cloud's name of the machine; CSI drivers report it as their node id. Empty means NodeName.
	InstanceID string
	InternalIP string
	// Labels and Taints are --node-labels and --register-with-taints.
	Labels map[string]string
	Taints []corev1.Taint

	CPU, Memory resource.Quantity
	// Pods is the most pods the kubelet takes; zero means 110.
	Pods int
	// Volumes is how many block volumes can be attached; zero means 25.
	Volumes int
	// Capacity and Allocatable are what the machine reports beside or in place of what follows from the fields above.
	Capacity, Allocatable corev1.ResourceList
	// ReadyDelay is from the start of the kubelet until its network plugin is ready, and with it the node.
	ReadyDelay time.Duration
	// CloudProvider is --cloud-provider=external: the node registers tainted as uninitialized, and keeps the addresses
	// that the cloud's controller gave it.
	CloudProvider bool
}

const (
	defaultPods    = 110
	defaultVolumes = 25
	// evictionHard is the kubelet's memory.available threshold as EKS and kubeadm leave it.
	evictionHard = 100 << 20
	// ephemeralStorage is the root disk every machine has.
	ephemeralStorage = 80 << 30
)

func (m *Machine) complete() {
	if m.InstanceID == "" {
		m.InstanceID = m.NodeName
	}
	if m.Pods == 0 {
		m.Pods = defaultPods
	}
	if m.Volumes == 0 {
		m.Volumes = defaultVolumes
	}
}

// Identify puts the machine's machineID into the system information of a Node: a kubelet that finds a Node with it
// takes up what the API says runs there.
func (m *Machine) Identify(info *corev1.NodeSystemInfo) {
	info.MachineID, info.SystemUUID = m.machineID(), m.systemUUID()
}

// machineID distinguishes machines that register under the same node name.
func (m *Machine) machineID() string { return digest("machine", m.InstanceID, m.NodeName)[:32] }

func (m *Machine) systemUUID() string {
	d := digest("system", m.InstanceID, m.NodeName)
	return fmt.Sprintf("ec2%s-%s-%s-%s-%s", d[:5], d[5:9], d[9:13], d[13:17], d[17:29])
}

func (m *Machine) capacity() corev1.ResourceList {
	list := corev1.ResourceList{
		corev1.ResourceCPU:              m.CPU,
		corev1.ResourceMemory:           m.Memory,
		corev1.ResourcePods:             *resource.NewQuantity(int64(m.Pods), resource.DecimalSI),
		corev1.ResourceEphemeralStorage: *resource.NewQuantity(ephemeralStorage, resource.BinarySI),
	}
	maps.Copy(list, m.Capacity)
	return list
}

// allocatable is capacity less what EKS reserves for the kubelet and the eviction threshold:
// 6 % of the first core, 1 % of the second, 0.5 % of the next two, 0.25 % of the rest; 255 MiB and 11 MiB a pod of memory.
// Small machines keep at least half of their memory. https://docs.aws.amazon.com/eks/latest/userguide/choosing-instance-type.html
func (m *Machine) allocatable() corev1.ResourceList {
	list := m.capacity()
	cpu := m.CPU.MilliValue()
	list[corev1.ResourceCPU] = *resource.NewMilliQuantity(max(cpu-reservedCPU(cpu), 0), resource.DecimalSI)
	list[corev1.ResourceMemory] = *resource.NewQuantity(max(m.Memory.Value()-m.reservedMemory()-evictionHard, 0), resource.BinarySI)
	maps.Copy(list, m.Allocatable)
	return list
}

// reservedCPU is in thousandths of a core, as its argument is.
func reservedCPU(cpu int64) int64 {
	var reserved, below int64
	for _, band := range []struct{ upTo, perMyriad int64 }{{1000, 600}, {2000, 100}, {4000, 50}, {cpu, 25}} {
		if part := min(cpu, band.upTo) - below; part > 0 {
			reserved += part * band.perMyriad / 10000
			below += part
		}
	}
	return reserved
}

func (m *Machine) reservedMemory() int64 {
	return min(255<<20+int64(m.Pods)*11<<20, m.Memory.Value()/2)
}

// digest is a stable name for anything that is random on a real machine.
func digest(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		h.Write([]byte(p))
		h.Write([]byte{0})
	}
	return hex.EncodeToString(h.Sum(nil))
}
