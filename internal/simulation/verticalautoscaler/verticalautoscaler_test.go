package verticalautoscaler_test

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/simulation/testworld"
)

// TestVerticalAutoscaler is story 5: with one more node the DaemonSet's requests rise, which preempts the batch jobs.
func TestVerticalAutoscaler(t *testing.T) {
	autoscaler := testworld.Template("autoscaler", "10m")
	autoscaler.Spec.Containers[0].Image = "registry.k8s.io/cpa/cpvpa:v0.8.4"
	autoscaler.Spec.Containers[0].Command = []string{
		"/cpvpa", "--target=daemonset/calico", "--namespace=default",
		`--default-config={"main":{"requests":{"cpu":{"base":"80m","step":"20m","nodesPerStep":2,"max":"500m"}}}}`,
	}
	follower := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "follower", Namespace: "default", UID: types.UID("follower")},
		Spec:       appsv1.DeploymentSpec{Replicas: new(int32(0)), Template: autoscaler},
	}
	w := testworld.Of(testworld.Node("n1", "a", testworld.CPU("1")), testworld.Node("n2", "a", testworld.CPU("1")), follower,
		testworld.DaemonSet("calico", testworld.Template("calico", "100m", testworld.Priority(2000001000)), "n1", "n2"),
		testworld.Job("night", 0, testworld.Template("night", "890m"), "n1", "n2"))
	testworld.ExpectFates(t, w.Run(t, change.AddNodes{Count: 1}),
		"created calico-* >workers-a-new-1",
		"moved calico-n1 n1>n1",
		"moved calico-n2 n2>n2",
		"preempted night-a n1> by calico-* 30s FateJobFailed",
		"lost night-b n2> FateJobSibling",
	)
}
