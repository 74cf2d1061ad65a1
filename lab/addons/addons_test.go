// The programs at work in a whole lab: real control plane, simulated nodes, cloud. What they decide in detail is tested
// beside them.
package addons_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"

	"github.com/naosu-dev/naosu/lab"
	"github.com/naosu-dev/naosu/lab/cloud"
	"github.com/naosu-dev/naosu/lab/labtest"
	"github.com/naosu-dev/naosu/lab/pace"
)

const vpaConfig = `{"agent":{"requests":{"cpu":{"base":"10m","step":"10m","nodesPerStep":1}}}}`

// fixture is a lab with two nodes of two cores, in zones a and b of three.
type fixture struct {
	*lab.Lab
	kubernetes.Interface
	namespace string
}

func TestAddons(t *testing.T) {
	l := labtest.Start(t, lab.Options{
		Pace:   pace.New(20), // at more, a busy machine makes heartbeats late
		Addons: lab.Addons{ClusterAutoscaler: true, VerticalAutoscaler: true},
		Cloud: cloud.Spec{Groups: []cloud.GroupSpec{
			{Name: "app", InstanceType: "m5.large", Min: 2, Desired: 2, Max: 5, ZoneOrder: []string{"us-east-1a", "us-east-1b", "us-east-1c"}},
			{Name: "other", InstanceType: "m5.large", Max: 3, Zones: []string{"us-east-1a"}, Labels: map[string]string{"role": "other"}},
		}},
	})
	client, err := kubernetes.NewForConfig(l.Plane.AdminConfig())
	if err != nil {
		t.Fatal(err)
	}
	b := &fixture{Lab: l, Interface: client, namespace: "default"}
	b.eventually(t, "two nodes", func(ctx context.Context) error { return b.nodes(ctx, 2) })

	// Each builds on the cluster that the one before left: two nodes, little on them.
	t.Run("a pod whose volume is in the third zone is told so", b.podOfVolumeInAnotherZone)
	t.Run("requests follow the nodes", b.verticalAutoscaler)
	t.Run("nodes come with pods and go with them", b.scaleUpAndDown)
}

func (b *fixture) podOfVolumeInAnotherZone(t *testing.T) {
	ctx := t.Context()
	volume := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "redis"}, Spec: corev1.PersistentVolumeSpec{
		Capacity: storage("8Gi"), AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}, StorageClassName: "none",
		PersistentVolumeSource: corev1.PersistentVolumeSource{CSI: &corev1.CSIPersistentVolumeSource{Driver: "ebs.csi.aws.com", VolumeHandle: "vol-0"}},
		NodeAffinity: &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
			MatchExpressions: []corev1.NodeSelectorRequirement{{Key: corev1.LabelTopologyZone, Operator: corev1.NodeSelectorOpIn, Values: []string{"us-east-1c"}}},
		}}}},
	}}
	claim := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: "redis"}, Spec: corev1.PersistentVolumeClaimSpec{
		AccessModes: volume.Spec.AccessModes, StorageClassName: new("none"), VolumeName: "redis",
		Resources: corev1.VolumeResourceRequirements{Requests: storage("8Gi")},
	}}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "redis"}, Spec: corev1.PodSpec{
		NodeSelector: map[string]string{"eks.amazonaws.com/nodegroup": "app"},
		Containers:   []corev1.Container{{Name: "redis", Image: "redis"}},
		Volumes: []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{
			PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "redis"},
		}}},
	}}
	must(t)(b.CoreV1().PersistentVolumes().Create(ctx, volume, metav1.CreateOptions{}))
	must(t)(b.CoreV1().PersistentVolumeClaims(b.namespace).Create(ctx, claim, metav1.CreateOptions{}))
	b.eventually(t, "the claim is bound", func(ctx context.Context) error {
		c, err := b.CoreV1().PersistentVolumeClaims(b.namespace).Get(ctx, "redis", metav1.GetOptions{})
		if err == nil && c.Status.Phase != corev1.ClaimBound {
			err = fmt.Errorf("it is %s", c.Status.Phase)
		}
		return err
	})
	must(t)(b.CoreV1().Pods(b.namespace).Create(ctx, pod, metav1.CreateOptions{}))
	b.event(t, "redis", "NotTriggerScaleUp", "pod didn't trigger scale-up: "+
		"1 node(s) didn't match PersistentVolume's node affinity, 1 node(s) didn't match Pod's node affinity/selector")
	if err := b.CoreV1().Pods(b.namespace).Delete(ctx, "redis", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
}

func (b *fixture) verticalAutoscaler(t *testing.T) {
	ctx := t.Context()
	labels := map[string]string{"app": "agent"}
	template := corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{
		Containers: []corev1.Container{{Name: "agent", Image: "agent"}},
	}}
	must(t)(b.AppsV1().DaemonSets(b.namespace).Create(ctx, &appsv1.DaemonSet{
		ObjectMeta: metav1.ObjectMeta{Name: "agent"},
		Spec:       appsv1.DaemonSetSpec{Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: template},
	}, metav1.CreateOptions{}))
	b.deployment(t, "cpvpa", 1, corev1.Container{
		Name: "autoscaler", Image: "registry.k8s.io/cpvpa-amd64:v0.8.4",
		Command: []string{"/cpvpa", "--target=daemonset/agent", "--namespace=" + b.namespace, "--default-config=" + vpaConfig},
	})
	b.eventually(t, "10m and 10m for each node", func(ctx context.Context) error { return b.requests(ctx, "30m") })
}

func (b *fixture) scaleUpAndDown(t *testing.T) {
	big := corev1.Container{Name: "web", Image: "web", Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{"cpu": resource.MustParse("1500m")}}}
	b.deployment(t, "web", 4, big)
	b.eventually(t, "four nodes", func(ctx context.Context) error { return b.nodes(ctx, 4) })
	b.eventually(t, "four pods run", func(ctx context.Context) error { return b.ready(ctx, "web", 4) })
	b.event(t, "web-", "TriggeredScaleUp", "pod triggered scale-up: [{app 2->")
	b.eventually(t, "the DaemonSet grows with them", func(ctx context.Context) error { return b.requests(ctx, "50m") })

	must(t)(b.AppsV1().Deployments(b.namespace).Patch(t.Context(), "web", "application/merge-patch+json", []byte(`{"spec":{"replicas":1}}`), metav1.PatchOptions{}))
	b.eventually(t, "two nodes", func(ctx context.Context) error { return b.nodes(ctx, 2) })
	b.eventually(t, "the DaemonSet shrinks", func(ctx context.Context) error { return b.requests(ctx, "30m") })
	b.eventually(t, "what ran goes on", func(ctx context.Context) error {
		if err := b.ready(ctx, "web", 1); err != nil {
			return err
		}
		return b.ready(ctx, "cpvpa", 1)
	})
	b.event(t, "", "ScaleDown", "marked the node as toBeDeleted/unschedulable")
	cm, err := b.CoreV1().ConfigMaps("kube-system").Get(t.Context(), "cluster-autoscaler-status", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(cm.Data["status"], "cloudProviderTarget: 2\n") {
		t.Errorf("status:\n%s", cm.Data["status"])
	}
}

func (b *fixture) deployment(t *testing.T, name string, replicas int32, c corev1.Container) {
	t.Helper()
	labels := map[string]string{"app": name}
	must(t)(b.AppsV1().Deployments(b.namespace).Create(t.Context(), &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{Containers: []corev1.Container{c}}},
		},
	}, metav1.CreateOptions{}))
}

// event waits until something of that name, or whose name begins so, has an event whose message begins so.
func (b *fixture) event(t *testing.T, about, reason, message string) {
	t.Helper()
	b.eventually(t, "event "+reason+" of "+about, func(ctx context.Context) error {
		list, err := b.CoreV1().Events("").List(ctx, metav1.ListOptions{FieldSelector: "reason=" + reason})
		if err != nil {
			return err
		}
		var others []string
		for _, e := range list.Items {
			if strings.HasPrefix(e.InvolvedObject.Name, about) && e.Source.Component == "cluster-autoscaler" {
				if strings.HasPrefix(e.Message, message) {
					return nil
				}
				others = append(others, e.Message)
			}
		}
		return fmt.Errorf("there are %q", others)
	})
}

func (b *fixture) nodes(ctx context.Context, want int) error {
	list, err := b.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	ready := 0
	for _, n := range list.Items {
		for _, c := range n.Status.Conditions {
			if c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue {
				ready++
			}
		}
	}
	if ready != want || len(list.Items) != want {
		return fmt.Errorf("%d nodes, %d of them ready", len(list.Items), ready)
	}
	return nil
}

func (b *fixture) ready(ctx context.Context, deployment string, want int32) error {
	d, err := b.AppsV1().Deployments(b.namespace).Get(ctx, deployment, metav1.GetOptions{})
	if err == nil && d.Status.ReadyReplicas != want {
		err = fmt.Errorf("%d replicas of %s are ready", d.Status.ReadyReplicas, deployment)
	}
	return err
}

func (b *fixture) requests(ctx context.Context, want string) error {
	ds, err := b.AppsV1().DaemonSets(b.namespace).Get(ctx, "agent", metav1.GetOptions{})
	if err != nil {
		return err
	}
	if got := ds.Spec.Template.Spec.Containers[0].Resources.Requests.Cpu(); got.Cmp(resource.MustParse(want)) != 0 {
		return fmt.Errorf("it asks for %s", got)
	}
	return nil
}

// patience is far beyond any time that is expected: a node goes up to a minute after its pods, at this pace.
const patience = 4 * time.Minute

func (b *fixture) eventually(t *testing.T, what string, holds func(context.Context) error) {
	t.Helper()
	var last error
	err := wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, patience, true, func(ctx context.Context) (bool, error) {
		err := holds(ctx)
		if ctx.Err() == nil {
			last = err
		}
		return err == nil, nil
	})
	if err != nil {
		b.show(t)
		t.Fatalf("%s: %v: %v", what, err, last)
	}
}

// show logs what there is, for a test that failed.
func (b *fixture) show(t *testing.T) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	nodes, _ := b.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	for _, n := range nodes.Items {
		t.Log("node", n.Name, n.Spec.Taints)
	}
	pods, _ := b.CoreV1().Pods("").List(ctx, metav1.ListOptions{})
	for _, p := range pods.Items {
		t.Log("pod", p.Name, p.Spec.NodeName, p.Status.Phase, p.DeletionTimestamp)
	}
	events, _ := b.CoreV1().Events("").List(ctx, metav1.ListOptions{})
	for _, e := range events.Items {
		t.Log("event", e.FirstTimestamp.Format(time.TimeOnly), e.InvolvedObject.Name, e.Reason, e.Count, e.Message)
	}
}

func storage(s string) corev1.ResourceList {
	return corev1.ResourceList{corev1.ResourceStorage: resource.MustParse(s)}
}

func must(t *testing.T) func(any, error) {
	t.Helper()
	return func(_ any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
}
