package eksmonitor

import (
	"fmt"
	"hash/fnv"
	"net"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/lab/pace"
)

// The agent's periods, in scenario time: interfaceMonitorPeriod in monitors/networking/monitor.go, reportInterval and
// heartbeatInterval in pkg/manager/node_exporter.go.
const (
	interfacePeriod = 5 * time.Minute
	reportPeriod    = 15 * time.Second
	heartbeatPeriod = 5 * time.Minute
)

// healthyConditions are the agent's conditions on a healthy node without accelerators: the plugin.go of each monitor.
var healthyConditions = []struct {
	condition       corev1.NodeConditionType
	reason, message string
}{
	{"KernelReady", "KernelIsReady", "Monitoring for the Kernel system is active"},
	{"NetworkingReady", "NetworkingIsReady", "Monitoring for the Networking system is active"},
	{"StorageReady", "DiskIsReady", "Monitoring for the Disk system is active"},
	{"ContainerRuntimeReady", "ContainerRuntimeIsReady", "Monitoring for the ContainerRuntime system is active"},
}

// containerRun identifies one run of an agent's container.
type containerRun struct {
	pod      string // its UID
	restarts int32
}

// agent is one run of the program on one node. Its state is lost when the run ends.
type agent struct {
	node                  string
	conditions            []corev1.NodeCondition
	wasDown               bool // at the poll before
	pollDue, heartbeatDue time.Time
	dirty                 bool // conditions have changed since the last report
}

func newAgent(node string, now time.Time, p *pace.Pace) *agent {
	a := &agent{node: node, dirty: true, pollDue: now.Add(p.Real(interfacePeriod)), heartbeatDue: now.Add(p.Real(heartbeatPeriod))}
	at := metav1.NewTime(now)
	for _, m := range healthyConditions {
		a.conditions = append(a.conditions, corev1.NodeCondition{
			Type: m.condition, Status: corev1.ConditionTrue, Reason: m.reason, Message: m.message, LastHeartbeatTime: at, LastTransitionTime: at,
		})
	}
	return a
}

// poll looks at the interfaces and renews the heartbeat, each if it is due.
func (a *agent) poll(now time.Time, linkDown bool, p *pace.Pace) {
	if !now.Before(a.pollDue) {
		if linkDown && a.wasDown {
			a.setInterfaceNotUp(now)
		}
		a.wasDown, a.pollDue = linkDown, now.Add(p.Real(interfacePeriod))
	}
	if !now.Before(a.heartbeatDue) {
		for i := range a.conditions {
			a.conditions[i].LastHeartbeatTime = metav1.NewTime(now)
		}
		a.dirty, a.heartbeatDue = true, now.Add(p.Real(heartbeatPeriod))
	}
}

// setInterfaceNotUp sets NetworkingReady to False.
func (a *agent) setInterfaceNotUp(now time.Time) {
	i := slices.IndexFunc(a.conditions, func(c corev1.NodeCondition) bool { return c.Type == "NetworkingReady" })
	c := &a.conditions[i]
	if c.Status != corev1.ConditionFalse {
		c.LastTransitionTime = metav1.NewTime(now)
	}
	c.Status, c.Reason, c.LastHeartbeatTime = corev1.ConditionFalse, "InterfaceNotUp", metav1.NewTime(now)
	c.Message = fmt.Sprintf("Interface Name: %q, MAC: %q is not up", "eth1", hardwareAddress(a.node))
	a.dirty = true
}

// hardwareAddress is the second interface's, always the same for a node.
func hardwareAddress(node string) string {
	h := fnv.New32a()
	h.Write([]byte(node))
	return net.HardwareAddr(h.Sum([]byte{0x06, 0x01})).String()
}
