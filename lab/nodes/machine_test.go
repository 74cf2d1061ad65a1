package nodes

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// Figures of EKS' own nodes, as kubectl describe shows them.
func TestAllocatable(t *testing.T) {
	tests := map[string]struct {
		cpu, memory string
		pods        int
		wantCPU     int64 // thousandths
		wantMiB     int64
	}{
		"m5.large":   {"2", "8Gi", 29, 1930, 8192 - 255 - 11*29 - 100},
		"m5.xlarge":  {"4", "16Gi", 58, 3920, 16384 - 255 - 11*58 - 100},
		"m5.4xlarge": {"16", "64Gi", 234, 15890, 65536 - 255 - 11*234 - 100},
		"tiny":       {"100m", "512Mi", 110, 94, 256 - 100},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			m := Machine{CPU: resource.MustParse(test.cpu), Memory: resource.MustParse(test.memory), Pods: test.pods}
			got := m.allocatable()
			if cpu := got.Cpu().MilliValue(); cpu != test.wantCPU {
				t.Errorf("allocatable CPU is %dm, want %dm", cpu, test.wantCPU)
			}
			if memory := got.Memory().Value() >> 20; memory != test.wantMiB {
				t.Errorf("allocatable memory is %d MiB, want %d MiB", memory, test.wantMiB)
			}
			if pods := got[corev1.ResourcePods]; pods.Value() != int64(test.pods) {
				t.Errorf("allocatable pods are %s, want %d", pods.String(), test.pods)
			}
		})
	}
}
