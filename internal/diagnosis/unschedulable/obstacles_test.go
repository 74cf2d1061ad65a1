package unschedulable

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// TestPortsConflict expects the same as kube-scheduler's NodePorts plugin (pkg/scheduler/framework, HostPortInfo): an address
// conflicts with itself and with all addresses, a protocol with itself only.
func TestPortsConflict(t *testing.T) {
	port := func(ip string, number int32, protocol corev1.Protocol) corev1.ContainerPort {
		return corev1.ContainerPort{HostIP: ip, HostPort: number, Protocol: protocol}
	}
	for name, tc := range map[string]struct {
		a, b corev1.ContainerPort
		want bool
	}{
		"the same":                {port("", 80, corev1.ProtocolTCP), port("", 80, corev1.ProtocolTCP), true},
		"no protocol is TCP":      {port("", 80, ""), port("", 80, corev1.ProtocolTCP), true},
		"another protocol":        {port("", 80, corev1.ProtocolUDP), port("", 80, corev1.ProtocolTCP), false},
		"another port":            {port("", 80, ""), port("", 81, ""), false},
		"all and one address":     {port("0.0.0.0", 80, ""), port("10.0.0.1", 80, ""), true},
		"none and one address":    {port("", 80, ""), port("10.0.0.1", 80, ""), true},
		"two addresses":           {port("10.0.0.1", 80, ""), port("10.0.0.2", 80, ""), false},
		"one address twice":       {port("10.0.0.1", 80, ""), port("10.0.0.1", 80, ""), true},
		"address, other protocol": {port("10.0.0.1", 80, corev1.ProtocolSCTP), port("", 80, corev1.ProtocolTCP), false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := portsConflict(tc.a, tc.b); got != tc.want {
				t.Errorf("got %v, want %v", got, tc.want)
			}
			if got := portsConflict(tc.b, tc.a); got != tc.want {
				t.Errorf("the other way round: got %v, want %v", got, tc.want)
			}
		})
	}
}
