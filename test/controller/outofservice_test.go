package controller

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/failoverpolicy"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/lab"
	"github.com/naosu-dev/naosu/lab/cloud"
	labnodes "github.com/naosu-dev/naosu/lab/nodes"
)

// A StatefulSet's pod with a volume leaves a node whose instance was stopped, and comes to run elsewhere with its volume. It does not leave
// one whose host is dead, which EC2 reports as running, before a person confirms that the machine is off. Each node is back in service
// when its machine is.
func TestOutOfService(t *testing.T) {
	start(t)
	database(t)
	first := running(t, "")
	stopped := instance(t, first.Spec.NodeName)
	began := time.Now()
	must(t, shared.Cloud.StopInstance(stopped.ID))
	second := running(t, first.UID)
	t.Logf("%v from the stop of the instance until the pod ran elsewhere, %d times as fast as reality", time.Since(began).Round(time.Second), quicker)
	if second.Spec.NodeName == first.Spec.NodeName {
		t.Fatalf("the pod runs on %s again", second.Spec.NodeName)
	}
	if d := declared(t, first.Spec.NodeName); d.By != "failoverpolicy/db" || d.Proof != "stopped" {
		t.Errorf("the node was declared out of service by %+v", d)
	}
	must(t, shared.Cloud.StartInstance(stopped.ID))
	backInService(t, first.Spec.NodeName)

	dead := second.Spec.NodeName
	_, err := shared.Fault(lab.Target{Node: dead}, labnodes.Off)
	must(t, err)
	until(t, "the node is not ready", func() bool { return !kube.IsNodeReady(nodeOf(t, dead)) })
	before := readings(t, dead)
	until(t, "the controller has read its machine three times", func() bool { return readings(t, dead) >= before+3 })
	if kube.IsOutOfService(nodeOf(t, dead)) {
		t.Fatal("a node is out of service whose machine EC2 reports as running")
	}
	if code, out := confirm(t, dead); code != 2 && code != 1 {
		t.Errorf("naosu failover confirm without --yes ended with %d: %s", code, out)
	}
	silence(t, dead)
	if code, out := confirm(t, dead); code != 1 || !strings.Contains(out, "default/pod/db-0") || kube.IsOutOfService(nodeOf(t, dead)) {
		t.Errorf("naosu failover confirm without --yes ended with %d: %s", code, out)
	}
	if code, out := confirm(t, dead, "--yes"); code != 0 {
		t.Fatalf("naosu failover confirm ended with %d: %s", code, out)
	}
	if third := running(t, second.UID); third.Spec.NodeName == dead {
		t.Errorf("the pod runs on %s again", dead)
	}
	_, err = shared.Fault(lab.Target{Node: dead}, labnodes.On)
	must(t, err)
	backInService(t, dead)
}

// database is a StatefulSet of one pod with a volume, and the policy that decides for it.
func database(t *testing.T) {
	t.Helper()
	labels := map[string]string{"app": "db"}
	class := &storagev1.StorageClass{
		ObjectMeta: metav1.ObjectMeta{Name: "gp3"}, Provisioner: "ebs.csi.aws.com", VolumeBindingMode: new(storagev1.VolumeBindingWaitForFirstConsumer),
	}
	set := &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "db"}, Spec: appsv1.StatefulSetSpec{
		ServiceName: "db", Selector: &metav1.LabelSelector{MatchLabels: labels},
		Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{
			TerminationGracePeriodSeconds: new(int64(1)),
			Containers:                    []corev1.Container{{Name: "db", Image: "db:1", VolumeMounts: []corev1.VolumeMount{{Name: "data", MountPath: "/data"}}}},
		}},
		VolumeClaimTemplates: []corev1.PersistentVolumeClaim{{ObjectMeta: metav1.ObjectMeta{Name: "data"}, Spec: corev1.PersistentVolumeClaimSpec{
			StorageClassName: new("gp3"), AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("4Gi")}},
		}}},
	}}
	policy := &v1alpha1.FailoverPolicy{ObjectMeta: metav1.ObjectMeta{Name: "db"}, Spec: v1alpha1.FailoverPolicySpec{
		Mode: v1alpha1.ModeAuto, PodSelector: metav1.LabelSelector{MatchLabels: labels}, OutOfService: v1alpha1.OutOfServiceWhenOff,
	}}
	for _, o := range []client.Object{class, set, policy} {
		must(t, shared.Create(t.Context(), o))
		t.Cleanup(func() { _ = shared.Delete(context.WithoutCancel(t.Context()), o) })
	}
}

// running waits until the pod of the StatefulSet is another than one that was, and Ready.
func running(t *testing.T, was any) *corev1.Pod {
	t.Helper()
	var pod corev1.Pod
	until(t, "db-0 is Ready", func() bool {
		err := shared.Get(t.Context(), client.ObjectKey{Namespace: "default", Name: "db-0"}, &pod)
		if !apierrors.IsNotFound(err) {
			must(t, err)
		}
		ready := kube.PodCondition(&pod, corev1.PodReady)
		return err == nil && fmt.Sprint(pod.UID) != fmt.Sprint(was) && ready != nil && ready.Status == corev1.ConditionTrue && pod.DeletionTimestamp == nil
	})
	return &pod
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func nodeOf(t *testing.T, name string) *corev1.Node {
	t.Helper()
	var n corev1.Node
	must(t, shared.Get(t.Context(), client.ObjectKey{Name: name}, &n))
	return &n
}

func instance(t *testing.T, node string) cloud.Instance {
	t.Helper()
	i, there := shared.Cloud.InstanceByNode(node)
	if !there {
		t.Fatalf("no instance of the node %s", node)
	}
	return i
}

func declared(t *testing.T, node string) failoverpolicy.Declaration {
	t.Helper()
	n := nodeOf(t, node)
	d, is := failoverpolicy.DeclarationOf(n)
	if !is || !kube.IsOutOfService(n) {
		t.Errorf("%s is not out of service: %v, %v", node, n.Annotations, n.Spec.Taints)
	}
	return d
}

func backInService(t *testing.T, node string) {
	t.Helper()
	until(t, "the node is back in service", func() bool {
		n := nodeOf(t, node)
		_, is := failoverpolicy.DeclarationOf(n)
		return !is && !kube.IsOutOfService(n) && kube.IsNodeReady(n)
	})
}

// readings is how often EC2 was asked for the instance of a node.
func readings(t *testing.T, node string) int {
	t.Helper()
	n, id := 0, instance(t, node).ID
	for _, call := range shared.AWS.Calls() {
		if call.Action == "DescribeInstances" && strings.Contains(fmt.Sprint(call.Parameters), id) {
			n++
		}
	}
	return n
}

// silence makes the Lease of a node that is off a minute older, so that the test does not have to wait.
func silence(t *testing.T, node string) {
	t.Helper()
	var lease coordinationv1.Lease
	must(t, shared.Get(t.Context(), client.ObjectKey{Namespace: corev1.NamespaceNodeLease, Name: node}, &lease))
	lease.Spec.RenewTime = new(metav1.NewMicroTime(lease.Spec.RenewTime.Add(-time.Minute)))
	must(t, shared.Update(t.Context(), &lease))
}

// confirm runs naosu failover confirm as an administrator would.
func confirm(t *testing.T, node string, flags ...string) (code int, out string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), shared.naosu, append([]string{"failover", "confirm", "node/" + node, "--lang", "en"}, flags...)...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+shared.Plane.KubeconfigPath())
	text, err := cmd.CombinedOutput()
	if failed, is := errors.AsType[*exec.ExitError](err); is {
		return failed.ExitCode(), string(text)
	}
	must(t, err)
	return 0, string(text)
}
