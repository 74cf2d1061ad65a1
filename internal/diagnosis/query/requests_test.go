package query_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/naosu-dev/naosu/internal/diagnosis/query"
)

func TestFormatQuantity(t *testing.T) {
	const mebi = 1 << 20
	for _, tc := range []struct {
		name  corev1.ResourceName
		value int64
		want  string
	}{
		{corev1.ResourceCPU, 1, "1m"},
		{corev1.ResourceCPU, 1500, "1500m"},
		{corev1.ResourceCPU, 2000, "2"},
		{corev1.ResourceMemory, 512 * mebi, "512Mi"},
		{corev1.ResourceMemory, 512*mebi + 1, "513Mi"}, // Never less than it is.
		{corev1.ResourceMemory, 1024 * mebi, "1Gi"},
		{corev1.ResourceMemory, 1000, "1000"},
		{corev1.ResourcePods, 3, "3"},
		{"nvidia.com/gpu", 8, "8"},
	} {
		if got := query.FormatQuantity(tc.name, tc.value); got != tc.want {
			t.Errorf("%d of %s: got %s, want %s", tc.value, tc.name, got, tc.want)
		}
	}
}

func TestQuantityValue(t *testing.T) {
	for _, tc := range []struct {
		name     corev1.ResourceName
		quantity string
		want     int64
	}{
		{corev1.ResourceCPU, "100m", 100},
		{corev1.ResourceCPU, "2", 2000},
		{corev1.ResourceCPU, "0.1m", 1}, // Rounded up, as the scheduler does.
		{corev1.ResourceMemory, "1Ki", 1024},
		{corev1.ResourceMemory, "1500m", 2},
	} {
		if got := query.QuantityValue(tc.name, resource.MustParse(tc.quantity)); got != tc.want {
			t.Errorf("%s of %s: got %d, want %d", tc.quantity, tc.name, got, tc.want)
		}
	}
}
