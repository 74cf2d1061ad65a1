package replicas_test

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/naosu-dev/naosu/internal/simulation/internal/replicas"
)

func TestOf(t *testing.T) {
	if got := replicas.Of(&appsv1.StatefulSet{}, 7); got != 1 {
		t.Errorf("replicas of a StatefulSet that does not say: %d", got)
	}
	if got := replicas.Of(&appsv1.Deployment{Spec: appsv1.DeploymentSpec{Replicas: new(int32(3))}}, 7); got != 3 {
		t.Errorf("replicas of a Deployment: %d", got)
	}
	if got := replicas.Of(&appsv1.DaemonSet{}, 7); got != 7 {
		t.Errorf("replicas of a DaemonSet: %d", got)
	}
}

// The expected numbers are those of ResolveFenceposts in pkg/controller/deployment/util of Kubernetes.
func TestDeploymentLimits(t *testing.T) {
	value := func(s string) *intstr.IntOrString { return new(intstr.Parse(s)) }
	for name, tc := range map[string]struct {
		strategy           appsv1.DeploymentStrategy
		surge, unavailable int
	}{
		"default":     {appsv1.DeploymentStrategy{}, 3, 2},
		"recreate":    {appsv1.DeploymentStrategy{Type: appsv1.RecreateDeploymentStrategyType}, 0, 10},
		"percentages": {appsv1.DeploymentStrategy{RollingUpdate: &appsv1.RollingUpdateDeployment{MaxSurge: value("11%"), MaxUnavailable: value("19%")}}, 2, 1},
		"neither":     {appsv1.DeploymentStrategy{RollingUpdate: &appsv1.RollingUpdateDeployment{MaxSurge: value("0"), MaxUnavailable: value("0")}}, 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			surge, unavailable := replicas.DeploymentLimits(&appsv1.Deployment{Spec: appsv1.DeploymentSpec{Strategy: tc.strategy}}, 10)
			if surge != tc.surge || unavailable != tc.unavailable {
				t.Errorf("surge %d, unavailable %d, want %d and %d", surge, unavailable, tc.surge, tc.unavailable)
			}
		})
	}
}

func TestDaemonSetLimits(t *testing.T) {
	set := &appsv1.DaemonSet{}
	if unavailable, surge := replicas.DaemonSetLimits(set, 10); unavailable != 1 || surge != 0 {
		t.Errorf("by default %d unavailable, surge %d", unavailable, surge)
	}
	set.Spec.UpdateStrategy.RollingUpdate = &appsv1.RollingUpdateDaemonSet{MaxUnavailable: new(intstr.FromString("25%"))}
	if unavailable, surge := replicas.DaemonSetLimits(set, 10); unavailable != 3 || surge != 0 {
		t.Errorf("of a quarter %d unavailable, surge %d", unavailable, surge)
	}
}
