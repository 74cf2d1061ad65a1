package inprocess_test

import (
	"context"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/lab/controlplane"
	"github.com/naosu-dev/naosu/lab/controlplane/planetest"
)

// components takes each component away while the others run, sees its work undone, and brings it back.
func (b fixture) components(t *testing.T) {
	p, client := b.plane, b.client
	stop := func(c controlplane.Component) {
		t.Helper()
		if err := p.StopComponent(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		planetest.WantError(t, p.StopComponent(t.Context(), c), string(c), "is not running")
	}
	restart := func(c controlplane.Component) {
		t.Helper()
		if err := p.StartComponent(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		planetest.WantError(t, p.StartComponent(t.Context(), c), string(c), "is running already")
	}

	stop(controlplane.Scheduler)
	stop(controlplane.ControllerManager)
	planetest.MakeDeployment(t, client, "later")
	planetest.MakePod(t, client, "lone")
	restart(controlplane.Scheduler)
	planetest.Eventually(t, "the pod is bound by the restarted scheduler", func(ctx context.Context) error {
		return planetest.BoundPod(client.CoreV1().Pods("default").Get(ctx, "lone", metav1.GetOptions{}))
	})
	if deployment := planetest.Must(client.AppsV1().Deployments("default").Get(t.Context(), "later", metav1.GetOptions{})); deployment.Status.ObservedGeneration != 0 {
		t.Error("a stopped controller manager has seen a deployment")
	}
	restart(controlplane.ControllerManager)
	planetest.Eventually(t, "the restarted controller manager acts", func(ctx context.Context) error { return planetest.Bound(ctx, client, "later", "node-1") })

	stop(controlplane.Etcd)
	restart(controlplane.Etcd)
	planetest.Eventually(t, "the API server has its data again", func(ctx context.Context) error { return planetest.Bound(ctx, client, "later", "node-1") })

	stop(controlplane.Etcd)
	stop(controlplane.APIServer) // which would wait for etcd
	if _, err := client.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{}); err == nil {
		t.Error("a stopped API server answers")
	}
	planetest.WantError(t, p.StartComponent(t.Context(), controlplane.APIServer), "needs a running etcd")
	restart(controlplane.Etcd)
	restart(controlplane.APIServer)
	planetest.MakeDeployment(t, client, "after")
	planetest.Eventually(t, "everything works again", func(ctx context.Context) error { return planetest.Bound(ctx, client, "after", "node-1") })
}
