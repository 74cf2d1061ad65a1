package nodes_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/lab/controlplane"
	"github.com/naosu-dev/naosu/lab/nodes"
)

func TestDeployment(t *testing.T) {
	b := newTestCluster(t)
	b.boot("a", "b")
	b.deployment(4, nil)
	b.eventuallyRunning(4)
	ips := map[string]bool{}
	for _, p := range b.pods() {
		ips[p.Status.PodIP] = true
	}
	if len(ips) != 4 || ips[""] {
		t.Errorf("pod addresses are %v, want four", ips)
	}
	b.must(b.AppsV1().Deployments(b.namespace).Delete(t.Context(), "d", metav1.DeleteOptions{PropagationPolicy: new(metav1.DeletePropagationBackground)}))
	b.eventually("no pods", func(context.Context) bool { return len(b.pods()) == 0 })
}

func TestCutOffAndReconnect(t *testing.T) {
	b := newTestCluster(t)
	b.boot("a", "b") // where every node is lost, nothing is evicted
	b.bare("p", nil, b.on("a"))
	b.eventuallyRunning(1)
	b.set("a", nodes.CutOff)
	b.eventually("unknown", func(context.Context) bool { return b.ready("a") == corev1.ConditionUnknown })
	b.eventually("the taint's eviction", func(context.Context) bool { p := b.pod("p"); return p != nil && p.DeletionTimestamp != nil })
	if p := b.pod("p"); p == nil || p.Status.Phase != corev1.PodRunning {
		t.Errorf("the pod is %v, want it to hang in Terminating", p)
	}
	b.set("a", nodes.On)
	b.eventually("the pod's end", func(context.Context) bool { return b.pod("p") == nil })
	b.eventually("ready again", func(ctx context.Context) bool {
		n, err := b.CoreV1().Nodes().Get(ctx, b.node("a"), metav1.GetOptions{})
		return err == nil && len(n.Spec.Taints) == 0 && b.ready("a") == corev1.ConditionTrue
	})
}

func TestKubeletDown(t *testing.T) {
	b := newTestCluster(t)
	b.boot("a")
	tolerate := func(p *corev1.Pod) {
		p.Spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
	}
	b.bare("server", nil, tolerate)
	b.eventuallyRunning(1)
	b.bare("work", map[string]string{nodes.AnnotationRunFor: "60s"}, func(p *corev1.Pod) {
		tolerate(p)
		p.Spec.RestartPolicy = corev1.RestartPolicyNever
	})
	b.eventuallyBegun("work")
	before := b.pod("server").Status.ContainerStatuses[0]
	b.set("a", nodes.KubeletDown)
	b.eventually("unknown", func(context.Context) bool { return b.ready("a") == corev1.ConditionUnknown })
	b.set("a", nodes.On)
	b.eventuallyRunning(1)
	b.eventually("the work's end", func(context.Context) bool { return b.pod("work").Status.Phase == corev1.PodSucceeded })
	if after := b.pod("server").Status.ContainerStatuses[0]; after.ContainerID != before.ContainerID || after.RestartCount != 0 {
		t.Errorf("the container was not adopted: %v, before %v", after, before)
	}
}

func TestPowerOffReboots(t *testing.T) {
	b := newTestCluster(t)
	b.boot("a", "b")
	b.bare("p", nil, func(p *corev1.Pod) {
		b.on("a")(p)
		p.Spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
	})
	b.bare("q", nil, b.on("a"))
	b.eventuallyRunning(2)
	boot := func() string {
		n, err := b.CoreV1().Nodes().Get(t.Context(), b.node("a"), metav1.GetOptions{})
		b.must(err)
		return n.Status.NodeInfo.BootID
	}
	before := boot()
	b.set("a", nodes.Off)
	b.eventually("the eviction of q", func(context.Context) bool { return b.pod("q").DeletionTimestamp != nil })
	b.set("a", nodes.On)
	b.eventually("a restart", func(context.Context) bool {
		p := b.pod("p")
		return isReady(p) && p.Status.ContainerStatuses[0].RestartCount == 1
	})
	b.eventually("the end of q", func(context.Context) bool { return b.pod("q") == nil })
	if last := b.pod("p").Status.ContainerStatuses[0].LastTerminationState.Terminated; last == nil || last.ExitCode != 255 {
		t.Errorf("last state is %v, want exit code 255", last)
	}
	b.eventually("another boot ID", func(context.Context) bool { return boot() != before })
	if m := b.waitForEvent(metav1.NamespaceDefault, b.node("a"), "Rebooted"); !strings.Contains(m, boot()) {
		t.Errorf("Rebooted says %q", m)
	}
}

func TestPodWaitsForVolume(t *testing.T) {
	b := newTestCluster(t)
	b.boot("a")
	const handle = "vol-1"
	_, err := b.CoreV1().PersistentVolumes().Create(t.Context(), &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: b.namespace},
		Spec: corev1.PersistentVolumeSpec{
			Capacity:    corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")},
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			ClaimRef:    &corev1.ObjectReference{Namespace: b.namespace, Name: "claim"},
			PersistentVolumeSource: corev1.PersistentVolumeSource{
				CSI: &corev1.CSIPersistentVolumeSource{Driver: "ebs.csi.aws.com", VolumeHandle: handle},
			},
		},
	}, metav1.CreateOptions{})
	b.must(err)
	_, err = b.CoreV1().PersistentVolumeClaims(b.namespace).Create(t.Context(), &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Name: "claim"},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}, StorageClassName: new(""), VolumeName: b.namespace,
			Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}},
		},
	}, metav1.CreateOptions{})
	b.must(err)
	b.bare("p", nil, func(p *corev1.Pod) {
		p.Spec.Volumes = []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{
			PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "claim"},
		}}}
	})
	inUse := func() []corev1.UniqueVolumeName {
		n, err := b.CoreV1().Nodes().Get(t.Context(), b.node("a"), metav1.GetOptions{})
		b.must(err)
		return n.Status.VolumesInUse
	}
	name := corev1.UniqueVolumeName("kubernetes.io/csi/ebs.csi.aws.com^" + handle)
	b.eventually("volumesInUse", func(context.Context) bool { v := inUse(); return len(v) == 1 && v[0] == name })
	if message := b.waitForEvent(b.namespace, "p", "FailedMount"); !strings.Contains(message, "unattached volumes=[data]") {
		t.Errorf("FailedMount says %q", message)
	}
	if p := b.pod("p"); p.Status.Phase != corev1.PodPending || p.Status.ContainerStatuses[0].State.Waiting.Reason != "ContainerCreating" {
		t.Errorf("without its volume the pod is %s", p.Status.Phase)
	}
	// The attacher's part: the real attach-detach controller then writes volumesAttached.
	b.eventually("an attachment", func(ctx context.Context) bool {
		list, err := b.StorageV1().VolumeAttachments().List(ctx, metav1.ListOptions{})
		b.must(err)
		for _, a := range list.Items {
			if a.Spec.NodeName == b.node("a") {
				a.Status.Attached = true
				_, err := b.StorageV1().VolumeAttachments().UpdateStatus(ctx, &a, metav1.UpdateOptions{})
				return err == nil
			}
		}
		return false
	})
	b.eventuallyRunning(1)
	b.must(b.CoreV1().Pods(b.namespace).Delete(t.Context(), "p", metav1.DeleteOptions{}))
	b.eventually("no volume in use", func(context.Context) bool { return b.pod("p") == nil && len(inUse()) == 0 })
}

func TestJobs(t *testing.T) {
	b := newTestCluster(t)
	b.boot("a")
	job := func(name, code string) {
		template := b.template(map[string]string{nodes.AnnotationRunFor: "20s", nodes.AnnotationExitCode: code})
		template.Spec.RestartPolicy = corev1.RestartPolicyNever
		_, err := b.BatchV1().Jobs(b.namespace).Create(t.Context(), &batchv1.Job{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec:       batchv1.JobSpec{Template: template, BackoffLimit: new(int32(0))},
		}, metav1.CreateOptions{})
		b.must(err)
	}
	job("good", "0")
	job("bad", "3")
	condition := func(name string, want batchv1.JobConditionType) {
		b.eventually(name+" "+string(want), func(ctx context.Context) bool {
			j, err := b.BatchV1().Jobs(b.namespace).Get(ctx, name, metav1.GetOptions{})
			b.must(err)
			for _, c := range j.Status.Conditions {
				if c.Type == want && c.Status == corev1.ConditionTrue {
					return true
				}
			}
			return false
		})
	}
	condition("good", batchv1.JobComplete)
	condition("bad", batchv1.JobFailed)
}

func TestStatefulSetInOrder(t *testing.T) {
	b := newTestCluster(t)
	b.boot("a", "b")
	_, err := b.AppsV1().StatefulSets(b.namespace).Create(t.Context(), &appsv1.StatefulSet{
		ObjectMeta: metav1.ObjectMeta{Name: "s"},
		Spec: appsv1.StatefulSetSpec{
			Replicas: new(int32(3)), Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "x"}},
			Template: b.template(map[string]string{nodes.AnnotationReadyAfter: "20s"}),
		},
	}, metav1.CreateOptions{})
	b.must(err)
	b.eventuallyRunning(3)
	// Not the condition's time: that changes where heartbeats were late. Times are of whole seconds, and so is this sum.
	readyAt := func(name string) metav1.Time {
		return metav1.NewTime(b.pod(name).Status.ContainerStatuses[0].State.Running.StartedAt.Add(20 * time.Second / scale))
	}
	for _, pair := range [][2]string{{"s-0", "s-1"}, {"s-1", "s-2"}} {
		if ready, next := readyAt(pair[0]), b.pod(pair[1]).CreationTimestamp; next.Before(&ready) {
			t.Errorf("%s was made at %s, before %s was ready at %s", pair[1], next, pair[0], ready)
		}
	}
}

func TestDaemonSetOnEveryNode(t *testing.T) {
	b := newTestCluster(t)
	b.boot("a", "b")
	_, err := b.AppsV1().DaemonSets(b.namespace).Create(t.Context(), &appsv1.DaemonSet{
		ObjectMeta: metav1.ObjectMeta{Name: "d"},
		Spec: appsv1.DaemonSetSpec{
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "x"}}, Template: b.template(nil),
		},
	}, metav1.CreateOptions{})
	b.must(err)
	b.eventuallyRunning(2)
	b.boot("c")
	b.eventuallyRunning(3)
}

func TestSidecarStopsLast(t *testing.T) {
	b := newTestCluster(t)
	b.boot("a")
	b.bare("p", map[string]string{nodes.AnnotationRunFor: "40s"}, func(p *corev1.Pod) {
		p.Spec.RestartPolicy = corev1.RestartPolicyNever
		p.Spec.InitContainers = []corev1.Container{
			{Name: "prepare", Image: "i"},
			{Name: "proxy", Image: "i", RestartPolicy: new(corev1.ContainerRestartPolicyAlways)},
		}
	})
	b.eventually("success", func(context.Context) bool { return b.pod("p").Status.Phase == corev1.PodSucceeded })
	s := b.pod("p").Status
	prepared, sidecar, work := s.InitContainerStatuses[0].State.Terminated, s.InitContainerStatuses[1].State.Terminated, s.ContainerStatuses[0].State.Terminated
	if prepared == nil || sidecar == nil || work == nil {
		t.Fatalf("containers that have not ended: %+v", s)
	}
	if sidecar.StartedAt.Before(&prepared.FinishedAt) || work.StartedAt.Before(&sidecar.StartedAt) || sidecar.FinishedAt.Before(&work.FinishedAt) {
		t.Errorf("the first init container ran %v, the sidecar %v, the work %v", prepared, sidecar, work)
	}
}

func TestMemoryPressureEvicts(t *testing.T) {
	b := newTestCluster(t)
	b.boot("a")
	use := func(s string) map[string]string { return map[string]string{nodes.AnnotationMemoryUse: s} }
	request := func(s string) func(*corev1.Pod) {
		return func(p *corev1.Pod) {
			p.Spec.Containers[0].Resources.Requests = corev1.ResourceList{corev1.ResourceMemory: resource.MustParse(s)}
		}
	}
	b.bare("modest", use("2Gi"), request("2Gi"))
	b.bare("greedy", use("100Mi"), request("100Mi"))
	b.eventuallyRunning(2)
	grow := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:"5Gi"}}}`, nodes.AnnotationMemoryUse)
	_, err := b.CoreV1().Pods(b.namespace).Patch(t.Context(), "greedy", types.MergePatchType, grow, metav1.PatchOptions{})
	b.must(err)
	b.eventually("the eviction", func(context.Context) bool { return b.pod("greedy").Status.Phase == corev1.PodFailed })
	status := b.pod("greedy").Status
	if status.Reason != "Evicted" || !strings.Contains(status.Message, "The node was low on resource: memory") ||
		!strings.Contains(status.Message, "Container c was using 5Gi, request is 100Mi") {
		t.Errorf("evicted with %q: %q", status.Reason, status.Message)
	}
	b.eventually("MemoryPressure", func(context.Context) bool { return b.condition("a", corev1.NodeMemoryPressure) == corev1.ConditionTrue })
	if p := b.pod("modest"); p == nil || p.Status.Phase != corev1.PodRunning || p.DeletionTimestamp != nil {
		t.Error("the modest pod was evicted as well")
	}
	b.eventually("the pressure's end", func(context.Context) bool {
		return b.condition("a", corev1.NodeMemoryPressure) == corev1.ConditionFalse
	})
}

func TestNodeDeleted(t *testing.T) {
	b := newTestCluster(t)
	b.boot("a")
	b.must(b.CoreV1().Nodes().Delete(t.Context(), b.node("a"), metav1.DeleteOptions{}))
	b.eventually("the lease's end", func(ctx context.Context) bool {
		_, err := b.CoordinationV1().Leases(corev1.NamespaceNodeLease).Get(ctx, b.node("a"), metav1.GetOptions{})
		return err != nil
	})
	if _, err := b.CoreV1().Nodes().Get(t.Context(), b.node("a"), metav1.GetOptions{}); err == nil {
		t.Error("the kubelet made its Node again without a restart")
	}
	b.set("a", nodes.KubeletDown)
	b.set("a", nodes.On)
	b.eventually("the node", func(ctx context.Context) bool {
		_, err := b.CoreV1().Nodes().Get(ctx, b.node("a"), metav1.GetOptions{})
		return err == nil
	})
}

func TestAPIServerRestart(t *testing.T) {
	b := newTestCluster(t)
	b.boot("a")
	b.bare("server", nil, nil)
	b.eventuallyRunning(1)
	b.bare("work", map[string]string{nodes.AnnotationRunFor: "30s"}, func(p *corev1.Pod) { p.Spec.RestartPolicy = corev1.RestartPolicyNever })
	b.eventuallyBegun("work")
	b.must(b.plane.StopComponent(t.Context(), controlplane.APIServer))
	b.must(b.plane.StartComponent(t.Context(), controlplane.APIServer))
	b.eventually("the work's end", func(context.Context) bool { return b.pod("work").Status.Phase == corev1.PodSucceeded })
	b.bare("new", nil, nil)
	b.eventuallyRunning(2)
	if n := b.pod("server").Status.ContainerStatuses[0].RestartCount; n != 0 {
		t.Errorf("the server was restarted %d times", n)
	}
}
