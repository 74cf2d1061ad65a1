package simulation_test

import (
	"fmt"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/simulation"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// attachment attaches a claim's volume to a node.
func attachment(claim, node string) *storagev1.VolumeAttachment {
	volume := "pv-" + claim
	return &storagev1.VolumeAttachment{
		ObjectMeta: metav1.ObjectMeta{Name: "csi-" + claim + "-" + node},
		Spec:       storagev1.VolumeAttachmentSpec{Attacher: "ebs.csi.aws.com", NodeName: node, Source: storagev1.VolumeAttachmentSource{PersistentVolumeName: &volume}},
		Status:     storagev1.VolumeAttachmentStatus{Attached: true},
	}
}

// claimOf is zonalClaim with other access modes.
func claimOf(name, zone string, modes ...corev1.PersistentVolumeAccessMode) objects {
	all := zonalClaim(name, zone)
	all[0].(*corev1.PersistentVolumeClaim).Spec.AccessModes = modes
	all[1].(*corev1.PersistentVolume).Spec.AccessModes = modes
	return all
}

// strategy sets how a Deployment, the first of the objects, replaces its pods.
func strategy(of objects, surge, unavailable int) objects {
	of[0].(*appsv1.Deployment).Spec.Strategy = appsv1.DeploymentStrategy{Type: appsv1.RollingUpdateDeploymentStrategyType, RollingUpdate: &appsv1.RollingUpdateDeployment{
		MaxSurge: new(intstr.FromInt(surge)), MaxUnavailable: new(intstr.FromInt(unavailable)),
	}}
	return of
}

func recreating(of objects) objects {
	of[0].(*appsv1.Deployment).Spec.Strategy.Type = appsv1.RecreateDeploymentStrategyType
	return of
}

// pendingOnNode is a pod bound to a node on which none of its containers has started.
func pendingOnNode(pod *corev1.Pod) *corev1.Pod {
	pod.Status.Phase = corev1.PodPending
	pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionFalse}}
	return pod
}

var newImage = patchOf("Deployment", "web", `{"spec":{"template":{"metadata":{"annotations":{"version":"2"}}}}}`)

// TestAttach has pods use a single-attach volume on a second node.
func TestAttach(t *testing.T) {
	disk := template("web", "3", mounting("data")) // No node has capacity for two.
	small := template("web", "1", mounting("data"))
	shared := func() objects { return world(node("n1", "a"), node("n2", "a"), zonalClaim("data", "a")) }
	scaled := change.ScaleWorkload{Kind: "Deployment", Namespace: "default", Name: "web", Replicas: 2}
	free := &storagev1.CSIDriver{ObjectMeta: metav1.ObjectMeta{Name: "ebs.csi.aws.com"}, Spec: storagev1.CSIDriverSpec{AttachRequired: new(false)}}
	waits := func(on string) *corev1.Pod { return pendingOnNode(placed("late", on, small)) }
	two := func() objects { return world(shared(), deployment("web", small, "n1"), attachment("data", "n1")) }
	for name, tc := range map[string]struct {
		world   objects
		changes []change.Change
		want    []string
	}{
		"a rollout with a surge": {
			world(shared(), strategy(deployment("web", disk, "n1"), 1, 0), attachment("data", "n1")),
			[]change.Change{newImage},
			[]string{"waiting web-* >n2 FateAttach"},
		},
		"attachments are not known": {
			world(shared(), strategy(deployment("web", disk, "n1"), 1, 0)), []change.Change{newImage}, []string{"waiting web-* >n2 FateAttach"},
		},
		"a rollout onto the same node": {
			world(shared()[:1], shared()[2:], strategy(deployment("web", small, "n1"), 1, 0), attachment("data", "n1")),
			[]change.Change{newImage},
			[]string{"created web-* >n1", "ended web-1-a n1> FateRolled"},
		},
		"a rollout that removes the old pod first": {
			world(shared(), strategy(deployment("web", disk, "n1"), 0, 1), placed("wall", "n1", template("wall", "1")), attachment("data", "n1")),
			[]change.Change{newImage},
			[]string{"created web-* >n2", "ended web-1-a n1> FateRolled"},
		},
		"a rollout that may remove it": {
			world(shared(), strategy(deployment("web", disk, "n1"), 1, 1), attachment("data", "n1")),
			[]change.Change{newImage},
			[]string{"created web-* >n2", "ended web-1-a n1> FateRolled"},
		},
		"all pods are recreated": {
			world(shared(), recreating(deployment("web", disk, "n1")), attachment("data", "n1")),
			[]change.Change{newImage},
			[]string{"created web-* >n2", "ended web-1-a n1> FateRolled"},
		},
		"another replica": {
			world(shared(), deployment("web", disk, "n1"), attachment("data", "n1")), []change.Change{scaled}, []string{"waiting web-1-* >n2 FateAttach"},
		},
		"a driver that attaches nothing": {
			world(shared(), deployment("web", disk, "n1"), free), []change.Change{scaled}, []string{"created web-1-* >n2"},
		},
		"a volume for many nodes": {
			world(shared()[:2], claimOf("data", "a", corev1.ReadWriteOnce, corev1.ReadWriteMany), deployment("web", disk, "n1"), attachment("data", "n1")),
			[]change.Change{scaled},
			[]string{"created web-1-* >n2"},
		},
		"a volume without access modes": {
			world(shared()[:2], claimOf("data", "a"), deployment("web", disk, "n1"), attachment("data", "n1")),
			[]change.Change{scaled},
			[]string{"created web-1-* >n2"},
		},
		"a volume for one pod": {
			world(shared()[:2], claimOf("data", "a", corev1.ReadWriteOncePod), deployment("web", disk, "n1"), attachment("data", "n1")),
			[]change.Change{scaled},
			[]string{"waiting web-1-* FateUnschedulable"},
		},
		"an unused attachment is removed": {
			world(shared(), node("n3", "a"), deployment("web", disk, "n1"), attachment("data", "n3")),
			[]change.Change{change.Cordon{Node: "n3"}, change.DrainNode{Node: "n1"}},
			[]string{"moved web-1-a n1>n2"},
		},
		"the old pod is removed later": {
			world(shared(), strategy(deployment("web", disk, "n1"), 1, 0), attachment("data", "n1")),
			[]change.Change{newImage, change.Cordon{Node: "n1"}, change.DeletePod{Namespace: "default", Name: "web-1-a"}},
			[]string{"created web-* >n2", "ended web-1-a n1> FateRolled"},
		},
		"one that waits at the start": {
			world(two(), waits("n2")), []change.Change{change.DrainNode{Node: "n1"}}, []string{"moved late >n2", "moved web-1-a n1>n2"},
		},
		"two that wait at the start on two nodes": {
			world(two(), node("n3", "a", cordonedNode), waits("n2"), pendingOnNode(placed("other", "n3", small))),
			[]change.Change{change.Cordon{Node: "n1"}, change.DeletePod{Namespace: "default", Name: "web-1-a"}},
			[]string{"moved late >n2", "moved web-1-a n1>n2"},
		},
		"one that is still starting there keeps the volume": {
			world(shared(), pendingOnNode(placed("first", "n2", small)), attachment("data", "n2"), deployment("web", template("web", "3"), "n1")),
			[]change.Change{patchOf("Deployment", "web", `{"spec":{"template":{"spec":{"volumes":[{"name":"data","persistentVolumeClaim":{"claimName":"data"}}]}}}}`), change.Cordon{Node: "n1"}},
			[]string{"created web-* >n2", "ended web-1-a n1> FateRolled"},
		},
		"a pending one is bound to another node": {
			world(shared(), deployment("web", disk, "n1"), attachment("data", "n1"), placed("late", "", disk)),
			[]change.Change{change.Uncordon{Node: "n2"}},
			[]string{"waiting late >n2 FateAttach"},
		},
		"another pod on the old node still uses it": {
			world(shared(), deployment("web", small, "n1"), placed("beside", "n1", small), attachment("data", "n1")),
			[]change.Change{change.Cordon{Node: "n1"}, change.Evict{Namespace: "default", Name: "web-1-a"}},
			[]string{"waiting web-1-a n1>n2 FateAttach"},
		},
		"until that is removed as well": {
			world(shared(), deployment("web", small, "n1"), placed("beside", "n1", small), attachment("data", "n1")),
			[]change.Change{change.Cordon{Node: "n1"}, change.Evict{Namespace: "default", Name: "web-1-a"}, change.Evict{Namespace: "default", Name: "beside"}},
			[]string{"lost beside n1> FateBare", "moved web-1-a n1>n2"},
		},
		"an unreachable node keeps it": {
			world(node("n1", "a", unreachableFor(100*time.Second)), node("n2", "a"), zonalClaim("data", "a"),
				deployment("web", template("web", "1", mounting("data"), tolerating(300)), "n1"), attachment("data", "n1")),
			[]change.Change{change.Cordon{Node: "n1"}},
			[]string{"waiting web-1-a n1>n2 FateAttach"},
		},
		"until it is removed": {
			world(node("n1", "a"), node("n2", "a"), zonalClaim("data", "a"), deployment("web", template("web", "1", mounting("data"), tolerating(300)), "n1"), attachment("data", "n1")),
			[]change.Change{change.LoseNode{Node: "n1"}},
			[]string{"delayed web-1-a n1>n2 11m50s FateDetach"},
		},
		"the pod that has it is preempted": {
			world(node("n1", "a", cpu("1")), node("n2", "a", cpu("1")), zonalClaim("data", "a"), deployment("web", small, "n1"), waits("n2"), attachment("data", "n1")),
			[]change.Change{change.Apply{Objects: []runtime.Object{placed("high", "", template("high", "1", priority(10), onNode("n1")))}}},
			[]string{"created high >n1", "moved late >n2", "preempted web-1-a n1> by high 30s", "waiting web-1-* FateUnschedulable"},
		},
	} {
		t.Run(name, func(t *testing.T) { expectFates(t, tc.world.run(t, tc.changes...), tc.want...) })
	}
}

func onNode(name string) func(*corev1.PodSpec) {
	return func(s *corev1.PodSpec) { s.NodeSelector = map[string]string{corev1.LabelHostname: name} }
}

// TestAttachOrderIsRandom schedules three pods of one new volume on three nodes: one of them runs, each in some of the futures.
func TestAttachOrderIsRandom(t *testing.T) {
	w := world(node("n1", "a", cpu("1")), node("n2", "a", cpu("1")), node("n3", "a", cpu("1")), zonalClaim("data", "a"))
	ran := map[string]int{}
	pods := deployment("web", template("web", "1", mounting("data")), "", "", "")
	err := simulation.EachFuture(t.Context(), world(w, pods).judge(t), []change.Change{change.Uncordon{Node: "n1"}}, simulation.Options{Seeds: 60}, func(o outcome.Outcome) error {
		runs := 0
		for _, pod := range o.World.Pods() {
			if cluster.Runs(pod) {
				runs++
				ran[pod.Name]++
			}
		}
		if runs != 1 {
			return fmt.Errorf("%d run", runs)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(ran) != 3 {
		t.Errorf("got %v", ran)
	}
}

// TestPodsSharingANewClaim: a claim bound in the simulation works as one bound before.
func TestPodsSharingANewClaim(t *testing.T) {
	claim := &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Name: "data", Namespace: "default"},
		Spec:       corev1.PersistentVolumeClaimSpec{StorageClassName: new("gp3"), AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}},
	}
	w := world(node("n1", "a"), waitForFirstConsumerClass("gp3"))
	expectFates(t, w.run(t, change.Apply{Objects: []runtime.Object{claim, newDeployment(2, template("web", "1", mounting("data")))}}), "created web-* >n1", "created web-* >n1")
}
