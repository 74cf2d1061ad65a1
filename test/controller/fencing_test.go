package controller

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/lab"
	"github.com/naosu-dev/naosu/lab/cloud"
	labnodes "github.com/naosu-dev/naosu/lab/nodes"
)

// A machine whose host is dead, which EC2 reports as running, is terminated by a NodeRepairPolicy. Although the cloud controller then deletes its
// Node, the pod of a StatefulSet comes to run elsewhere with its volume before Kubernetes would detach it, and the Node is gone after that.
func TestFencing(t *testing.T) {
	start(t)
	database(t)
	second := metav1.Duration{Duration: time.Second}
	policy := &v1alpha1.NodeRepairPolicy{ObjectMeta: metav1.ObjectMeta{Name: "unreachable"}, Spec: v1alpha1.NodeRepairPolicySpec{
		Mode:         v1alpha1.ModeAuto,
		Rules:        []v1alpha1.RepairRule{{Name: "unreachable", Condition: string(corev1.NodeReady), Status: metav1.ConditionUnknown, Action: v1alpha1.ActionReplace}},
		Verification: v1alpha1.Verification{Dwell: &second}, NodeStartupGracePeriod: &metav1.Duration{}, CoolDown: &metav1.Duration{},
		// Other tests may have repaired the node, or repair one.
		Budgets: v1alpha1.Budgets{Zone: new(intstr.FromInt32(9)), Group: new(intstr.FromInt32(9)), Cluster: new(intstr.FromInt32(9))},
	}}
	must(t, shared.Create(t.Context(), policy))
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context())
		var all v1alpha1.RemediationList
		if t.Failed() && shared.List(ctx, &all) == nil {
			for i := range all.Items {
				t.Logf("%s of %s: %s, %v", all.Items[i].Name, all.Items[i].Spec.Policy.Name, all.Items[i].Status.Phase, all.Items[i].Status.Conditions)
			}
		}
		_ = shared.Delete(ctx, policy)
	})

	before := running(t, "")
	dead := before.Spec.NodeName
	machine := instance(t, dead)
	_, err := shared.Fault(lab.Target{Node: dead}, labnodes.Off)
	must(t, err)
	began := time.Now()
	until(t, "the instance is terminated", func() bool {
		i, known := shared.Cloud.Instance(machine.ID)
		return !known || i.State == cloud.Terminated
	})
	terminated := time.Now()
	until(t, "the Node is deleted, still there, and out of service", func() bool {
		n := nodeOf(t, dead) // Without the finalizer, it is gone.
		return n.DeletionTimestamp != nil && kube.IsOutOfService(n)
	})
	after := running(t, before.UID)
	t.Logf("%v until the instance was terminated, and %v more until the pod ran elsewhere, %d times as fast as reality",
		terminated.Sub(began).Round(time.Second), time.Since(terminated).Round(time.Second), quicker)
	if after.Spec.NodeName == dead {
		t.Fatalf("the pod runs on %s again", dead)
	}
	until(t, "the Node is gone", func() bool {
		err := shared.Get(t.Context(), client.ObjectKey{Name: dead}, &corev1.Node{})
		return apierrors.IsNotFound(err)
	})
	if n := terminations(machine.ID); n != 1 {
		t.Errorf("the instance was terminated %d times", n)
	}
	until(t, "the Remediation has succeeded", func() bool {
		r := of(t, policy.Name)
		return r != nil && meta.IsStatusConditionTrue(r.Status.Conditions, v1alpha1.RemediationSucceeded)
	})
}

// terminations is how often AWS was asked to terminate an instance, but for dry runs.
func terminations(id string) int {
	n := 0
	for _, call := range shared.AWS.Calls() {
		parameters := fmt.Sprint(call.Parameters)
		if strings.HasPrefix(call.Action, "Terminate") && call.Code == "" && strings.Contains(parameters, id) && !strings.Contains(parameters, "DryRun:[true]") {
			n++
		}
	}
	return n
}
