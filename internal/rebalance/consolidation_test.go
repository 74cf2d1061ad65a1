package rebalance_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/cluster/custom"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/rebalance"
	w "github.com/naosu-dev/naosu/internal/simulation/testworld"
)

func TestUtilizationObstacle(t *testing.T) {
	ofPool := w.Node("n1", "zone-a", func(n *corev1.Node) { n.Labels[custom.NodePoolLabel] = "default" })
	pool := func(policy custom.ConsolidationPolicy, after custom.ConsolidateAfter) *custom.NodePool {
		return &custom.NodePool{ObjectMeta: metav1.ObjectMeta{Name: "default"}, Spec: custom.NodePoolSpec{Disruption: custom.NodePoolDisruption{ConsolidationPolicy: policy, ConsolidateAfter: after}}}
	}
	autoscaler := func(args ...string) w.Objects {
		template := w.Template("autoscaler", "100m", func(spec *corev1.PodSpec) {
			spec.Containers[0].Image, spec.Containers[0].Args = "registry.k8s.io/autoscaling/cluster-autoscaler:v1.36.0", args
		})
		return w.Deployment("autoscaler", template, "n1")
	}
	const none = ""
	for name, tc := range map[string]struct {
		world   w.Objects
		unknown cluster.Kind
		want    message.ID
	}{
		"no autoscaler":                   {w.Of(w.Node("n1", "zone-a")), none, none},
		"a NodePool":                      {w.Of(ofPool, pool("", "")), none, message.PlanConsolidated},
		"of underutilized nodes":          {w.Of(ofPool, pool("WhenEmptyOrUnderutilized", "30s")), none, message.PlanConsolidated},
		"of empty nodes alone":            {w.Of(ofPool, pool("WhenEmpty", "30s")), none, none},
		"never":                           {w.Of(ofPool, pool("WhenEmptyOrUnderutilized", "Never")), none, none},
		"a NodePool that has no node":     {w.Of(w.Node("n1", "zone-a"), pool("", "")), none, none},
		"NodePools were not read":         {w.Of(ofPool), cluster.NodePool, message.PlanConsolidationUnknown},
		"nor are there nodes of one":      {w.Of(w.Node("n1", "zone-a")), cluster.NodePool, none},
		"cluster-autoscaler":              {w.Of(w.Node("n1", "zone-a"), autoscaler("--scale-down-unneeded-time=5m")), none, message.PlanScaledDown},
		"cluster-autoscaler only adds":    {w.Of(w.Node("n1", "zone-a"), autoscaler("--scale-down-enabled=false")), none, none},
		"Deployments could not be read":   {w.Of(w.Node("n1", "zone-a")), cluster.Deployment, message.PlanConsolidationUnknown},
		"cluster-autoscaler has no pods":  {w.Of(w.Node("n1", "zone-a"), w.Deployment("autoscaler", autoscalerTemplate())), none, none},
		"a Deployment of another program": {w.Of(w.Node("n1", "zone-a"), w.Deployment("web", w.Template("web", "100m"), "n1")), none, none},
	} {
		t.Run(name, func(t *testing.T) {
			known := map[cluster.Kind]cluster.Knowledge{cluster.NodePool: cluster.Complete, cluster.Deployment: cluster.Complete}
			delete(known, tc.unknown)
			world := cluster.New(cluster.Contents{Objects: tc.world, Taken: w.Epoch, Knowledge: known})
			if got := rebalance.UtilizationObstacle(world); got.ID != tc.want {
				t.Errorf("%s, want %s", got.ID, tc.want)
			}
		})
	}
}

func autoscalerTemplate() corev1.PodTemplateSpec {
	return w.Template("autoscaler", "100m", func(spec *corev1.PodSpec) { spec.Containers[0].Image = "cluster-autoscaler:v1.36.0" })
}
